"""Running one scenario: the adapter as often as asked, then the scorers, then the rule for repeats."""

import copy
import functools
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.comparison import compare, describe_failure
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import counted, shortened, visible
from pytest_verdict.errors import AdapterError
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.operators.pass_rate import INCONCLUSIVE, PassRate
from pytest_verdict.session import publish
from pytest_verdict.suites.adapters.rate_limit import Pace
from pytest_verdict.suites.adapters.recorded import Recording, question, result_of_row, save
from pytest_verdict.suites.adapters.time_limit import AdapterTimeoutError, call_within
from pytest_verdict.suites.agent_result import AgentResult, as_result
from pytest_verdict.suites.scorer import Scored, worst_verdict
from pytest_verdict.suites.suite_reader import PlannedScenario

_ATTEMPTS: Final = (1, 2, 3, 5, 10)
_SHOWN: Final = 10
_LONGEST_REASON: Final = 2_000


class Run(NamedTuple):
    """One run of the adapter."""

    repeat: int
    result: AgentResult | None
    error: str | None = None
    earlier: Sequence[str] = ()


class ScenarioOutcome(NamedTuple):
    """What came of a scenario, and how many comparisons of outputs were made and could not be made."""

    verdict: Verdict
    sentences: Sequence[str]
    failures: Sequence[ComparisonResult]
    counts: str

    def describe(self) -> str:
        """Lay out why it did not pass."""
        more = len(self.failures) - _SHOWN
        closing = [f"... and {counted(more, 'more comparison')} that did not pass"] if more > 0 else []
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.lines import block, lines_of

        texts = [*self.sentences[:_SHOWN], *map(describe_failure, self.failures[:_SHOWN]), *closing]
        return block(line for text in texts for line in lines_of(text))


class AdapterCalls(NamedTuple):
    """An adapter as it is written and as it is, what it has said, and when it may be called."""

    written: str
    adapter: Any
    recording: Recording | None
    pace: Pace

    def call(self, plan: PlannedScenario, context: Mapping[str, Any]) -> Any:
        """Run a scenario's input once, each call for a limited time."""
        run = functools.partial(self.adapter.run, copy.deepcopy(plan.scenario.input), context)
        keeps_time = getattr(self.adapter, "keeps_time", False)
        call = functools.partial(call_within, plan.timeout_seconds, run, ends_itself=keeps_time)
        return self.pace.call(call, plan.rate_limit)


def run_once(plan: PlannedScenario, suite: str, calls: AdapterCalls, repeat: int) -> Run:
    """Run a scenario's input for one of its repeats, as often as it asks after the adapter raised."""
    context = plan.context(suite, repeat)
    asked = question(calls.adapter, calls.written, plan.scenario.input, context)
    saved = None if calls.recording is None else calls.recording.find(plan.scenario.input, context)
    if saved is not None and saved.get("asked") == asked:
        result = result_of_row(saved, "a saved output")
        save(result, asked, context)
        return Run(repeat, result)
    raised: list[str] = []
    for attempt in range(1, plan.retries + 2):
        if calls.pace.closing.is_set():
            break
        try:
            returned = calls.call(plan, plan.context(suite, repeat, attempt))
        except AdapterTimeoutError as error:
            return Run(repeat, None, str(error), raised)
        except Exception as error:  # noqa: BLE001 - whatever an adapter raises is recorded
            known = isinstance(error, AdapterError)
            reason = str(error) if known else f"the adapter raised {error_outcome(error).error}"
            raised.append(shortened(reason, _LONGEST_REASON))
            continue
        try:
            result = as_result(returned)
            save(result, asked, context)
            return Run(repeat, result, earlier=raised)
        except AdapterError as error:
            # The wrong type is a mistake in the adapter, which another attempt would not mend.
            return Run(repeat, None, str(error), raised)
    return Run(repeat, None, raised[-1] if raised else "the session ended before", raised[:-1])


def record_missing(plan: PlannedScenario, run: Run) -> ComparisonResult:
    """Record that a run gave nothing to compare."""
    first = plan.scorers[0].name
    name = _label(plan, run, "adapter")
    return publish(not_compared(run.error or "", plan.scenario.expected_output, instead_of=first, name=name))


def score_runs(plan: PlannedScenario, runs: Sequence[Run]) -> ScenarioOutcome:
    """Score the runs of a scenario, and decide."""
    # What did not pass comes first: the summary of pytest shows the first line.
    parts = [sorted(_scored(plan, run), key=lambda part: part.verdict == "pass") for run in runs]
    verdicts = [worst_verdict(part.verdict for part in scored) for scored in parts]
    results = [result for scored in parts for part in scored for result in part.results]
    failures = [result for result in results if not result.passed]
    errors = sum(result.error is not None for result in results)
    count = counted(len(results) - errors, "comparison") + (f", {errors} could not be made" if errors else "")
    if plan.repeats == 1:
        return ScenarioOutcome(verdicts[0], [part.sentence for part in parts[0]], failures, count)
    decided = _decide(plan, verdicts)
    # Of many repeats only those are worth reading that did not pass.
    told = [
        (run, part.sentence)
        for run, scored in zip(runs, parts, strict=True)
        for part in scored
        if part.verdict != "pass"
    ]
    sentences = [_of_all(decided, verdicts), *(f"repeat {run.repeat}: {sentence}" for run, sentence in told)]
    return ScenarioOutcome(decided.verdict, sentences, [] if decided.passed else [decided, *failures], count)


def _of_all(decided: ComparisonResult, verdicts: Sequence[Verdict]) -> str:
    low, high = decided.details.get("interval", (0.0, 1.0))
    word = "inconclusive" if INCONCLUSIVE in decided.notes else decided.verdict
    errors = verdicts.count("error")
    broken = f", {errors} could not be compared" if errors else ""
    passed = f"{verdicts.count('pass')} of {len(verdicts)} passed"
    return f"Repeats: {word.upper()}. {passed}{broken}, the true rate is from {low:g} to {high:g}."


def _scored(plan: PlannedScenario, run: Run) -> list[Scored]:
    if run.result is None:
        return [Scored([record_missing(plan, run)], f"Adapter: ERROR. {visible(run.error or '')}")]
    return [one.score(plan.scenario, run.result, _label(plan, run, one.name), plan.threshold) for one in plan.scorers]


def _label(plan: PlannedScenario, run: Run, scorer: str) -> str:
    return f"repeat {run.repeat}: {scorer}" if plan.repeats > 1 else scorer


def _decide(plan: PlannedScenario, verdicts: Sequence[Verdict]) -> ComparisonResult:
    counts = {verdict: verdicts.count(verdict) for verdict in ("pass", "fail", "error")}
    attempts = tuple(sorted({k for k in _ATTEMPTS if k <= plan.repeats} | {plan.repeats}))
    rule = plan.pass_rule
    if isinstance(rule, int):
        return compare(PassRate(errors="undecided", attempts=attempts), rule / plan.repeats, counts, name="repeats")
    operator = PassRate(errors="undecided", attempts=attempts, confident=True, confidence=rule.confidence)
    return compare(operator, rule.rate, counts, name="repeats")
