"""Failing comparisons of a conftest.py, a module or a hook: if no test looks at one, the session does not pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.unchecked import OPTION, ComparisonWatch, Place, UncheckedComparisons

_MOST_SHOWN: Final = 5


class OutsideTests:
    """The hooks of a session that decide on comparisons which belong to no test."""

    def __init__(self, watch: ComparisonWatch) -> None:
        self._watch = watch
        # The failures that nothing has looked at, with their first lines, and those that something has.
        self._unseen: dict[tuple[str, ...], str] = {}
        self._seen: set[tuple[str, ...]] = set()
        self._has_workers = False

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
        """Receive the failures of a worker: each imports the same files, and only one runs the test that looks."""
        unseen, seen = getattr(node, "workeroutput", {}).get(OPTION, ({}, ()))
        self._has_workers = True
        self._unseen.update(unseen)
        self._seen.update(seen)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        mode = config.getini(OPTION)
        if mode == "ignore" or self._watch.of_test is self._watch.before_tests:
            return
        if not self._has_workers:
            self._add(self._watch.before_tests, "before", config)
        self._add(self._watch.of_test, "after", config)
        if hasattr(config, "workeroutput"):
            config.workeroutput[OPTION] = (self._unseen, tuple(self._seen))
            return
        self._unseen = {place: line for place, line in self._unseen.items() if place not in self._seen}
        if session.exitstatus != pytest.ExitCode.OK:
            # A test that did not run may be the one that looks.
            self._unseen = {}
        elif self._unseen and mode != "warn":
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _add(self, unchecked: UncheckedComparisons, time: str, config: pytest.Config) -> None:
        for place, failure in unchecked.first.items():
            file = place.describe(self._watch.folder)
            is_of_others = self._watch.is_partial or not _is_collected(place, config)
            if not (is_of_others and failure.is_kept()):
                self._unseen[time, file, str(place.number)] = f"{file}: {failure.first_line()}"
        for place in unchecked.seen:
            self._seen.add((time, place.describe(self._watch.folder), str(place.number)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._unseen:
            return
        terminalreporter.write_sep("=", "comparisons outside of tests that nothing looked at", red=True)
        lines = list(self._unseen.values())
        for line in lines[:_MOST_SHOWN]:
            terminalreporter.write_line(line)
        if len(lines) > _MOST_SHOWN:
            terminalreporter.write_line(f"... and {len(lines) - _MOST_SHOWN} more")
        terminalreporter.write_line(f"Assert on them in a test, or accept them by the ini key {OPTION}.")


def _is_collected(place: Place, config: pytest.Config) -> bool:
    """Return whether a session collects the tests of the folder or file of a comparison."""
    file = Path(place.file)
    folder = file.parent if file.name == "conftest.py" else file
    places = [config.invocation_params.dir / argument.split("::")[0] for argument in config.args]
    return any(folder.is_relative_to(place) for place in places)
