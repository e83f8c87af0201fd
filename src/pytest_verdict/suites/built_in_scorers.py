"""The scorers ``exact``, ``passfail``, ``regex`` and ``similarity``.

Names and rules are those of AgenticAssure's documentation; docs/reference/scorer-names.md says where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.comparison import compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.errors import ConfigurationError, SettingsError
from pytest_verdict.suites.agent_result import AgentResult, called_tools, name_of_call
from pytest_verdict.suites.scorer import Scored, SuiteScorer, quoted, scored
from pytest_verdict.suites.suite_model import Scenario

_SIMILAR: Final = 0.7


class Exact(SuiteScorer):
    """The output is the expected output, character by character; without one it fails."""

    name = "exact"

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Compare the outputs."""
        made = compare("exact", scenario.expected_output, result.output, name=label)
        if scenario.expected_output is None:
            return scored("Exact match", made, "No expected_output defined for this scenario.")
        sides = f"Expected {quoted(made.expected)}, got {quoted(made.observed)}."
        return scored("Exact match", made, None if made.passed else sides)


class PassFail(SuiteScorer):
    """There is an output, it contains the expected one whatever its case, and tools were called as expected."""

    name = "passfail"

    def expects(self, scenario: Scenario) -> bool:
        """Say whether there is more to see than that the output is not blank."""
        return bool(scenario.expected_tools or scenario.expected_tool_args or scenario.expected_output is not None)

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Make the comparisons that the scenario asks for."""
        made = list(self._made(scenario, result, label))
        failed = [reason for one, reason in made if not one.passed]
        sentence = f"PassFail: FAIL. {' '.join(failed)}" if failed else "PassFail: PASS."
        return Scored([one for one, _ in made], sentence)

    def _made(self, scenario: Scenario, result: AgentResult, label: str) -> Iterator[tuple[ComparisonResult, str]]:
        output, calls = result.output, called_tools(result)
        yield compare("not_blank", None, output, name=f"{label}: output"), "The output is blank."
        if scenario.expected_tools:
            yield _all_called(list(dict.fromkeys(scenario.expected_tools)), calls, label)
        for tool, arguments in sorted(scenario.expected_tool_args.items()):
            yield _first_call(tool, arguments, calls, label)
        if scenario.expected_output is not None:
            expected, name = scenario.expected_output, f"{label}: expected_output"
            made = compare("contains_any", expected, output, name=name, case_sensitive=False)
            yield made, f"{quoted(expected)} is not in the output, {quoted(output)}."


def _all_called(tools: list[str], calls: list[Any], label: str) -> tuple[ComparisonResult, str]:
    names = {name_of_call(call) for call in calls}
    missing = ", ".join(quoted(tool) for tool in tools if tool not in names)
    reason = f"Not all expected tools were called: {missing}." if missing else "The calls of tools cannot be read."
    return compare("trajectory_any_order", tools, calls, name=f"{label}: tools", args="ignore"), reason


def _first_call(tool: str, arguments: dict[str, Any], calls: list[Any], label: str) -> tuple[ComparisonResult, str]:
    first = [call for call in calls if name_of_call(call) == tool][:1]
    # Each expected argument is equal; others may be there too, which the rule for all others allows.
    rules: dict[str, str] = {**dict.fromkeys(arguments, "equal"), "*": "contains"}
    expected, name = [{"name": tool, "args": arguments}], f"{label}: {tool} arguments"
    made = compare("trajectory_any_order", expected, first, name=name, args={tool: rules})
    return made, f"The first call of {tool} has other arguments, or there is none."


class Regex(SuiteScorer):
    """The pattern ``metadata.regex_pattern`` is found in the output."""

    name = "regex"

    def check(self, scenario: Scenario) -> None:
        """Refuse a pattern that is missing, empty or wrong."""
        from pytest_verdict.operators.regex import compile_pattern
        from pytest_verdict.operators.regex_process import RegexTimeLimitError

        pattern = scenario.metadata.get("regex_pattern")
        if not isinstance(pattern, str) or not pattern:
            raise ConfigurationError("the scorer regex needs metadata.regex_pattern, a text that is not empty")
        try:
            compile_pattern(pattern)
        except (re.error, RegexTimeLimitError) as error:
            reason = f"{pattern!r} is not a regular expression: {error}"
            raise ConfigurationError(f"metadata.regex_pattern: {reason}") from None

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Search for the pattern."""
        pattern = scenario.metadata["regex_pattern"]
        made = compare("regex", pattern, result.output, name=label, mode="search")
        word = "is" if made.passed else "is not"
        return scored("Regex", made, f"The pattern {quoted(pattern)} {word} found in the output.")


class Similarity(SuiteScorer):
    """The output means about the same as the expected output, by the operator ``semantic``."""

    name = "similarity"

    def check(self, scenario: Scenario) -> None:
        """Refuse a threshold that is none, and say what ``semantic`` needs."""
        limit = scenario.metadata.get("similarity_threshold", _SIMILAR)
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= 1:
            raise SettingsError(f"metadata.similarity_threshold is a number in (0, 1], got {limit!r}")
        REGISTRY.build("semantic")

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Compare meanings."""
        limit = scenario.metadata.get("similarity_threshold", threshold or _SIMILAR)
        made = compare("semantic", scenario.expected_output, result.output, limit, name=label)
        return scored("Similarity", made, f"The similarity is {made.score:.3f}, the threshold {made.threshold:g}.")
