"""Attempts: the reports of the phases of a test, folded into its outcome."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import pytest

from pytest_verdict.core.record import Counts
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.pytest_plugin.captured import Captured
from pytest_verdict.pytest_plugin.names import distinct_names, report_name, runs_everywhere
from pytest_verdict.pytest_plugin.recorder import RECORDS_ONLY, RecordBatch
from pytest_verdict.report.journal import LATE, ByteRange, TestEntry, place_of

TEXT_LIMIT: Final = 32_000
MESSAGE_LIMIT: Final = 1_000

_Key = tuple[str, str]
"""The name of a test, and the worker where every worker runs every test."""

# A worker that died leaves a report of its own kind.
_LAST_PHASES: Final[frozenset[str | None]] = frozenset({"teardown", "???"})


class Attempts:
    """The attempts that have not ended, and how many each test has had."""

    def __init__(self, config: pytest.Config, redaction: Redaction | None, running: Callable[[], str]) -> None:
        self._config = config
        self._redaction = redaction
        self._written: Redaction = redaction or str
        self.captured = Captured(config, self._written)
        self._running = running
        self._order: list[str] = []
        # Names that several tests have.
        self._duplicates: set[str] = set()
        self._name: Callable[[str], str] = self._name_first
        self._everywhere = False
        self._open: dict[_Key, _Attempt] = {}
        self._ended: dict[_Key, int] = {}
        self._counts: Counts = {}
        # How many attempts a worker does not know of, because they ran in one that died; None until its first records come.
        self._unknown: dict[_Key, int | None] = {}

    def collected(self, nodeids: Iterable[str]) -> list[str]:
        """Remember the collected tests, and return their distinct names."""
        names = [self._name(nodeid) for nodeid in nodeids]
        self._order = distinct_names(names)
        self._duplicates = {name for name, own in zip(names, self._order, strict=True) if own != name}
        return self._order

    def number(self, report: pytest.TestReport, test: str, attempt: int) -> int:
        """Return the number of an attempt, counting those that the worker does not know of."""
        if not self._unknown:
            return attempt
        key = self._key(report, test)
        if self._unknown.get(key, 0) is None:
            # pytest-rerunfailures tells the new worker how often the test was run.
            ended = self._ended[key]
            self._unknown[key] = max(ended - attempt + 1, 0)
        return attempt + (self._unknown.get(key) or 0)

    def add_records(
        self, report: pytest.TestReport, batch: RecordBatch, attempt: int, place: ByteRange
    ) -> TestEntry | None:
        """Add records that arrived; return the attempt before theirs if they end it."""
        test = batch.test
        counts = batch.counts
        traits = batch.traits
        # Most tests make the same comparisons, and garbage collection is faster with one dict for all of them.
        counts = self._counts = self._counts if counts == self._counts else counts
        key = self._key(report, test)
        if attempt <= self._ended.get(key, 0):
            return TestEntry(test, attempt, LATE, worker=key[1], traits=traits, comparisons=counts, records=(place,))
        known = self._open.get(key)
        ended = None
        if known is not None and known.entry.attempt < attempt:
            ended = self._end(key)
            known = None
        if known is None:
            known = self._open[key] = _Attempt(report, key, attempt)
        known.entry.add_records(counts, place)
        known.entry.traits = traits
        return ended

    def add(self, report: pytest.TestReport) -> Sequence[TestEntry]:
        """Add the report of a phase; return the attempts that it ends."""
        if RECORDS_ONLY in report.__dict__:
            return ()
        name = self._name(report.nodeid)
        if name in self._duplicates:
            index: int | None = getattr(report, "item_index", None)
            if index is None:
                name = self._running() or name
            else:
                name = self._order[index]
        key = self._key(report, name)
        ended: tuple[TestEntry, ...] = ()
        attempt = self._open.get(key)
        if attempt is not None and attempt.is_followed_by(report):
            ended = (self._end(key),)
            attempt = None
        if attempt is None:
            attempt = self._open[key] = _Attempt(report, key, self._ended.get(key, 0) + 1)
        attempt.add(report)
        if report.when in _LAST_PHASES:
            return (*ended, self._end(key))
        return ended

    def of_collection(self, report: pytest.CollectReport) -> TestEntry:
        """Make an entry of what could not be collected or was skipped as a whole."""
        name = self._name(report.nodeid)
        entry = TestEntry(name, outcome="error" if report.failed else "skipped", path=name.split("::", 1)[0])
        entry.message = "collection failed" if report.failed else _message(report, self._written)
        entry.text = _text(report, self._written)[-TEXT_LIMIT:] if report.failed else ""
        return entry

    def unfinished(self) -> Iterator[TestEntry]:
        """Return what is known of the tests that never ended, and forget them."""
        return map(self._end, list(self._open))

    def name(self, nodeid: str) -> str | None:
        """Return the name of a test in the report; None where several tests have it."""
        name = self._name(nodeid)
        return None if name in self._duplicates else name

    def _name_first(self, nodeid: str) -> str:
        # Not known before: xdist takes over the session after the plugins are configured.
        self._name = report_name(self._config, self._redaction)
        self._everywhere = runs_everywhere(self._config)
        return self._name(nodeid)

    def _end(self, key: _Key) -> TestEntry:
        entry = self._open.pop(key).ended(self._written, self.captured)
        self._ended[key] = entry.attempt
        if entry.crashed:
            self._unknown[key] = None
        return entry

    def _key(self, report: Any, test: str) -> _Key:
        if not self._everywhere:
            return test, ""
        gateway = getattr(getattr(report, "node", None), "gateway", None)
        return test, str(getattr(report, "worker_id", "") or getattr(gateway, "id", ""))


class _Attempt:
    """One attempt of a test whose phases arrive."""

    __slots__ = ("_all_passed", "_failed_subtest", "_phases", "entry", "is_run_again")

    def __init__(self, report: pytest.TestReport, key: _Key, number: int) -> None:
        (test, worker) = key
        (path, line) = place_of(report.location)
        self.entry = TestEntry(test, number, path=path, line=line, worker=worker)
        self.is_run_again = False
        self._phases: list[pytest.TestReport] = []
        self._failed_subtest: pytest.TestReport | None = None
        self._all_passed = True

    def add(self, report: pytest.TestReport) -> None:
        """Add the report of a phase, or of a subtest in it."""
        if (
            type(report) is not pytest.TestReport
            and type(report).__name__ == "SubtestReport"
            and hasattr(report, "context")
        ):
            self._add_subtest(report)
            return
        self._phases.append(report)
        if report.outcome != "passed":
            self._all_passed = False
            self.is_run_again = self.is_run_again or str(report.outcome) == "rerun"

    def is_followed_by(self, report: pytest.TestReport) -> bool:
        """Whether a report is of the next attempt."""
        if str(report.when) == "???":
            # pytest has counted the outcome before the worker died, and counts the crash as well.
            return any(map(_is_counted_before_teardown, self._phases))
        # Not every version of pytest-rerunfailures reports the teardown of an attempt that will be run again.
        return self.is_run_again and report.when != "teardown"

    def _add_subtest(self, report: pytest.TestReport) -> None:
        if hasattr(report, "wasxfail"):
            outcome = "xfailed"
        else:
            outcome = str(report.outcome)
        counted = self.entry.subtests or {}
        self.entry.subtests = {**counted, outcome: counted.get(outcome, 0) + 1}
        if report.failed and self._failed_subtest is None:
            self._failed_subtest = report
        self._all_passed = False

    def ended(self, written: Redaction, captured: Captured) -> TestEntry:
        """Fold the reports into the entry of the test."""
        entry = self.entry
        entry.microseconds = round(sum([report.duration for report in self._phases]) * 1_000_000)
        if self._all_passed:
            entry.outcome = self._outcome_when_all_passed()
        else:
            self._add_problems(entry, written)
        if self._phases:
            last = self._phases[-1]
            if last.user_properties:
                entry.properties = captured.texts(last.user_properties)
            entry.output = captured.output(last, is_passed=self._all_passed)
        return entry

    def _add_problems(self, entry: TestEntry, written: Redaction) -> None:
        entry.outcome, decisive = self._outcome()
        teardown = next((report for report in self._phases if report.failed and report.when == "teardown"), None)
        entry.teardown_error = teardown is not None and any(map(_is_counted_before_teardown, self._phases))
        entry.crashed = any(str(report.when) == "???" for report in self._phases)
        if decisive is not None and entry.outcome not in {"passed", "xpassed"}:
            entry.message = _message(decisive, written)
            entry.text = _text(decisive, written)
            if teardown is not None and teardown is not decisive:
                entry.text += f"\n\nThe teardown failed too:\n\n{_text(teardown, written)}"
            entry.text = entry.text[-TEXT_LIMIT:]

    def _outcome(self) -> tuple[str, pytest.TestReport | None]:
        if self.is_run_again:
            return "rerun", next(report for report in self._phases if str(report.outcome) == "rerun")
        for report in self._phases:
            if report.failed and str(report.when) in {"call", "???"}:
                # The test itself then only says that it contains failed subtests.
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
        return self._outcome_when_all_passed(), None

    def _outcome_when_all_passed(self) -> str:
        for report in self._phases:
            if report.when == "call":
                if "wasxfail" in report.__dict__:
                    return "xpassed"
                return "passed"
        return "unfinished"


def _is_counted_before_teardown(report: pytest.TestReport) -> bool:
    return report.when == "call" or (report.when == "setup" and report.outcome != "passed")


def _message(report: pytest.TestReport | pytest.CollectReport, written: Redaction) -> str:
    # Redacted before it is cut: half of a secret would match no pattern.
    if report.skipped and hasattr(report, "wasxfail"):
        return written(str(report.wasxfail).removeprefix("reason: "))
    if report.skipped and isinstance(report.longrepr, tuple):
        return written(str(report.longrepr[2]).removeprefix("Skipped: "))[:MESSAGE_LIMIT]
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        text = written(str(crash.message))
    else:
        text = _text(report, written)
    return text.split("\n", 1)[0][:MESSAGE_LIMIT]


def _text(report: pytest.TestReport | pytest.CollectReport, written: Redaction) -> str:
    # Not report.longreprtext, which under xdist begins with the worker and its platform.
    if report.longrepr is None:
        return ""
    return written(str(report.longrepr).strip("\n"))
