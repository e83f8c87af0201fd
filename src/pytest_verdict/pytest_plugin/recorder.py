"""The recorder: in every process that runs tests, it writes each comparison down; a worker sends them with its reports."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator
from json.encoder import encode_basestring_ascii
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest

import pytest_verdict
from pytest_verdict.pytest_plugin.failures import FAILURES
from pytest_verdict.pytest_plugin.names import report_name, runs_everywhere
from pytest_verdict.report.journal import Counts, count
from pytest_verdict.report.record import BEGINNING, digest_of_test, place_of_test
from pytest_verdict.result import ComparisonResult

ATTRIBUTE: Final = "verdict_records"
"""The attribute of a report that carries records: the fields of each batch as a plain tuple, which xdist can send."""

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
    lines: str


class _Running:
    """The test that is running: which attempt, and how many comparisons it has made."""

    __slots__ = ("_digest", "attempt", "beginning", "item", "ordinal", "own_place", "place", "test")

    def __init__(self, item: pytest.Item, test: str, worker: str) -> None:
        self.item = item
        self.test = test
        # An item that is not Python code says itself where its comparisons are made.
        self.own_place: tuple[Any, int] | None = getattr(item, "verdict_place", None)
        self._digest = digest_of_test(test, worker)
        self.begin_attempt(1)

    def begin_attempt(self, number: int) -> None:
        """Begin an attempt, whose comparisons are counted from 1 again."""
        self.attempt = number
        self.ordinal = 0
        self.beginning = f"{BEGINNING}{self._digest}-{number}-"
        self.place = place_of_test(self.test, number)


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
        # A plain slot: a context variable is not inherited by threads, and pytest runs one test at a time.
        self._running: _Running | None = None
        self._is_set_up = False
        self._lock = threading.Lock()
        self._left: list[Batch] = []
        self._lines: list[str] = []
        self._size = 0
        self._counts: Counts = {}
        self._paths: dict[str, str] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Remember which test is running."""
        with self._lock:
            self._set_lines_apart()
            self._running = _Running(item, self._name(item.nodeid), self._worker)
        self._is_set_up = False
        try:
            return (yield)
        finally:
            # An interrupted test has no report of its own. The slot stays filled: fixtures of the whole session are torn
            # down after the last test when the session stops early, and what they compare belongs to that test.
            self._send()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Count an attempt; plugins that run a test again set it up again."""
        running = self._running
        if running is None or running.item.nodeid != item.nodeid:
            return
        # What pytest-rerunfailures counts includes the runs in a worker that died.
        number = max(running.attempt + self._is_set_up, getattr(item, "execution_count", 1))
        if number != running.attempt:
            with self._lock:
                self._set_lines_apart()
                running.begin_attempt(number)
        self._is_set_up = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Send what was compared after the last test."""
        self._send()

    def take(self) -> list[Batch]:
        """Give the records that were written since the last call, and forget them."""
        if not self._lines and not self._left:
            return []
        with self._lock:
            self._set_lines_apart()
            batches, self._left = self._left, []
        return batches

    def observe(self, result: ComparisonResult) -> None:
        """Write a comparison down.

        Args:
            result: What was just compared. Outside a test there is no report it could ride on, and it is dropped.
        """
        verdict = result.verdict
        if verdict != "pass":
            FAILURES.observe(result)
        running = self._running
        if running is None:
            return
        path, line = self._caller(running)
        members = result.to_members(self._redaction)
        with self._lock:
            running = self._running or running
            running.ordinal = ordinal = running.ordinal + 1
            # The same as `record_line` writes, of parts that are made once for each attempt.
            text = f'{running.beginning}{ordinal}",{members},{running.place}{ordinal},"path":{path},"line":{line}}}\n'
            self._lines.append(text)
            self._size += len(text)
            count(self._counts, result.operator, verdict)
        if self._size > _SPILL and threading.current_thread() is threading.main_thread():
            # Sent now, so that a test with a million comparisons does not hold them all in memory.
            self._send()

    def _set_lines_apart(self) -> None:
        running = self._running
        if self._lines and running is not None:
            self._left.append(Batch(running.test, running.attempt, self._counts, "".join(self._lines)))
            self._lines, self._counts, self._size = [], {}, 0

    def _send(self) -> None:
        running = self._running
        if running is None or not (self._lines or self._left):
            return
        item = running.item
        report = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        setattr(report, CARRIER, True)
        item.ihook.pytest_runtest_logreport(report=report)

    def _caller(self, running: _Running) -> tuple[str, int]:
        """Give the file of the call as JSON text, and its line."""
        paths = self._paths
        if running.own_place is not None:
            name, line = running.own_place
            return paths.get(str(name)) or self._path(str(name)), line
        # Two frames are of this class, and the third is of the function that made the result.
        frame: FrameType | None = sys._getframe(3)  # noqa: SLF001 - the only way to learn the line without reading files
        while frame is not None:
            path = paths.get(frame.f_code.co_filename)
            if path is None:
                path = self._path(frame.f_code.co_filename)
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


def attached(report: Any) -> list[Batch]:
    """Take the records off a report, so that nothing else keeps or writes them.

    Args:
        report: Any report.

    Returns:
        The records; empty when the report carries none.
    """
    found = report.__dict__.pop(ATTRIBUTE, None)
    return [Batch(*fields) for fields in found] if found else []


class Carriage:
    """In a worker, lets the records ride on the report that is sent next.

    Args:
        recorder: The worker's recorder.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Put the records on, before xdist sends the report."""
        batches = self._recorder.take()
        if batches:
            setattr(report, ATTRIBUTE, [tuple(batch) for batch in batches])


class Release:
    """In a worker, takes the records off a report that has been sent; other plugins keep every report to the end."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records off."""
        attached(report)
