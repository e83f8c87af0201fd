"""The last comparisons that did not pass, and where they were made: what a plain ``assert`` may have failed on."""

from __future__ import annotations

import sys
from collections import deque
from types import CodeType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pytest_verdict.core.result import ComparisonResult


class Failure(NamedTuple):
    """A comparison that did not pass."""

    result: ComparisonResult
    code: CodeType
    line: int


RECENT_FAILURES: Final[deque[Failure]] = deque(maxlen=3)
"""Emptied when the phase of the test has its report."""


def remember_failure(result: ComparisonResult) -> None:
    """Remember a comparison that did not pass."""
    if result.passed:
        return
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to learn where the comparison was made
    while str(frame.f_globals.get("__name__", "")).startswith("pytest_verdict.") and frame.f_back is not None:
        frame = frame.f_back
    RECENT_FAILURES.append(Failure(result, frame.f_code, frame.f_lineno))
