"""`SuiteScorer`: what scores the output of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.session import SESSION
from pytest_verdict.core.values.display import safe_repr, shortened, visible
from pytest_verdict.core.writing import Verdict
from pytest_verdict.suites.agent_result import AgentResult
from pytest_verdict.suites.suite_model import Scenario

_LONGEST_VALUE = 500


class Scored(NamedTuple):
    """The comparisons that a scorer made of one output, and what they mean in a sentence."""

    results: Sequence[ComparisonResult]
    sentence: str

    @property
    def verdict(self) -> Verdict:
        """``pass`` when all comparisons passed, ``error`` when one could not be made, otherwise ``fail``."""
        return worst_verdict(result.verdict for result in self.results)


class SuiteScorer:
    """A scorer that makes its comparisons itself; any other one is asked by `UserScorer`."""

    name: str

    def check(self, scenario: Scenario) -> None:
        """Refuse a scenario whose metadata this scorer cannot use."""

    def expects(self, scenario: Scenario) -> bool:
        """Say whether a scenario tells this scorer anything that is expected."""
        return True

    def score(self, scenario: Scenario, result: AgentResult, label: str, threshold: float | None) -> Scored:
        """Score one output; the comparisons are recorded under a label."""
        raise NotImplementedError


def scored(title: str, made: ComparisonResult, reason: str | None = None) -> Scored:
    """Say what one comparison means."""
    if made.error is not None:
        reason = visible(shortened(made.error, _LONGEST_VALUE))
    elif reason is None and not made.passed:
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.facts import explanation_of
        from pytest_verdict.explanation.lines import plain

        why = plain(explanation_of(made, SESSION.budget).summary)
        reason = f"{why[:1].upper()}{why[1:]}."
    return Scored([made], f"{title}: {made.verdict.upper()}." + (f" {reason}" if reason else ""))


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Put verdicts together that must all be passes."""
    found = set(verdicts)
    return "error" if "error" in found else "fail" if "fail" in found else "pass"


def quoted(value: Any) -> str:
    """Show a value in a sentence."""
    if isinstance(value, str):
        return f'"{visible(shortened(value, _LONGEST_VALUE))}"'
    return visible(shortened(safe_repr(value), _LONGEST_VALUE))
