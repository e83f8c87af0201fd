"""Reading a suite file: its form, its defaults, and whether each scenario can be run."""

import contextlib
import copy
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import AdapterError, ConfigurationError, SuiteError, allowed
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.suites.adapters.request_template import names_in, request_of, value_of, variable_of
from pytest_verdict.suites.agent_result import RESULT_FIELDS
from pytest_verdict.suites.scenario_rows import scenarios_of
from pytest_verdict.suites.scorer import SuiteScorer, find_scorer
from pytest_verdict.suites.suite_model import (
    PassShare,
    RateLimit,
    RunSettings,
    Scenario,
    ScorerEntry,
    SuiteHead,
)
from pytest_verdict.suites.validation_errors import Form, read_form, refuse

DEFAULT_SCORER: Final = "passfail"
DEFAULT_TIMEOUT: Final = 30.0
_DATASET: Final = ("suite", "dataset")
_OF_SCENARIO: Final = ("input.", "context.context", "context.metadata.")
Place = tuple[str | int, ...]
"""The keys and positions that lead to a part of the file."""


class PlannedScenario(NamedTuple):
    """A scenario with what the suite sets for it."""

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
    def expects_nothing(self) -> bool:
        """Whether no scorer is told anything that is expected."""
        return not any(scorer.expects(self.scenario) for scorer in self.scorers)

    def context(self, suite: str, repeat: int = 1, attempt: int = 1) -> dict[str, Any]:
        """Give what an adapter is told beside the input."""
        return {
            "suite": suite,
            "scenario": self.scenario.name,
            # Scorers read the metadata afterwards, and an adapter must not change what its output is compared with.
            "metadata": copy.deepcopy(self.scenario.metadata),
            **({} if self.scenario.context is None else {"context": copy.deepcopy(self.scenario.context)}),
            "tags": list(self.tags),
            "repeat": repeat,
            "attempt": attempt,
            "timeout_seconds": self.timeout_seconds,
        }


class SuiteWarning(UserWarning):
    """Something in a suite can be meant otherwise, such as a scenario that expects nothing.

    Example:
        >>> SuiteWarning("a.verdict.yaml: 1 scenario expects nothing: paris")
        SuiteWarning('a.verdict.yaml: 1 scenario expects nothing: paris')
    """


class Suite(NamedTuple):
    """A suite, ready to be run."""

    head: SuiteHead
    scenarios: tuple[PlannedScenario, ...]
    variables: Mapping[str, int]
    """The environment variables that its adapter needs, with the lines that name them."""


@pause_garbage_collection()
def read_suite(path: Path, label: str | None = None, scorers: Collection[str] = ()) -> Suite:
    """Read a suite file; the scorers named are registered when it runs."""
    label = label or str(path)
    try:
        document = YamlDocument.read(path)
    except YamlTextError as error:
        raise SuiteError(error.at(label)) from None
    if not isinstance(document.value, dict):
        raise SuiteError(f"{label}:1: a suite file is a mapping with the key suite or scenarios")
    form = read_form(document)
    head = form.file.suite or SuiteHead(name=re.sub(r"(?<=.)(\.verdict)?\.[^.]+$", "", path.name))
    planner = _Planner(head, document, scorers, form, label)
    outside = planner.written(form.file.scenarios or (), ("scenarios",))
    inside = planner.written(head.scenarios or (), ("suite", "scenarios"))
    planned = *planner.plan(outside), *planner.plan([*inside, *planner.rows(path.parent)])
    variables = planner.variables(() if form.incomplete else planned)
    planner.check_reply()
    if planner.problems:
        refuse(planner.problems, label)
    return Suite(head, planned, variables)


def _misplaced(document: YamlDocument) -> Iterator[tuple[int, str]]:
    top, suite = document.value, document.value.get("suite")
    inside = isinstance(suite, dict) and (suite.get("scenarios") or suite.get("dataset")) is not None
    if inside and top.get("scenarios") is not None:
        yield document.line(("scenarios",)), "scenarios stand at the top or inside suite, not in both places"
    if not inside and top.get("scenarios") is None:
        yield 1, "the key 'scenarios' is required, at the top or inside suite"


def _look_up(name: str, plans: Sequence[PlannedScenario], suite: str) -> None:
    is_of_scenario = name.startswith(_OF_SCENARIO)
    for plan in plans if is_of_scenario else plans[:1]:
        try:
            value_of(name, {"input": plan.scenario.input, "context": plan.context(suite), "env": None})
        except AdapterError as error:
            where = f", in the scenario {plan.scenario.name!r}" if is_of_scenario else ""
            raise AdapterError(f"{error}{where}") from None


class _Entry(NamedTuple):
    scenario: Scenario
    place: Place
    line: int
    path: Path | None = None


class _Planner:
    """Fills in what the suite sets, and collects what is wrong, by line."""

    def __init__(
        self, head: SuiteHead, document: YamlDocument, announced: Collection[str], form: Form, label: str
    ) -> None:
        self.problems = {*form.problems, *_misplaced(document)}
        self._head = head
        self._document = document
        self._announced = announced
        self._incomplete = form.incomplete
        self._label = label
        self._scorers: dict[str, SuiteScorer | None] = {}
        own = list(self._entries(head, ("suite",)))
        usual: Sequence[str | ScorerEntry] = head.config.default_scorers or [DEFAULT_SCORER]
        self._usual = own or [(entry, ("suite", "config", "default_scorers", n)) for n, entry in enumerate(usual)]

    def written(self, scenarios: Sequence[Scenario], place: Place) -> Iterator[_Entry]:
        """Give the scenarios of a place."""
        lines = self._document.lines_of_items(place) if scenarios else []
        for number, scenario in enumerate(scenarios):
            yield _Entry(scenario, (*place, number), lines[number])

    def rows(self, folder: Path) -> Iterator[_Entry]:
        """Give the scenarios of a file of rows."""
        dataset = self._head.dataset
        if dataset is None:
            return
        try:
            for number, scenario in scenarios_of(dataset, folder):
                place = *_DATASET, f"{Path(dataset.file).name}:{number}"
                yield _Entry(scenario, place, number, folder / dataset.file)
        except (ConfigurationError, OSError) as error:
            reason = f"{dataset.file}: {error.strerror}" if isinstance(error, OSError) else str(error)
            self._complain(_DATASET, reason)

    def plan(self, entries: Iterable[_Entry]) -> Iterator[PlannedScenario]:
        """Plan scenarios, each with a name of its own."""
        first: dict[str, _Entry] = {}
        for entry in entries:
            name = entry.scenario.name
            if first.setdefault(name, entry) is not entry:
                self._complain((*entry.place, "name"), f"the name {name!r} is also that of line {first[name].line}")
            yield self._planned(*entry._replace(scenario=self._by_tool(entry)))

    def variables(self, plans: Sequence[PlannedScenario]) -> dict[str, int]:
        """Give the environment variables that the adapter needs, and refuse names that stand for nothing in a scenario."""
        found: dict[str, int] = {}
        for at, name in names_in(request_of(self._head.adapter)):
            with self._told_at(place := ("suite", "adapter", *at)):
                if (variable := variable_of(name)) is None:
                    _look_up(name, plans, self._head.name)
                else:
                    found.setdefault(variable, self._document.line(place))
        return found

    def check_reply(self) -> None:
        """Refuse a request that does not say where the reply has its output, or what is no place in one."""
        request = request_of(self._head.adapter)
        parts = {} if request is None else request.reply
        if parts and "output" not in parts:
            self._complain(("suite", "adapter", "reply"), "reply: say where its output is, such as output: $.answer")
        for name, source in parts.items():
            with self._told_at(("suite", "adapter", "reply", name)):
                if name not in RESULT_FIELDS:
                    raise ConfigurationError(f"reply has no {shown(name, 40)}.{allowed('name', name, RESULT_FIELDS)}")
                read_input(name, source)

    def _by_tool(self, entry: _Entry) -> Scenario:
        """Give the one expected tool the arguments that are written without a tool, as AgenticAssure's users do."""
        scenario, arguments = entry.scenario, entry.scenario.expected_tool_args
        if all(isinstance(item, dict) for item in arguments.values()):
            return scenario
        where = *entry.place, "expected_tool_args"
        if len(scenario.expected_tools) != 1:
            self._complain(where, "expected_tool_args: write the arguments below the name of their tool")
            return scenario
        (tool,) = scenario.expected_tools
        place = f"{self._label}:{self._document.line(where)}"
        warnings.warn(SuiteWarning(f"{place}: expected_tool_args are taken for those of {tool!r}"), stacklevel=2)
        return scenario.model_copy(update={"expected_tool_args": {tool: arguments}})

    def _planned(self, scenario: Scenario, place: Place, line: int, path: Path | None) -> PlannedScenario:
        head, config = self._head, self._head.config
        repeats = scenario.repeats or head.repeats or 1
        rule = scenario.pass_rule or head.pass_rule or "all"
        if isinstance(rule, str):
            rule = repeats if rule == "all" else 1
        if isinstance(rule, int) and rule > repeats and self._is_complete(place):
            reason = f"pass: {rule} repeats cannot pass when there are {repeats}; see repeats"
            self._complain((*place, "pass"), reason)
        retries = next((given for given in (scenario.retries, head.retries, config.retries) if given is not None), 0)
        return PlannedScenario(
            scenario,
            tuple(self._scorers_of(scenario, place)),
            float(scenario.timeout_seconds or head.timeout_seconds or config.default_timeout or DEFAULT_TIMEOUT),
            retries,
            repeats,
            rule,
            scenario.threshold or head.threshold,
            tuple(dict.fromkeys([*head.tags, *scenario.tags])),
            line,
            head.rate_limit,
            path,
        )

    def _scorers_of(self, scenario: Scenario, place: Place) -> Iterator[SuiteScorer]:
        for entry, where in list(self._entries(scenario, place)) or self._usual:
            key = entry if isinstance(entry, str) else repr(entry)
            if key not in self._scorers:
                # A problem is named once, where the scorer is written first.
                self._scorers[key] = None
                with self._told_at(where):
                    self._scorers[key] = find_scorer(entry, self._announced)
            scorer = self._scorers[key]
            if scorer is not None:
                if self._is_complete(place):
                    with self._told_at((*place, "metadata")):
                        scorer.check(scenario)
                yield scorer

    def _entries(self, given: RunSettings, place: Place) -> Iterator[tuple[str | ScorerEntry, Place]]:
        if given.scorer is not None and given.scorers is not None:
            self._complain((*place, "scorer"), "give scorer or scorers, not both")
        if given.scorer is not None:
            yield given.scorer, (*place, "scorer")
        else:
            yield from ((entry, (*place, "scorers", n)) for n, entry in enumerate(given.scorers or ()))

    def _is_complete(self, place: Place) -> bool:
        return None not in self._incomplete and place[-1] not in self._incomplete

    @contextlib.contextmanager
    def _told_at(self, place: Place) -> Iterator[None]:
        try:
            yield
        except (ConfigurationError, AdapterError) as error:
            self._complain(place, str(error))

    def _complain(self, place: Place, text: str) -> None:
        row = f"{place[2]}: " if place[:2] == _DATASET and len(place) > 2 else ""
        self.problems.add((self._document.line(place), f"{row}{text}"))
