"""The controller: where reports arrive, it keeps the journal, and at the end turns it into the report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.attempts import Attempts
from pytest_verdict.pytest_plugin.environment import Clock, describe_environment
from pytest_verdict.pytest_plugin.names import report_name
from pytest_verdict.pytest_plugin.recorder import attached
from pytest_verdict.pytest_plugin.terminal import closing_lines
from pytest_verdict.report.building import Built, build
from pytest_verdict.report.folder import FolderInUseError, ReportFolder
from pytest_verdict.report.journal import JournalWriter, TestEntry, read_journal
from pytest_verdict.report.junit import Profile

TITLE: Final = "verification"


class Controller:
    """Keeps the journal while the session runs, and builds the report at its end.

    Args:
        config: The session's configuration.
        folder: Where the report goes.
        profile: The JUnit profile.
        limit: How many comparisons ``report.json`` holds at most.
        redaction: From a text to the text that may be written; None writes it verbatim.

    Raises:
        pytest.UsageError: The folder is held by another session, or cannot be written.
    """

    def __init__(
        self,
        config: pytest.Config,
        folder: Path,
        *,
        profile: Profile,
        limit: int,
        redaction: Callable[[str], str] | None,
    ) -> None:
        self._config = config
        self._profile: Profile = profile
        self._limit = limit
        self._clock = Clock()
        self._attempts = Attempts(config, redaction)
        self._order_known = False
        self._built: Built | None = None
        self._problem: OSError | None = None
        try:
            self._folder = ReportFolder(folder)
            self._interrupted = self._folder.set_aside_interrupted()
            run = {**describe_environment(config), "started": self._clock.started}
            self._journal = JournalWriter(self._folder.journal, {"run": run, "profile": profile, "limit": limit})
        except FolderInUseError as error:
            raise pytest.UsageError(str(error)) from None
        except OSError as error:
            raise pytest.UsageError(f"the verification report cannot be written to {folder}: {error}") from None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Learn the order of the tests, when they run in this process."""
        if session.items:
            self._write(lambda: self._journal.append_order([item.nodeid for item in session.items]))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Learn the order of the tests from the first worker; xdist makes sure that all workers agree."""
        if not self._order_known:
            self._order_known = True
            name = report_name(self._config)
            self._write(lambda: self._journal.append_order([name(nodeid) for nodeid in ids]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what could not be collected: it is an error of the session."""
        if report.failed:
            self._append(self._attempts.of_collection(report))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the records off the report, and write the attempt when it has ended."""
        counts, lines = attached(report)
        place: list[int] | None = None
        if lines:

            def append() -> None:
                nonlocal place
                place = self._journal.append_records(lines)

            self._write(append)
        ended = self._attempts.add(report, counts, place)
        if ended is not None:
            self._append(ended)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Build the report; a session whose report cannot be written is not green."""
        for entry in self._attempts.unfinished():
            self._append(entry)
        footer = {"finished": self._clock.now(), "exit_status": int(exitstatus)}
        self._write(lambda: self._journal.close(footer))
        if self._problem is None:
            self._write(self._build)
        if self._problem is not None:
            self._journal.abandon()
            if session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            if not self._config.pluginmanager.has_plugin("terminalreporter"):
                sys.stderr.write(f"{self._problem_line()}\n")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say how many comparisons came out how, and where the report lies."""
        if self._problem is not None:
            terminalreporter.section(TITLE, red=True)
            terminalreporter.write_line(self._problem_line(), red=True)
            return
        if self._built is None or self._config.get_verbosity() < -1:
            return
        terminalreporter.section(TITLE)
        if self._interrupted is not None:
            terminalreporter.write_line(
                f"the journal of an interrupted session was kept in {self._shown(self._interrupted)}"
            )
        for line in closing_lines(self._built, self._shown(self._built.folder)):
            terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """Let another session have the folder."""
        self._journal.abandon()
        self._folder.release()

    def _append(self, entry: TestEntry) -> None:
        self._write(lambda: self._journal.append_test(entry))

    def _write(self, write: Callable[[], None]) -> None:
        # After the first failure nothing more is written, and the tests go on: their own results are not lost.
        if self._problem is not None:
            return
        try:
            write()
        except OSError as error:
            self._problem = error

    def _build(self) -> None:
        journal = read_journal(self._folder.journal)
        self._built = build(
            journal, self._folder.path, run=journal.run, profile=self._profile, inline_limit=self._limit, consume=True
        )
        self._folder.remove_journal()

    def _problem_line(self) -> str:
        place = self._shown(self._folder.path)
        return f"the verification report in {place} is not complete, so this session does not pass: {self._problem}"

    def _shown(self, path: Path) -> str:
        start = self._config.invocation_params.dir
        return str(path.relative_to(start) if path.is_relative_to(start) else path)
