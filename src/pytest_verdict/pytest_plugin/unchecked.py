"""Comparisons that did not pass: the last ones, and those that no test has looked at, each of which fails its test."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest_verdict
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from types import CodeType, FrameType

    from pytest_verdict.core.result import ComparisonResult

OPTION: Final = "verdict_unread"
"""The ini key and the marker."""
MODES: Final = ("fail", "warn", "ignore")

_MOST_DESCRIBED: Final = 5
_PACKAGE: Final = str(Path(pytest_verdict.__file__).parent) + os.sep


class Failure(NamedTuple):
    """A comparison that did not pass, and the code that made it."""

    result: ComparisonResult
    code: CodeType
    line: int


RECENT_FAILURES: Final[deque[Failure]] = deque(maxlen=3)
"""Emptied when the phase of the test has its report."""


def calling_frame() -> FrameType | None:
    """Return the nearest frame outside of this package; None for a thread that was started with a function of ours."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to learn the caller without reading files
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def remember_failure(result: ComparisonResult) -> Failure:
    """Remember a comparison that did not pass, and the line that made it."""
    frame = calling_frame() or sys._getframe(1)  # noqa: SLF001 - as above
    failure = Failure(result, frame.f_code, frame.f_lineno or 0)
    RECENT_FAILURES.append(failure)
    return failure


class PendingCheck:
    """A comparison that did not pass, until the test looks at it."""

    __slots__ = ("_comparisons", "failure")

    def __init__(self, comparisons: UncheckedComparisons) -> None:
        self._comparisons: UncheckedComparisons | None = comparisons
        self.failure: Failure | None = None

    def settle(self) -> None:
        """Count the comparison as checked."""
        comparisons, self._comparisons = self._comparisons, None
        if comparisons is not None:
            comparisons.remove(self)


class UncheckedComparisons:
    """Counts the comparisons that did not pass until the test looks at them; it keeps the first few of millions."""

    __slots__ = ("_lock", "_pending", "count")

    def __init__(self) -> None:
        self.count = 0
        self._pending: list[PendingCheck] = []
        # Threads of one test compare at the same time.
        self._lock = threading.Lock()

    def add(self, result: ComparisonResult) -> ComparisonResult:
        """Return a comparison that did not pass as one that is counted until the test looks at it."""
        from pytest_verdict.pytest_plugin.watched_result import WatchedResult

        pending = PendingCheck(self)
        watched = WatchedResult(result, pending.settle)
        pending.failure = remember_failure(watched)
        with self._lock:
            self.count += 1
            if len(self._pending) < _MOST_DESCRIBED:
                self._pending.append(pending)
        return watched

    def remove(self, pending: PendingCheck) -> None:
        """Count one comparison less."""
        with self._lock:
            self.count -= 1
            if pending in self._pending:
                self._pending.remove(pending)

    def describe(self, folder: Path) -> str:
        """Lay out how many there are, the blocks of the first ones, and where they were made, seen from a folder."""
        from pytest_verdict.comparison import describe_failure
        from pytest_verdict.core.values.display import counted, visible
        from pytest_verdict.explanation.lines import Line, Part, block, lines_of

        count = self.count
        shown = [pending.failure for pending in self._pending if pending.failure is not None]
        blocks = [lines_of(describe_failure(failure.result)) for failure in shown]
        lines: list[Line] = []
        if count > 1 or not shown:
            first = (Part("; first "), *blocks[0][0]) if shown else ()
            lines.append((Part(f"{counted(count, 'comparison')} did not pass, and nothing looked at it"), *first))
        for failure, described in zip(shown, blocks, strict=True):
            where = f"{visible(_seen_from(folder, failure.code.co_filename))}:{failure.line}"
            lines += [*described, (Part(f"  made at {where}; nothing looked at it"),)]
        if count > len(shown):
            lines.append((Part(f"... and {count - len(shown)} more"),))
        lines.append((Part("Assert on the comparison, or accept it by the marker verdict_unread('ignore')."),))
        return block(lines)


def _seen_from(folder: Path, file: str) -> str:
    path = type(folder)(file)
    if path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return file


def _ignore() -> None:
    """Do nothing when a test looks at a comparison that passed."""


class ComparisonWatch:
    """Watches the comparisons of one session that did not pass."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.of_test = UncheckedComparisons()
        self._of_fixtures: dict[Any, UncheckedComparisons] = {}

    def observe(self, result: ComparisonResult) -> ComparisonResult:
        """Return the result for the test, which is watched when the comparison did not pass."""
        if not result.passed:
            return self._group().add(result)
        if SESSION.redaction is None:
            return result
        from pytest_verdict.pytest_plugin.watched_result import WatchedResult

        return WatchedResult(result, _ignore)

    def observe_rows(self, rows: Any) -> None:
        """Remember the first of many comparisons that did not pass; the gate of the data set checks all of them."""
        for result in rows.samples:
            remember_failure(result)

    def end_test(self) -> None:
        """Forget the comparisons of the test that ended."""
        self.of_test = UncheckedComparisons()

    def _group(self) -> UncheckedComparisons:
        fixture = _fixture_being_set_up()
        if fixture is None or fixture.scope == "function":
            return self.of_test
        # Other tests may look at what a fixture of a wider scope made, so it is asked when the fixture ends.
        if fixture not in self._of_fixtures:
            self._of_fixtures[fixture] = UncheckedComparisons()
            fixture.addfinalizer(functools.partial(self._end_fixture, fixture))
        return self._of_fixtures[fixture]

    def _end_fixture(self, fixture: Any) -> None:
        import pytest

        group = self._of_fixtures.pop(fixture)
        if group.count:
            pytest.fail(group.describe(self.folder), pytrace=False)


def _fixture_being_set_up() -> Any | None:
    """Find the fixture that is being set up, if any, without a hook that every fixture of every session would pay for."""
    frame: FrameType | None = calling_frame()
    while frame is not None:
        if frame.f_code.co_name == "pytest_fixture_setup" and "fixturedef" in frame.f_locals:
            return frame.f_locals["fixturedef"]
        frame = frame.f_back
    return None
