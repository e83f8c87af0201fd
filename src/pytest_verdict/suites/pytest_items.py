"""Suite files as tests: one item for each scenario. Its adapter runs in the setup, and its scorers are the test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import format_count, shown, visible
from pytest_verdict.errors import AdapterError, ConfigurationError, MismatchError, UndecidedError
from pytest_verdict.suites.suite_reader import PlannedScenario, Suite, SuiteWarning, read_suite

if TYPE_CHECKING:
    from pytest_verdict.suites.scenario_runs import AdapterRun, ScenarioCalls

_MOST_SHOWN: Final = 5
_LONGEST_INPUT: Final = 500
_CALLS: Final[pytest.StashKey[ScenarioCalls]] = pytest.StashKey()


class SuiteFile(pytest.File):
    not_passed: ScenarioItem | None = None
    """The scenario that started last, unless it passed."""

    def collect(self) -> list[pytest.Item]:
        try:
            suite = read_suite(self.path, self.nodeid)
        except (ConfigurationError, OSError) as error:
            raise self.CollectError(str(error)) from None
        tags = {tag for plan in suite.scenarios for tag in plan.tags}
        for tag in sorted(tags):
            # A suite declares its tags, so --strict-markers accepts them.
            self.config.addinivalue_line("markers", f"{tag}: a tag of suites")

        doubts: dict[str, list[str]] = {}
        for plan in suite.scenarios:
            if plan.doubt:
                doubts.setdefault(plan.doubt, []).append(visible(plan.scenario.name))
        for doubt, names in doubts.items():
            more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
            scenarios = f"{format_count(len(names), 'scenario')}: {', '.join(names[:_MOST_SHOWN])}{more}"
            self.warn(SuiteWarning(f"{self.nodeid}: a scenario {doubt}, {scenarios}"))
        with pause_garbage_collection():
            return [
                ScenarioItem.from_parent(self, file=self, suite=suite, name=plan.scenario.name, plan=plan)
                for plan in suite.scenarios
            ]


class ScenarioItem(pytest.Item):
    def __init__(self, *, file: SuiteFile, suite: Suite, plan: PlannedScenario, **more: Any) -> None:
        super().__init__(**more)
        self._file = file
        self.suite = suite
        self.plan = plan
        self._runs: list[AdapterRun] = []
        for tag in plan.tags:
            # An expected failure is a comparison that failed, never an error of the adapter or of the check.
            self.add_marker(pytest.mark.xfail(raises=MismatchError) if tag == "xfail" else tag)

    @property
    def verdict_place(self) -> tuple[Path, int]:
        """The file and the line of the scenario, for the records of its comparisons."""
        return self.plan.path or self.path, self.plan.line

    def setup(self) -> None:
        """Run the adapter; a scenario without any output is an error, not a failure."""
        if self.suite.head.config.fail_fast and self._file.not_passed not in {None, self}:
            pytest.skip("fail_fast: an earlier scenario of this suite did not pass")
        self._file.not_passed = self
        # Imported when a scenario runs, because many sessions only collect.
        from pytest_verdict.suites.scenario_runs import AdapterRun, ScenarioCalls, record_missing

        stash = self.config.stash
        if _CALLS not in stash:
            stash[_CALLS] = ScenarioCalls(self.config)
        try:
            self._runs = stash[_CALLS].runs_of(self)
        except (AdapterError, ConfigurationError) as error:
            self._runs = [AdapterRun(1, None, str(error))]
        earlier = [f"repeat {run.repeat}: {visible(reason)}" for run in self._runs for reason in run.earlier]
        if earlier:
            self.add_report_section("setup", "verdict", "\n".join(["attempts that failed:", *earlier]))
        if all(run.result is None for run in self._runs):
            for run in self._runs:
                record_missing(self.plan, run)
            reasons = "\n".join(dict.fromkeys(str(run.error) for run in self._runs))
            # pytest shows a setup error without frames only for this exception.
            raise pytest.fail.Exception(f"Adapter: ERROR. {self._describe(reasons)}", pytrace=False)

    def runtest(self) -> None:
        from pytest_verdict.comparison import build_failure
        from pytest_verdict.suites.scenario_runs import score_runs

        outcome = score_runs(self.plan, self._runs)
        if outcome.verdict != "pass":
            raise build_failure(outcome.describe(), outcome.failures)
        self._file.not_passed = None
        self.add_report_section("call", "verdict", "\n".join([*outcome.sentences, outcome.counts]))

    def teardown(self) -> None:
        """Free the outputs, which may be large."""
        self._runs = []

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the outcome, the input and the place of the scenario, without frames of this library."""
        if not isinstance(excinfo.value, MismatchError | UndecidedError | pytest.fail.Exception):
            return super().repr_failure(excinfo, style)
        return self._describe(str(excinfo.value))

    def _describe(self, text: str) -> str:
        """Add what was asked, and the place of the scenario."""
        path, line, _ = self.location
        lines = [*map(visible, text.split("\n"))]
        if not any(line.lstrip().startswith("asked: ") for line in lines):
            lines.append(f"asked: {shown(self.plan.scenario.input, _LONGEST_INPUT)}")
        return "\n".join([*lines, "", f"{path}:{(line or 0) + 1}: {visible(self.name)}"])

    def reportinfo(self) -> tuple[Path, int, str]:
        path, line = self.verdict_place
        return path, line - 1, self.name
