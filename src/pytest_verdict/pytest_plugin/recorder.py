"""The recorder writes each comparison of a process that runs tests as a record; workers send them on reports of pytest-xdist."""

import json
import os
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from pytest_verdict.core.record import AttemptRecords, Counts, PendingRecord, record_end, write_comparison
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.pytest_plugin.deferred_signals import interrupts_noted, signals_deferred
from pytest_verdict.pytest_plugin.names import distinct_names, report_name, traits_of
from pytest_verdict.pytest_plugin.unchecked import remember_failure
from pytest_verdict.session import calling_frame

RECORDS_ONLY: Final = "verdict_records_only"
"""The attribute of a report that belongs to no phase, and only carries records."""

JOURNAL_KEY: Final = "verdict_journal"
"""The key of a worker's input: the folder of the journal."""

_ATTRIBUTE: Final = "verdict_records"
_SPILL: Final = 1 << 20
# The length of a record's id and place, roughly.
_PLACE_SIZE: Final = 300


class RecordBatch(NamedTuple):
    """Records of one attempt of a test; a report of another test may carry them."""

    test: str
    attempt: int
    counts: Counts
    traits: dict[str, Any] | None
    lines: bytes


class Recorder:
    def __init__(
        self,
        config: pytest.Config,
        redaction: Redaction | None,
        flush: str = "test",
        watch: Callable[[ComparisonResult], ComparisonResult] | None = None,
    ) -> None:
        self._watch = watch
        self._root = config.rootpath
        # Record ends by file and line, and that of a test that is not Python code.
        self._ends: dict[tuple[str, int], str] = {}
        self._fixed_end = ""
        self._redaction = redaction
        self._name = report_name(config, redaction)
        # No context variable: threads do not inherit it, and pytest runs one test at a time.
        self._item: pytest.Item | None = None
        self._attempt: AttemptRecords | None = None
        self._is_set_up = False
        # The names of tests whose own name belongs to another test.
        self._distinct_names: dict[pytest.Item, str] = {}
        self._process = os.getpid()
        # Threads append while the main thread takes; both are atomic, so there is no lock.
        self._observed: list[PendingRecord] = []
        self._rows: list[tuple[AttemptRecords, Any, str]] = []
        self._size = 0
        self._most = 0 if flush == "comparison" else _SPILL

    @property
    def running(self) -> str:
        """The name of the test that is running or ran last; empty before the first."""
        return "" if self._attempt is None else self._attempt.test

    @property
    def is_in_a_child(self) -> bool:
        """Whether a test forked this process; journal, folder and channel belong to its parent."""
        return os.getpid() != self._process

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Number tests of the same name; every worker collects them in the same order."""
        names = [self._name(item.nodeid) for item in session.items]
        distinct = zip(session.items, names, distinct_names(names), strict=True)
        self._distinct_names = {item: own for item, name, own in distinct if own != name}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Remember the running test until the next one begins, as fixtures may be torn down after the last test."""
        self._item = item
        # An item that is not Python code has the place of its comparisons.
        place = getattr(item, "verdict_place", None)
        self._fixed_end = "" if place is None else self._record_end(*place)
        distinct = self._distinct_names.get(item) if self._distinct_names else None
        traits = traits_of(item, self._redaction or str)
        self._attempt = AttemptRecords(distinct or self._name(item.nodeid), 1, traits=traits)
        self._is_set_up = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Count an attempt; a plugin that runs a test again sets it up again."""
        attempt, running = self._attempt, self._item
        if attempt is None or running is None or (item is not running and item.nodeid != running.nodeid):
            return
        # The count of pytest-rerunfailures includes the runs in a worker that died.
        number = max(attempt.attempt + self._is_set_up, getattr(item, "execution_count", 1))
        if number != attempt.attempt:
            self._attempt = AttemptRecords(attempt.test, number, traits=attempt.traits)
        self._is_set_up = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the records that came after the last report."""
        with interrupts_noted(session):
            self._send()

    def take(self) -> list[RecordBatch]:
        """Return the records since the last call, and forget them."""
        if not self._observed and not self._rows:
            return []
        observed = self._observed[:]
        rows = self._rows[:]
        # Threads of one test may still compare when the next has begun.
        by_attempt: dict[AttemptRecords, list[PendingRecord]] = {}
        for record in observed:
            by_attempt.setdefault(record.attempt, []).append(record)
        # The records are dropped after they are written, because Ctrl-C may interrupt the writing.
        batches = []
        for attempt, records in by_attempt.items():
            lines, counts = attempt.write(records)
            batches.append(RecordBatch(attempt.test, attempt.attempt, counts, attempt.traits, lines))
        for attempt, many, end in rows:
            lines = many.write(attempt, end)
            batches.append(RecordBatch(attempt.test, attempt.attempt, many.counts, attempt.traits, lines))
        # Not cleared: a thread may have observed something since.
        del self._observed[: len(observed)]
        del self._rows[: len(rows)]
        self._size = 0
        return batches

    def observe(self, result: ComparisonResult) -> ComparisonResult:
        # Encoded at once, because the test may change its values afterwards.
        members = write_comparison(result, self._redaction)
        published = result if self._watch is None else self._watch(result)
        if self._attempt is None:
            return published
        record = PendingRecord(self._attempt, result.operator, result.verdict, members, self._current_end())
        self._observed.append(record)
        self._size += len(members) + _PLACE_SIZE
        # A test with a million comparisons must not hold them all in memory.
        if self._size > self._most:
            self._flush()
        return published

    @contextmanager
    def placed_at(self, item: pytest.Item) -> Iterator[None]:
        """Record comparisons with the place of a test, which no frame shows between its attempts."""
        path, line, _ = item.location
        before = self._fixed_end
        self._fixed_end = self._record_end(self._root / path, (line or 0) + 1)
        try:
            yield
        finally:
            self._fixed_end = before

    def observe_rows(self, rows: Any) -> None:
        """Record rows that were compared together, and send them at once."""
        for result in rows.samples:
            remember_failure(result)
        if self._attempt is not None:
            self._rows.append((self._attempt, rows, self._current_end()))
            self._flush()

    def _current_end(self) -> str:
        """Return the end of a record, with the place of the present call."""
        if self._fixed_end:
            return self._fixed_end
        frame = calling_frame()
        if frame is None:
            return record_end("", 0)
        # Generated code may have no lines.
        place = (frame.f_code.co_filename, frame.f_lineno or 0)
        end = self._ends.get(place)
        if end is None:
            end = self._ends[place] = self._record_end(Path(place[0]), place[1])
        return end

    def _record_end(self, path: Path, line: int) -> str:
        # Outside the root directory, only the name is the same on every machine.
        if path.is_relative_to(self._root):
            return record_end(path.relative_to(self._root).as_posix(), line)
        return record_end(path.name, line)

    def _flush(self) -> None:
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


class RecordSender:
    """Attaches the records of a worker to the report that is sent next."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        """Attach the records only while xdist sends the report; other plugins keep every report to the end."""
        with signals_deferred():
            batches = self._recorder.take()
            if batches:
                # As bytes: xdist sends tuples member by member, in pure Python.
                packed = [b"%s\n%s" % (json.dumps(batch[:-1]).encode("ascii"), batch.lines) for batch in batches]
                setattr(report, _ATTRIBUTE, packed)
            try:
                return (yield)
            finally:
                report.__dict__.pop(_ATTRIBUTE, None)


def detach_records(report: Any) -> list[RecordBatch]:
    """Remove the records from a report, so that no other plugin keeps or writes them."""
    batches = []
    for packed in report.__dict__.pop(_ATTRIBUTE, ()):
        head, _, lines = packed.partition(b"\n")
        test, attempt, counts, traits = json.loads(head)
        counts = {name: tuple(numbers) for name, numbers in counts.items()}
        batches.append(RecordBatch(test, attempt, counts, traits, lines))
    return batches
