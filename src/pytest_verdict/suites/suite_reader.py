"""The reader of suite files: it adds the defaults of the suite to each scenario, and checks whether each can run."""

import contextlib
import copy
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.kernel import run
from pytest_verdict.core.strict_model import problems_in
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.datasets.rows import Selection, read_named_rows, select_rows
from pytest_verdict.errors import AdapterError, ConfigurationError, SuiteError
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.extraction.paths import are_same_place
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.suites.adapters.request_template import names_in, request_of, variable_of
from pytest_verdict.suites.scorer import EXPECTATIONS, METADATA_KEYS, SuiteScorer, find_scorer
from pytest_verdict.suites.suite_model import (
    Dataset,
    PassShare,
    RateLimit,
    RunSettings,
    Scenario,
    ScorerEntry,
    SuiteHead,
    read_form,
)

DEFAULT_SCORER: Final = "passfail"
DEFAULT_TIMEOUT: Final = 30.0
_MOST_PROBLEMS: Final = 20
_DATASET: Final = ("suite", "dataset")
Place = tuple[str | int, ...]
"""The keys and positions that lead to a part of the file."""


class PlannedScenario(NamedTuple):
    scenario: Scenario
    scorers: tuple[SuiteScorer, ...]
    timeout_seconds: float
    retries: int
    repeats: int
    pass_rule: int | PassShare
    threshold: float | None
    tags: tuple[str, ...]
    line: int
    rate_limit: RateLimit
    path: Path | None

    @property
    def doubt(self) -> str:
        """Why a pass of the scenario says less than its author may think; empty if nothing does."""
        if not any(scorer.expects(self.scenario) for scorer in self.scorers):
            return "expects nothing"
        reads = {key for scorer in self.scorers for key in scorer.reads}
        unread = [key for key in EXPECTATIONS if getattr(self.scenario, key) and key not in reads]
        if METADATA_KEYS.keys() >= {*self.scorers}:
            others = {*METADATA_KEYS.values()} - {METADATA_KEYS[scorer] for scorer in self.scorers}
            unread += [f"metadata.{key}" for key in self.scenario.metadata if key in others]
        return f"has {' and '.join(unread)}, which no scorer of it reads" if unread else ""

    def context(self, suite: str, repeat: int = 1, attempt: int = 1) -> dict[str, Any]:
        """Return the context that an adapter gets beside the input."""
        # Copies, because scorers read the originals after the adapter.
        context: dict[str, Any] = {"suite": suite, "scenario": self.scenario.name}
        context["metadata"] = copy.deepcopy(self.scenario.metadata)
        if self.scenario.context is not None:
            context["context"] = copy.deepcopy(self.scenario.context)
        context["tags"] = list(self.tags)
        return {**context, "repeat": repeat, "attempt": attempt, "timeout_seconds": self.timeout_seconds}


class SuiteWarning(UserWarning):
    """A suite contains something doubtful, such as a scenario that expects nothing.

    Example:
        >>> SuiteWarning("a.verdict.yaml: a scenario expects nothing, 1 scenario: paris")
        SuiteWarning('a.verdict.yaml: a scenario expects nothing, 1 scenario: paris')
    """


class Suite(NamedTuple):
    """A suite that can be run, and the lines of the environment variables that its adapter needs."""

    head: SuiteHead
    scenarios: tuple[PlannedScenario, ...]
    variables: Mapping[str, int]


@pause_garbage_collection()
def read_suite(path: Path, label: str | None = None, scorers: Collection[str] = ()) -> Suite:
    """Read a suite file; ``scorers`` are the names of those that will be registered when the suite runs."""
    label = label or str(path)
    try:
        document = YamlDocument.read(path)
    except YamlTextError as error:
        raise SuiteError(error.at(label)) from None
    return plan_suite(document, label, path, scorers)


def plan_suite(document: YamlDocument, label: str, path: Path, scorers: Collection[str] = ()) -> Suite:
    """Return the suite of a document; its data set is beside the path."""
    if not isinstance(document.value, dict):
        raise SuiteError(f"{label}:1: a suite file is a mapping with the key suite or scenarios")

    file, problems = read_form(document)
    if file is None or problems:
        raise _suite_error(label, problems)
    head = file.suite or SuiteHead(name=re.sub(r"(?<=.)(\.verdict)?\.[^.]+$", "", path.name))
    planner = _Planner(head, document, scorers, label)
    outside = planner.entries(file.scenarios or (), ("scenarios",))
    inside = planner.entries(head.scenarios or (), ("suite", "scenarios"))
    rows = planner.entries_of_rows(path.parent)
    planned = *planner.plan(outside), *planner.plan([*inside, *rows])
    variables = planner.find_variables()
    planner.check_defaults(planned)
    if planner.problems:
        raise _suite_error(label, planner.problems)
    return Suite(head, planned, variables)


def _suite_error(label: str, problems: Iterable[tuple[int, str]]) -> SuiteError:
    sentences = [f"{label}:{line}: {sentence}" for line, sentence in sorted(problems)]
    if len(sentences) > _MOST_PROBLEMS:
        sentences[_MOST_PROBLEMS:] = [f"... and {len(sentences) - _MOST_PROBLEMS} more"]
    return SuiteError("\n".join(sentences))


def _read_rows(dataset: Dataset, folder: Path) -> Iterator[tuple[int, Scenario]]:
    """Yield the scenarios of a data set with their lines."""
    fetch = {key: read_input(key, source) for key, source in dataset.mapping.items()}
    _refuse_same_sides(dataset.mapping)
    selection = Selection(dataset.limit, dataset.sample, dataset.seed)
    for place, _, value, error in select_rows(read_named_rows(folder / dataset.file), selection, dataset.expect_rows):
        if error is not None or not isinstance(value, dict):
            raise ConfigurationError(f"{place}: {error or 'a row is an object with the keys of a scenario'}")
        try:
            keys = {key: fetch_key(value) for key, fetch_key in fetch.items()} or value
            # A column may be empty in some rows.
            keys = {key: part for key, part in keys.items() if part is not None}
            yield int(place.rpartition(":")[2]), Scenario.model_validate({"name": place, **keys})
        except LookupError as missing:
            raise ConfigurationError(f"{place}: {missing}") from None
        except ValidationError as invalid:
            problem = problems_in(invalid)[0]
            key = ".".join(map(str, problem.path))
            raise ConfigurationError(f"{place}: {problem.explain(key, 'key', Scenario.model_fields)}") from None


def _refuse_same_sides(mapping: Mapping[str, Any]) -> None:
    sides = [mapping.get(key, {}) for key in ("input", "expected_output")]
    asked, expected = ({"path": side} if isinstance(side, str) else side for side in sides)
    has_paths = "path" in asked and "path" in expected and asked.get("extract") == expected.get("extract")
    if has_paths and are_same_place(asked, expected):
        reason = "an answer that repeats its question passes; name another path"
        raise ConfigurationError(f"mapping: input and expected_output are the same value of a row, so {reason}")


class _Entry(NamedTuple):
    """A scenario and its place: in the file, or on a line of a data set."""

    scenario: Scenario
    place: Place
    line: int
    path: Path | None = None


class _Planner:
    """Adds the settings of the suite to each scenario, and collects the problems by line."""

    def __init__(self, head: SuiteHead, document: YamlDocument, announced: Collection[str], label: str) -> None:
        self.problems: set[tuple[int, str]] = set()
        self._head = head
        self._document = document
        self._announced = announced
        self._label = label
        self._scorers: dict[str, SuiteScorer | None] = {}
        self._default_scorers = list(self._list_scorers(head, ("suite",)))
        if not self._default_scorers:
            defaults: Sequence[str | ScorerEntry] = head.config.default_scorers or [DEFAULT_SCORER]
            self._default_scorers = [(entry, ("suite", "config", "default_scorers")) for entry in defaults]
        is_inside = head.scenarios is not None or head.dataset is not None
        if is_inside and "scenarios" in document.value:
            self._add_problem(("scenarios",), "scenarios stand at the top or inside suite, not in both places")
        if not is_inside and "scenarios" not in document.value:
            self.problems.add((1, "the key 'scenarios' is required, at the top or inside suite"))

    def entries(self, scenarios: Sequence[Scenario], place: Place) -> Iterator[_Entry]:
        lines = self._document.lines_of_items(place) if scenarios else []
        for number, scenario in enumerate(scenarios):
            yield _Entry(scenario, (*place, number), lines[number])

    def entries_of_rows(self, folder: Path) -> Iterator[_Entry]:
        dataset = self._head.dataset
        if dataset is None:
            return
        try:
            for number, scenario in _read_rows(dataset, folder):
                place = *_DATASET, f"{Path(dataset.file).name}:{number}"
                yield _Entry(scenario, place, number, folder / dataset.file)
        except (ConfigurationError, OSError) as error:
            reason = f"{dataset.file}: {error.strerror}" if isinstance(error, OSError) else str(error)
            self._add_problem(_DATASET, reason)

    def plan(self, entries: Iterable[_Entry]) -> Iterator[PlannedScenario]:
        """Plan scenarios, and report names that occur twice."""
        first: dict[str, _Entry] = {}
        for entry in entries:
            name = entry.scenario.name
            if first.setdefault(name, entry) is not entry:
                self._add_problem((*entry.place, "name"), f"the name {name!r} is also that of line {first[name].line}")
            yield self._plan_scenario(entry._replace(scenario=self._arguments_by_tool(entry)))

    def find_variables(self) -> dict[str, int]:
        """Return the environment variables that the adapter needs, with their lines."""
        variables: dict[str, int] = {}
        for keys, name in names_in(request_of(self._head.adapter)):
            place = ("suite", "adapter", *keys)
            with self._report_at(place):
                variable = variable_of(name)
                if variable is not None:
                    variables.setdefault(variable, self._document.line(place))
        return variables

    def _arguments_by_tool(self, entry: _Entry) -> Scenario:
        """Assign arguments without a tool to the only expected tool, as AgenticAssure does."""
        scenario = entry.scenario
        arguments = scenario.expected_tool_args
        place = *entry.place, "expected_tool_args"
        if all(isinstance(value, dict) for value in arguments.values()):
            return scenario
        if len(scenario.expected_tools) != 1:
            self._add_problem(place, "expected_tool_args: write the arguments below the name of their tool")
            return scenario
        (tool,) = scenario.expected_tools
        where = f"{self._label}:{self._document.line(place)}"
        warnings.warn(SuiteWarning(f"{where}: expected_tool_args are taken for those of {tool!r}"), stacklevel=2)
        return scenario.model_copy(update={"expected_tool_args": {tool: arguments}})

    def _plan_scenario(self, entry: _Entry) -> PlannedScenario:
        scenario = entry.scenario
        head = self._head
        repeats = scenario.repeats or head.repeats or 1
        rule = scenario.pass_rule or head.pass_rule or "all"
        if isinstance(rule, str):
            rule = repeats if rule == "all" else 1
        self._check_rule(rule, repeats, entry)
        scorers = tuple(self._find_scorers(scenario, entry.place))
        if scenario.threshold is not None and scorers and not any(scorer.takes_threshold for scorer in scorers):
            self._add_problem((*entry.place, "threshold"), "threshold: no scorer of this scenario takes it")
        retries = (scenario.retries, head.retries, head.config.retries)
        timeout = scenario.timeout_seconds or head.timeout_seconds or head.config.default_timeout or DEFAULT_TIMEOUT
        return PlannedScenario(
            scenario=scenario,
            scorers=scorers,
            timeout_seconds=float(timeout),
            retries=next((number for number in retries if number is not None), 0),
            repeats=repeats,
            pass_rule=rule,
            threshold=scenario.threshold or head.threshold,
            tags=tuple(dict.fromkeys([*head.tags, *scenario.tags])),
            line=entry.line,
            rate_limit=head.rate_limit,
            path=entry.path,
        )

    def _check_rule(self, rule: int | PassShare, repeats: int, entry: _Entry) -> None:
        """Report a rule for repeats that has no effect, or that no number of passes can meet."""
        reason = ""
        if repeats == 1 and entry.scenario.pass_rule is not None:
            reason = "it has no effect without repeats"
        elif isinstance(rule, int) and rule > repeats:
            reason = f"{rule} repeats cannot pass when there are {repeats}; see repeats"
        elif isinstance(rule, PassShare) and repeats > 1:
            operator = PassRate(confident=True, confidence=rule.confidence)
            if not run(operator, rule.rate, {"pass": repeats, "fail": 0, "error": 0}).passed:
                reason = f"{repeats} of {repeats} passes do not show a rate of {rule.rate:g} with confidence {rule.confidence:g}"
        if reason:
            is_own = entry.scenario.pass_rule is not None or entry.scenario.repeats is not None
            self._add_problem((*entry.place, "pass") if is_own else ("suite", "pass"), f"pass: {reason}")

    def check_defaults(self, plans: Sequence[PlannedScenario]) -> None:
        """Report settings of the suite that have no effect in any scenario."""
        if plans and self._head.pass_rule is not None and all(plan.repeats == 1 for plan in plans):
            self._add_problem(("suite", "pass"), "pass: it has no effect without repeats")
        scorers = [scorer for plan in plans for scorer in plan.scorers]
        if self._head.threshold is not None and scorers and not any(scorer.takes_threshold for scorer in scorers):
            self._add_problem(("suite", "threshold"), "threshold: no scorer of this suite takes it")

    def _find_scorers(self, scenario: Scenario, place: Place) -> Iterator[SuiteScorer]:
        for entry, where in list(self._list_scorers(scenario, place)) or self._default_scorers:
            key = entry if isinstance(entry, str) else repr(entry)
            if key not in self._scorers:
                # A wrong scorer is reported once.
                self._scorers[key] = None
                with self._report_at(where):
                    self._scorers[key] = find_scorer(entry, self._announced)
            scorer = self._scorers[key]
            if scorer is None:
                continue
            with self._report_at((*place, "metadata")):
                scorer.check(scenario)
            yield scorer

    def _list_scorers(self, settings: RunSettings, place: Place) -> Iterator[tuple[str | ScorerEntry, Place]]:
        if settings.scorer is not None and settings.scorers is not None:
            self._add_problem((*place, "scorer"), "give scorer or scorers, not both")
        if settings.scorer is not None:
            yield settings.scorer, (*place, "scorer")
            return
        for number, entry in enumerate(settings.scorers or ()):
            if entry in (settings.scorers or ())[:number]:
                self._add_problem((*place, "scorers", number), "this scorer is there already, so it has no effect")
            yield entry, (*place, "scorers", number)

    @contextlib.contextmanager
    def _report_at(self, place: Place) -> Iterator[None]:
        try:
            yield
        except (ConfigurationError, AdapterError) as error:
            self._add_problem(place, str(error))

    def _add_problem(self, place: Place, text: str) -> None:
        row = f"{place[2]}: " if place[:2] == _DATASET and len(place) > 2 else ""
        self.problems.add((self._document.line(place), f"{row}{text}"))
