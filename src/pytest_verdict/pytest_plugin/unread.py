"""Comparisons that did not pass: the last ones, and those that no test has looked at, each of which fails its test."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path
    from types import CodeType, FrameType

    from pytest_verdict.core.result import ComparisonResult

OPTION: Final = "verdict_unread"
"""The ini key and the marker."""
MODES: Final = ("fail", "warn", "ignore")

_MOST_DESCRIBED: Final = 5


class Failure(NamedTuple):
    """A comparison that did not pass."""

    result: ComparisonResult
    code: CodeType
    line: int


RECENT_FAILURES: Final[deque[Failure]] = deque(maxlen=3)
"""Emptied when the phase of the test has its report."""


def remember_failure(result: ComparisonResult) -> Failure:
    """Remember a comparison that did not pass, and where it was made."""
    frame = sys._getframe(1)  # noqa: SLF001 - the only way to learn where the comparison was made
    while str(frame.f_globals.get("__name__", "")).startswith("pytest_verdict.") and frame.f_back is not None:
        frame = frame.f_back
    failure = Failure(result, frame.f_code, frame.f_lineno or 0)
    RECENT_FAILURES.append(failure)
    return failure


class UnreadComparisons:
    """Counts the comparisons that did not pass until they are looked at; of millions it keeps the first few."""

    __slots__ = ("_cleared", "_keys", "_lock", "_waiting", "first")

    def __init__(self) -> None:
        self._waiting = self._cleared = 0
        self.first: dict[int, Failure] = {}
        self._keys = itertools.count()
        # Threads of one test compare at the same time.
        self._lock = threading.Lock()

    def add(self, failure: Failure) -> None:
        """Wait for a look at a comparison that did not pass."""
        with self._lock:
            key = next(self._keys)
            self._waiting += 1
            if len(self.first) < _MOST_DESCRIBED:
                self.first[key] = failure
        failure.result.when_read(functools.partial(self._forget, key))

    def _forget(self, key: int) -> None:
        with self._lock:
            self.first.pop(key, None)
            # What is looked at after its test is not waited for any more.
            self._waiting -= key >= self._cleared

    def __len__(self) -> int:
        return self._waiting

    def clear(self) -> None:
        """Wait for nothing any more."""
        with self._lock:
            self._waiting, self._cleared = 0, next(self._keys)
            self.first.clear()

    def describe(self, folder: Path) -> str:
        """Lay out how many there are, the blocks of the first ones, and where they were made, seen from a folder."""
        from pytest_verdict.comparison import describe_failure
        from pytest_verdict.core.values.display import counted, visible
        from pytest_verdict.explanation.lines import Line, Part, block, lines_of

        count, shown = len(self), list(self.first.values())
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
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else file


class ComparisonWatch:
    """Watches the comparisons of one session that did not pass."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.of_test = UnreadComparisons()
        self._of_fixtures: dict[Any, UnreadComparisons] = {}

    def observe(self, result: ComparisonResult) -> None:
        """Remember a comparison that did not pass, until something looks at it."""
        if result.has_passed():
            return
        failure = remember_failure(result)
        self._group().add(failure)

    def observe_rows(self, rows: Any) -> None:
        """Remember the first of many comparisons that did not pass; a gate looks at the others."""
        for result in rows.samples:
            self.observe(result)

    def _group(self) -> UnreadComparisons:
        fixture = _fixture_being_set_up()
        if fixture is None or fixture.scope == "function":
            return self.of_test
        # Other tests may look at what a fixture of a wider scope made, so it is asked when the fixture ends.
        if fixture not in self._of_fixtures:
            self._of_fixtures[fixture] = UnreadComparisons()
            fixture.addfinalizer(functools.partial(self._end_fixture, fixture))
        return self._of_fixtures[fixture]

    def _end_fixture(self, fixture: Any) -> None:
        import pytest

        group = self._of_fixtures.pop(fixture)
        if len(group):
            pytest.fail(group.describe(self.folder), pytrace=False)


def _fixture_being_set_up() -> Any | None:
    """Find the fixture that is being set up, if any, without a hook that every fixture of every session would pay for."""
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - only where a comparison did not pass
    while frame is not None:
        if frame.f_code.co_name == "pytest_fixture_setup" and "fixturedef" in frame.f_locals:
            return frame.f_locals["fixturedef"]
        frame = frame.f_back
    return None
