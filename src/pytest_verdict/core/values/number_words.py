"""Cardinal numbers in English words, up to trillions."""

import re
from collections.abc import Iterator
from typing import Final

from pytest_verdict.core.values.numerals import Numeral

_UNITS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_VALUES: Final = {
    "zero": 0,
    "a": 1,
    **{word: number for number, word in enumerate((*_UNITS, *_TEENS), 1)},
    **{word: number for number, word in zip(range(20, 100, 10), _TENS, strict=True)},
}
_GAP: Final = r"(?:[ \t\u00a0]+|-)"
_BELOW_100: Final = (
    rf"(?:(?:{'|'.join(_TENS)})(?:{_GAP}(?:{'|'.join(_UNITS)}))?\b|(?:{'|'.join((*_TEENS, *_UNITS))})\b)"
)
_BELOW_1000: Final = rf"(?:(?:a|{_BELOW_100}){_GAP}hundred\b(?:{_GAP}(?:and{_GAP})?{_BELOW_100})?|{_BELOW_100})"
_SCALED: Final = rf"(?:a|{_BELOW_1000}){_GAP}(?:{'|'.join(_SCALES)})\b"
_NUMBER: Final = re.compile(
    rf"(?<![\w-])(?:(?P<sign>minus|negative) )?"
    rf"(?P<words>(?:a|{_BELOW_100}){_GAP}dozen\b|{_SCALED}(?:(?:,? |,? and |-){_SCALED})*(?:(?:,? "
    rf"|,? and |-){_BELOW_1000})?|{_BELOW_1000}|zero\b"
    r")",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z]+", re.IGNORECASE)
# Words beside a number that make it a part of another one, and one number behind another, as in "nineteen eighty-four".
_CHANGED_BEFORE: Final = re.compile(
    r"(?:\b(?:half|thirds?|quarters?|fourths?|fifths?|tenths?|out of|point|power of|times|in|over"
    r"|plus or minus)(?: of)?(?: a)?"
    r"|[0-9]|\b(?:hundred|thousand|million|billion|trillion))[ -]$",
    re.IGNORECASE,
)
_CHANGED_AFTER: Final = re.compile(
    r"[ -](?:and (?:a |an |one |three )?(?:half|quarters?|third)|(?:out of|in|over|to the|point|times) (?:\w)"
    r"|(?:hal(?:f|ves)|[a-z]*(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|quarter|hundredth"
    r"|thousandth|millionth)s?"
    r"|first|second|dozens?|scores?|gross|lakhs?|crores?|squared|cubed|hundreds?|thousands?"
    r"|[a-z]+illions?|factorial)\b"
    rf"|(?:{'|'.join((*_UNITS, *_TEENS, *_TENS))})\b)|-[0-9]| ?[/^²³]",
    re.IGNORECASE,
)


def find_number_words(text: str) -> Iterator[Numeral]:
    """Yield the numbers in words of a text; the value is None if a word beside them changes it."""
    for match in _NUMBER.finditer(text):
        value = _read_words(match["words"].casefold())
        is_changed = _CHANGED_BEFORE.search(text, max(match.start() - 20, 0), match.start()) is not None
        if value is None or is_changed or _CHANGED_AFTER.match(text, match.end()):
            yield Numeral(None, match.start(), match.end())
        else:
            sign = "-" if match["sign"] and value else ""
            yield Numeral(f"{sign}{value}", match.start(), match.end())


def _read_words(text: str) -> int | None:
    """Return the number, or None if its powers of a thousand do not descend."""
    total = 0
    part = 0
    smallest = 10**15
    for word in _WORD.findall(text):
        if word == "hundred":
            part *= 100
        elif word == "dozen":
            part *= 12
        elif word in _SCALES:
            if _SCALES[word] >= smallest:
                return None
            smallest = _SCALES[word]
            total += part * smallest
            part = 0
        elif word != "and":
            part += _VALUES[word]
    return total + part
