"""Failing comparisons of a conftest.py, a module or a hook: if no test looks at one, the session does not pass."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.unchecked import OPTION, ComparisonWatch, Failure, UncheckedComparisons

_MOST_SHOWN: Final = 5
# By file and line, the comparisons in their order; None for one that was looked at.
_Lines = dict[str, list[str | None]]


class OutsideTests:
    """The hooks of a session that decide on comparisons which belong to no test."""

    def __init__(self, watch: ComparisonWatch) -> None:
        self._watch = watch
        self._failures: list[str] = []
        # What each worker compared before its first test.
        self._of_workers: list[_Lines] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        option = session.config.option
        if not (option.collectonly or option.setuponly or option.setupplan):
            self._watch.of_test = UncheckedComparisons()
            self._watch.is_partial |= any("::" in argument for argument in session.config.args)

    def pytest_deselected(self) -> None:
        self._watch.is_partial = True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._watch.is_partial |= report.skipped

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._watch.is_partial |= report.skipped and not hasattr(report, "wasxfail")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        before, after = getattr(node, "workeroutput", {}).get(OPTION, ({}, {}))
        self._of_workers.append(before)
        self._failures += _lines_of(after)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        mode = config.getini(OPTION)
        if mode == "ignore" or self._watch.of_test is self._watch.before_tests:
            return
        before = self._describe(self._watch.before_tests, config)
        after = self._describe(self._watch.of_test, config)
        if hasattr(config, "workeroutput"):
            config.workeroutput[OPTION] = (before, after)
            return
        # Each worker imports the same files, and only one runs the test that looks.
        self._failures += [*_lines_of(*(self._of_workers or [before])), *_lines_of(after)]
        if session.exitstatus != pytest.ExitCode.OK:
            # A test that did not run may be the one that looks.
            self._failures = []
        elif self._failures and mode != "warn":
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _describe(self, unchecked: UncheckedComparisons, config: pytest.Config) -> _Lines:
        unchecked.count_idle_expectations()
        lines: _Lines = {}
        unseen = {failure.number for failure in unchecked.first}
        for failure in sorted([*unchecked.seen, *unchecked.first], key=lambda failure: failure.number):
            is_of_others = self._watch.is_partial or not _is_collected(failure, config)
            is_seen = failure.number not in unseen or (is_of_others and failure.is_kept())
            line = None if is_seen else failure.describe()
            lines.setdefault(failure.place(self._watch.folder), []).append(line)
        if unchecked.count > len(unchecked.first):
            lines[""] = [f"and {unchecked.count - len(unchecked.first)} more"]
        return lines

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._failures:
            terminalreporter.write_sep("=", "comparisons outside of tests that nothing looked at", red=True)
            for line in self._failures[:_MOST_SHOWN]:
                terminalreporter.write_line(line)
            if len(self._failures) > _MOST_SHOWN:
                terminalreporter.write_line(f"... and {len(self._failures) - _MOST_SHOWN} more")
            terminalreporter.write_line(f"Assert on them in a test, or accept them by the ini key {OPTION}.")


def _is_collected(failure: Failure, config: pytest.Config) -> bool:
    """Return whether a session collects the tests of the folder or file of a comparison."""
    file = Path(failure.code.co_filename)
    folder = file.parent if file.name == "conftest.py" else file
    places = [config.invocation_params.dir / argument.split("::")[0] for argument in config.args]
    return any(folder.is_relative_to(place) for place in places)


def _lines_of(*processes: _Lines) -> list[str]:
    """Return the comparisons that nothing looked at, in any of the processes that made them."""
    lines = []
    for place in dict.fromkeys(place for process in processes for place in process):
        for each in itertools.zip_longest(*(process.get(place, ()) for process in processes), fillvalue=""):
            texts = [text for text in each if text is not None]
            if len(texts) == len(each):
                lines.append(f"{place}: {max(texts)}" if place else max(texts))
    return lines
