"""The recorder: in every process that runs tests, it writes each comparison down."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import pytest

from pytest_verdict.core.record import AttemptRecords, Counts, Observed
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.writing import Envelope, OperatorIdentity
from pytest_verdict.pytest_plugin.failures import FAILURES
from pytest_verdict.pytest_plugin.locations import Calls
from pytest_verdict.pytest_plugin.names import distinct_names, report_name, runs_everywhere
from pytest_verdict.pytest_plugin.signals import signals_wait

CARRIER: Final = "verdict_carrier"
"""The attribute of a report that only carries records, sent because no report of a phase would take them along."""

_SPILL: Final = 1 << 20


class Batch(NamedTuple):
    """Records of one attempt of a test, which need not be the one whose report carries them."""

    test: str
    attempt: int
    counts: Counts
    lines: bytes


class Recorder:
    """Writes each comparison of the running test as a line, and gives the lines to whoever asks at its next report."""

    __slots__ = (
        "_attempt",
        "_calls",
        "_envelope",
        "_is_set_up",
        "_item",
        "_name",
        "_observed",
        "_process",
        "_redaction",
        "_size",
        "_twins",
        "_worker",
    )

    def __init__(self, config: pytest.Config, redaction: Callable[[str], str] | None) -> None:
        self._calls = Calls(config.rootpath)
        self._redaction = redaction
        self._name = report_name(config, redaction)
        self._worker: str = config.workerinput["workerid"] if runs_everywhere(config) else ""  # type: ignore[attr-defined]
        # Plain slots: a context variable is not inherited by threads, and pytest runs one test at a time.
        self._item: pytest.Item | None = None
        self._attempt: AttemptRecords | None = None
        self._is_set_up = False
        self._twins: dict[pytest.Item, str] = {}
        self._process = os.getpid()
        # Threads append to it while the main thread takes from it; both are atomic, so nothing is locked.
        self._observed: list[Observed] = []
        self._size = 0
        # Of the comparison before this one, which mostly differs in the two sides alone.
        self._envelope = Envelope(OperatorIdentity("", 1, {}), Outcome(1.0), 1.0, None, None)

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

        Fixtures of the whole session are torn down after the last test when the session stops early, and what they
        compare belongs to that test.
        """
        self._item = item
        # An item that is not Python code says itself where its comparisons are made.
        self._calls.are_all_from(getattr(item, "verdict_place", None))
        twin = self._twins.get(item) if self._twins else None
        self._attempt = AttemptRecords(twin or self._name(item.nodeid), 1, self._worker)
        self._is_set_up = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Count an attempt; plugins that run a test again set it up again."""
        attempt, running = self._attempt, self._item
        if attempt is None or running is None or (item is not running and item.nodeid != running.nodeid):
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
        taken = observed[:]
        # Before they are forgotten: Ctrl-C may strike while they are written.
        batches = list(_batches(taken))
        # Not cleared: a thread may have observed something since.
        del observed[: len(taken)]
        self._size = 0
        return batches

    def observe(self, result: ComparisonResult) -> None:
        """Write a comparison down."""
        # Every line is run for every comparison: calls are avoided, and so are the public values, which are copies.
        envelope, expected, observed = self._envelope, result._expected, result._observed  # noqa: SLF001
        if (
            result._outcome is not envelope.outcome  # noqa: SLF001
            or result._identity is not envelope.identity  # noqa: SLF001
            or result._threshold != envelope.threshold  # noqa: SLF001
            or result._name is not envelope.name  # noqa: SLF001
        ):
            envelope = self._envelope = result.envelope(self._redaction)
        if type(expected) is str and type(observed) is str:
            write = envelope.write
        else:
            # At once, because the test may change its values afterwards.
            write, expected, observed = envelope.settled(expected, observed)
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
        known, ends = self._calls.caller
        end = ends.get(frame.f_lasti) if frame.f_code is known else None
        if end is None:
            end = self._calls.end_of(frame)
        self._observed.append((attempt, envelope, write, expected, observed, end))
        self._size += len(expected) + len(observed) + envelope.length
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


def _batches(observed: list[Observed]) -> Iterator[Batch]:
    # Threads of one test may still compare when the next has begun.
    while observed:
        attempt = observed[0][0]
        lines, counts, observed = attempt.lines(observed)
        yield Batch(attempt.test, attempt.attempt, counts, lines)
