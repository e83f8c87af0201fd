"""An operator as a scorer, with a mapping where the usual inputs are not the right ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_verdict.comparison import compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.suites.agent_result import AgentResult, called_tools
from pytest_verdict.suites.scorer import Scored, SuiteScorer, scored
from pytest_verdict.suites.suite_model import Scenario, ScorerEntry

if TYPE_CHECKING:
    from pytest_verdict.suites.mapping.evaluator import Evaluator


class OperatorScorer(SuiteScorer):
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

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Compare by the operator."""
        limit = self._threshold or threshold
        if self._evaluator is not None:
            made = self._evaluator.compare(_document(scenario, result), name=label, threshold=limit)
        elif self._is_trajectory:
            made = compare(self._operator, _expected_calls(scenario), called_tools(result), limit, name=label)
        else:
            made = compare(self._operator, scenario.expected_output, result.output, limit, name=label)
        return scored(self.name, made)


def _expected_calls(scenario: Scenario) -> list[Any]:
    arguments = scenario.expected_tool_args
    return [{"name": tool, "args": arguments[tool]} if tool in arguments else tool for tool in scenario.expected_tools]


def _document(scenario: Scenario, result: AgentResult) -> dict[str, Any]:
    return {
        "input": scenario.input,
        "output": result.output,
        "reference": scenario.expected_output,
        "metadata": scenario.metadata,
        "expected_tools": scenario.expected_tools,
        "expected_tool_args": scenario.expected_tool_args,
        "tool_calls": called_tools(result),
        "latency_ms": result.latency_ms,
        "token_usage": result.token_usage,
        "raw_response": result.raw_response,
    }
