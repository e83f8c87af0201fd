"""The operator on regular expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

from pydantic import model_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.operators.regex_search import (
    Flags,
    FoundMatch,
    Mode,
    RegexTimeLimitError,
    checked_pattern,
    compile_pattern,
    find_matches,
)
from pytest_verdict.operators.surfaces import EMPTY_EXPECTED, NOT_TEXT, not_text, surfaces, unusable

__all__ = ["FoundMatch", "Regex", "RegexTimeLimitError", "compile_pattern", "find_matches"]

INVALID_PATTERN = "invalid_regex_pattern"


def refused_pattern(pattern: Any, flags: Sequence[str]) -> Outcome | None:
    """Refuse an expected value that is no regular expression."""
    takes = "a regular expression"
    if not isinstance(pattern, str):
        return unusable(NOT_TEXT, takes, pattern)
    if not pattern:
        return unusable(EMPTY_EXPECTED, "a pattern that is not empty", pattern)
    try:
        compile_pattern(pattern, flags)
    except re.error as error:
        return unusable(INVALID_PATTERN, takes, pattern, {"reason": str(error)})
    except RegexTimeLimitError as error:
        return Outcome(0.0, error=str(error))
    return None


class Regex(Operator):
    """Observed matches a regular expression, in the syntax of Python's ``re``.

    Expected is the pattern. One that does not compile is an ``error`` with the note ``invalid_regex_pattern``; given as the
    setting ``pattern`` it is a wrong configuration.

    A pattern can take for ever on a text. When the pattern shows that it might, or has more than 1,000 characters, it is
    matched in a second process, and after 10 seconds the comparison is an ``error``: neither a pass nor a fail. No other
    comparison of this library consults a clock.

    Args:
        pattern: The regular expression, not empty. Given as a setting it takes the place of expected.
        mode: ``fullmatch`` matches only the whole text, and is the default; ``search`` finds the pattern anywhere in observed,
            ``match`` at its start.
        flags: Names of flags: ASCII, DOTALL, IGNORECASE, MULTILINE, VERBOSE, or their first forms A, S, I, M, X.
        normalize: Normalizers for observed, in order of application; none unless given. The pattern stays as it is.

    Raises:
        SettingsError: The pattern is empty or does not compile, or a flag is not known.

    Example:
        >>> compare("regex", ".*(?P<year>[0-9]{4})", "in 1928").details
        {'matched': 'in 1928', 'span': [0, 7], 'groups': ['1928'], 'named_groups': {'year': '1928'}}
    """

    name: ClassVar[str] = "regex"
    kind: ClassVar[str] = "text"

    pattern: str | None = None
    mode: Mode = "fullmatch"
    flags: Flags = ()
    normalize: Normalization = ()

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        if self.pattern is not None:
            checked_pattern(self.pattern, self.flags)
        return self

    def effective_expected(self, expected: Any) -> Any:
        """Give the pattern when it is a setting."""
        return expected if self.pattern is None else self.pattern

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Match observed against the pattern; see the class."""
        pattern = self.effective_expected(expected)
        refusal = refused_pattern(pattern, self.flags) or not_text(pattern, observed)
        if refusal is not None:
            return refusal
        found = surfaces(None, observed, self.normalize)
        try:
            matches = find_matches(pattern, self.flags, self.mode, found.observed)
        except RegexTimeLimitError as error:
            return replace(found.outcome(0.0), error=str(error))
        return found.outcome(1.0, details=matches[0].details()) if matches else found.outcome(0.0)
