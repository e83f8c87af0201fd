"""An operator as a scorer, with a mapping where the usual inputs are not the right ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_verdict.comparison import compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import visible
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.evidence import called_tools, document_of, expected_calls
from pytest_verdict.suites.model import Scenario, ScorerEntry
from pytest_verdict.suites.scoring import Scored, quoted

if TYPE_CHECKING:
    from pytest_verdict.suites.mapping.evaluator import Evaluator


class OperatorScorer:
    """Compares the expected with the observed output, or the expected with the observed calls, by a named operator."""

    def __init__(self, entry: ScorerEntry) -> None:
        self.name = entry.operator
        self._threshold = entry.threshold
        self._is_trajectory = REGISTRY.find(entry.operator).kind == "trajectory"
        self._evaluator: Evaluator | None = None
        if entry.mapping is not None:
            from pytest_verdict.suites.mapping.evaluator import Evaluator

            self._evaluator = Evaluator(entry.operator, entry.mapping, entry.threshold, **entry.settings)
        else:
            self._operator = REGISTRY.build(entry.operator, entry.settings)

    def judge(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Compare; see `SuiteScorer`."""
        made = self._compared(scenario, result, label, self._threshold or threshold)
        if made.error is not None:
            return Scored(self.name, [made], f"{self.name}: ERROR. {visible(made.error)}")
        if made.passed:
            return Scored(self.name, [made], f"{self.name}: PASS.")
        expected, observed = quoted(made.expected), quoted(made.observed)
        return Scored(self.name, [made], f"{self.name}: FAIL. Expected {expected}, got {observed}.")

    def _compared(
        self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None
    ) -> ComparisonResult:
        if self._evaluator is not None:
            return self._evaluator.compare(document_of(scenario, result), name=label, threshold=threshold)
        if self._is_trajectory:
            return compare(self._operator, expected_calls(scenario), called_tools(result), threshold, name=label)
        return compare(self._operator, scenario.expected_output, result.output, threshold, name=label)
