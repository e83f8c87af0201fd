"""The runs of scenarios in a session: the calls of adapters, some before their items run, and the scores of outputs."""

from __future__ import annotations

import copy
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.comparison import describe_failure
from pytest_verdict.core.kernel import error_outcome
from pytest_verdict.core.record_members import Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import format_count, shorten, visible
from pytest_verdict.errors import AdapterError, ConfigurationError
from pytest_verdict.judging.calls import CallTimeoutError, Slots, call_within, wait_for
from pytest_verdict.judging.pace import Pace
from pytest_verdict.operators.pass_rate import INCONCLUSIVE
from pytest_verdict.repeats.rules import fixed, format_counts
from pytest_verdict.session import SESSION
from pytest_verdict.suites.adapters import open_adapter
from pytest_verdict.suites.adapters.recorded import Recording, question_digest, result_of_row, save
from pytest_verdict.suites.agent_result import AgentResult, as_result
from pytest_verdict.suites.scorer import Scored, publish_missing, worst_verdict

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pytest

    from pytest_verdict.suites.pytest_items import ScenarioItem
    from pytest_verdict.suites.suite_model import HttpRequest
    from pytest_verdict.suites.suite_reader import PlannedScenario, Suite

# Items with one of these marks may not run, so their calls do not start early.
_DOUBTFUL: Final = ("skip", "skipif", "xfail")
_LONGEST_REASON: Final = 2_000
_MOST_SHOWN: Final = 10


class AdapterRun(NamedTuple):
    """One run of an adapter: its result or its error, and the errors of earlier attempts."""

    repeat: int
    result: AgentResult | None
    error: str | None = None
    earlier: Sequence[str] = ()


class AdapterCalls(NamedTuple):
    """An adapter, its text in the suite, its saved outputs and the pace of its calls."""

    text: str
    adapter: Any
    recording: Recording | None
    pace: Pace


def run_once(
    plan: PlannedScenario, suite: str, calls: AdapterCalls, repeat: int, pause: Callable[[float], None]
) -> AdapterRun:
    """Run the adapter for one repeat of a scenario; an adapter that raises is called again, as often as the plan says."""
    context = plan.context(suite, repeat)
    question = question_digest(calls.adapter, calls.text, plan.scenario.input, context)
    saved = None if calls.recording is None else calls.recording.find(plan.scenario.input, context)
    if saved is not None and saved.get("asked") == question:
        result = result_of_row(saved, "a saved output")
        save(result, question, context)
        return AdapterRun(repeat, result)

    ends_itself = getattr(calls.adapter, "keeps_time", False)
    errors: list[str] = []
    for attempt in range(1, plan.retries + 2):
        if calls.pace.closing.is_set():
            break
        try:
            attempt_context = plan.context(suite, repeat, attempt)
            run = functools.partial(calls.adapter.run, copy.deepcopy(plan.scenario.input), attempt_context)
            call = functools.partial(call_within, plan.timeout_seconds, run, ends_itself=ends_itself)
            returned = calls.pace.call(call, plan.rate_limit, pause)
        except CallTimeoutError:
            reason = f"the adapter took longer than {plan.timeout_seconds:g} seconds"
            return AdapterRun(repeat, None, reason, errors)
        except SystemExit as error:
            errors.append(f"the adapter tried to end the process with status {error.code}")
            continue
        except AdapterError as error:
            errors.append(shorten(str(error), _LONGEST_REASON))
            continue
        except Exception as error:  # noqa: BLE001 - whatever an adapter raises is recorded
            errors.append(shorten(f"the adapter raised {error_outcome(error).error}", _LONGEST_REASON))
            continue

        try:
            result = as_result(returned)
            save(result, question, context)
        except AdapterError as error:
            # The wrong type is a bug in the adapter, so another attempt would not help.
            return AdapterRun(repeat, None, str(error), errors)
        return AdapterRun(repeat, result, earlier=errors)

    if errors:
        return AdapterRun(repeat, None, errors[-1], errors[:-1])
    return AdapterRun(repeat, None, "the session ended before")


class ScenarioCalls:
    """Runs the adapters for the current scenario and for those that follow it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
        self._closing = threading.Event()
        self._slots = Slots(self._closing)
        self._adapters: dict[str, AdapterCalls] = {}
        self._started: dict[ScenarioItem, list[Future[AdapterRun]]] = {}
        self._positions: dict[pytest.Item, int] = {}
        config.add_cleanup(self._end)

    def runs_of(self, item: ScenarioItem) -> list[AdapterRun]:
        """Return the run of each repeat of a scenario, and start those of the scenarios that follow."""
        futures = self._started.pop(item, None) or self._start(item)
        self._look_ahead(item)
        return [wait_for(future) for future in futures]

    def _start(self, item: ScenarioItem) -> list[Future[AdapterRun]]:
        most = self._concurrency(item.suite)
        adapter = self._open_adapter(item)
        suite = item.suite.head.name
        pause = functools.partial(self._slots.wait, most)
        return [
            self._slots.submit(most, functools.partial(run_once, item.plan, suite, adapter, repeat, pause))
            for repeat in range(1, item.plan.repeats + 1)
        ]

    def _look_ahead(self, item: ScenarioItem) -> None:
        """Start the calls of the scenarios that run next, twice as many as are in flight at once."""
        for following in self._following(item):
            if not isinstance(following, type(item)) or following in self._started:
                continue
            if any(map(following.get_closest_marker, _DOUBTFUL)):
                continue
            if sum(map(len, self._started.values())) >= 2 * (self._concurrency(following.suite) - 1):
                return
            try:
                self._started[following] = self._start(following)
            except (AdapterError, ConfigurationError):
                # Reported when the scenario runs.
                continue

    def _following(self, item: ScenarioItem) -> Iterator[pytest.Item]:
        """Yield the items that this process runs after one."""
        items = item.session.items
        if not hasattr(self._config, "workerinput"):
            if not self._positions:
                self._positions = {each: position for position, each in enumerate(items)}
            for position in range(self._positions.get(item, len(items)) + 1, len(items)):
                yield items[position]
        elif self._xdist_worker is not None:
            with self._xdist_worker.torun.lock() as waiting:
                numbers = [self._xdist_worker.nextitem_index, *waiting]
            yield from (items[number] for number in numbers if isinstance(number, int))

    @functools.cached_property
    def _xdist_worker(self) -> Any:
        """The plugin of pytest-xdist that has the items of this worker."""
        plugins = self._config.pluginmanager.get_plugins()
        return next((plugin for plugin in plugins if hasattr(plugin, "torun")), None)

    def _concurrency(self, suite: Suite) -> int:
        option = self._config.getoption("verify_concurrency")
        ini = str(self._config.getini("verdict_concurrency"))
        limits = [limit for limit in (suite.head.max_concurrency, option) if limit is not None]
        if not limits:
            limits = [int(ini) if ini.isdecimal() else 0]
        most = min(limits)
        if most < 1:
            value = ini if option is None else option
            raise ConfigurationError(f"verdict_concurrency is a whole number from 1, got {value}")
        # All workers together make no more calls at once than one process would.
        return max(most // self._workers, 1)

    def _open_adapter(self, item: ScenarioItem) -> AdapterCalls:
        name: str | HttpRequest | None = self._config.getoption("verify_adapter")
        folder = self._config.invocation_params.dir
        if not name:
            name = item.suite.head.adapter
            folder = item.path.parent
        if not name:
            name = str(self._config.getini("verdict_adapter"))
            folder = self._config.rootpath
        if not name:
            ways = "write adapter: into the suite, set verdict_adapter in the ini file, or give --verify-adapter"
            raise AdapterError(f"no adapter is named: {ways}")

        key = f"{folder}: {name!r}"
        if key not in self._adapters:
            adapter = open_adapter(name, folder)
            pace = Pace(self._closing, self._workers)
            self._adapters[key] = AdapterCalls(repr(name), adapter, self._recording, pace)
        return self._adapters[key]

    @functools.cached_property
    def _recording(self) -> Recording | None:
        if SESSION.journal is None or not self._config.getoption("verify_resume"):
            return None
        return Recording(SESSION.journal.parent)

    def _end(self) -> None:
        self._slots.close()
        for calls in self._adapters.values():
            if hasattr(calls.adapter, "close"):
                calls.adapter.close()


class ScenarioOutcome(NamedTuple):
    """The verdict of a scenario, sentences about it, the results that did not pass, and the number of comparisons."""

    verdict: Verdict
    sentences: Sequence[str]
    failures: Sequence[ComparisonResult]
    counts: str

    def describe(self) -> str:
        # Not loaded while all comparisons pass.
        from pytest_verdict.explanation.lines import block, lines_of

        texts = [*self.sentences[:_MOST_SHOWN], *map(describe_failure, self.failures[:_MOST_SHOWN])]
        more = len(self.failures) - _MOST_SHOWN
        if more > 0:
            texts.append(f"... and {format_count(more, 'more comparison')} that did not pass")
        return block(line for text in texts for line in lines_of(text))


def record_missing(plan: PlannedScenario, run: AdapterRun) -> ComparisonResult:
    """Record that a run returned nothing to compare."""
    label = _label(plan, run, "adapter")
    expected = plan.scenario.expected_output
    return publish_missing(plan.scenario, run.error or "", expected, plan.scorers[0].name, label)


def score_runs(plan: PlannedScenario, runs: Sequence[AdapterRun]) -> ScenarioOutcome:
    """Score the runs of a scenario, and decide."""
    # Failures first: the summary of pytest shows the first line.
    scored_runs = [sorted(_score(plan, run), key=lambda scored: scored.verdict == "pass") for run in runs]
    verdicts = [worst_verdict(scored.verdict for scored in all_scored) for all_scored in scored_runs]
    results = [result for all_scored in scored_runs for scored in all_scored for result in scored.results]
    failures = [result for result in results if not result.passed]
    errors = sum(result.error is not None for result in results)
    counts = format_count(len(results) - errors, "comparison")
    if errors:
        counts += f", {errors} could not be made"
    if plan.repeats == 1:
        return ScenarioOutcome(verdicts[0], [scored.sentence for scored in scored_runs[0]], failures, counts)

    rule = plan.pass_rule
    needed = (rule / plan.repeats,) if isinstance(rule, int) else (rule.rate, rule.confidence)
    decision = fixed(plan.repeats, *needed).decide(verdicts)
    low, high = decision.details.get("interval", (0.0, 1.0))
    word = "inconclusive" if INCONCLUSIVE in decision.notes else decision.verdict
    sentences = [f"Repeats: {word.upper()}. {format_counts(verdicts)}, the true rate is from {low:g} to {high:g}."]
    for run, all_scored in zip(runs, scored_runs, strict=True):
        failed = [scored for scored in all_scored if scored.verdict != "pass"]
        sentences += [f"repeat {run.repeat}: {scored.sentence}" for scored in failed]
    failures = [] if decision.passed else [decision, *failures]
    return ScenarioOutcome(decision.verdict, sentences, failures, counts)


def _score(plan: PlannedScenario, run: AdapterRun) -> list[Scored]:
    if run.result is None:
        return [Scored([record_missing(plan, run)], f"Adapter: ERROR. {visible(run.error or '')}")]
    return [
        scorer.score(plan.scenario, run.result, _label(plan, run, scorer.name), plan.threshold)
        for scorer in plan.scorers
    ]


def _label(plan: PlannedScenario, run: AdapterRun, scorer: str) -> str:
    return f"repeat {run.repeat}: {scorer}" if plan.repeats > 1 else scorer
