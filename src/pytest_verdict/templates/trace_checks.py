"""Checks of the raw response: the quotes that a judge copied from it, and the regex checks of classic templates."""

import datetime
import enum
import re
import unicodedata
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, BeforeValidator

from pytest_verdict.core.kernel import error_outcome, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.core.values.numerals import find_number_words, find_numerals
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.normalized_sides import NOT_TEXT
from pytest_verdict.operators.regex import INVALID_PATTERN, find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError

_WORD: Final = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_SHORTEST_PASSAGE: Final = 6
_KEYS: Final = ("pattern", "expected", "match_type")
_MATCH_TYPES: Final = ("all", "contains", "count", "exact")


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
        values = [] if self.classified else list_values(self.value)
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
    wanted, _, _ = _join_words(part)
    joined, starts, ends = _join_words(text)
    place = joined.find(wanted) if wanted else -1
    while place >= 0:
        if place in starts and place + len(wanted) in ends:
            return True
        place = joined.find(wanted, place + 1)
    return False


def _join_words(text: str) -> tuple[str, set[int], set[int]]:
    """Join the words of a text, without blanks between letters and digits; return also where words start and end."""
    joined = ""
    starts = set()
    ends = set()
    for word in _split_words(text):
        if joined and joined[-1].isdigit() == word[0].isdigit():
            joined += " "
        starts.add(len(joined))
        joined += word
        ends.add(len(joined))
    return joined, starts, ends


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


def list_values(value: Any) -> list[str | Decimal | datetime.date]:
    """Return the texts, numbers and dates of a value that a passage can say."""
    if isinstance(value, BaseModel):
        value = dict(value)
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, enum.Enum):
        return list_values(value.value)
    if isinstance(value, datetime.date):
        return [value]
    if isinstance(value, list | tuple | set | frozenset):
        return [part for item in value for part in list_values(item)]
    if isinstance(value, str):
        return [value]
    number = as_decimal(value)
    return [] if number is None or not number.is_finite() else [number]


def texts_in(value: Any) -> list[str]:
    """Return the texts of a value that is text or a collection."""
    return [part for part in list_values(value) if isinstance(part, str)]


def _says(text: str, value: str | Decimal | datetime.date) -> bool:
    if isinstance(value, str):
        return has_words(text, value)
    if isinstance(value, datetime.date):
        return has_words(text, str(value.year))
    return value in list_numbers(text)


class RegexCheck(Operator):
    """The matches of a pattern in the trace are as expected; one entry of a template's ``self.regex``.

    A match is its text. With one group in the pattern it is the text of the group, with several a tuple of them.

    Args:
        pattern: A regular expression in the syntax of Python's ``re``. One that does not compile is an error.
        value: The expected matches, in place of expected (default: None).
        match_type: ``exact`` (one match, equal to expected), ``contains`` (expected is one of the matches), ``count``
            (expected is their number) or ``all`` (expected is a list of at least one item, and each is one of the matches).
            Any other word is an error (default: ``exact``).

    Example:
        >>> compare("regex_check", None, "4 of 5", pattern="[0-9]", value=2, match_type="count").score
        1.0
    """

    name: ClassVar[str] = "regex_check"
    kind: ClassVar[str] = "trace"
    version: ClassVar[int] = 2

    pattern: str = ""
    # decode() also reads the typed JSON of settings(), in which a tuple is an object.
    value: Annotated[Any, BeforeValidator(decode)] = None
    match_type: Annotated[Any, BeforeValidator(decode)] = "exact"

    def settings(self) -> dict[str, Any]:
        """Return all settings as typed JSON, in which a tuple stays one."""
        return {"pattern": self.pattern, "value": encode(self.value), "match_type": encode(self.match_type)}

    def effective_expected(self, expected: Any) -> Any:
        return expected if self.value is None else self.value

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,), details={"reason": f"the trace is no text: {shown(observed, 80)}"})
        expected = self.effective_expected(expected)
        mistake = self._find_mistake(expected)
        if mistake:
            return Outcome(0.0, details={"reason": mistake}, error=mistake)
        try:
            results = find_matches(self.pattern, (), "search", observed, limit=None)
        except re.error as error:
            reason = f"{self.pattern!r} is not a regular expression: {error}"
            return Outcome(0.0, notes=(INVALID_PATTERN,), details={"reason": reason}, error=reason)
        except RegexTimeLimitError as error:
            return error_outcome(error)

        matches: list[Any] = []
        for result in results:
            groups = tuple(group or "" for group in result.groups)
            if len(groups) > 1:
                matches.append(groups)
            else:
                matches.append(groups[0] if groups else result.text)
        details: dict[str, Any] = {"matches_found": encode(matches), "match_count": len(matches)}
        reason = self._find_problem(expected, matches)
        if reason:
            details["reason"] = reason
            return Outcome(0.0, details=details)
        return Outcome(1.0, details=details)

    def _find_mistake(self, expected: Any) -> str:
        """Return why no matches can be compared with expected, or an empty text."""
        if self.match_type not in _MATCH_TYPES:
            return f"Unknown match_type: {self.match_type!r}.{allowed('match_type', self.match_type, _MATCH_TYPES)}"
        if self.match_type == "count" and type(expected) is not int:
            return f"match_type count expects a whole number, got {shown(expected, 80)}"
        if self.match_type == "all" and not isinstance(expected, list | tuple):
            return f"match_type all expects a list, got {shown(expected, 80)}"
        if self.match_type == "all" and not expected:
            return "match_type all expects at least one item; for no match, write match_type count and expected 0"
        return ""

    def _find_problem(self, expected: Any, matches: list[Any]) -> str:
        """Return why the matches are not as expected, or an empty text."""
        if self.match_type == "exact":
            if len(matches) != 1:
                return f"exactly one match is expected, found {len(matches)}"
            if not equal(expected, matches[0]):
                return f"{shown(matches[0], 80)} was found, not {shown(expected, 80)}"
        elif self.match_type == "contains":
            if not any(equal(expected, match) for match in matches):
                return f"{shown(expected, 80)} is not among the matches"
        elif self.match_type == "count":
            if expected != len(matches):
                return f"{len(matches)} matches were found, not {expected}"
        else:
            missing = [item for item in expected if not any(equal(item, match) for match in matches)]
            if missing:
                return f"not among the matches: {shown(missing, 160)}"
        return ""


def regex_checks(template: str, entries: Any) -> dict[str, RegexCheck]:
    if entries is None:
        return {}
    if not isinstance(entries, Mapping):
        raise TemplateError(f"{template}: self.regex must be a dict of named checks, got {shown(entries, 80)}")

    checks: dict[str, RegexCheck] = {}
    for name, entry in entries.items():
        if isinstance(entry, RegexCheck):
            checks[str(name)] = entry
            continue
        if not isinstance(entry, Mapping) or not isinstance(entry.get("pattern"), str) or not {*entry} <= {*_KEYS}:
            problem = f"self.regex[{name!r}] must be a dict with pattern, expected and match_type"
            raise TemplateError(f"{template}: {problem}, got {shown(entry, 120)}")
        settings = {key: item for key, item in entry.items() if key != "expected"}
        checks[str(name)] = RegexCheck(**settings, value=entry.get("expected"))
    return checks


def compare_all(checks: Mapping[str, RegexCheck], trace: Any) -> list[ComparisonResult]:
    return [run(check, None, trace, name=name) for name, check in checks.items()]


def regex_report(results: list[ComparisonResult]) -> dict[str, Any]:
    """Return results in the form of ``verify_regex``."""
    details_by_name: dict[str, Any] = {}
    for result in results:
        match_type = decode(result.settings["match_type"])
        report = {
            "pattern": result.settings["pattern"],
            "expected": result.expected,
            "match_type": match_type,
            "matches_found": decode(result.details.get("matches_found", [])),
            "match_count": result.details.get("match_count", 0),
        }
        if result.passed:
            report["success_reason"] = f"as expected by match_type {match_type}"
        else:
            report["failure_reason"] = result.details.get("reason", result.error)
        details_by_name[str(result.name)] = report
    return {
        "success": all(result.passed for result in results),
        "results": {str(result.name): result.passed for result in results},
        "details": details_by_name,
    }
