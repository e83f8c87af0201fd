"""Presets: the parts of a reply that are looked for so often that they have a name.

Each looks at what stands behind the last ``</think>``, and takes its time in proportion to the length of the text.
"""

import functools
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple

from pytest_verdict.core.values.jsontext import documents_in


class Part(NamedTuple):
    """A part of a text: its value, and where it stands."""

    value: Any
    start: int
    end: int


# A sign is none between two operands, as in 7-3; a comma or narrow blank before three digits separates thousands.
_NUMBER: Final = re.compile(
    r"(?:(?<![\w)\]])(?P<sign>[-+\u2212])[$€£¥]?)?(?<![\w.])"
    r"(?P<digits>[0-9]{1,3}(?:[,\u00a0\u2009\u202f'][0-9]{3})+(?![0-9])|[0-9]+)(?P<rest>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
)
_TAG: Final = re.compile(r"<((?:final_)?answer)>((?:[^<]|<(?!/?\1>))*+)</\1>", re.IGNORECASE)
_BOXED: Final = re.compile(r"\\boxed\{([^{}]*)\}")
_HASHES: Final = re.compile(r"^#{4,}[ \t]+(.+)$", re.MULTILINE)
# Only looked at, because another announcement may stand on the same line, and of a bounded length, because so may thousands.
_REST: Final = r"(?=(\S.{0,2000}))"
_SAYS: Final = (
    rf"[^.:=\n]{{0,60}}?(?:\b(?:is|are|was|be|equals|comes to|amounts to)\b|[:=\u2192]|[-=]>|[*_ ]*\n)[\s*_:]*+{_REST}"
)
_NAMED: Final = re.compile(
    rf"(?:\b(?:answer|result|solution|conclusion|verdict|decision|label|category|classification|sentiment)\b{_SAYS}"
    rf"|^[*_ ]*A:\s*{_REST})",
    re.IGNORECASE | re.MULTILINE,
)
# Words that stand in the middle of a reasoning too, and are looked for in the last two lines only.
_CONCLUDED: Final = re.compile(
    rf"\b(?:choice|option|pick|class|total)\b{_SAYS}"
    rf"|(?:\b(?:therefore|thus|hence|overall|in (?:conclusion|summary|short|total|the end))\b|(?:^|[.!?]\s)so\b)[,:]?\s*{_REST}",
    re.IGNORECASE | re.MULTILINE,
)
# Where an answer ends before its line does.
_END: Final = re.compile(
    r"[.!?](?=[\"'\u201d\u2019*_)\]]{0,4}(?:\s|$))|;| [(\u2013\u2014]|,? (?:because|since)\b|, (?:as|and|not|but|so|which)\b"
)
_LINE: Final = re.compile(r"^(.*\S)", re.MULTILINE)
_FENCED: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)\n? {0,3}^ {0,3}\1", re.MULTILINE | re.DOTALL)
_DECORATION: Final = " \t*_`\"'\u201c\u201d\u2018\u2019"


def _parts(pattern: re.Pattern[str], text: str, start: int = 0) -> Iterator[Part]:
    """Give the last group that took part in each match, without the blanks around it."""
    for found in pattern.finditer(text, start):
        group = found.lastindex or 0
        value = found[group].strip()
        begin = found.start(group) + len(found[group]) - len(found[group].lstrip())
        yield Part(value, begin, begin + len(value))


def _numbers(text: str) -> Iterator[Part]:
    for found in _NUMBER.finditer(text):
        sign = "-" if found["sign"] in {"-", "\u2212"} else ""
        digits = re.sub("[^0-9]", "", found["digits"])
        yield Part(f"{sign}{digits}{found['rest']}", *found.span())


def _final_answer(text: str) -> Iterator[Part]:
    """Find what a reply says to be its answer: in a tag, a box, behind #### or behind a word such as answer or result."""
    last_lines = "\n".join(text.rstrip().rsplit("\n", 2)[-2:])
    for pattern in (_TAG, _BOXED, _HASHES, _NAMED, _CONCLUDED):
        start = len(text.rstrip()) - len(last_lines) if pattern is _CONCLUDED else 0
        for part in deque(_parts(pattern, text, start), maxlen=1):
            if (bare := _bare(part)).value:
                yield bare
                return


def _bare(part: Part) -> Part:
    """Take away what follows the answer on its line, and quotes and emphasis around it."""
    end = _END.search(part.value)
    text = part.value[: end.start()] if end else part.value
    start = part.start + len(text) - len(text.lstrip(_DECORATION))
    text = text.strip(_DECORATION)
    return Part(text, start, start + len(text))


def _first_json(text: str) -> list[Part]:
    """Find objects and lists, those that hold no object behind the others: a list may be no more than a footnote."""
    return sorted(
        (Part(*found) for found in documents_in(text)), key=lambda part: "{" not in text[part.start : part.end]
    )


class Preset(NamedTuple):
    """What finds parts, which of several is meant, and a number that is raised when another part is found than before."""

    find: Callable[[str], Iterable[Part]]
    which: Literal["first", "last"]
    version: int = 1


PRESETS: Final[dict[str, Preset]] = {
    "after_thinking": Preset(lambda text: [Part(text, 0, len(text))], "first"),
    "answer_tag": Preset(functools.partial(_parts, _TAG), "last"),
    "fenced_block": Preset(functools.partial(_parts, _FENCED), "first"),
    "final_answer": Preset(_final_answer, "first"),
    "first_json": Preset(_first_json, "first"),
    "first_number": Preset(_numbers, "first"),
    "last_line": Preset(lambda text: map(_bare, _parts(_LINE, text)), "last"),
    "last_number": Preset(_numbers, "last"),
}


def find_parts(name: str, text: str) -> list[Part]:
    """Find the part of a name, if the text has it."""
    find, which, _ = PRESETS[name]
    skipped = text.rfind("</think>") + len("</think>") if "</think>" in text else 0
    parts = find(text[skipped:])
    chosen = itertools.islice(parts, 1) if which == "first" else deque(parts, maxlen=1)
    return [Part(part.value, part.start + skipped, part.end + skipped) for part in chosen]
