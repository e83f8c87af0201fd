"""Reading a suite file: its form, its defaults, and whether each scenario can be run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import ConfigurationError, SuiteError
from pytest_verdict.suites.scorer import SuiteScorer
from pytest_verdict.suites.scorer_lookup import find_scorer
from pytest_verdict.suites.suite_model import PassShare, RunSettings, Scenario, ScorerEntry, SuiteFile, SuiteHead
from pytest_verdict.suites.validation_errors import describe_validation_errors

DEFAULT_SCORER: Final = "passfail"
DEFAULT_TIMEOUT: Final = 30.0
_SUFFIXES: Final = (".verdict.yaml", ".verdict.yml", ".yaml", ".yml")

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


class Suite(NamedTuple):
    """A suite, ready to be run."""

    name: str
    adapter: str | None
    scenarios: tuple[PlannedScenario, ...]


def read_suite(path: Path, label: str | None = None, scorers: Collection[str] = ()) -> Suite:
    """Read a suite file; the scorers named are registered when it runs."""
    with pause_garbage_collection():
        return _read(path, label or str(path), scorers)


def _read(path: Path, label: str, announced: Collection[str]) -> Suite:
    try:
        document = YamlDocument.read(path)
    except YamlTextError as error:
        raise SuiteError(error.at(label)) from None
    if not isinstance(document.value, dict):
        raise SuiteError(f"{label}:1: a suite file is a mapping with the key suite or scenarios")
    try:
        file = SuiteFile.model_validate(document.value)
    except ValidationError as error:
        raise SuiteError(describe_validation_errors(error, document, label)) from None
    place = _place_of_scenarios(file, document, label)
    head = file.suite or SuiteHead(name=_stem(path))
    planner = _Planner(head, document, place, announced)
    scenarios = planner.plan(file.scenarios or head.scenarios or [])
    if planner.problems:
        lines = [f"{label}:{line}: {text}" for line, text in sorted(planner.problems)]
        raise SuiteError("\n".join(lines))
    return Suite(head.name, head.adapter, tuple(scenarios))


def _place_of_scenarios(file: SuiteFile, document: YamlDocument, label: str) -> Place:
    inside = file.suite is not None and file.suite.scenarios is not None
    if inside and file.scenarios is not None:
        line = document.line(("scenarios",))
        raise SuiteError(f"{label}:{line}: scenarios stand at the top or inside suite, not in both places")
    if not inside and file.scenarios is None:
        raise SuiteError(f"{label}:1: the key 'scenarios' is required, at the top or inside suite")
    return ("suite", "scenarios") if inside else ("scenarios",)


def _stem(path: Path) -> str:
    suffix = next((suffix for suffix in _SUFFIXES if path.name.endswith(suffix)), path.suffix)
    return path.name.removesuffix(suffix) or path.name


class _Planner:
    """Fills in what the suite sets, and collects what is wrong, by line."""

    def __init__(self, head: SuiteHead, document: YamlDocument, place: Place, announced: Collection[str]) -> None:
        self.problems: set[tuple[int, str]] = set()
        self._head = head
        self._document = document
        self._place = place
        self._announced = announced
        self._lines = document.lines_of_items(place)
        self._scorers: dict[str, SuiteScorer | None] = {}
        own = list(self._entries(head, ("suite",)))
        usual: Sequence[str | ScorerEntry] = head.config.default_scorers or [DEFAULT_SCORER]
        self._usual = own or [(entry, ("suite", "config", "default_scorers", n)) for n, entry in enumerate(usual)]

    def plan(self, scenarios: Sequence[Scenario]) -> list[PlannedScenario]:
        """Plan all scenarios."""
        first: dict[str, int] = {}
        for number, scenario in enumerate(scenarios):
            line = self._lines[first.setdefault(scenario.name, number)]
            if first[scenario.name] != number:
                self._complain(
                    (*self._place, number, "name"), f"the name {scenario.name!r} is also that of line {line}"
                )
        return [self._planned(number, scenario) for number, scenario in enumerate(scenarios)]

    def _planned(self, number: int, scenario: Scenario) -> PlannedScenario:
        head, config, place = self._head, self._head.config, (*self._place, number)
        repeats = scenario.repeats or head.repeats or 1
        rule = scenario.pass_rule or head.pass_rule or "all"
        if isinstance(rule, str):
            rule = repeats if rule == "all" else 1
        if isinstance(rule, int) and rule > repeats:
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
            self._lines[number],
        )

    def _scorers_of(self, scenario: Scenario, place: Place) -> Iterator[SuiteScorer]:
        for entry, where in list(self._entries(scenario, place)) or self._usual:
            key = entry if isinstance(entry, str) else repr(entry)
            if key not in self._scorers:
                # A problem is named once, where the scorer is written first.
                self._scorers[key] = self._found(entry, where)
            scorer = self._scorers[key]
            if scorer is None:
                continue
            try:
                scorer.check(scenario)
            except ConfigurationError as error:
                self._complain((*place, "metadata"), str(error))
            yield scorer

    def _found(self, entry: str | ScorerEntry, where: Place) -> SuiteScorer | None:
        try:
            return find_scorer(entry, self._announced)
        except ConfigurationError as error:
            self._complain(where, str(error))
            return None

    def _entries(self, given: RunSettings, place: Place) -> Iterator[tuple[str | ScorerEntry, Place]]:
        if given.scorer is not None and given.scorers is not None:
            self._complain((*place, "scorer"), "give scorer or scorers, not both")
        if given.scorer is not None:
            yield given.scorer, (*place, "scorer")
        else:
            yield from ((entry, (*place, "scorers", n)) for n, entry in enumerate(given.scorers or ()))

    def _complain(self, place: Place, text: str) -> None:
        self.problems.add((self._document.line(place), text))
