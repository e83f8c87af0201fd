"""Attempts: the reports of a test's phases, put together to what came of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.names import report_name, runs_everywhere
from pytest_verdict.pytest_plugin.recorder import CARRIER
from pytest_verdict.report.journal import Counts, TestEntry

TEXT_LIMIT: Final = 32_000
MESSAGE_LIMIT: Final = 1_000


class Attempts:
    """The attempts that have begun and not ended, and how many each test has had.

    Args:
        config: The session's configuration.
        redaction: From a text to the text that may be written; None writes it verbatim.
    """

    def __init__(self, config: pytest.Config, redaction: Callable[[str], str] | None) -> None:
        self._config = config
        self._redaction = redaction
        self._name: Callable[[str], str] | None = None
        self._everywhere = False
        self._open: dict[tuple[str, str], _Attempt] = {}
        self._ended: dict[tuple[str, str], int] = {}

    def add(self, report: pytest.TestReport, counts: Counts, place: list[int] | None) -> TestEntry | None:
        """Add the report of one phase.

        Args:
            report: A report of a test.
            counts: Counts of the records that it carried.
            place: Where these lie in the journal; None when it carried none.

        Returns:
            The attempt, when this report was its last.
        """
        key = self._key(report)
        attempt = self._open.get(key)
        if attempt is None:
            attempt = self._open[key] = _Attempt(report, key, self._ended.get(key, 0) + 1)
        attempt.add_records(counts, place)
        if hasattr(report, CARRIER):
            return None
        attempt.add_phase(report)
        if str(report.when) not in {"teardown", "???"}:
            return None
        return self._end(key)

    def of_collection(self, report: pytest.CollectReport) -> TestEntry:
        """Make an entry of what could not be collected.

        Args:
            report: A failed report of collection.

        Returns:
            An entry with the outcome ``error``.
        """
        entry = TestEntry(report.nodeid, outcome="error", path=report.nodeid.split("::", 1)[0])
        entry.message = "collection failed"
        entry.text = self._written(report.longreprtext)[-TEXT_LIMIT:]
        return entry

    def unfinished(self) -> Iterator[TestEntry]:
        """Give what is known of the tests that never ended, and forget them."""
        for key in list(self._open):
            yield self._end(key)

    def _end(self, key: tuple[str, str]) -> TestEntry:
        entry = self._open.pop(key).entry()
        entry.message, entry.text = self._written(entry.message), self._written(entry.text)
        if entry.outcome == "rerun":
            self._ended[key] = entry.attempt
        return entry

    def _key(self, report: pytest.TestReport) -> tuple[str, str]:
        if self._name is None:
            # Only known now: xdist takes over the session after the plugins are configured.
            self._name, self._everywhere = report_name(self._config), runs_everywhere(self._config)
        worker = str(getattr(report, "worker_id", "")) if self._everywhere else ""
        return self._name(report.nodeid), worker

    def _written(self, text: str) -> str:
        return text if self._redaction is None else self._redaction(text)


class _Attempt:
    def __init__(self, report: pytest.TestReport, key: tuple[str, str], number: int) -> None:
        path, line, _ = report.location
        test, worker = key
        number_of_line = 0 if line is None else line + 1
        self._entry = TestEntry(test, number, path=path.replace("\\", "/"), line=number_of_line, worker=worker)
        self._phases: list[pytest.TestReport] = []
        self._failed_subtest: pytest.TestReport | None = None

    def add_records(self, counts: Counts, place: list[int] | None) -> None:
        for operator, more in counts.items():
            known = self._entry.comparisons.setdefault(operator, [0, 0, 0])
            known[:] = [before + new for before, new in zip(known, more, strict=True)]
        if place is not None:
            self._entry.chunks.append(place)

    def add_phase(self, report: pytest.TestReport) -> None:
        if _is_subtest(report):
            self._entry.subtests[report.outcome] = self._entry.subtests.get(report.outcome, 0) + 1
            if report.failed and self._failed_subtest is None:
                self._failed_subtest = report
            return
        self._phases.append(report)
        seconds = self._entry.seconds
        seconds[report.when or ""] = round(seconds.get(report.when or "", 0.0) + getattr(report, "duration", 0.0), 6)

    def entry(self) -> TestEntry:
        entry = self._entry
        entry.outcome, decisive = self._outcome()
        if decisive is not None and entry.outcome not in {"passed", "xpassed"}:
            entry.message, entry.text = _message(decisive), decisive.longreprtext[-TEXT_LIMIT:]
        entry.crashed = any(str(report.when) == "???" for report in self._phases)
        entry.teardown_error = entry.outcome == "failed" and any(
            report.failed and report.when == "teardown" for report in self._phases
        )
        return entry

    def _outcome(self) -> tuple[str, pytest.TestReport | None]:
        for report in self._phases:
            if str(report.outcome) == "rerun":
                return "rerun", report
        for report in self._phases:
            if report.failed and str(report.when) in {"call", "???"}:
                return "failed", self._failed_subtest if isinstance(
                    report.longrepr, str
                ) and self._failed_subtest else report
        if self._failed_subtest is not None:
            return "failed", self._failed_subtest
        for report in self._phases:
            if report.failed:
                return "error", report
        for report in self._phases:
            if report.skipped:
                return ("xfailed" if hasattr(report, "wasxfail") else "skipped"), report
        return self._quiet_outcome()

    def _quiet_outcome(self) -> tuple[str, pytest.TestReport | None]:
        call = next((report for report in self._phases if report.when == "call"), None)
        if call is None:
            return "unfinished", None
        return ("xpassed" if hasattr(call, "wasxfail") else "passed"), call


def _is_subtest(report: Any) -> bool:
    return hasattr(report, "context") and type(report).__name__ == "SubtestReport"


def _message(report: pytest.TestReport) -> str:
    if report.skipped and hasattr(report, "wasxfail"):
        return str(report.wasxfail)
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext
    return str(text).split("\n", 1)[0][:MESSAGE_LIMIT]
