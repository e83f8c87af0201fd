"""Operators on a trace: the raw text of a response, before anything was extracted from it.

With the pattern, substring or bounds as settings, expected says whether the trace should match: true or None, or false.
"""

from collections.abc import Callable, Sized
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, field_validator, model_validator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.numbers import truth_value
from pytest_verdict.operators.category import NOT_A_BOOLEAN
from pytest_verdict.operators.lists import item_details
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, NOT_TEXT, NormalizedSides, not_text, unusable
from pytest_verdict.operators.regex import Flags, compiles, find_matches, refused_pattern
from pytest_verdict.operators.regex_process import RegexTimeLimitError

Count = Annotated[int, Field(strict=True, ge=0)]

_SUBSTRING: Final = "a text that is not empty"
_PARTS: Final[dict[str, Callable[[str], Sized]]] = {"chars": str.__str__, "words": str.split, "lines": str.splitlines}


class TraceRegex(Operator):
    """A regular expression is found in the trace.

    Args:
        pattern: What to search for, not empty; flags may also stand in it, as in ``(?i)yes``. Without it expected is the
            pattern.
        count_min: How many matches it takes, at least 1; 1 unless given. Matches do not overlap.
        flags: Names of flags, as for `Regex`.

    Raises:
        SettingsError: The pattern is empty or does not compile, a flag is not known, or the count is below 1.

    Example:
        >>> compare("trace_regex", True, "See 1 and 2.", pattern="[0-9]", count_min=2).details
        {'count': 2, 'matched': ['1', '2']}
    """

    name: ClassVar[str] = "trace_regex"
    kind: ClassVar[str] = "trace"

    pattern: str | None = None
    count_min: Annotated[int, Field(strict=True, ge=1)] | None = None
    flags: Flags = ()

    def needs_expected(self) -> bool:
        """Say whether expected is the pattern."""
        return self.pattern is None

    _compiles = compiles

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        pattern, wanted = _expectation(self.pattern, expected)
        if wanted is None:
            return _unread(expected)
        if refusal := refused_pattern(pattern, self.flags) or not_text(pattern, observed):
            return refusal
        try:
            matches = find_matches(pattern, self.flags, "search", observed, limit=None)
        except RegexTimeLimitError as error:
            return Outcome(0.0, error=str(error))
        enough = len(matches) >= (1 if self.count_min is None else self.count_min)
        return _decided(
            enough, wanted, {"count": len(matches), **item_details("matched", [match.text for match in matches])}
        )


class TraceContains(Operator):
    """A text is contained in the trace, with case and blanks as they are.

    Args:
        substring: The text to look for, not empty. Without it expected is the text.

    Example:
        >>> compare("trace_contains", False, "Here you are.", substring="sorry").score
        1.0
    """

    name: ClassVar[str] = "trace_contains"
    kind: ClassVar[str] = "trace"

    substring: str | None = None

    def needs_expected(self) -> bool:
        """Say whether expected is the text."""
        return self.substring is None

    @field_validator("substring")
    @classmethod
    def _not_empty(cls, substring: str | None) -> str | None:
        if substring == "":
            raise ValueError("substring: it is empty and would match everything; leave it out to take it from expected")
        return substring

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        substring, wanted = _expectation(self.substring, expected)
        if wanted is None:
            return _unread(expected)
        if substring == "":
            return unusable(EMPTY_EXPECTED, _SUBSTRING, expected)
        if refusal := not_text(substring, observed, _SUBSTRING):
            return refusal
        return _decided(substring in observed, wanted, {"position": observed.find(substring)})


class TraceLength(Operator):
    """The trace has a length between two bounds, both of which belong to the range.

    Args:
        min: The shortest length, at least 0; open unless given, but one bound is required, and 0 alone is none.
        max: The greatest length, likewise.
        unit: ``chars`` (code points) unless given, ``words`` (parts between blanks) or ``lines``.

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
        """The bounds say what is expected."""
        return False

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("trace_length needs min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min={self.min} is greater than max={self.max}")
        if self.min == 0 and self.max is None:
            raise ValueError("min=0 without max is true of every trace")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        wanted = _wish(expected)
        if wanted is None:
            return _unread(expected)
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        length = len(_PARTS[self.unit](observed))
        inside = (self.min is None or length >= self.min) and (self.max is None or length <= self.max)
        return _decided(inside, wanted, {"length": length})


def _wish(expected: Any) -> bool | None:
    return True if expected is None else truth_value(expected)


def _expectation(setting: str | None, expected: Any) -> tuple[Any, bool | None]:
    if setting is None:
        return (expected, True)
    return (setting, _wish(expected))


def _unread(expected: Any) -> Outcome:
    return NormalizedSides().unreadable(NOT_A_BOOLEAN, "true, false or null", expected, (True, False))


def _decided(found: bool, wanted: bool, details: dict[str, Any]) -> Outcome:  # noqa: FBT001 - two truth values compared
    return Outcome(1.0 if found is wanted else 0.0, details=details)
