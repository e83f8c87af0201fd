"""Presets: steps with a name for the parts of a reply that are needed most often.

Each searches the text after the last ``</think>``, in time proportional to its length.
"""

import functools
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple

from pytest_verdict.core.values.jsontext import documents_in
from pytest_verdict.core.values.numerals import find_numerals


class Part(NamedTuple):
    """A part of a text: its value and its position."""

    value: Any
    start: int
    end: int


_TAG: Final = re.compile(r"<((?:final_)?answer)>((?:[^<]|<(?!/?\1>))*+)</\1>", re.IGNORECASE)
_BOXED: Final = re.compile(r"\\boxed\{([^{}]*)\}")
_HASHES: Final = re.compile(r"^#{4,}[ \t]+(.+)$", re.MULTILINE)
# A lookahead, because the same line may contain another announcement; its length is bounded, because it may contain thousands.
_REST: Final = r"(?=(\S.{0,2000}))"
_SAYS: Final = (
    rf"[^.:=\n]{{0,60}}?(?:\b(?:is|are|was|be|equals|comes to|amounts to)\b|[:=\u2192]|[-=]>|[*_ ]*\n)[\s*_:]*+{_REST}"
)
_NAMED: Final = re.compile(
    rf"(?:\b(?:answer|result|solution|conclusion|verdict|decision|label|category|classification|sentiment)\b{_SAYS}"
    rf"|^[*_ ]*A:\s*{_REST})",
    re.IGNORECASE | re.MULTILINE,
)
# These words also occur in the middle of a reasoning, so only the last two lines are searched for them.
_CONCLUDED: Final = re.compile(
    rf"\b(?:choice|option|pick|class|total)\b{_SAYS}"
    rf"|(?:\b(?:therefore|thus|hence|overall|in (?:conclusion|summary|short|total|the end))\b|(?:^|[.!?]\s)so\b)[,:]?\s*{_REST}",
    re.IGNORECASE | re.MULTILINE,
)
# Ends an answer before the end of its line.
_END: Final = re.compile(
    r"[.!?](?=[\"'\u201d\u2019*_)\]]{0,4}(?:\s|$))|;| [(\u2013\u2014]|,? (?:because|since)\b|, (?:as|and|not|but|so|which)\b"
)
# A period behind these does not end a sentence: titles, and initials behind a name or another initial.
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?!(?:Option|Choice|Answer|Group|Class|Type|Plan|Part|Vitamin) )[A-Z][\w'-]* [A-Z]|\b[A-Z]\. ?[A-Z]"
    r"|\b(?:St|Ste|Dr|Mr|Mrs|Ms|Prof|Mt|Ft|Sr|Jr|No|Nr|vs|cf|ca|approx|Gen|Col|Capt|Lt|Sgt|Rev|Hon|Sen|Rep|Gov|Pres|Art|Fig"
    r"|Vol|e\.g|i\.e))\.$"
)
_INITIALS: Final = re.compile(r"\W*[A-Z](?=\. ?[A-Z]\.)")
_LAST_ITEM: Final = re.compile(r"(?: [^\s,.;:!?]+){1,4}[.!?]?[\"'\u201d\u2019*_)\]]{0,4}$")
_LINE: Final = re.compile(r"^(.*\S)", re.MULTILINE)
_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)\n? {0,3}^ {0,3}\1", re.MULTILINE | re.DOTALL)
_DECORATION: Final = " \t*_`\"'\u201c\u201d\u2018\u2019"


def _find_groups(pattern: re.Pattern[str], text: str, start: int = 0) -> Iterator[Part]:
    """Yield the last group of each match, without the blanks around it."""
    for match in pattern.finditer(text, start):
        group = match.lastindex or 0
        value = match[group].strip()
        begin = match.start(group) + len(match[group]) - len(match[group].lstrip())
        yield Part(value, begin, begin + len(value))


def _find_numbers(text: str) -> Iterator[Part]:
    for value, start, end in find_numerals(text):
        yield Part(value, start, end)


def _find_final_answer(text: str) -> Iterator[Part]:
    """Yield the final answer: in a tag, in a box, after #### or after a word such as answer or result."""
    last_lines = "\n".join(text.rstrip().rsplit("\n", 2)[-2:])
    for pattern in (_TAG, _BOXED, _HASHES, _NAMED, _CONCLUDED):
        start = 0
        if pattern is _CONCLUDED:
            start = len(text.rstrip()) - len(last_lines)
        for last in deque(_find_groups(pattern, text, start), maxlen=1):
            answer = _strip_decoration(last)
            if answer.value:
                yield answer
                return


def _strip_decoration(part: Part) -> Part:
    """Remove what follows the answer on its line, and the quotes and emphasis around it."""
    text = part.value
    for end in _END.finditer(text):
        if not _is_inside_answer(text, end):
            text = text[: end.start()]
            break
    start = part.start + len(text) - len(text.lstrip(_DECORATION))
    text = text.strip(_DECORATION)
    return Part(text, start, start + len(text))


def _is_inside_answer(text: str, end: re.Match[str]) -> bool:
    """Return whether an end is none: the period of an abbreviation, or the last comma of a list."""
    if end[0] == ".":
        initials = _INITIALS.match(text)
        is_first_initial = initials is not None and initials.end() == end.start()
        # Names longer than this are not recognised, so that the search stays linear.
        return is_first_initial or _ABBREVIATED.search(text, max(end.end() - 40, 0), end.end()) is not None
    return end[0] == ", and" and ", " in text[: end.start()] and _LAST_ITEM.match(text, end.end()) is not None


def _find_lines(text: str) -> Iterator[Part]:
    """Yield the lines that are not empty and not the end of a code block."""
    lines = map(_strip_decoration, _find_groups(_LINE, text))
    return (line for line in lines if line.value)


def _find_json(text: str) -> list[Part]:
    """Find objects and lists; those without an object come last, because a list in brackets may be a footnote."""
    parts = (Part(*document) for document in documents_in(text))
    return sorted(parts, key=lambda part: "{" not in text[part.start : part.end])


class Preset(NamedTuple):
    """A search for parts, which of them is meant, and a version that is raised when another part is found than before."""

    find: Callable[[str], Iterable[Part]]
    which: Literal["first", "last"]
    version: int = 1


PRESETS: Final[dict[str, Preset]] = {
    "after_thinking": Preset(lambda text: [Part(text, 0, len(text))], "first"),
    "answer_tag": Preset(functools.partial(_find_groups, _TAG), "last"),
    "fenced_block": Preset(functools.partial(_find_groups, _FENCED), "first"),
    "final_answer": Preset(_find_final_answer, "first"),
    "first_json": Preset(_find_json, "first"),
    "first_number": Preset(_find_numbers, "first"),
    "last_line": Preset(_find_lines, "last"),
    "last_number": Preset(_find_numbers, "last"),
}


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def find_parts(name: str, text: str) -> list[Part]:
    """Return the part that a preset finds, or no part."""
    find, which, _ = PRESETS[name]
    offset = 0
    if "</think>" in text:
        offset = text.rfind("</think>") + len("</think>")
    parts: Iterable[Part] = find(text[offset:])
    if which == "first":
        parts = itertools.islice(parts, 1)
    else:
        parts = deque(parts, maxlen=1)
    # No other part takes the place of a number that is refused or of an empty text: it would be another answer.
    return [Part(part.value, part.start + offset, part.end + offset) for part in parts if not _is_missing(part.value)]
