"""The outcome of a scenario: the scorers of each run, then the rule for repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_verdict.comparison import compare, describe_failure
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import counted, visible
from pytest_verdict.operators.pass_rate import INCONCLUSIVE, PassRate
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import publish
from pytest_verdict.suites.scorer import Scored, worst_verdict

if TYPE_CHECKING:
    from pytest_verdict.suites.scenario_calls import AdapterRun
    from pytest_verdict.suites.suite_reader import PlannedScenario

_ATTEMPTS: Final = (1, 2, 3, 5, 10)
_MOST_SHOWN: Final = 10


class ScenarioOutcome(NamedTuple):
    """The verdict of a scenario, sentences about it, the results that did not pass, and the number of comparisons."""

    verdict: Verdict
    sentences: Sequence[str]
    failures: Sequence[ComparisonResult]
    counts: str

    def describe(self) -> str:
        """Describe why the scenario did not pass."""
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.lines import block, lines_of

        texts = [*self.sentences[:_MOST_SHOWN], *map(describe_failure, self.failures[:_MOST_SHOWN])]
        more = len(self.failures) - _MOST_SHOWN
        if more > 0:
            texts.append(f"... and {counted(more, 'more comparison')} that did not pass")
        return block(line for text in texts for line in lines_of(text))


def record_missing(plan: PlannedScenario, run: AdapterRun) -> ComparisonResult:
    """Record that a run returned nothing to compare."""
    scorer = plan.scorers[0].name
    name = _label(plan, run, "adapter")
    return publish(not_compared(run.error or "", plan.scenario.expected_output, instead_of=scorer, name=name))


def score_runs(plan: PlannedScenario, runs: Sequence[AdapterRun]) -> ScenarioOutcome:
    """Score the runs of a scenario, and decide."""
    # Failures first: the summary of pytest shows the first line.
    scored_runs = [sorted(_score(plan, run), key=lambda scored: scored.verdict == "pass") for run in runs]
    verdicts = [worst_verdict(scored.verdict for scored in all_scored) for all_scored in scored_runs]
    results = [result for all_scored in scored_runs for scored in all_scored for result in scored.results]
    failures = [result for result in results if not result.passed]
    errors = sum(result.error is not None for result in results)
    counts = counted(len(results) - errors, "comparison")
    if errors:
        counts += f", {errors} could not be made"
    if plan.repeats == 1:
        return ScenarioOutcome(verdicts[0], [scored.sentence for scored in scored_runs[0]], failures, counts)

    decision = _decide(plan, verdicts)
    sentences = [_describe_repeats(decision, verdicts)]
    for run, all_scored in zip(runs, scored_runs, strict=True):
        failed = [scored for scored in all_scored if scored.verdict != "pass"]
        sentences += [f"repeat {run.repeat}: {scored.sentence}" for scored in failed]
    failures = [] if decision.passed else [decision, *failures]
    return ScenarioOutcome(decision.verdict, sentences, failures, counts)


def _describe_repeats(decision: ComparisonResult, verdicts: Sequence[Verdict]) -> str:
    low, high = decision.details.get("interval", (0.0, 1.0))
    word = "inconclusive" if INCONCLUSIVE in decision.notes else decision.verdict
    passed = f"{verdicts.count('pass')} of {len(verdicts)} passed"
    errors = verdicts.count("error")
    not_made = f", {errors} could not be compared" if errors else ""
    return f"Repeats: {word.upper()}. {passed}{not_made}, the true rate is from {low:g} to {high:g}."


def _score(plan: PlannedScenario, run: AdapterRun) -> list[Scored]:
    if run.result is None:
        return [Scored([record_missing(plan, run)], f"Adapter: ERROR. {visible(run.error or '')}")]
    return [
        scorer.score(plan.scenario, run.result, _label(plan, run, scorer.name), plan.threshold)
        for scorer in plan.scorers
    ]


def _label(plan: PlannedScenario, run: AdapterRun, scorer: str) -> str:
    return f"repeat {run.repeat}: {scorer}" if plan.repeats > 1 else scorer


def _decide(plan: PlannedScenario, verdicts: Sequence[Verdict]) -> ComparisonResult:
    counts = {verdict: verdicts.count(verdict) for verdict in ("pass", "fail", "error")}
    attempts = tuple(sorted({number for number in _ATTEMPTS if number <= plan.repeats} | {plan.repeats}))
    rule = plan.pass_rule
    if isinstance(rule, int):
        return compare(PassRate(errors="undecided", attempts=attempts), rule / plan.repeats, counts, name="repeats")
    operator = PassRate(errors="undecided", attempts=attempts, confident=True, confidence=rule.confidence)
    return compare(operator, rule.rate, counts, name="repeats")
