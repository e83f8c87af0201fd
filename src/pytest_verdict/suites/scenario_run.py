"""Running one scenario: the adapter as often as asked, then the scorers, then the rule for repeats."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_verdict.comparison import compare, describe_failure
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shortened, visible
from pytest_verdict.core.writing import Verdict
from pytest_verdict.errors import AdapterError
from pytest_verdict.operators.not_compared import record_not_compared
from pytest_verdict.operators.pass_rate import INCONCLUSIVE, PassRate
from pytest_verdict.suites.adapters.limit import AdapterTimeoutError, call_within
from pytest_verdict.suites.agent_result import AgentResult, as_result
from pytest_verdict.suites.model import PassShare
from pytest_verdict.suites.reader import PlannedScenario
from pytest_verdict.suites.scoring import Scored, worst_verdict

_ATTEMPTS: Final = (1, 2, 3, 5, 10)
_SHOWN: Final = 10
_LONGEST_REASON: Final = 2_000


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the adapter."""

    repeat: int
    result: AgentResult | None
    error: str | None = None
    earlier: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ScenarioOutcome:
    """What came of a scenario."""

    verdict: Verdict
    sentences: Sequence[str]
    failures: Sequence[ComparisonResult]

    def describe(self) -> str:
        """Lay out why it did not pass."""
        sentences, failures = self.sentences[:_SHOWN], self.failures[:_SHOWN]
        more = len(self.failures) - len(failures)
        closing = [f"... and {more} more comparisons that did not pass"] if more else []
        return "\n".join([*sentences, *map(describe_failure, failures), *closing])


def run_adapter(plan: PlannedScenario, suite: str, adapter: Any) -> list[Run]:
    """Run a scenario's input as often as it asks."""
    return [_run(plan, suite, adapter, repeat) for repeat in range(1, plan.repeats + 1)]


def _run(plan: PlannedScenario, suite: str, adapter: Any, repeat: int) -> Run:
    scenario = plan.scenario
    raised: list[str] = []
    for attempt in range(1, plan.retries + 2):
        context = {
            "suite": suite,
            "scenario": scenario.name,
            # Scorers read the metadata afterwards, and an adapter must not change what it is judged by.
            "metadata": copy.deepcopy(scenario.metadata),
            "tags": list(plan.tags),
            "repeat": repeat,
            "attempt": attempt,
            "timeout_seconds": plan.timeout_seconds,
        }
        try:
            call = functools.partial(adapter.run, scenario.input, context)
            returned = call_within(plan.timeout_seconds, call, ends_itself=getattr(adapter, "keeps_time", False))
        except AdapterTimeoutError as error:
            return Run(repeat, None, str(error), tuple(raised))
        except AdapterError as error:
            raised.append(shortened(str(error), _LONGEST_REASON))
        except Exception as error:  # noqa: BLE001 - whatever an adapter raises is recorded
            raised.append(shortened(f"the adapter raised {error_outcome(error).error}", _LONGEST_REASON))
        else:
            return _returned(returned, repeat, raised)
    return Run(repeat, None, raised[-1], tuple(raised[:-1]))


def _returned(returned: Any, repeat: int, raised: Sequence[str]) -> Run:
    # The wrong type is a mistake in the adapter, which another attempt would not mend.
    try:
        return Run(repeat, as_result(returned), earlier=tuple(raised))
    except AdapterError as error:
        return Run(repeat, None, str(error), tuple(raised))


def record_missing(plan: PlannedScenario, run: Run) -> ComparisonResult:
    """Record that a run gave nothing to compare."""
    first = plan.scorers[0].name
    return record_not_compared(
        run.error or "", plan.scenario.expected_output, instead_of=first, name=_label(plan, run, "adapter")
    )


def judge(plan: PlannedScenario, runs: Sequence[Run]) -> ScenarioOutcome:
    """Score the runs of a scenario, and decide."""
    sentences: list[str] = []
    failures: list[ComparisonResult] = []
    verdicts: list[Verdict] = []
    for run in runs:
        # What did not pass comes first: the summary of pytest shows the first line.
        scored = sorted(_scored(plan, run), key=lambda part: part.verdict == "pass")
        verdicts.append(worst_verdict(part.verdict for part in scored))
        prefix = f"repeat {run.repeat}: " if plan.repeats > 1 else ""
        # Of many repeats only those are worth reading that did not pass.
        sentences += [f"{prefix}{part.sentence}" for part in scored if plan.repeats == 1 or part.verdict != "pass"]
        failures += [result for part in scored for result in part.results if not result.passed]
    if plan.repeats == 1:
        return ScenarioOutcome(verdicts[0], sentences, failures)
    return _decide(plan, verdicts, sentences, failures)


def _scored(plan: PlannedScenario, run: Run) -> list[Scored]:
    if run.result is None:
        return [Scored("adapter", [record_missing(plan, run)], f"Adapter: ERROR. {visible(run.error or '')}")]
    return [
        scorer.judge(plan.scenario, run.result, _label(plan, run, scorer.name), plan.threshold)
        for scorer in plan.scorers
    ]


def _label(plan: PlannedScenario, run: Run, scorer: str) -> str:
    return f"repeat {run.repeat}: {scorer}" if plan.repeats > 1 else scorer


def _decide(
    plan: PlannedScenario, verdicts: Sequence[Verdict], sentences: list[str], failures: list[ComparisonResult]
) -> ScenarioOutcome:
    counts = {verdict: verdicts.count(verdict) for verdict in ("pass", "fail", "error")}
    is_share = isinstance(plan.rule, PassShare)
    needed = {"all": plan.repeats, "any": 1}.get(plan.rule, plan.rule) if not is_share else None
    rate = plan.rule.rate if needed is None else needed / plan.repeats
    attempts = tuple(sorted({k for k in _ATTEMPTS if k <= plan.repeats} | {plan.repeats}))
    operator = PassRate(
        errors="undecided",
        confident=is_share,
        confidence=plan.rule.confidence if is_share else 0.95,
        attempts=attempts,
    )
    decided = compare(operator, rate, counts, name="repeats")
    low, high = decided.details.get("interval", (0.0, 1.0))
    word = "inconclusive" if INCONCLUSIVE in decided.notes else decided.verdict
    sentence = f"Repeats: {word.upper()}. {counts['pass']} of {plan.repeats} passed, the true rate is from {low:g} to {high:g}."
    return ScenarioOutcome(decided.verdict, [sentence, *sentences], [] if decided.passed else [decided, *failures])
