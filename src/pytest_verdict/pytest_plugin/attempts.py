"""Attempts: the reports of the phases of a test, folded into its outcome."""

import copy
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Final

import pytest

from pytest_verdict.core.record import Counts
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.pytest_plugin.captured import Captured
from pytest_verdict.pytest_plugin.names import distinct_names, report_name
from pytest_verdict.pytest_plugin.recorder import RECORDS_ONLY, RecordBatch
from pytest_verdict.pytest_plugin.repeating import PHASES, REPEATS
from pytest_verdict.report.journal import LATE, ByteRange, TestEntry, place_of

_TEXT_LIMIT: Final = 32_000
_MESSAGE_LIMIT: Final = 1_000
# The phase in the report of a worker that died.
CRASH: Final = "???"


class Attempts:
    """The attempts that have not ended, and the number of attempts of each test."""

    def __init__(self, config: pytest.Config, redaction: Redaction | None, running: Callable[[], str]) -> None:
        self._config = config
        self._redaction = redaction
        self.captured = Captured(config, redaction or str)
        self._running = running
        self._order: list[str] = []
        # Names that several tests have.
        self._duplicates: set[str] = set()
        self._open: dict[str, _Attempt] = {}
        self._ended: dict[str, int] = {}
        self._counts: Counts = {}
        # The number of attempts that ran in a worker that died, and its successor does not count; None until it sends records.
        self._uncounted: dict[str, int | None] = {}

    def collected(self, nodeids: Iterable[str]) -> list[str]:
        """Remember the collected tests, and return their distinct names."""
        names = [self._name(nodeid) for nodeid in nodeids]
        self._order = distinct_names(names)
        self._duplicates = {name for name, own in zip(names, self._order, strict=True) if own != name}
        return self._order

    def number(self, test: str, attempt: int) -> int:
        """Return the number of an attempt, with those that the worker does not count."""
        if not self._uncounted:
            return attempt
        if self._uncounted.get(test, 0) is None:
            # pytest-rerunfailures tells the new worker how often the test was run.
            self._uncounted[test] = max(self._ended[test] - attempt + 1, 0)
        return attempt + (self._uncounted.get(test) or 0)

    def add_records(
        self, report: pytest.TestReport, batch: RecordBatch, attempt: int, place: ByteRange
    ) -> TestEntry | None:
        """Add records; return the attempt before theirs if they end it."""
        test = batch.test
        # Most tests make the same comparisons, and garbage collection is faster with one dict for all of them.
        if batch.counts != self._counts:
            self._counts = batch.counts
        counts = self._counts
        if attempt <= self._ended.get(test, 0):
            return TestEntry(test, attempt, LATE, traits=batch.traits, comparisons=counts, records=(place,))
        current = self._open.get(test)
        ended = None
        if current is not None and current.entry.attempt < attempt:
            ended = self._end(test)
            current = None
        if current is None:
            current = self._open[test] = _Attempt(report, test, attempt)
        current.entry.add_records(counts, place)
        current.entry.traits = batch.traits
        return ended

    def add(self, report: pytest.TestReport) -> list[TestEntry]:
        """Add the report of a phase; return the attempts that it ends."""
        if RECORDS_ONLY in report.__dict__ and PHASES not in report.__dict__:
            return []
        name = self._name(report.nodeid)
        if name in self._duplicates:
            index: int | None = getattr(report, "item_index", None)
            if index is None:
                name = self._running() or name
            else:
                name = self._order[index]
        ended = []
        attempt = self._open.get(name)
        if attempt is not None and attempt.is_followed_by(report):
            ended.append(self._end(name))
            attempt = None
        repeats: dict[str, Any] | None = report.__dict__.get(REPEATS)
        number = self._ended.get(name, 0) + 1
        if repeats is not None:
            number = self.number(name, repeats["attempt"])
        if attempt is None:
            attempt = self._open[name] = _Attempt(report, name, number)
        if repeats is not None:
            attempt.entry.repeats = {**repeats, "attempt": number}
        if PHASES in report.__dict__:
            for data in report.__dict__.pop(PHASES):
                attempt.add(self._config.hook.pytest_report_from_serializable(config=self._config, data=data))
            return [*ended, self._end(name)]
        attempt.add(report)
        if report.when == "teardown" or str(report.when) == CRASH:
            ended.append(self._end(name))
        return ended

    def of_collection(self, report: pytest.CollectReport) -> TestEntry:
        """Return the entry of a file that could not be collected or was skipped as a whole."""
        name = self._name(report.nodeid)
        entry = TestEntry(name, outcome="skipped", path=name.split("::", 1)[0])
        if report.failed:
            entry.outcome = "error"
            entry.message = "collection failed"
            entry.text = _text(report, self._redaction or str)[-_TEXT_LIMIT:]
        else:
            entry.message = first_line(report, self._redaction or str)
        return entry

    def unfinished(self) -> Iterator[TestEntry]:
        """Return the tests that never ended, and forget them."""
        return map(self._end, list(self._open))

    def name(self, nodeid: str) -> str | None:
        """Return the name of a test in the report; None if several tests have it."""
        name = self._name(nodeid)
        return None if name in self._duplicates else name

    # Not in __init__: xdist takes over the session after the plugins are configured.
    @cached_property
    def _name(self) -> Callable[[str], str]:
        return report_name(self._config, self._redaction)

    def _end(self, test: str) -> TestEntry:
        entry = self._open.pop(test).end(self._redaction or str, self.captured)
        self._ended[test] = max(entry.attempt, self._ended.get(test, 0))
        if entry.crashed:
            self._uncounted[test] = None
        return entry


class _Attempt:
    """One attempt of a test, with the reports that have arrived."""

    __slots__ = ("_all_passed", "_failed_subtest", "_phases", "entry")

    def __init__(self, report: pytest.TestReport, test: str, number: int) -> None:
        path, line = place_of(report.location)
        self.entry = TestEntry(test, number, path=path, line=line)
        self._phases: list[pytest.TestReport] = []
        self._failed_subtest: pytest.TestReport | None = None
        self._all_passed = True

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of a phase, or of a subtest in it."""
        is_subtest = type(report).__name__ == "SubtestReport" and hasattr(report, "context")
        if not is_subtest:
            if str(report.outcome) == "retried":
                # pytest-retry uses the same report for the last attempt.
                report = copy.copy(report)
                report.outcome = "rerun"  # type: ignore[assignment]
            self._phases.append(report)
            self._all_passed = self._all_passed and report.outcome == "passed"
            return
        outcome = "xfailed" if hasattr(report, "wasxfail") else str(report.outcome)
        counts = self.entry.subtests or {}
        self.entry.subtests = {**counts, outcome: counts.get(outcome, 0) + 1}
        if report.failed and self._failed_subtest is None:
            self._failed_subtest = report
        self._all_passed = False

    def is_followed_by(self, report: pytest.TestReport) -> bool:
        """Return whether a report belongs to the next attempt."""
        if str(report.when) == CRASH:
            # pytest has counted the outcome before the worker died, and counts the crash as well.
            return any(map(_is_counted_before_teardown, self._phases))
        # Not every version of pytest-rerunfailures reports the teardown of an attempt that will be run again.
        return report.when != "teardown" and any(str(phase.outcome) == "rerun" for phase in self._phases)

    def end(self, redaction: Redaction, captured: Captured) -> TestEntry:
        entry = self.entry
        entry.microseconds = round(sum([report.duration for report in self._phases]) * 1_000_000)
        entry.outcome, decisive = self._outcome()
        if self._phases:
            last = self._phases[-1]
            if last.user_properties:
                entry.properties = captured.properties(last.user_properties)
            entry.output = captured.output(last, is_passed=self._all_passed)
        if self._all_passed:
            return entry
        teardown = next((report for report in self._phases if report.failed and report.when == "teardown"), None)
        entry.teardown_error = teardown is not None and any(map(_is_counted_before_teardown, self._phases))
        entry.crashed = any(str(report.when) == CRASH for report in self._phases)
        if decisive is not None:
            entry.message = first_line(decisive, redaction)
            entry.text = _text(decisive, redaction)
            if teardown is not None and teardown is not decisive:
                entry.text += f"\n\nThe teardown failed too:\n\n{_text(teardown, redaction)}"
            entry.text = entry.text[-_TEXT_LIMIT:]
        return entry

    def _outcome(self) -> tuple[str, pytest.TestReport | None]:
        """Return the outcome, and the report that decides it unless the test passed."""
        for report in self._phases:
            if str(report.outcome) == "rerun":
                return "rerun", report
        for report in self._phases:
            if report.failed and str(report.when) in {"call", CRASH}:
                # The report of a test with failed subtests only says that it has some.
                only_counts = isinstance(report.longrepr, str) and self._failed_subtest is not None
                return "failed", self._failed_subtest if only_counts else report
        if self._failed_subtest is not None:
            return "failed", self._failed_subtest
        for report in self._phases:
            if report.failed:
                return "error", report
        for report in self._phases:
            if report.skipped:
                return ("xfailed" if hasattr(report, "wasxfail") else "skipped"), report
        for report in self._phases:
            if report.when == "call":
                return ("xpassed" if hasattr(report, "wasxfail") else "passed"), None
        return "unfinished", None


def _is_counted_before_teardown(report: pytest.TestReport) -> bool:
    return report.when == "call" or (report.when == "setup" and report.outcome != "passed")


def first_line(report: pytest.TestReport | pytest.CollectReport, redaction: Redaction) -> str:
    # Redacted before it is cut: half of a secret would match no pattern.
    if report.skipped and hasattr(report, "wasxfail"):
        return redaction(str(report.wasxfail).removeprefix("reason: "))
    if report.skipped and isinstance(report.longrepr, tuple):
        return redaction(str(report.longrepr[2]).removeprefix("Skipped: "))[:_MESSAGE_LIMIT]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = _text(report, redaction) if crash is None else redaction(str(crash.message))
    return text.split("\n", 1)[0][:_MESSAGE_LIMIT]


def _text(report: pytest.TestReport | pytest.CollectReport, redaction: Redaction) -> str:
    # Not report.longreprtext, which under xdist begins with the worker and its platform.
    if report.longrepr is None:
        return ""
    return redaction(str(report.longrepr).strip("\n"))
