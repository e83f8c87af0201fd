"""Suite files as tests: one item per scenario, whose adapter runs in the setup and whose scorers are the test."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import counted, visible
from pytest_verdict.errors import AdapterError, ConfigurationError, MismatchError
from pytest_verdict.suites.suite_reader import PlannedScenario, Suite, SuiteWarning, read_suite

if TYPE_CHECKING:
    from pytest_verdict.suites.scenario_calls import ScenarioCalls
    from pytest_verdict.suites.scenario_run import Run

_SHOWN: Final = 5
_CALLS: Final[pytest.StashKey[ScenarioCalls]] = pytest.StashKey()


class SuiteFile(pytest.File):
    """A suite file, whose scenarios are its items."""

    not_passed: ScenarioItem | None = None
    """The scenario that began last, unless it passed."""

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
            make = functools.partial(ScenarioItem.from_parent, self, file=self, suite=suite)
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

    def __init__(self, *, file: SuiteFile, suite: Suite, plan: PlannedScenario, **more: Any) -> None:
        super().__init__(**more)
        self._file = file
        self.suite = suite
        self.plan = plan
        self._runs: list[Run] = []
        for tag in plan.tags:
            self.add_marker(tag)

    @property
    def verdict_place(self) -> tuple[Path, int]:
        """Where its comparisons are made, for their records: the file and the line of the scenario."""
        return self.plan.path or self.path, self.plan.line

    def setup(self) -> None:
        """Run the adapter; a scenario that got no output at all is an error and not a failure."""
        if self.suite.head.config.fail_fast and self._file.not_passed not in {None, self}:
            pytest.skip("fail_fast: an earlier scenario of this suite did not pass")
        self._file.not_passed = self
        # What runs scenarios is imported when one runs, because many sessions only collect.
        from pytest_verdict.operators.evidence import not_compared
        from pytest_verdict.session import publish
        from pytest_verdict.suites.scenario_calls import ScenarioCalls
        from pytest_verdict.suites.scenario_run import record_missing

        stash = self.config.stash
        stash[_CALLS] = stash.get(_CALLS, None) or ScenarioCalls(self.config)
        try:
            self._runs = stash[_CALLS].runs_of(self)
        except (AdapterError, ConfigurationError) as error:
            publish(not_compared(str(error), self.plan.scenario.expected_output, name="adapter"))
            raise _without_frames(str(error)) from None
        earlier = [f"repeat {run.repeat}: {visible(reason)}" for run in self._runs for reason in run.earlier]
        if earlier:
            self.add_report_section("setup", "verdict", "\n".join(["attempts that failed:", *earlier]))
        if all(run.result is None for run in self._runs):
            for run in self._runs:
                record_missing(self.plan, run)
            raise _without_frames(*dict.fromkeys(str(run.error) for run in self._runs))

    def runtest(self) -> None:
        """Score what the adapter returned."""
        from pytest_verdict.suites.scenario_run import score_runs

        outcome = score_runs(self.plan, self._runs)
        if outcome.verdict != "pass":
            raise MismatchError(outcome.describe(), outcome.failures)
        self._file.not_passed = None
        self.add_report_section("call", "verdict", "\n".join([*outcome.sentences, outcome.counts]))

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
        path, line = self.verdict_place
        return path, line - 1, self.name


def _without_frames(*reasons: str) -> BaseException:
    # Of a setup pytest shows the message alone only for this exception. An adapter may raise any text, also for terminals.
    lines = "\n".join(visible(line) for reason in reasons for line in reason.split("\n"))
    return pytest.fail.Exception(f"Adapter: ERROR. {lines}", pytrace=False)
