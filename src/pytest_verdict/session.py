"""The slot that a running test session fills."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.budget import Budget

if TYPE_CHECKING:
    from types import FrameType

    from pytest_verdict.core.record import AttemptRecords
    from pytest_verdict.core.result import ComparisonResult


@dataclass(slots=True)
class Session:
    """The functions and settings of a running test session."""

    observer: Callable[[ComparisonResult], ComparisonResult] | None = None
    """Records a comparison, and returns the result for the test."""
    failure_observer: Callable[[Exception], None] | None = None
    """Is told of the exception of comparisons that did not pass, before it is raised."""
    expectation_observer: Callable[[Any], None] | None = None
    """Is told of each `Expectation`."""
    rows_observer: Callable[[Any], None] | None = None
    """Records rows that were compared together: `JudgedRows` of a suite (default: the observer records each)."""
    next_place: Callable[[], tuple[AttemptRecords, str] | None] | None = None
    """Returns the place of the next record: the attempt of a test, and the end of the record with its file and line."""
    budget: Budget = field(default_factory=Budget)
    advice: bool = True
    compared: int = 0
    explaining_thread: int = 0
    """The thread in which pytest compares again to explain a failure; 0 for none."""
    redaction: Callable[[str], str] | None = None
    journal: Path | None = None
    """The folder in which a session with a report writes while it runs."""


SESSION: Final = Session()
PACKAGE: Final = str(Path(__file__).parent) + os.sep


def calling_frame() -> FrameType | None:
    """Return the nearest frame outside of this package; None in a thread whose target is a function of ours."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to learn the caller without reading files
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return frame


def publish(result: ComparisonResult) -> ComparisonResult:
    """Count and record a comparison, and return the result for the test."""
    SESSION.compared += 1
    if SESSION.observer is None:
        return result
    return SESSION.observer(result)
