"""The recorder: in every process that runs tests, it writes each comparison down."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from itertools import groupby
from json.encoder import encode_basestring_ascii
from operator import itemgetter
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest

import pytest_verdict
from pytest_verdict.pytest_plugin.failures import FAILURES
from pytest_verdict.pytest_plugin.names import report_name, runs_everywhere
from pytest_verdict.report.journal import Counts, count
from pytest_verdict.report.record import AttemptRecords
from pytest_verdict.result import ComparisonResult

CARRIER: Final = "verdict_carrier"
"""The attribute of a report that only carries records, sent because no report of a phase would take them along."""

_SPILL: Final = 1 << 20
_PACKAGE: Final = str(Path(pytest_verdict.__file__).parent) + os.sep
# Stands for the path of a frame of this package.
_OWN: Final = ""


class Batch(NamedTuple):
    """Records of one attempt of a test, which need not be the one whose report carries them.

    Args:
        test: The node id.
        attempt: Which run of the test, from 1.
        counts: Counts per operator.
        lines: The records.
    """

    test: str
    attempt: int
    counts: Counts
    lines: bytes


# One record and what must be known of it without reading it: its attempt, its ordinal, the line, and operator and verdict.
# A plain tuple, because it is made for every comparison.
_Written = tuple[AttemptRecords, int, str, tuple[str, str]]


class Recorder:
    """Writes each comparison of the running test as a line, and gives the lines to whoever asks at its next report.

    Args:
        config: The session's configuration.
        redaction: From a text of the evidence to the text that may be written; None writes it verbatim.
    """

    def __init__(self, config: pytest.Config, redaction: Callable[[str], str] | None) -> None:
        self._root = config.rootpath
        self._redaction = redaction
        self._name = report_name(config, redaction)
        self._worker: str = config.workerinput["workerid"] if runs_everywhere(config) else ""  # type: ignore[attr-defined]
        # Plain slots: a context variable is not inherited by threads, and pytest runs one test at a time.
        self._item: pytest.Item | None = None
        self._attempt: AttemptRecords | None = None
        self._own_place: tuple[Any, int] | None = None
        self._is_set_up = False
        # Threads append to it while the main thread takes from it; both are atomic, so nothing is locked.
        self._written: list[_Written] = []
        self._size = 0
        self._paths: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Remember which test is running, until the next one does.

        Fixtures of the whole session are torn down after the last test when the session stops early, and what they compare
        belongs to that test.
        """
        self._item = item
        # An item that is not Python code says itself where its comparisons are made.
        self._own_place = getattr(item, "verdict_place", None)
        self._attempt = AttemptRecords(self._name(item.nodeid), 1, self._worker)
        self._is_set_up = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Count an attempt; plugins that run a test again set it up again."""
        attempt = self._attempt
        if attempt is None or self._item is None or self._item.nodeid != item.nodeid:
            return
        # What pytest-rerunfailures counts includes the runs in a worker that died.
        number = max(attempt.attempt + self._is_set_up, getattr(item, "execution_count", 1))
        if number != attempt.attempt:
            self._attempt = AttemptRecords(attempt.test, number, self._worker)
        self._is_set_up = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Send what was compared after the last report, also of a test that was interrupted and has no report of its own."""
        self._send()

    def take(self) -> list[Batch]:
        """Give the records that were written since the last call, and forget them."""
        written = self._written
        if not written:
            return []
        self._size = 0
        taken = written[:]
        # Not cleared: a thread may have written once more.
        del written[: len(taken)]
        return [_batch(attempt, list(of_attempt)) for attempt, of_attempt in groupby(taken, key=_attempt)]

    def observe(self, result: ComparisonResult) -> None:
        """Write a comparison down.

        Args:
            result: What was just compared. Outside a test there is no report it could ride on, and it is dropped.
        """
        verdict = result.verdict
        if verdict != "pass":
            FAILURES.observe(result)
        attempt = self._attempt
        if attempt is None:
            return
        path, number = self._caller()
        members = result.to_members(self._redaction)
        ordinal = attempt.next_ordinal()
        line = attempt.line(members, ordinal, path, number)
        self._written.append((attempt, ordinal, line, (result.operator, verdict)))
        self._size += len(line)
        if self._size > _SPILL and threading.current_thread() is threading.main_thread():
            # Sent now, so that a test with a million comparisons does not hold them all in memory.
            self._send()

    def _send(self) -> None:
        item = self._item
        if item is None or not self._written:
            return
        report = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        setattr(report, CARRIER, True)
        item.ihook.pytest_runtest_logreport(report=report)

    def _caller(self) -> tuple[str, int]:
        """Give the file of the call as JSON text, and its line."""
        paths = self._paths
        if self._own_place is not None:
            name, line = self._own_place
            return paths.get(str(name)) or self._path(str(name)), line
        # Two frames are of this class, and the third is of the function that made the result.
        frame: FrameType | None = sys._getframe(3)  # noqa: SLF001 - the only way to learn the line without reading files
        while frame is not None:
            name = frame.f_code.co_filename
            path = paths.get(name)
            if path is None:
                path = self._path(name)
            if path:
                return path, frame.f_lineno
            frame = frame.f_back
        return '""', 0

    def _path(self, name: str) -> str:
        own = name.startswith(_PACKAGE)
        path = self._paths[name] = _OWN if own else encode_basestring_ascii(self._relative(name))
        return path

    def _relative(self, name: str) -> str:
        path = Path(name)
        # Outside the root directory only the name is the same on every machine.
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.name


_attempt, _ordinal, _line, _kind = map(itemgetter, range(4))


def _batch(attempt: AttemptRecords, written: list[_Written]) -> Batch:
    # Two threads may have written in another order than they counted.
    written.sort(key=_ordinal)
    counts: Counts = {}
    for (operator, verdict), alike in groupby(map(_kind, written)):
        count(counts, operator, verdict, len(list(alike)))
    return Batch(attempt.test, attempt.attempt, counts, "".join(map(_line, written)).encode("ascii"))
