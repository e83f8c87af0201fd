"""Reading a suite file: its form, its defaults, and whether each scenario can be run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from pytest_verdict.core.garbage_collection import without_garbage_collection
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import ConfigurationError, SuiteError, allowed
from pytest_verdict.suites.built_in_scorers import BUILT_IN_SCORERS, check_metadata
from pytest_verdict.suites.form_errors import describe_form_errors
from pytest_verdict.suites.model import Scenario, ScorerEntry, SuiteFile, SuiteHead
from pytest_verdict.suites.operator_scorer import OperatorScorer
from pytest_verdict.suites.scoring import SuiteScorer
from pytest_verdict.suites.user_scorer import REGISTERED, UserScorer
from pytest_verdict.suites.yaml_document import YamlDocument, read_yaml

DEFAULT_SCORER: Final = "passfail"
DEFAULT_TIMEOUT: Final = 30.0
_SUFFIXES: Final = (".verdict.yaml", ".verdict.yml", ".yaml", ".yml")


class PlannedScenario(NamedTuple):
    """A scenario with what the suite sets for it."""

    scenario: Scenario
    scorers: tuple[SuiteScorer, ...]
    timeout_seconds: float
    retries: int
    repeats: int
    rule: Any
    threshold: float | None
    tags: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite, ready to be run."""

    name: str
    adapter: str | None
    scenarios: tuple[PlannedScenario, ...]


def read_suite(path: Path, label: str | None = None, scorers: Collection[str] = ()) -> Suite:
    """Read a suite file."""
    with without_garbage_collection():
        return _read(path, label or str(path), scorers)


def _read(path: Path, label: str, scorers: Collection[str]) -> Suite:
    document = read_yaml(path, label)
    if not isinstance(document.value, dict):
        raise SuiteError(f"{document.label}:1: a suite file is a mapping with the key suite or scenarios")
    try:
        file = SuiteFile.model_validate(document.value)
    except ValidationError as error:
        raise SuiteError(describe_form_errors(error, document)) from None
    place = _place_of_scenarios(file, document)
    head = file.suite or SuiteHead(name=_stem(path))
    scenarios = file.scenarios or head.scenarios or []
    planner = _Planner(head, document, place, scorers)
    planned = [planner.plan(number, scenario) for number, scenario in enumerate(scenarios)]
    planner.refuse_problems(scenarios)
    return Suite(head.name, head.adapter, tuple(plan for plan in planned if plan is not None))


def _place_of_scenarios(file: SuiteFile, document: YamlDocument) -> tuple[str, ...]:
    inside = file.suite is not None and file.suite.scenarios is not None
    if inside and file.scenarios is not None:
        line = document.line(("scenarios",))
        raise SuiteError(f"{document.label}:{line}: scenarios stand at the top or inside suite, not in both places")
    if not inside and file.scenarios is None:
        raise SuiteError(f"{document.label}:1: the key 'scenarios' is required, at the top or inside suite")
    return ("suite", "scenarios") if inside else ("scenarios",)


def _stem(path: Path) -> str:
    suffix = next((suffix for suffix in _SUFFIXES if path.name.endswith(suffix)), path.suffix)
    return path.name.removesuffix(suffix) or path.name


class _Planner:
    """Fills in what the suite sets, and collects what is wrong."""

    def __init__(
        self, head: SuiteHead, document: YamlDocument, place: tuple[str, ...], registered: Collection[str]
    ) -> None:
        self._head = head
        self._document = document
        self._lines = document.lines_of_items(place)
        self._place = place
        self._registered = {*REGISTERED, *registered}
        self._problems: list[tuple[int, str]] = []
        self._scorers: dict[str, SuiteScorer | None] = {}
        own = _entries(head.scorer, head.scorers)
        self._usual = own or head.config.default_scorers or [DEFAULT_SCORER]
        if head.scorer is not None and head.scorers is not None:
            self._problems.append((document.line(("suite", "scorer")), "give scorer or scorers, not both"))

    def plan(self, number: int, scenario: Scenario) -> PlannedScenario | None:
        head, config = self._head, self._head.config
        entries = _entries(scenario.scorer, scenario.scorers)
        if scenario.scorer is not None and scenario.scorers is not None:
            self._complain(number, "scorer", "give scorer or scorers, not both")
        scorers = [self._scorer(number, scenario, entry) for entry in entries or self._usual]
        timeout = scenario.timeout_seconds or head.timeout_seconds or config.default_timeout or DEFAULT_TIMEOUT
        repeats = scenario.repeats or head.repeats or 1
        rule = scenario.pass_rule or head.pass_rule or "all"
        if isinstance(rule, int) and rule > repeats:
            self._complain(number, "pass", f"pass: {rule} repeats cannot pass when there are {repeats}; see repeats")
        return PlannedScenario(
            scenario,
            tuple(scorer for scorer in scorers if scorer is not None),
            float(timeout),
            next((given for given in (scenario.retries, head.retries, config.retries) if given is not None), 0),
            repeats,
            rule,
            scenario.threshold or head.threshold,
            tuple(dict.fromkeys([*head.tags, *scenario.tags])),
            self._lines[number],
        )

    def refuse_problems(self, scenarios: Sequence[Scenario]) -> None:
        seen: dict[str, int] = {}
        for number, scenario in enumerate(scenarios):
            first = seen.setdefault(scenario.name, number)
            if first != number:
                self._complain(number, "name", f"the name {scenario.name!r} is also that of line {self._lines[first]}")
        if self._problems:
            lines = [f"{self._document.label}:{line}: {text}" for line, text in sorted(set(self._problems))]
            raise SuiteError("\n".join(lines))

    def _complain(self, number: int, key: str, text: str) -> None:
        self._problems.append((self._document.line((*self._place, number, key)), text))

    def _scorer(self, number: int, scenario: Scenario, entry: str | ScorerEntry) -> SuiteScorer | None:
        key = entry if isinstance(entry, str) else repr(entry)
        if key not in self._scorers:
            self._scorers[key] = self._first(number, scenario, entry)
        if isinstance(entry, str) and entry in BUILT_IN_SCORERS:
            try:
                check_metadata(entry, scenario)
            except ConfigurationError as error:
                self._complain(number, "metadata", str(error))
        return self._scorers[key]

    def _first(self, number: int, scenario: Scenario, entry: str | ScorerEntry) -> SuiteScorer | None:
        try:
            return _made(entry, self._registered)
        except ConfigurationError as error:
            # Named once, where it is written first.
            is_own = scenario.scorer is not None or scenario.scorers is not None
            place: tuple[str | int, ...] = (*self._place, number) if is_own else ("suite",)
            here = "scorer" if (scenario if is_own else self._head).scorer is not None else "scorers"
            self._problems.append((self._document.line((*place, here)), str(error)))
            return None


def _entries(scorer: str | ScorerEntry | None, scorers: Sequence[str | ScorerEntry] | None) -> list[str | ScorerEntry]:
    return list(scorers or []) if scorer is None else [scorer]


def _made(entry: str | ScorerEntry, registered: Collection[str]) -> SuiteScorer:
    if isinstance(entry, ScorerEntry):
        return OperatorScorer(entry)
    if entry in BUILT_IN_SCORERS:
        return BUILT_IN_SCORERS[entry]
    if entry in registered or "." in entry or ":" in entry:
        return UserScorer(entry)
    if entry in REGISTRY:
        return OperatorScorer(ScorerEntry(operator=entry))
    known = {*BUILT_IN_SCORERS, *registered, *REGISTRY.names()}
    raise ConfigurationError(
        f"unknown scorer: {entry!r}.{allowed('scorer', entry, known)} A scorer of your own is a dotted path,"
        " or registered in conftest.py, which pytest-verdict check does not import: say --scorer NAME there."
    )
