"""The recorder: in every process that runs tests, it writes each comparison down."""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring_ascii
from operator import itemgetter
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest

import pytest_verdict
from pytest_verdict.envelope import Envelope
from pytest_verdict.pytest_plugin.failures import FAILURES
from pytest_verdict.pytest_plugin.names import distinct_names, report_name, runs_everywhere
from pytest_verdict.pytest_plugin.signals import signals_wait
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


# What a comparison leaves until the next report: a plain tuple, because one is made for each.
_Observed = tuple[AttemptRecords, Envelope, str, str, int]


class Recorder:
    """Writes each comparison of the running test as a line, and gives the lines to whoever asks at its next report.

    Args:
        config: The session's configuration.
        redaction: From a text of the evidence to the text that may be written; None writes it verbatim.
    """

    __slots__ = (
        "_attempt",
        "_envelope",
        "_is_set_up",
        "_item",
        "_name",
        "_observed",
        "_own_place",
        "_paths",
        "_process",
        "_redaction",
        "_root",
        "_size",
        "_twins",
        "_worker",
    )

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
        self._twins: dict[pytest.Item, str] = {}
        self._process = os.getpid()
        # Threads append to it while the main thread takes from it; both are atomic, so nothing is locked.
        self._observed: list[_Observed] = []
        self._size = 0
        # Of the comparison before this one, which mostly differs in the two sides alone.
        self._envelope: Envelope | None = None
        self._paths: dict[str, str] = {}

    @property
    def running(self) -> str:
        """The name of the test that is running or ran last; empty before the first."""
        return "" if self._attempt is None else self._attempt.test

    @property
    def is_in_a_child(self) -> bool:
        """Whether this is a child that a test forked; journal, folder and channel are its parent's."""
        return os.getpid() != self._process

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell tests apart that are called alike; every worker collects them in the same order."""
        names = [self._name(item.nodeid) for item in session.items]
        distinct = zip(session.items, names, distinct_names(names), strict=True)
        self._twins = {item: own for item, name, own in distinct if own != name}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Remember which test is running, until the next one does.

        Fixtures of the whole session are torn down after the last test when the session stops early, and what they compare
        belongs to that test.
        """
        self._item = item
        # An item that is not Python code says itself where its comparisons are made.
        self._own_place = getattr(item, "verdict_place", None)
        self._attempt = AttemptRecords(self._twins.get(item) or self._name(item.nodeid), 1, self._worker)
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
        observed = self._observed
        if not observed:
            return []
        self._size = 0
        taken = observed[:]
        # Not cleared: a thread may have observed something since.
        del observed[: len(taken)]
        return list(_batches(taken))

    def observe(self, result: ComparisonResult) -> None:
        """Write a comparison down.

        Args:
            result: What was just compared. Outside a test there is no report it could ride on, and it is dropped.
        """
        # At once, because the test may change its values afterwards.
        members, envelope = result.enclosed(self._envelope, self._redaction)
        self._envelope = envelope
        if envelope.verdict != "pass":
            FAILURES.observe(result)
        attempt = self._attempt
        if attempt is None:
            return
        # This method was called by the function that made the result, and that by the test, if not by another of ours.
        try:
            frame = sys._getframe(2)  # noqa: SLF001 - the only way to learn the line without reading files
        except ValueError:
            # A thread or a greenlet that was started with that function as its target.
            frame = sys._getframe(1)  # noqa: SLF001 - likewise
        path = self._paths.get(frame.f_code.co_filename)
        line = frame.f_lineno
        if not path or self._own_place is not None:
            path, line = self._caller(frame)
        self._observed.append((attempt, envelope, members, path, line))
        self._size += len(members)
        if self._size > _SPILL and threading.current_thread() is threading.main_thread():
            # Sent now, so that a test with a million comparisons does not hold them all in memory.
            with signals_wait():
                self._send()

    def _send(self) -> None:
        item = self._item
        if item is None or not self._observed:
            return
        if self.is_in_a_child:
            # A child of the test has the test's own open files, and must not write to them.
            self.take()
            return
        report = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        setattr(report, CARRIER, True)
        item.ihook.pytest_runtest_logreport(report=report)

    def _caller(self, frame: FrameType | None) -> tuple[str, int]:
        """Give the file of the call as JSON text, and its line."""
        paths = self._paths
        if self._own_place is not None:
            name, line = self._own_place
            return paths.get(str(name)) or self._path(str(name)), line
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


def _batches(observed: list[_Observed]) -> Iterator[Batch]:
    attempts = dict.fromkeys(map(itemgetter(0), observed))
    for attempt in attempts:
        # Threads of one test may still compare when the next has begun.
        own = observed if len(attempts) == 1 else [item for item in observed if item[0] is attempt]
        counts: Counts = {}
        for envelope, number in Counter(map(itemgetter(1), own)).items():
            count(counts, envelope.operator, envelope.verdict, number)
        yield Batch(attempt.test, attempt.attempt, counts, attempt.lines(map(itemgetter(2, 3, 4), own)))
