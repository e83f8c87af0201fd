"""The slot that a running test session fills."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.budget import Budget

if TYPE_CHECKING:
    from types import FrameType

    from pytest_verdict.core.result import ComparisonResult


class AcceptedEntry(NamedTuple):
    """The accepted values of a comparison, the file and the test that they belong to, and the reason if there are no values."""

    file: str
    test: str
    values: Sequence[Any] = ()
    problem: str = ""
    digest: str = ""
    """A digest of all values, if there are several."""

    def origin(self, position: int) -> dict[str, Any]:
        """Return the member ``accepted`` of the record of a comparison with one of the values."""
        if self.problem:
            return {"file": self.file, "test": self.test, "problem": self.problem}
        place = {"file": self.file, "test": self.test, "entry": position + 1, "of": len(self.values)}
        return {**place, "digest": self.digest} if self.digest else place


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
    """Records rows that were compared together: `ComparedRows` of a data set."""
    find_accepted: Callable[[str], AcceptedEntry] | None = None
    """Returns the accepted values of the running test by the name of the comparison."""
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
