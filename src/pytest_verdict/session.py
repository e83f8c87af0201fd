"""What a running test session adds to comparisons: the one slot of this library that is not a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.budget import Budget

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_verdict.core.result import ComparisonResult


@dataclass(slots=True)
class Session:
    """What a running test session adds to every comparison."""

    observer: Callable[[ComparisonResult], None] | None = None
    rows_observer: Callable[[Any], None] | None = None
    """Takes rows that were compared together: `JudgedRows` of a suite; without it the observer takes them one by one."""
    describe: Callable[[ComparisonResult], str] = repr
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
    """Count a comparison, hand it to the session's observer, and return it."""
    SESSION.compared += 1
    if SESSION.observer is not None:
        SESSION.observer(result)
    return result
