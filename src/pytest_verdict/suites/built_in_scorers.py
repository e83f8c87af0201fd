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
from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import ConfigurationError, SettingsError
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.evidence import called_tools, name_of_call
from pytest_verdict.suites.model import Scenario
from pytest_verdict.suites.scoring import Scored, SuiteScorer, quoted

_SIMILAR: Final = 0.7


class Exact:
    """The output is the expected output, character by character; without one it fails."""

    name = "exact"

    def judge(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Compare; see `SuiteScorer`."""
        del threshold
        made = compare("exact", scenario.expected_output, result.output, name=label)
        if scenario.expected_output is None:
            return Scored(self.name, [made], "Exact match: FAIL. No expected_output defined for this scenario.")
        if made.passed:
            return Scored(self.name, [made], "Exact match: PASS.")
        expected, observed = quoted(scenario.expected_output), quoted(result.output)
        return Scored(self.name, [made], f"Exact match: FAIL. Expected {expected}, got {observed}.")


class PassFail:
    """There is an output, it contains the expected one whatever its case, and tools were called as expected."""

    name = "passfail"

    def judge(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Make the checks that the scenario asks for; see `SuiteScorer`."""
        del threshold
        checks = list(self._checks(scenario, result, label))
        failed = [reason for made, reason in checks if not made.passed]
        sentence = f"PassFail: FAIL. {' '.join(failed)}" if failed else "PassFail: PASS."
        return Scored(self.name, [made for made, _ in checks], sentence)

    def _checks(self, scenario: Scenario, result: AgentResult, label: str) -> Iterator[tuple[ComparisonResult, str]]:
        output = result.output
        yield (
            (
                compare("regex", r"\S", output, name=f"{label}: output", mode="search")
                if isinstance(output, str)
                else compare("exact", output, output, name=f"{label}: output")
            ),
            "The output is blank.",
        )
        calls = called_tools(result)
        if scenario.expected_tools:
            wanted = list(dict.fromkeys(scenario.expected_tools))
            made = compare("trajectory_any_order", wanted, calls, name=f"{label}: tools", args="ignore")
            missing = _missing(wanted, calls)
            yield (
                made,
                f"Not all expected tools were called: {missing}." if missing else "The calls of tools cannot be read.",
            )
        for tool, arguments in sorted(scenario.expected_tool_args.items()):
            yield (
                _first_call(tool, arguments, calls, label),
                f"The first call of {tool} has other arguments, or there is none.",
            )
        if scenario.expected_output is not None:
            made = compare(
                "contains_any", scenario.expected_output, output, name=f"{label}: expected_output", case_sensitive=False
            )
            yield made, f"{quoted(scenario.expected_output)} is not in the output, {quoted(output)}."


def _missing(wanted: list[str], calls: list[Any]) -> str:
    names = {name_of_call(call) for call in calls}
    return ", ".join(quoted(tool) for tool in wanted if tool not in names)


def _first_call(tool: str, arguments: dict[str, Any], calls: list[Any], label: str) -> ComparisonResult:
    first = [call for call in calls if name_of_call(call) == tool][:1]
    # Each expected argument is equal; others may be there too, which the rule for all others allows.
    rules: dict[str, str] = {**dict.fromkeys(arguments, "equal"), "*": "contains"}
    expected = [{"name": tool, "args": arguments}]
    return compare("trajectory_any_order", expected, first, name=f"{label}: {tool} arguments", args={tool: rules})


class Regex:
    """The pattern ``metadata.regex_pattern`` is found in the output."""

    name = "regex"

    def judge(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Search; see `SuiteScorer`."""
        del threshold
        pattern = scenario.metadata["regex_pattern"]
        made = compare("regex", pattern, result.output, name=label, mode="search")
        if made.error is not None:
            return Scored(self.name, [made], f"Regex: ERROR. {visible(made.error)}")
        word = "is" if made.passed else "is not"
        return Scored(
            self.name, [made], f"Regex: {_word(made)}. The pattern {quoted(pattern)} {word} found in the output."
        )


class Similarity:
    """The output means about the same as the expected output, by the operator ``semantic``."""

    name = "similarity"

    def judge(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Compare meanings; see `SuiteScorer`."""
        limit = scenario.metadata.get("similarity_threshold", threshold or _SIMILAR)
        made = compare("semantic", scenario.expected_output, result.output, limit, name=label)
        if made.error is not None:
            return Scored(self.name, [made], f"Similarity: ERROR. {visible(made.error)}")
        sentence = f"Similarity: {_word(made)}. The similarity is {made.score:.3f}, the threshold {made.threshold:g}."
        return Scored(self.name, [made], sentence)


def _word(made: ComparisonResult) -> str:
    return "PASS" if made.passed else "FAIL"


BUILT_IN_SCORERS: Final[dict[str, SuiteScorer]] = {
    scorer.name: scorer for scorer in (Exact(), PassFail(), Regex(), Similarity())
}


def check_metadata(scorer: str, scenario: Scenario) -> None:
    """Refuse metadata that a built-in scorer cannot use."""
    if scorer == "regex":
        _check_pattern(scenario.metadata.get("regex_pattern"))
    if scorer == "similarity":
        limit = scenario.metadata.get("similarity_threshold", _SIMILAR)
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 < limit <= 1:
            raise SettingsError(f"metadata.similarity_threshold is a number in (0, 1], got {limit!r}")
        REGISTRY.build("semantic")


def _check_pattern(pattern: Any) -> None:
    if not isinstance(pattern, str) or not pattern:
        raise ConfigurationError("the scorer regex needs metadata.regex_pattern, a text that is not empty")
    from pytest_verdict.operators.regex import compile_pattern

    try:
        compile_pattern(pattern)
    except re.error as error:
        raise ConfigurationError(f"metadata.regex_pattern: {pattern!r} is not a regular expression: {error}") from None
