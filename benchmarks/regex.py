"""What a regular expression costs with its time limit, beside plain ``re`` without one."""

from __future__ import annotations

import re

from side_by_side import microseconds

from pytest_verdict.operators.regex import find_matches

END = (
    " foo then bar, 2024-05, $1,250.00, a.b@c.org https://x.org/y <answer>42</answer> "
    "```json 1``` final answer is: 42 yes"
)
PATTERNS = (
    r"\d+",
    r"-?\d+(?:\.\d+)?",
    r"(?P<year>\d{4})-\d{2}",
    r"\b(?:yes|no|maybe)\b",
    r"<answer>(.*?)</answer>",
    r"(?i)final answer(?: is)?:?\s*\$?(-?[\d,]+(?:\.\d+)?)",
    r"https?://[^\s/$.?#]\S*",
    r"[$€]\s?\d{1,3}(?:,\d{3})*(?:\.\d{2})?",
    r"\bfoo\b.*\bbar\b",
    r"^\s*\w+\s*$",
    r"[\w.+-]+@[\w-]+\.[\w.-]+",
    r"```(?:json)?\s*(.*?)\s*```",
)


def text(length: int) -> str:
    """Write a text of this length that the patterns find something at the end of."""
    return ("the model thought about it for a while " * 200)[: max(length - len(END), 0)] + END[-length:]


def ordinary_patterns(length: int) -> None:
    """Measure patterns as people write them; those that took over 50 us more than ``re`` went to the second process."""
    answer = text(length)
    print(f"\n| pattern, on {length:,} characters | re | find_matches | ratio |\n|---|---|---|---|")
    for pattern in PATTERNS:
        plain = re.compile(pattern)
        times = microseconds(
            {
                "re": lambda plain=plain: plain.search(answer),
                "ours": lambda pattern=pattern: find_matches(pattern, (), "search", answer),
            },
            number=200,
        )
        cell = pattern.replace("|", "\\|")
        print(f"| `{cell}` | {times['re']:.1f} us | {times['ours']:.1f} us | {times['ours'] / times['re']:.1f} |")


if __name__ == "__main__":
    for characters in (100, 5_000):
        ordinary_patterns(characters)
