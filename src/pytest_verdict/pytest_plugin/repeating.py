"""The marker ``verdict_repeat`` and its options: which tests are repeated, and the closing lines about them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_verdict.session import SESSION

MARKER: Final = "verdict_repeat"
DIAGNOSE: Final = "verdict_diagnose"
REPEATS: Final = "verdict_repeats"
"""The attribute of a report with what is known about the repeats of its test."""

PHASES: Final = "verdict_phases"
"""The attribute of a report that carries the reports of an attempt, as JSON values."""

_RULE: Final = pytest.StashKey[Any]()
_RERUNS: Final = ("reruns", "force_reruns", "force_flaky")


class Repeats:
    """Runs the attempts of repeated tests where tests run, and tells their results where reports arrive."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        text = str(config.getini(DIAGNOSE))
        if not (text.isascii() and text.isdecimal() and len(text) < 5):
            raise pytest.UsageError(f"{DIAGNOSE}: a whole number from 0 to 9999 is needed, got {text!r}")
        self.diagnose = int(text)
        self._budget: int | None = config.option.verify_repeat_budget
        if self._budget is not None:
            worker = getattr(config, "workerinput", {"workercount": 1, "workerid": "gw0"})
            share, rest = divmod(self._budget, worker["workercount"])
            self._budget = share + (int(worker["workerid"].removeprefix("gw")) < rest)
        self._is_in_attempt = False
        self._refused: dict[pytest.Item, str] = {}
        # By test, the number of attempts that ended before a decision, and the decisions.
        self._started: dict[str, int] = {}
        self._decided: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        number = self._config.option.verify_repeat
        for item in items:
            marker = item.get_closest_marker(MARKER)
            if marker is None and number is None:
                continue
            from pytest_verdict.errors import ConfigurationError
            from pytest_verdict.repeats.rules import read_rule

            try:
                rule = read_rule([number], {}) if marker is None else read_rule(marker.args, marker.kwargs)
                if rule.most > 1:
                    _check_item(item)
                    item.stash[_RULE] = rule
            except ConfigurationError as error:
                name = "--verify-repeat" if marker is None else MARKER
                if not hasattr(self._config, "workerinput"):
                    raise pytest.UsageError(f"{item.nodeid}: {name}: {error}") from None
                # pytest-xdist would end with INTERNALERROR.
                self._refused[item] = f"{name}: {error}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item in self._refused:
            pytest.fail(self._refused[item], pytrace=False)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        rule = item.stash.get(_RULE, None)
        if rule is None or self._is_in_attempt or item.config.option.setuponly:
            return None
        from pytest_verdict.pytest_plugin.repetition import Repetition

        self._is_in_attempt = True
        try:
            Repetition(item, rule, self).run(nextitem)
        finally:
            self._is_in_attempt = False
        return True

    def spend(self) -> bool:
        """Use one attempt of the budget; return whether there was one."""
        if self._budget is None:
            return True
        self._budget -= 1
        return self._budget >= 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        info = report.__dict__.get(REPEATS)
        if info is None:
            return
        if "verdict" in info:
            self._started.pop(report.nodeid, None)
            self._decided[report.nodeid] = info
        else:
            self._started[report.nodeid] = info["attempt"]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not (self._decided or self._started):
            return
        from pytest_verdict.core.values.display import format_count, visible
        from pytest_verdict.pytest_plugin.names import report_name
        from pytest_verdict.report.summary import name_repeats

        name = report_name(self._config, SESSION.redaction)
        verbosity = self._config.get_verbosity()
        terminalreporter.write_sep("=", "repeats")
        steady = []
        for nodeid, info in sorted(self._decided.items()):
            word = name_repeats(info)
            if word == "pass" and verbosity < 1:
                steady.append(info["attempt"])
                continue
            is_good = info["verdict"] in {"pass", "skipped"}
            terminalreporter.write_line(visible(f"{word}: {name(nodeid)}: {info['summary']}"), red=not is_good)
        for nodeid, number in sorted(self._started.items()):
            line = (
                f"unfinished: {name(nodeid)}: {format_count(number, 'attempt')} ended, and the session before a verdict"
            )
            terminalreporter.write_line(visible(line), red=True)
        if steady:
            tests = format_count(len(steady), "repeated test")
            terminalreporter.write_line(f"{tests} passed in all of {format_count(sum(steady), 'attempt')}")


def _check_item(item: pytest.Item) -> None:
    """Refuse items that cannot run twice, and plugins that run a failed test again until it passes."""
    from pytest_verdict.errors import ConfigurationError

    if not isinstance(item, pytest.Function):
        raise ConfigurationError(
            f"only test functions are repeated, and this is a {type(item).__name__}; leave it out of the selection. A"
            " suite sets `repeats:` itself"
        )
    option = item.config.option
    rerunner = next((f"--{name.replace('_', '-')}" for name in _RERUNS if getattr(option, name, None)), "")
    if not rerunner and hasattr(option, "reruns") and item.config.getini("reruns"):
        rerunner = "the ini key reruns"
    is_flaky = item.get_closest_marker("flaky") or hasattr(item.obj, "_flaky_max_runs")
    # pytest-rerunfailures, flaky and pytest-retry.
    if not rerunner and is_flaky and any(hasattr(option, name) for name in ("reruns", "force_flaky", "retries")):
        rerunner = "the marker flaky"
    if rerunner:
        raise ConfigurationError(f"{rerunner} runs a failed test again until it passes; use one of the two")
