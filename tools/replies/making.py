"""Rows from families: expected values, and replies that say them or only mention them."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple

from tools.replies import held_out, tuned

KINDS: Final = ("number", "date", "name", "choice", "yes or no", "list", "json")
FAMILIES: Final = {"tuned": (tuned.RIGHT, tuned.WRONG), "held out": (held_out.RIGHT, held_out.WRONG)}

_SMALL: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_ITEMS: Final = ("red", "green", "blue", "yellow", "dark orange", "violet", "sky blue", "white")
NAMES: Final[dict[str, list[str]]] = {
    "Paris": ["City of Light"],
    "Rome": ["Roma"],
    "New York": ["NYC", "New York City"],
    "York": ["Eboracum"],
    "St. Petersburg": ["Saint Petersburg"],
    "Washington, D.C.": ["Washington DC"],
}


class Reply(NamedTuple):
    kind: str
    family: str
    expected: Any
    text: str
    is_right: bool


def words_of(number: int) -> str:
    """Return an English number in words."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens = _TENS[number // 10 - 2]
        return f"{tens}-{_SMALL[number % 10]}" if number % 10 else tens
    for size, name in ((10**6, "million"), (1_000, "thousand"), (100, "hundred")):
        if number >= size:
            words = f"{words_of(number // size)} {name}"
            return f"{words} {words_of(number % size)}" if number % size else words
    raise ValueError(number)


class Number:
    """A number, and the forms in which a reply has it; a form that only fits whole numbers takes its whole part."""

    def __init__(self, draw: random.Random) -> None:
        self.value = draw.choice([draw.randint(2, 99), draw.randint(100, 999), draw.randint(1_000, 2_000_000)])
        self.decimals = f".{draw.randint(1, 9)}" if draw.random() < 0.2 else ""
        self.sign = draw.choice("-\u2212") if draw.random() < 0.15 else ""
        self.separated = draw.random() < 0.4

    def expected(self, template: str) -> str:
        """Return what a template says with its forms of this number."""
        forms = template.split("{x.")[1:]
        form = forms[-1].partition("}")[0] if forms else "x"
        if form in {"words", "Words", "whole", "ordinal", "spaced", "comma", "apostrophe", "latex"}:
            return str(self.value)
        sign = "" if form == "positive" or not self.sign else "-"
        return f"{sign}{self.value}{self.decimals}"

    def __format__(self, _: str) -> str:
        return f"{self.sign}{self.positive}"

    @property
    def positive(self) -> str:
        return f"{self.value:,}{self.decimals}" if self.separated else f"{self.value}{self.decimals}"

    @property
    def plain(self) -> str:
        return f"{'-' if self.sign else ''}{self.value}{self.decimals}"

    @property
    def whole(self) -> str:
        return str(self.value)

    @property
    def comma(self) -> str:
        return f"{self.value:,}"

    @property
    def spaced(self) -> str:
        return f"{self.value:,}".replace(",", "\u202f")

    @property
    def apostrophe(self) -> str:
        return f"{self.value:,}".replace(",", "\u2019")

    @property
    def latex(self) -> str:
        return f"{self.value:,}".replace(",", "{,}")

    @property
    def words(self) -> str:
        return words_of(self.value)

    @property
    def Words(self) -> str:
        return self.words.capitalize()

    @property
    def ordinal(self) -> str:
        return f"{self.value}{_ordinal_ending(self.value)}"


def _ordinal_ending(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


class Date:
    """A date and its forms; the day is beyond 12, so that no form is ambiguous."""

    def __init__(self, draw: random.Random) -> None:
        self.day = datetime.date(draw.randint(1900, 2040), draw.randint(1, 12), draw.randint(13, 28))
        month = _MONTHS[self.day.month - 1]
        number, year = self.day.day, self.day.year
        ending = _ordinal_ending(number)
        self.iso = self.day.isoformat()
        self.long = f"{month} {number}, {year}"
        self.british = f"{number} {month} {year}"
        self.short = f"{month[:3]} {number}, {year}"
        self.weekday = f"{self.day:%A}, {self.long}"
        self.ordinal = f"{month} {number}{ending}, {year}"
        self.of = f"{number}{ending} of {month} {year}"
        self.dashed = f"{number}-{month[:3]}-{year}"
        self.year_first = self.iso.replace("-", "/")
        self.month_only = f"{month} {year}"

    def expected(self, _: str) -> str:
        return self.iso


class Text(str):
    """A label; its other name and its cases."""

    __slots__ = ()

    def expected(self, _: str) -> str:
        return str(self)

    @property
    def alias(self) -> str:
        return NAMES[self][0]

    @property
    def lower(self) -> str:  # type: ignore[override]
        return str.lower(self)

    @property
    def upper(self) -> str:  # type: ignore[override]
        return str.upper(self)


class Document:
    """A JSON object, in one line or indented."""

    def __init__(self, draw: random.Random) -> None:
        self.value = {
            "id": draw.randint(1, 999),
            "tags": draw.sample(_ITEMS, 2),
            "note": draw.choice(["a {b}", 'say "x"', "", "1]"]),
        }

    def expected(self, _: str) -> dict[str, Any]:
        return self.value

    def __format__(self, _: str) -> str:
        return json.dumps(self.value)

    @property
    def indented(self) -> str:
        return json.dumps(self.value, indent=2)


def _draw_label(*labels: str) -> Callable[[random.Random], Text]:
    return lambda draw: Text(draw.choice(labels))


_DRAWN: Final[dict[str, Callable[[random.Random], Any]]] = {
    "number": Number,
    "date": Date,
    "name": _draw_label(*NAMES),
    "choice": _draw_label("A", "B", "C", "D"),
    "yes or no": _draw_label("yes", "no"),
    "json": Document,
}


def make_replies(part: Literal["tuned", "held out"], seed: int, each: int = 4) -> Iterator[Reply]:
    """Yield replies for each template of the tuned or of the held-out families."""
    draw = random.Random(seed)
    for families, is_right in zip(FAMILIES[part], (True, False), strict=True):
        for kind in KINDS:
            for family, templates in families[kind].items():
                for template in templates * each:
                    expected, text = _fill(kind, template, draw)
                    yield Reply(kind, family, expected, text, is_right)


def _fill(kind: str, template: str, draw: random.Random) -> tuple[Any, str]:
    if kind == "list":
        items = draw.sample(_ITEMS, 4)
        return items[:3], template.format(*items, other=items[3])
    values: list[Any] = []
    while len(values) < (2 if kind == "yes or no" else 3):
        value = _DRAWN[kind](draw)
        # Two numbers differ in their whole part, because some forms have only that.
        if getattr(value, "value", value) not in [getattr(other, "value", other) for other in values]:
            values.append(value)
    x, y, *rest = values
    capitalized = {}
    if isinstance(x, str):
        capitalized = {"X": x.capitalize(), "Y": y.capitalize()}
    text = template.format(x=x, y=y, z=(*rest, x)[0], **capitalized)
    return x.expected(template), text.replace("D.C..", "D.C.")
