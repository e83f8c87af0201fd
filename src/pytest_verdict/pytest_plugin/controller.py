"""The controller writes the journal while the session runs, and builds the report at the end."""

import sys
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.record import renumber
from pytest_verdict.errors import RecordError
from pytest_verdict.pytest_plugin.attempts import CRASH, Attempts
from pytest_verdict.pytest_plugin.captured import suite_properties
from pytest_verdict.pytest_plugin.deferred_signals import interrupts_noted, signals_deferred
from pytest_verdict.pytest_plugin.recorder import (
    JOURNAL_KEY,
    RecordBatch,
    Recorder,
    detach_records,
)
from pytest_verdict.pytest_plugin.selection import SELECTION
from pytest_verdict.pytest_plugin.shards import WHOLE, shard_of
from pytest_verdict.pytest_plugin.storing import push_session, read_renames, session_tags
from pytest_verdict.pytest_plugin.terminal import closing_lines, page_line, session_verdicts, write_github_summary
from pytest_verdict.report.building import build
from pytest_verdict.report.environment import describe_process, now
from pytest_verdict.report.folder import FolderInUseError, ReportFolder, remove_journal
from pytest_verdict.report.journal import RECORDS, JournalWriter
from pytest_verdict.report.json_report import REPORT, replace_exit_status
from pytest_verdict.session import SESSION

_TITLE: Final = "verification"
_LOST: Final = "comparisons of its last phase are lost; verdict_flush = comparison hands each one over at once"
_GREEN: Final = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


class Controller:
    def __init__(
        self, config: pytest.Config, recorder: Recorder, folder: Path, *, header: Mapping[str, Any], html: str
    ) -> None:
        self._config = config
        self._recorder = recorder
        self._html = html
        self._attempts = Attempts(config, SESSION.redaction, lambda: recorder.running)
        self._session: pytest.Session | None = None
        self._closing: list[str] = []
        self._unstored: list[str] = []
        self._annotations: list[str] = []
        self._page = ""
        self._problem: Exception | None = None
        self._began = False
        # A line for each gate and other demand on the session, and whether it is met.
        self._verdicts: list[tuple[str, bool]] = []
        try:
            self._folder = ReportFolder(folder)
        except FolderInUseError as error:
            raise pytest.UsageError(str(error)) from None
        except OSError as error:
            raise _cannot_write(folder, error) from None
        try:
            self._folder.refuse_foreign_files()
            self._interrupted = self._folder.set_aside_interrupted()
            run = {**describe_environment(config), "started": now()}
            self._journal = JournalWriter(self._folder.journal, {"run": run, **header})
        except OSError as error:
            self._folder.release()
            raise _cannot_write(folder, error) from None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:
            names = self._attempts.collected(item.nodeid for item in session.items)
            self._write(self._journal.append_order, names)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Write the order of the tests from the first worker; xdist checks that all workers agree."""
        if not self._journal.journal.order:
            self._write(self._journal.append_order, self._attempts.collected(ids))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[JOURNAL_KEY] = str(self._folder.journal)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collectreport(self, report: pytest.CollectReport) -> Generator[None, object, object]:
        """Write a file that could not be collected or was skipped as a whole; pytest counts it like a test."""
        if report.passed:
            return (yield)
        with signals_deferred():
            self._write(self._journal.append_test, self._attempts.of_collection(report))
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, object, object]:
        # Signals wait until every plugin has the report, so the journal has exactly what pytest counts.
        with signals_deferred():
            if str(report.when) == CRASH and self._config.getini("verdict_flush") == "test":
                report.longrepr = f"{report.longrepr}\n{_LOST}"
            for batch in detach_records(report) or self._recorder.take():
                self._write(self._append_batch, report, batch)
            for entry in self._attempts.add(report):
                self._write(self._journal.append_test, entry)
            return (yield)

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """Write which test began, so the journal names the test that kills the session."""
        name = self._attempts.name(nodeid)
        if name is not None:
            self._write(self._journal.append_start, name, location)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> Generator[None, object, object]:
        """Build the report, whatever other plugins raise at the end."""
        with interrupts_noted(session):
            try:
                return (yield)
            finally:
                # After a usage error nothing ran, so the report of an earlier session stays.
                is_unused = exitstatus == pytest.ExitCode.USAGE_ERROR and not self._began
                if not self._recorder.is_in_a_child and not is_unused:
                    self._session = session
                    self._finish(session)
        return None

    @pause_garbage_collection()
    def _finish(self, session: pytest.Session) -> None:
        for entry in self._attempts.unfinished():
            self._write(self._journal.append_test, entry)
        footer: dict[str, Any] = {"finished": now(), "exit_status": int(session.exitstatus)}
        if properties := self._attempts.captured.properties(sorted(suite_properties(self._config))):
            footer["properties"] = properties
        selection = self._config.pluginmanager.get_plugin(SELECTION)
        if selection is not None:
            footer["selection"] = selection.describe()
        collected = self._config.pluginmanager.get_plugin(WHOLE)
        self._write(self._journal.close, footer, collected and collected.summary)
        self._write(self._build, session)
        wrong = [line for line, is_met in self._verdicts if not is_met]
        if self._problem is not None:
            self._journal.abandon()
            wrong.append(self._problem_line())
        # A session whose report cannot be written is not green.
        if wrong and session.exitstatus in _GREEN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if not self._config.pluginmanager.has_plugin("terminalreporter"):
            sys.stderr.writelines(f"{line}\n" for line in (*wrong, *self._unstored))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        is_quiet = self._config.get_verbosity() < -1
        lines = [(line, True) for line in self._closing if not is_quiet]
        lines += [(line, is_met) for line, is_met in self._verdicts if not (is_quiet and is_met)]
        lines += [(line, True) for line in (*self._unstored, *self._annotations)]
        if self._page and not is_quiet:
            lines.append((self._page, True))
        if lines and self._interrupted is not None:
            path = self._relative(self._interrupted)
            lines.insert(0, (f"the journal of an interrupted session was kept in {path}", True))
        if self._problem is not None:
            lines.insert(0, (self._problem_line(), False))
        if not lines:
            return
        with interrupts_noted(self._session):
            terminalreporter.write_sep("=", _TITLE, red=self._problem is not None)
            for line, is_met in lines:
                terminalreporter.write_line(line, red=not is_met)

    def pytest_unconfigure(self) -> None:
        if self._recorder.is_in_a_child:
            return
        with interrupts_noted(None):
            self._journal.abandon()
            if not self._began:
                # pytest stopped before the first test, so the report of an earlier session stays.
                remove_journal(self._folder.journal)
            self._folder.release()

    def _append_batch(self, report: pytest.TestReport, batch: RecordBatch) -> None:
        number = self._attempts.number(batch.test, batch.attempt)
        lines = batch.lines
        if number != batch.attempt:
            lines = renumber(lines, number)
        place = self._journal.append_records(lines)
        entry = self._attempts.add_records(report, batch, number, place)
        if entry is not None:
            self._journal.append_test(entry)

    def _write(self, write: Callable[..., None], *arguments: Any) -> None:
        # After the first failure nothing more is written, and the tests go on.
        if self._problem is not None or self._recorder.is_in_a_child:
            return
        try:
            if not self._began:
                self._began = True
                self._folder.set_aside_earlier()
            write(*arguments)
        except (OSError, RecordError) as error:
            self._problem = error

    def _build(self, session: pytest.Session) -> None:
        journal = self._journal.journal
        try:
            built = build(
                journal,
                self._folder.path,
                run=journal.run,
                profile=journal.header["profile"],
                inline_limit=journal.header["limit"],
            )
        finally:
            if (self._folder.path / RECORDS).is_file():
                # They are in the report already; a writer of another package was interrupted.
                remove_journal(self._folder.journal)
        place = self._relative(built.folder)
        is_watched = bool(getattr(self._config.pluginmanager.getplugin("terminalreporter"), "isatty", False))
        # Only lines, not the whole report, which each of pytest's garbage collections would traverse.
        self._verdicts = list(session_verdicts(built, self._config, place))
        if session.exitstatus in _GREEN and not all(is_met for _, is_met in self._verdicts):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
            # Whoever reads only the report, such as `bless`, must not take the session for a green one.
            replace_exit_status(built.folder / REPORT, int(session.exitstatus))
        has_page = self._html == "always"
        if self._html == "auto":
            has_page = is_watched or session.exitstatus not in _GREEN
        closing = list(closing_lines(built, place))
        self._closing, self._annotations = write_github_summary(self._config, built.folder, closing)
        if has_page:
            self._page = page_line(built)
        if built.problems:
            self._problem = RecordError("; ".join(built.problems))
        self._journal.forget()
        remove_journal(self._folder.journal)
        self._folder.remove_earlier()
        # The store and the page come last, because the report is whole without them.
        stored = push_session(self._config, built.folder, place, with_history=has_page)
        self._closing += stored.lines
        self._unstored = stored.problems
        if has_page:
            from pytest_verdict.page.folder import write_page_of_session

            passed = built.summary.comparisons[0]
            write_page_of_session(built.folder, place, passed, is_watched=is_watched, history=stored.history)

    def _problem_line(self) -> str:
        place = self._relative(self._folder.path)
        return f"the verification report in {place} is not complete, so this session does not pass: {self._problem}"

    def _relative(self, path: Path) -> str:
        start = self._config.invocation_params.dir
        if path.is_relative_to(start):
            path = path.relative_to(start)
        return str(path)


def describe_environment(config: pytest.Config) -> dict[str, Any]:
    """Describe the programs and arguments of a session; the shard is the only value of environment variables."""
    return {
        **describe_process(config.rootpath, config.invocation_params.args, SESSION.redaction),
        "pytest": pytest.__version__,
        "workers": len(getattr(config.option, "tx", None) or []),
        "plugins": {plugin.project_name: plugin.version for _, plugin in config.pluginmanager.list_plugin_distinfo()},
        **({"shard": shard} if (shard := shard_of(config)) else {}),
        **({"tags": tags} if (tags := session_tags(config)) else {}),
        **({"renamed": renamed} if (renamed := read_renames(config)) else {}),
    }


def _cannot_write(folder: Path, error: OSError) -> pytest.UsageError:
    return pytest.UsageError(f"the verification report cannot be written to {folder}: {error.strerror or error}")
