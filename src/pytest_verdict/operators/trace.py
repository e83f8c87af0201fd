"""Operators on a trace, the raw text of a response.

If the pattern, substring or bounds are settings, expected says whether the trace should match: true or None, or false.
"""

from collections.abc import Callable, Sized
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from pytest_verdict.core.operator import PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.numbers import truth_value
from pytest_verdict.operators.category import NOT_A_BOOLEAN
from pytest_verdict.operators.lists import item_details
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NOT_TEXT, NormalizedSides, not_text, unusable
from pytest_verdict.operators.regex import Flags, compiles, find_matches, refuse_pattern
from pytest_verdict.operators.regex_process import RegexTimeLimitError

Count = Annotated[int, Field(strict=True, ge=0)]

_SUBSTRING: Final = "a text that is not empty"
_PARTS: Final[dict[str, Callable[[str], Sized]]] = {"chars": str.__str__, "words": str.split, "lines": str.splitlines}


class TraceRegex(PassFailOperator):
    """A regular expression is found in the trace.

    Args:
        pattern: The pattern, not empty; it may contain flags, as in ``(?i)yes``. Without this setting expected is the
            pattern.
        count_min: The lowest number of matches, at least 1 (default: 1). Matches do not overlap.
        flags: Names of flags, as for `Regex`.

    Raises:
        SettingsError: The pattern is empty or does not compile, a flag is unknown, or the count is below 1.

    Example:
        >>> compare("trace_regex", True, "See 1 and 2.", pattern="[0-9]", count_min=2).details
        {'count': 2, 'matched': ['1', '2']}
    """

    name: ClassVar[str] = "trace_regex"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "trace"

    pattern: str | None = None
    count_min: Annotated[int, Field(strict=True, ge=1)] | None = None
    flags: Flags = ()

    def needs_expected(self) -> bool:
        return self.pattern is None

    _compiles = compiles

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        pattern, should_match = _read_expected(self.pattern, expected)
        if should_match is None:
            return _refuse_expected(expected)
        if refusal := refuse_pattern(pattern, self.flags) or not_text(pattern, observed):
            return refusal
        try:
            matches = find_matches(pattern, self.flags, "search", observed, limit=None)
        except RegexTimeLimitError as error:
            return Outcome(0.0, error=str(error))
        is_match = len(matches) >= (self.count_min or 1)
        details = {"count": len(matches), **item_details("matched", [match.text for match in matches])}
        return Outcome(float(is_match is should_match), details=details)


class TraceContains(PassFailOperator):
    """A text is contained in the trace; case and blanks count.

    Args:
        substring: The text to look for, not empty. Without this setting expected is the text.

    Example:
        >>> compare("trace_contains", False, "Here you are.", substring="sorry").score
        1.0
    """

    name: ClassVar[str] = "trace_contains"
    kind: ClassVar[str] = "trace"

    substring: str | None = None

    def needs_expected(self) -> bool:
        return self.substring is None

    @field_validator("substring")
    @classmethod
    def _not_empty(cls, substring: str | None) -> str | None:
        if substring == "":
            raise ValueError("substring: it is empty and would match everything; leave it out to take it from expected")
        return substring

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        substring, should_match = _read_expected(self.substring, expected)
        if should_match is None:
            return _refuse_expected(expected)
        if substring == "":
            return unusable(EMPTY_EXPECTED, _SUBSTRING, expected)
        if refusal := not_text(substring, observed, _SUBSTRING):
            return refusal
        position = observed.find(substring)
        return Outcome(float((position >= 0) is should_match), details={"position": position})


class TraceLength(PassFailOperator):
    """The length of the trace is one of two bounds or between them.

    Args:
        min: The shortest length, at least 0 (default: none). One bound is required, and ``min=0`` alone is not a bound.
        max: The greatest length, likewise.
        unit: ``chars`` (code points), ``words`` (parts between blanks) or ``lines`` (default: ``chars``).

    Example:
        >>> compare("trace_length", True, "a short answer", max=5, unit="words").details
        {'length': 3}
    """

    name: ClassVar[str] = "trace_length"
    kind: ClassVar[str] = "trace"

    min: Count | None = None
    max: Count | None = None
    unit: Literal["chars", "words", "lines"] = "chars"

    def needs_expected(self) -> bool:
        return False

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("trace_length needs min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min={self.min} is greater than max={self.max}")
        if self.min == 0 and self.max is None:
            raise ValueError("min=0 without max is true of every trace")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        should_match = _read_truth(expected)
        if should_match is None:
            return _refuse_expected(expected)
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        length = len(_PARTS[self.unit](observed))
        is_inside = (self.min is None or length >= self.min) and (self.max is None or length <= self.max)
        return Outcome(float(is_inside is should_match), details={"length": length})


def _read_truth(expected: Any) -> bool | None:
    return True if expected is None else truth_value(expected)


def _read_expected(setting: str | None, expected: Any) -> tuple[Any, bool | None]:
    """Return what to look for, and whether the trace should contain it."""
    if setting is None:
        return expected, True
    return setting, _read_truth(expected)


def _refuse_expected(expected: Any) -> Outcome:
    return NormalizedSides().unreadable(NOT_A_BOOLEAN, "true, false or null", expected, (True, False))
