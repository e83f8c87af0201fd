"""An operator as a scorer, with a mapping where the usual inputs are not the right ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.comparison import compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import SettingsError
from pytest_verdict.suites.agent_result import AgentResult, called_tools
from pytest_verdict.suites.scorer import Scored, SuiteScorer, scored
from pytest_verdict.suites.suite_model import Scenario, ScorerEntry

if TYPE_CHECKING:
    from pytest_verdict.suites.mapping.evaluator import Evaluator

_OUTPUTS: Final = {"expected": "$.reference", "observed": "$.output"}
_CALLS: Final = {"expected": "$.expected_calls", "observed": "$.tool_calls"}


class OperatorScorer(SuiteScorer):
    """Compares the expected with the observed output, or the expected with the observed calls, by a named operator."""

    def __init__(self, entry: ScorerEntry) -> None:
        self.name = entry.operator
        self._threshold = entry.threshold
        self._is_trajectory = REGISTRY.find(entry.operator).kind == "trajectory"
        self._evaluator: Evaluator | None = None
        if entry.mapping is None:
            self._operator = REGISTRY.build(entry.operator, entry.settings)
            self._takes_expectation = self._operator.needs_expected()
        else:
            self._evaluator, self._takes_expectation = _mapped(entry, _CALLS if self._is_trajectory else _OUTPUTS)

    def check(self, scenario: Scenario) -> None:
        """Refuse a scenario without the expectation that the mapping leaves to it."""
        if self._evaluator is not None and not self.expects(scenario):
            key = "expected_tools" if self._is_trajectory else "expected_output"
            raise SettingsError(f"the mapping of {self.name} names no expected, and the scenario has no {key}")

    def expects(self, scenario: Scenario) -> bool:
        """Say whether the settings, the mapping or the scenario tell what is expected."""
        if not self._takes_expectation:
            return True
        if self._is_trajectory:
            # An empty list that is written says that no call is expected.
            return "expected_tools" in scenario.model_fields_set
        return scenario.expected_output is not None

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


def _mapped(entry: ScorerEntry, usual: Mapping[str, str]) -> tuple[Evaluator, bool]:
    """Make the evaluator, and say whether the expected value comes from the scenario because the mapping names none."""
    from pytest_verdict.suites.mapping.evaluator import Evaluator
    from pytest_verdict.suites.mapping.input_mapping import EXPECTED, OBSERVED, InputMapping

    given = {OBSERVED: usual[OBSERVED], **(entry.mapping or {})}
    mapping = InputMapping.read(given)
    takes = EXPECTED not in given
    if takes and len(mapping.settings) == len(mapping.literals):
        takes = REGISTRY.build(entry.operator, {**entry.settings, **mapping.literals}).needs_expected()
    if takes:
        mapping = InputMapping.read({EXPECTED: usual[EXPECTED], **given})
    return Evaluator(entry.operator, mapping, entry.threshold, **entry.settings), takes


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
        "expected_calls": _expected_calls(scenario),
        "tool_calls": called_tools(result),
        "latency_ms": result.latency_ms,
        "token_usage": result.token_usage,
        "raw_response": result.raw_response,
    }
