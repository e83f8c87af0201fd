"""Quotes: whether the words that a judge copied from a response support the value that it extracted."""

import datetime
import enum
import itertools
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.numerals import find_number_words, find_numerals
from pytest_verdict.operators.normalized_sides import NOT_TEXT

_SAME: Final = str.maketrans("\u2018\u2019\u201c\u201d\u2010\u2011\u2012\u2013\u2014", "''\"\"-----")
_MARKUP: Final = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
_WORD: Final = re.compile(r"[^\W_]+")
# Shorter words, such as articles and prepositions, occur in any passage.
_LONG: Final = 3
_SHORTEST_PASSAGE: Final = 6
_STEM: Final = 4
# Texts often write numbers up to this one in words.
_WRITTEN_IN_WORDS: Final = 20
Place = Literal["quote", "response", "nowhere", "unknown"]


class QuoteCheck(Operator):
    """A quote is a passage of the trace that supports an extracted value.

    Expected is the quote, observed the trace. Blanks, line ends, emphasis and the forms of quotation marks do not count. The
    passage begins and ends between words. It has the value if the trace has it: as words, or as a number. Otherwise a text
    shares a word with it, and a number above 20 differs from one of its numbers only by a power of ten. Of a list, it has
    one item, and the trace has all. Where that cannot be known, it has two words and six letters, or is a clause of its own.

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
    version: ClassVar[int] = 2

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
        if not isinstance(quote, str) or not _WORD.search(quote):
            return f"{shown(quote, 80)} has no word to quote"
        passage = _fold(quote)
        text = _fold(trace)
        if not _has_passage(passage, text):
            return f"{shown(quote, 80)} is no passage of the response"

        values = [] if self.classified else _list_values(self.value)
        places = {_find_value(value, passage, text) for value in values}
        if "nowhere" in places:
            return f"{shown(quote, 80)} does not say {shown(self.value, 80)}, nor does another part of the response"
        if "quote" in places:
            return ""
        if "response" in places:
            return f"{shown(quote, 80)} does not say {shown(self.value, 80)}, which the response says in another place"
        return "" if _is_long_enough(passage, text) else f"{shown(quote, 80)} is too short to show anything"


def _fold(text: str) -> str:
    text = unicodedata.normalize("NFC", text).translate(_SAME)
    text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return " ".join(_MARKUP.sub("", text).split())


def _has_passage(passage: str, text: str) -> bool:
    """Return whether a text has a passage that begins and ends between words and numbers."""
    start = text.find(passage)
    while start >= 0:
        end = start + len(passage)
        is_cut_before = _continues(text[max(start - 2, 0) : start], passage[:2])
        if not is_cut_before and not _continues(passage[-2:], text[end : end + 2]):
            return True
        start = text.find(passage, start + 1)
    return False


def _continues(left: str, right: str) -> bool:
    """Return whether a word or number goes on from one text to the next; scripts without case have no blanks to tell."""
    if re.search(r"[0-9][.,]?$", left) and re.match(r"[.,]?[0-9]", right):
        return True
    joined = (left[-1:], right[:1])
    return all(character.isalnum() and unicodedata.category(character) != "Lo" for character in joined)


def _list_values(value: Any) -> list[str | Decimal | datetime.date]:
    """Return the texts, numbers and dates by which a passage can be known to state a value."""
    if isinstance(value, enum.Enum):
        return _list_values(value.value)
    if isinstance(value, datetime.date):
        return [value]
    if isinstance(value, list | tuple | set | frozenset):
        return [part for item in value for part in _list_values(item)]
    if isinstance(value, str):
        return [_fold(value)] if _WORD.search(value) else []
    number = None if isinstance(value, Mapping) else as_decimal(value)
    return [] if number is None or not number.is_finite() else [number]


def _find_value(value: str | Decimal | datetime.date, passage: str, text: str) -> Place:
    """Return where a value is said, as far as that can be known."""
    if isinstance(value, str):
        if _has_passage(value.casefold(), passage.casefold()):
            return "quote"
        if _has_passage(value.casefold(), text.casefold()):
            return "response"
        words = {*_list_stems(value)}
        if not words:
            return "unknown"
        if words & {*_list_stems(passage)}:
            return "quote"
        return "response" if words & {*_list_stems(text)} else "nowhere"
    if isinstance(value, datetime.date):
        year = f"{value.year:04}"
        if year in passage:
            return "quote"
        if year in text:
            return "response"
        # A date may lack its year, or have two digits of it.
        return "nowhere" if re.search(r"(?<![0-9])[0-9]{4}(?![0-9])", passage) else "unknown"

    return _find_number(value, passage, text)


def _find_number(value: Decimal, passage: str, text: str) -> Place:
    is_small = abs(value) <= _WRITTEN_IN_WORDS
    numbers = _list_numbers(passage)
    if value in _list_numbers(text):
        if value in numbers:
            return "quote"
        return "unknown" if is_small and not any(map(str.isdigit, passage)) else "response"
    # The quote may have cut a number off from its magnitude, as 5 from 5 million.
    if value in numbers:
        return "nowhere"
    if any(number and abs(value / number).normalize().as_tuple().digits == (1,) for number in numbers if number):
        return "quote"
    # Small numbers may be counted, or written in the words of any language.
    return "unknown" if is_small or None in numbers else "nowhere"


def _list_numbers(text: str) -> set[Decimal | None]:
    """Return the numbers of a text, in digits and in words; None stands for those that cannot be read."""
    numerals = (*find_numerals(text), *find_number_words(text))
    return {None if numeral.value is None else Decimal(numeral.value) for numeral in numerals}


def _list_stems(text: str) -> list[str]:
    """Return the beginnings of the words of a text that say something."""
    words = _WORD.findall(text.casefold())
    stems = [word[:_STEM] for word in words if len(word) > _LONG or word.isdigit() or not word.isascii()]
    # BCL2 is another spelling of Bcl-2.
    return [*stems, *(first + second for first, second in itertools.pairwise(words) if second.isdigit())]


def _is_long_enough(passage: str, text: str) -> bool:
    words = _WORD.findall(passage)
    letters = sum(map(len, words))
    if len(words) > 1 and letters >= _SHORTEST_PASSAGE and max(map(len, words)) > _LONG:
        return True
    # Chinese and Japanese write a clause without blanks, and each of their characters says more.
    if sum(unicodedata.category(character) == "Lo" for character in passage) >= _LONG:
        return True
    clause = rf"(?:^|[^\w\s])\s*{re.escape(passage)}\s*(?:$|[^\w\s])"
    return letters > 1 and re.search(clause, text) is not None
