"""The recorder: in every process that runs tests, it writes each comparison down and lets it ride on the test's report."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Generator
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.names import report_name, runs_everywhere
from pytest_verdict.report.journal import Counts, count
from pytest_verdict.report.record import digest_of_test, place_of_test, record_line
from pytest_verdict.result import ComparisonResult

ATTRIBUTE: Final = "verdict_records"
"""The attribute of a report that carries records: a line of counts, then the records."""

CARRIER: Final = "verdict_carrier"
"""The attribute of a report that only carries records, sent while a test with very many comparisons is still running."""

_SPILL: Final = 1 << 20


class _Running:
    """The test that is running: which attempt, and how many comparisons it has made."""

    __slots__ = ("_digest", "_test", "attempt", "identifier", "item", "ordinal", "place")

    def __init__(self, item: pytest.Item, test: str, worker: str) -> None:
        self.item = item
        self._test = test
        self._digest = digest_of_test(test, worker)
        self.attempt = 0
        self.begin_attempt()

    def begin_attempt(self) -> None:
        """Count an attempt, whose comparisons are counted from 1 again."""
        self.attempt += 1
        self.ordinal = 0
        self.identifier = f"{self._digest}-{self.attempt}-"
        self.place = place_of_test(self._test, self.attempt)


class Recorder:
    """Writes each comparison of the running test as a line, and drains the lines into its next report.

    Args:
        config: The session's configuration.
        redaction: From a text of the evidence to the text that may be written; None writes it verbatim.
    """

    def __init__(self, config: pytest.Config, redaction: Callable[[str], str] | None) -> None:
        self._root = config.rootpath
        self._redaction = redaction
        self._name = report_name(config)
        self._worker: str = config.workerinput["workerid"] if runs_everywhere(config) else ""  # type: ignore[attr-defined]
        # A plain slot: a context variable is not inherited by threads, and pytest runs one test at a time.
        self._running: _Running | None = None
        self._is_set_up = False
        self._lock = threading.Lock()
        self._lines: list[str] = []
        self._size = 0
        self._counts: Counts = {}
        self._paths: dict[str, str] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Remember which test is running."""
        before = self._running
        self._running = _Running(item, self._name(item.nodeid), self._worker)
        self._is_set_up = False
        try:
            return (yield)
        finally:
            self._running = before

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Count an attempt; plugins that run a test again set it up again."""
        running = self._running
        if running is None or running.item.nodeid != item.nodeid:
            return
        if self._is_set_up:
            running.begin_attempt()
        self._is_set_up = True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Let the lines ride on the report, before it leaves this process or reaches the controller."""
        if self._lines:
            setattr(report, ATTRIBUTE, self._drain())

    def observe(self, result: ComparisonResult) -> None:
        """Write a comparison down.

        Args:
            result: What was just compared. Outside a test there is no report it could ride on, and it is dropped.
        """
        running = self._running
        if running is None:
            return
        path, line = self._caller()
        members = result.to_members(self._redaction)
        verdict = result.verdict
        with self._lock:
            running.ordinal += 1
            ordinal = running.ordinal
            place = f'{running.place}{ordinal},"path":{path},"line":{line}'
            text = record_line(members, place, f"{running.identifier}{ordinal}")
            self._lines.append(text)
            self._size += len(text)
            count(self._counts, result.operator, verdict)
        if self._size > _SPILL and threading.current_thread() is threading.main_thread():
            self._spill(running)

    def _drain(self) -> str:
        with self._lock:
            lines, counts = self._lines, self._counts
            self._lines, self._counts, self._size = [], {}, 0
        return f"{json.dumps(counts)}\n{''.join(lines)}" if lines else ""

    def _spill(self, running: _Running) -> None:
        # Sent now, so that a test with a million comparisons does not hold them all in memory.
        item = running.item
        report = pytest.TestReport(item.nodeid, item.location, {}, "passed", None, "setup")
        setattr(report, CARRIER, True)
        item.ihook.pytest_runtest_logreport(report=report)

    def _caller(self) -> tuple[str, int]:
        """Give the file of the call as JSON text, and its line."""
        frame = sys._getframe(2)  # noqa: SLF001 - the only way to learn the caller's line without reading source files
        while frame.f_globals.get("__name__", "").startswith("pytest_verdict."):
            if frame.f_back is None:
                return '""', 0
            frame = frame.f_back
        name = frame.f_code.co_filename
        path = self._paths.get(name)
        if path is None:
            path = self._paths[name] = encode_basestring_ascii(self._relative(name))
        return path, frame.f_lineno

    def _relative(self, name: str) -> str:
        path = Path(name)
        # Outside the root directory only the name is the same on every machine.
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.name


def attached(report: Any) -> tuple[Counts, str]:
    """Take the records off a report, so that nothing else keeps or writes them.

    Args:
        report: Any report.

    Returns:
        Counts per operator, and the records as lines; both empty when the report carries none.
    """
    text: str = report.__dict__.pop(ATTRIBUTE, "")
    if not text:
        return {}, ""
    head, _, lines = text.partition("\n")
    counts: Counts = json.loads(head)
    return counts, lines
