"""The recorder: it writes each comparison of a process that runs tests as a record."""

import os
import threading
from collections.abc import Callable, MutableSequence
from typing import Any, Final, NamedTuple

import pytest

from pytest_verdict.core.record import AttemptRecords, Counts, Envelope, PendingRecord, encode_comparison
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.pytest_plugin.deferred_signals import interrupts_noted, signals_deferred
from pytest_verdict.pytest_plugin.locations import CallLocations
from pytest_verdict.pytest_plugin.names import distinct_names, report_name, runs_everywhere, traits_of
from pytest_verdict.pytest_plugin.unchecked import calling_frame, remember_failure

RECORDS_ONLY: Final = "verdict_records_only"
"""The attribute of a report that is of no phase, and only carries records."""

_SPILL: Final = 1 << 20


class RecordBatch(NamedTuple):
    """Records of one attempt of a test; a report of another test may carry them."""

    test: str
    attempt: int
    counts: Counts
    traits: dict[str, Any] | None
    lines: bytes


class Recorder:
    """Keeps the comparisons of the running test until a report takes their records."""

    def __init__(
        self,
        config: pytest.Config,
        redaction: Callable[[str], str] | None,
        flush: str = "test",
        watch: Callable[[ComparisonResult], ComparisonResult] | None = None,
        *,
        with_markers: bool = False,
    ) -> None:
        self._watch = watch
        # Of each test, where gates may ask for them.
        self._with_markers = with_markers
        self._locations = CallLocations(config.rootpath)
        self._redaction = redaction
        self._name = report_name(config, redaction)
        self._worker: str = config.workerinput["workerid"] if runs_everywhere(config) else ""  # type: ignore[attr-defined]
        # No context variable: threads do not inherit it, and pytest runs one test at a time.
        self._item: pytest.Item | None = None
        self._attempt: AttemptRecords | None = None
        self._is_set_up = False
        # The names of tests whose own name is taken by another test.
        self._distinct_names: dict[pytest.Item, str] = {}
        self._process = os.getpid()
        # Threads append while the main thread takes; both are atomic, so there is no lock.
        self._observed: list[PendingRecord] = []
        self._rows: list[tuple[AttemptRecords, Any, str]] = []
        self._size = 0
        self._most = 0 if flush == "comparison" else _SPILL
        # How many they are, for whoever must know when this process is gone.
        self.pending: MutableSequence[int] = [0]
        # Most comparisons differ from the one before in the two sides alone.
        self._envelope: Envelope | None = None

    @property
    def running(self) -> str:
        """The name of the test that is running or ran last; empty before the first."""
        return "" if self._attempt is None else self._attempt.test

    @property
    def is_in_a_child(self) -> bool:
        """Whether a test forked this process; journal, folder and channel belong to its parent."""
        return os.getpid() != self._process

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell tests of the same name apart; every worker collects them in the same order."""
        names = [self._name(item.nodeid) for item in session.items]
        distinct = zip(session.items, names, distinct_names(names), strict=True)
        self._distinct_names = {item: own for item, name, own in distinct if own != name}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Remember the running test until the next one begins, as fixtures may be torn down after the last test."""
        self._item = item
        # An item that is not Python code knows the place of its comparisons itself.
        place = getattr(item, "verdict_place", None)
        self._locations.fix(place)
        distinct = self._distinct_names.get(item) if self._distinct_names else None
        # The tags of a scenario are what a suite says of it.
        with_markers = self._with_markers or place is not None
        traits = traits_of(item, self._redaction or str, with_markers=with_markers)
        self._attempt = AttemptRecords(distinct or self._name(item.nodeid), 1, self._worker, traits)
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
            self._attempt = AttemptRecords(attempt.test, number, self._worker, attempt.traits)
        self._is_set_up = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send what was compared after the last report."""
        with interrupts_noted(session):
            self._send()

    def take(self) -> list[RecordBatch]:
        """Return the records since the last call, and forget them."""
        observed, rows = self._observed, self._rows
        if not observed and not rows:
            return []
        taken, together = observed[:], rows[:]
        # Threads of one test may still compare when the next has begun.
        by_attempt: dict[AttemptRecords, list[PendingRecord]] = {}
        for record in taken:
            by_attempt.setdefault(record.attempt, []).append(record)
        # The records are dropped after they are written, because Ctrl-C may interrupt the writing.
        batches = []
        for attempt, records in by_attempt.items():
            lines, counts = attempt.write(records)
            batches.append(RecordBatch(attempt.test, attempt.attempt, counts, attempt.traits, lines))
        for attempt, many, end in together:
            lines = many.write(attempt, end)
            batches.append(RecordBatch(attempt.test, attempt.attempt, many.counts, attempt.traits, lines))
        # Not cleared: a thread may have observed something since.
        del observed[: len(taken)], rows[: len(together)]
        self.pending[0] = len(observed)
        self._size = 0
        return batches

    def observe(self, result: ComparisonResult) -> ComparisonResult:
        """Record a comparison, and return the result for the test."""
        # Encoded at once, because the test may change its values afterwards.
        comparison = encode_comparison(result.content(self._redaction), self._envelope)
        self._envelope = comparison.envelope
        published = result if self._watch is None else self._watch(result)
        attempt = self._attempt
        if attempt is None:
            return published
        end = self._locations.end_of(calling_frame())
        waiting = self._observed
        waiting.append(PendingRecord(attempt, comparison, end))
        self.pending[0] = len(waiting)
        self._size += comparison.size
        if self._size > self._most and threading.current_thread() is threading.main_thread():
            # A test with a million comparisons must not hold them all in memory.
            with signals_deferred():
                self._send()
        return published

    def next_place(self) -> tuple[AttemptRecords, str] | None:
        """Return the attempt and the end of the record that would be written next."""
        if self._attempt is None:
            return None
        # Records get their ordinals when they are written.
        if threading.current_thread() is threading.main_thread():
            with signals_deferred():
                self._send()
        return self._attempt, self._locations.end_of(calling_frame())

    def observe_rows(self, rows: Any) -> None:
        """Keep comparisons that were made together, and hand them over at once."""
        for result in rows.samples:
            remember_failure(result)
        if self._attempt is None:
            return
        end = self._locations.end_of(calling_frame())
        self._rows.append((self._attempt, rows, end))
        if threading.current_thread() is threading.main_thread():
            with signals_deferred():
                self._send()

    def _send(self) -> None:
        item = self._item
        if item is None or not (self._observed or self._rows):
            return
        if self.is_in_a_child:
            # A child has the open files of its parent, and must not write to them.
            self.take()
            return
        report = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        setattr(report, RECORDS_ONLY, True)
        item.ihook.pytest_runtest_logreport(report=report)
