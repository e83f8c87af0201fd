"""Suite files as tests: one item per scenario, whose adapter runs in the setup and whose scorers are the test."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import counted, visible
from pytest_verdict.errors import AdapterError, ConfigurationError, MismatchError
from pytest_verdict.suites.suite_reader import PlannedScenario, Suite, SuiteWarning, read_suite

if TYPE_CHECKING:
    from pytest_verdict.suites.scenario_run import Run

_SHOWN: Final = 5
_ADAPTERS: Final = pytest.StashKey[dict[tuple[str, Path], Any]]()


class SuiteFile(pytest.File):
    """A suite file, whose scenarios are its items."""

    def collect(self) -> list[pytest.Item]:
        """Read the file."""
        try:
            suite = read_suite(self.path, self.nodeid)
        except (ConfigurationError, OSError) as error:
            raise self.CollectError(str(error)) from None
        tags = {tag for plan in suite.scenarios for tag in plan.tags}
        for tag in sorted(tags):
            # What a suite uses as a tag it declares, so that --strict-markers has nothing to say.
            self.config.addinivalue_line("markers", f"{tag}: a tag of suites")
        self._warn_of_scenarios_that_expect_nothing(suite)
        with pause_garbage_collection():
            make = functools.partial(ScenarioItem.from_parent, self, suite=suite)
            return [make(name=plan.scenario.name, plan=plan) for plan in suite.scenarios]

    def _warn_of_scenarios_that_expect_nothing(self, suite: Suite) -> None:
        names = [visible(plan.scenario.name) for plan in suite.scenarios if plan.expects_nothing]
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            verb = "expects" if len(names) == 1 else "expect"
            shown = ", ".join(names[:_SHOWN]) + more
            self.warn(SuiteWarning(f"{self.nodeid}: {counted(len(names), 'scenario')} {verb} nothing: {shown}"))


class ScenarioItem(pytest.Item):
    """One scenario."""

    def __init__(self, *, suite: Suite, plan: PlannedScenario, **more: Any) -> None:
        super().__init__(**more)
        self._suite = suite
        self._plan = plan
        self._runs: list[Run] = []
        for tag in plan.tags:
            self.add_marker(tag)

    @property
    def verdict_place(self) -> tuple[Path, int]:
        """Where its comparisons are made, for their records: the file and the line of the scenario."""
        return self.path, self._plan.line

    def setup(self) -> None:
        """Run the adapter; a scenario that got no output at all is an error and not a failure."""
        # What runs scenarios is imported when one runs, because many sessions only collect.
        from pytest_verdict.operators.evidence import record_not_compared
        from pytest_verdict.suites.scenario_run import record_missing, run_adapter

        try:
            adapter = self._adapter()
        except (AdapterError, ConfigurationError) as error:
            record_not_compared(str(error), self._plan.scenario.expected_output, name="adapter")
            raise _without_frames(str(error)) from None
        self._runs = run_adapter(self._plan, self._suite.name, adapter)
        earlier = [f"repeat {run.repeat}: {visible(reason)}" for run in self._runs for reason in run.earlier]
        if earlier:
            self.add_report_section("setup", "verdict", "\n".join(["attempts that failed:", *earlier]))
        if all(run.result is None for run in self._runs):
            for run in self._runs:
                record_missing(self._plan, run)
            raise _without_frames(*dict.fromkeys(str(run.error) for run in self._runs))

    def runtest(self) -> None:
        """Score what the adapter returned."""
        from pytest_verdict.suites.scenario_run import score_runs

        outcome = score_runs(self._plan, self._runs)
        if outcome.verdict != "pass":
            raise MismatchError(outcome.describe(), outcome.failures)
        self.add_report_section("call", "verdict", "\n".join([*outcome.sentences, outcome.count()]))

    def teardown(self) -> None:
        """Let go of the outputs, which may be large."""
        self._runs = []

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what was found, and no frames of this library."""
        if isinstance(excinfo.value, MismatchError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Give file, line from 0 and name."""
        return self.path, self._plan.line - 1, self.name

    def _adapter(self) -> Any:
        key = self._named_adapter()
        known = self.config.stash.setdefault(_ADAPTERS, {})
        if key not in known:
            from pytest_verdict.suites.adapters import open_adapter

            if not known:
                self.config.add_cleanup(functools.partial(_end_adapters, known))
            known[key] = open_adapter(*key)
        return known[key]

    def _named_adapter(self) -> tuple[str, Path]:
        given = self.config.getoption("verdict_adapter")
        if given:
            return given, self.config.invocation_params.dir
        if self._suite.adapter:
            return self._suite.adapter, self.path.parent
        usual = str(self.config.getini("verdict_adapter"))
        if not usual:
            ways = "write adapter: into the suite, set verdict_adapter in the ini file, or give --verdict-adapter"
            raise AdapterError(f"no adapter is named: {ways}")
        return usual, self.config.rootpath


def _without_frames(*reasons: str) -> BaseException:
    # Of a setup pytest shows the message alone only for this exception. An adapter may raise any text, also for terminals.
    lines = "\n".join(visible(line) for reason in reasons for line in reason.split("\n"))
    return pytest.fail.Exception(f"Adapter: ERROR. {lines}", pytrace=False)


def _end_adapters(known: Mapping[Any, Any]) -> None:
    for adapter in known.values():
        if hasattr(adapter, "close"):
            adapter.close()
    loop = sys.modules.get("pytest_verdict.suites.adapters.background_loop")
    if loop is not None:
        loop.LOOP.close()
