"""Quotes: whether the words that a judge copied from a response support the value that it extracted."""

import datetime
import enum
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.numerals import find_number_words, find_numerals
from pytest_verdict.operators.normalized_sides import NOT_TEXT

_WORD: Final = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_SHORTEST_PASSAGE: Final = 6


class QuoteCheck(Operator):
    """A quote is a passage of the trace that says an extracted value.

    Expected is the quote, observed the trace. A passage consists of whole words and numbers that follow each other; case,
    blanks and punctuation do not count. A text is said by its words, a number by itself in digits or words, a date by its
    year, and a list if the quote says one item and the trace all of them. Any other value, such as a truth value, needs a
    passage of at least two words and six letters.

    Args:
        value: The extracted value (default: None).
        classified: Whether the value is a choice, which the trace may say in other words (default: False).

    Example:
        >>> trace = "The capital is Paris. It is old."
        >>> [compare("quote_check", quote, trace, value="Paris").score for quote in ("is Paris", "It is old", "Par")]
        [1.0, 0.0, 0.0]
    """

    name: ClassVar[str] = "quote_check"
    kind: ClassVar[str] = "trace"
    version: ClassVar[int] = 3

    # decode() also reads the typed JSON of settings().
    value: Annotated[Any, BeforeValidator(decode)] = None
    classified: bool = False

    def settings(self) -> dict[str, Any]:
        """Return all settings as typed JSON."""
        return {"value": encode(self.value), "classified": self.classified}

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,), details={"reason": f"the trace is no text: {shown(observed, 80)}"})
        reason = self._find_problem(expected, observed)
        if reason:
            return Outcome(0.0, details={"reason": reason})
        return Outcome(1.0)

    def _find_problem(self, quote: Any, trace: str) -> str:
        """Return why the quote does not support the value, or an empty text."""
        words = _split_words(quote) if isinstance(quote, str) else []
        if not words:
            return f"{shown(quote, 80)} has no word to quote"
        if not has_words(trace, quote):
            return f"{shown(quote, 80)} is no passage of the response"
        values = [] if self.classified else _list_values(self.value)
        if values:
            if not any(_says(quote, value) for value in values):
                return f"{shown(quote, 80)} does not say {shown(self.value, 80)}"
            if not all(_says(trace, value) for value in values):
                return f"the response does not say {shown(self.value, 80)}"
        elif len(words) < 2 or len("".join(words)) < _SHORTEST_PASSAGE:
            return f"{shown(quote, 80)} is too short to show anything"
        return ""


def has_words(text: str, part: str) -> bool:
    """Return whether a text has the words and numbers of a part, whole and in their order; BCL-2 and bcl2 are one word."""
    wanted = "".join(_split_words(part))
    words = _split_words(text)
    for start in range(len(words)):
        joined = ""
        for word in words[start:]:
            joined += word
            if joined == wanted:
                return bool(wanted)
            if not wanted.startswith(joined):
                break
    return False


def list_numbers(text: str) -> set[Decimal]:
    """Return the numbers of a text, in digits and in words, that can be read."""
    numerals = (*find_numerals(text), *find_number_words(text))
    return {Decimal(numeral.value) for numeral in numerals if numeral.value is not None}


def _split_words(text: str) -> list[str]:
    """Split a text into words and numbers; scripts without case, such as Chinese, have no blanks between words."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    words: list[str] = []
    for word in _WORD.findall(text.casefold()):
        has_no_case = word.isalpha() and word.upper() == word
        words += list(word) if has_no_case else [word]
    return words


def _list_values(value: Any) -> list[str | Decimal | datetime.date]:
    """Return the texts, numbers and dates that a passage can say."""
    if isinstance(value, enum.Enum):
        return _list_values(value.value)
    if isinstance(value, datetime.date):
        return [value]
    if isinstance(value, list | tuple | set | frozenset):
        return [part for item in value for part in _list_values(item)]
    if isinstance(value, str):
        return [value]
    number = None if isinstance(value, Mapping) else as_decimal(value)
    return [] if number is None or not number.is_finite() else [number]


def _says(text: str, value: str | Decimal | datetime.date) -> bool:
    if isinstance(value, str):
        return has_words(text, value)
    if isinstance(value, datetime.date):
        return has_words(text, str(value.year))
    return value in list_numbers(text)
