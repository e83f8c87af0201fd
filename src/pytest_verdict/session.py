"""What a running test session adds to comparisons: the one slot of this library that is not a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.budget import Budget

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_verdict.core.record import AttemptRecords
    from pytest_verdict.core.result import ComparisonResult


@dataclass(slots=True)
class Session:
    """What a running test session adds to every comparison."""

    observer: Callable[[ComparisonResult], ComparisonResult] | None = None
    """Takes every comparison, and returns the result that the test gets."""
    rows_observer: Callable[[Any], None] | None = None
    """Takes rows that were compared together: `JudgedRows` of a suite; without it the observer takes them one by one."""
    next_place: Callable[[], tuple[AttemptRecords, str] | None] | None = None
    """Returns where the next record will stand: the attempt of a test, and the end of the record with its file and line."""
    budget: Budget = field(default_factory=Budget)
    advice: bool = True
    compared: int = 0
    explaining_thread: int = 0
    """The thread in which pytest looks for the reason of a failure, and compares again to find it; 0 for none."""
    redaction: Callable[[str], str] | None = None
    journal: Path | None = None
    """The folder in which a session that makes a report writes while it runs."""


SESSION: Final = Session()


def publish(result: ComparisonResult) -> ComparisonResult:
    """Count a comparison, and return it as the session hands it out."""
    SESSION.compared += 1
    if SESSION.observer is None:
        return result
    return SESSION.observer(result)
