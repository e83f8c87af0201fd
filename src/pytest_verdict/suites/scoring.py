"""Scorers: what judges the output of a scenario, and how a suite names one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import safe_repr, shortened, visible
from pytest_verdict.core.writing import Verdict
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.model import Scenario


@dataclass(frozen=True, slots=True)
class Scored:
    """What a scorer said of one output."""

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
        """Judge one output, and record each comparison."""
        ...


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Put verdicts together that must all be passes."""
    found = set(verdicts)
    return "error" if "error" in found else "fail" if "fail" in found else "pass"


def quoted(value: Any) -> str:
    """Show a value in a sentence."""
    return (
        f'"{visible(shortened(value, 500))}"' if isinstance(value, str) else visible(shortened(safe_repr(value), 500))
    )
