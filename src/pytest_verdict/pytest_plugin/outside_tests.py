"""Failing comparisons of a conftest.py, a module or a hook: if no test looks at one, the session does not pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import pytest

from pytest_verdict.pytest_plugin.unchecked import OPTION, ComparisonWatch, UncheckedComparisons

_MOST_SHOWN: Final = 5


class OutsideTests:
    """The hooks of a session that decide on comparisons which belong to no test."""

    def __init__(self, watch: ComparisonWatch) -> None:
        self._watch = watch
        self._failures: list[str] = []
        # Comparisons of each worker before its first test at which nothing in it looked.
        self._of_workers: list[list[str]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        option = session.config.option
        if not (option.collectonly or option.setuponly or option.setupplan):
            self._watch.of_test = UncheckedComparisons()

    def pytest_deselected(self, items: Iterable[pytest.Item]) -> None:
        """Accept comparisons that are parameters of tests which do not run."""
        if not self._watch.before_tests.count:
            return
        from pytest_verdict.pytest_plugin.watched_result import WatchedResult

        for item in items:
            for value in getattr(item, "callspec", item).__dict__.get("params", {}).values():
                if isinstance(value, WatchedResult):
                    value.settle()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        before, after = getattr(node, "workeroutput", {}).get(OPTION, ((), ()))
        self._of_workers.append(before)
        self._failures += after

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        config = session.config
        mode = config.getini(OPTION)
        if mode == "ignore" or self._watch.of_test is self._watch.before_tests:
            return
        before = list(self._describe(self._watch.before_tests))
        after = list(self._describe(self._watch.of_test))
        if hasattr(config, "workeroutput"):
            config.workeroutput[OPTION] = (before, after)
            return
        if self._of_workers:
            # Each worker imports the same files, and only one runs the test that looks.
            before = [one for one in self._of_workers[0] if all(one in others for others in self._of_workers)]
        self._failures += [*before, *after]
        if session.exitstatus != pytest.ExitCode.OK:
            # A test that did not run may be the one that looks.
            self._failures = []
        elif self._failures and mode != "warn":
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _describe(self, unchecked: UncheckedComparisons) -> Iterator[str]:
        """Yield a line for each comparison; equal ones have a number."""
        if not unchecked.count:
            return
        unchecked.count_idle_expectations()
        counts: Counter[str] = Counter()
        for failure in unchecked.first:
            line = failure.describe(self._watch.folder)
            counts[line] += 1
            yield line if counts[line] == 1 else f"{line} ({counts[line]})"
        if unchecked.count > len(unchecked.first):
            yield f"and {unchecked.count - len(unchecked.first)} more"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._failures:
            terminalreporter.write_sep("=", "comparisons outside of tests that nothing looked at", red=True)
            for line in self._failures[:_MOST_SHOWN]:
                terminalreporter.write_line(line)
            if len(self._failures) > _MOST_SHOWN:
                terminalreporter.write_line(f"... and {len(self._failures) - _MOST_SHOWN} more")
            terminalreporter.write_line(f"Assert on them in a test, or accept them by the ini key {OPTION}.")
