"""Scorers: what judges the output of a scenario, and how a suite names one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_verdict.result import ComparisonResult, Verdict
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.model import Scenario
from pytest_verdict.values.display import shortened, visible
from pytest_verdict.values.stand_ins import safe_repr


@dataclass(frozen=True, slots=True)
class Scored:
    """What a scorer said of one output.

    Args:
        scorer: The scorer's name.
        results: The comparisons it made, all of which must pass.
        sentence: The verdict in words.
    """

    scorer: str
    results: Sequence[ComparisonResult]
    sentence: str

    @property
    def verdict(self) -> Verdict:
        """``pass`` when all comparisons passed, ``error`` when one could not be made, otherwise ``fail``."""
        return worst_verdict(result.verdict for result in self.results)


class SuiteScorer(Protocol):
    """A scorer, ready to judge outputs."""

    name: str

    def judge(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Judge one output, and record each comparison.

        Args:
            scenario: The scenario.
            result: What the adapter returned.
            label: What to call the comparisons in the report.
            threshold: The lowest score that passes, where the scenario or suite sets one.

        Returns:
            What came out.
        """
        ...


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Put verdicts together that must all be passes.

    Args:
        verdicts: Any number of verdicts.

    Returns:
        ``error`` before ``fail`` before ``pass``.
    """
    found = set(verdicts)
    return "error" if "error" in found else "fail" if "fail" in found else "pass"


def quoted(value: Any) -> str:
    """Show a value in a sentence.

    Args:
        value: Text, or another JSON value.

    Returns:
        Text in double quotes as it is, but on one line and harmless in a terminal; anything else as Python writes it.

    Example:
        >>> quoted("Positive")
        '"Positive"'
    """
    return (
        f'"{visible(shortened(value, 500))}"' if isinstance(value, str) else visible(shortened(safe_repr(value), 500))
    )
