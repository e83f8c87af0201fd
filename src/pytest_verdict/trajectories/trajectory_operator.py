"""`TrajectoryOperator`, the base class of the operators on trajectories: which events count, and under which names."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self, TypeVar

from pydantic import BeforeValidator, PrivateAttr, field_validator, model_validator

from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import OmitWhenDefault, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import format_count
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.trajectories.call_matcher import EQUAL, IGNORE, OTHERS, ArgumentRules, Call, CallMatcher
from pytest_verdict.trajectories.details import format_call, list_argument_notes
from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event
from pytest_verdict.trajectories.near_names import find_near_name
from pytest_verdict.trajectories.readers import AUTO, check_format, read_trajectory, read_turns

T = TypeVar("T")

UNREADABLE: Final = "trajectory_unreadable"
EMPTY_EXPECTED: Final = "empty_expected"
UNKNOWN_TOOL: Final = "unknown_tool"
EMPTY_SELECTION: Final = "empty_selection"
NEAR_NAME: Final = "near_name"
UNUSED_RULE: Final = "unused_rule"
DIFFERENT_TURNS: Final = "different_number_of_turns"

_MCP_PREFIX: Final = re.compile(r"\Amcp__.+?__(?=.)", re.DOTALL)
_NUMBER: Final = re.compile(r"_?\d+\Z")
_SEPARATORS: Final = ("__", "/", ":", ".", "-", "_")


class UnusableError(TrajectoryError):
    """The expected side or a setting cannot be used, so the comparison is an error; the note is its code."""

    def __init__(self, note: str, reason: str) -> None:
        super().__init__(reason)
        self.note = note


class NoSuchCallError(TrajectoryError):
    """The observed calls are too few to have the one that is compared."""

    note = "no_such_call"


class Selected(NamedTuple):
    """The events of one side that count, each with the name that is compared."""

    events: list[tuple[Event, str]]
    names: frozenset[str]
    """The tools of all events, selected or not."""
    is_emptied: bool
    """Whether there were events, and none was selected."""


class ObservedTrajectory(Operator):
    """An operator that reads the observed trajectory and selects the events that count."""

    kind: ClassVar[str] = "trajectory"
    version: ClassVar[int] = 2

    observed_format: str = AUTO
    aliases: dict[str, str] = {}  # noqa: RUF012 - pydantic copies it for each operator
    mcp_servers: Literal["any"] | tuple[str, ...] = ()
    only_tools: tuple[str, ...] | None = None
    except_tools: tuple[str, ...] = ()
    agents: tuple[str, ...] | None = None
    failed: Literal["count", "skip"] = "count"
    tools: tuple[str, ...] = ()
    exact_names: OmitWhenDefault[bool] = False

    @field_validator("observed_format", "expected_format", check_fields=False)
    @classmethod
    def _check_format(cls, name: str) -> str:
        check_format(name)
        return name

    @field_validator("only_tools", "agents")
    @classmethod
    def _check_not_empty(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is not None and not names:
            raise ValueError("an empty list selects nothing; leave it out to select everything")
        return names

    @field_validator("aliases")
    @classmethod
    def _check_aliases(cls, aliases: dict[str, str]) -> dict[str, str]:
        for alias, tool in aliases.items():
            if not tool or aliases.get(tool) not in (None, tool, alias):
                raise ValueError(f"{alias!r} stands for {tool!r}, which is no tool but empty or another alias")
        return aliases

    @model_validator(mode="after")
    def _check_tools(self) -> Self:
        if not self.tools:
            return self
        tools = {*self.tools, *map(self._get_tool_name, self.tools)}
        for name in (*(self.only_tools or ()), *self.except_tools):
            if self._get_tool_name(name) not in tools:
                raise ValueError(f"{name!r} is not one of tools.{allowed('tool', name, self.tools)}")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare; see the class."""
        try:
            return self._compare(self.effective_expected(expected), observed)
        except TrajectoryError as error:
            reason = str(error)
            notes = (getattr(error, "note", UNREADABLE),)
            is_error = isinstance(error, UnusableError)
            return Outcome(0.0, notes=notes, details={"reason": reason}, error=reason if is_error else None)

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        names = self._parse_expected(expected)
        side = self._read_observed([observed])
        self._check_tool_names({}, [side], other_names=names)
        outcome = self._check_calls(names, side)
        if outcome.score > 0.0:
            self._refuse_emptied("observed", side)
        return outcome.replace(normalization=self._list_steps())

    def _parse_expected(self, expected: Any) -> Mapping[str, Any]:
        """Return what is expected of each tool."""
        raise NotImplementedError

    def _check_calls(self, expected: Any, observed: Selected) -> Outcome:
        raise NotImplementedError

    def _get_tool_name(self, name: str) -> str:
        """Return the name by which a tool is compared; a setting may use the prefix or the alias, or not."""
        if name in self.aliases.values():
            return name
        return self._get_canonical_name(name)

    def _get_canonical_name(self, name: str) -> str:
        """Return the name of a tool without the prefix of an MCP server, and by its alias."""
        bare = self._strip_server(name)
        return self.aliases.get(bare, self.aliases.get(name, bare))

    def _strip_server(self, name: str) -> str:
        if self.mcp_servers == "any":
            return _MCP_PREFIX.sub("", name)
        for server in self.mcp_servers:
            for prefix in filter(None, (f"mcp__{server}", server)):
                for separator in _SEPARATORS:
                    rest = name.removeprefix(f"{prefix}{separator}")
                    if rest not in {"", name}:
                        return rest
        return name

    def _is_selected(self, tool: str) -> bool:
        only_tools = self.only_tools
        is_one = only_tools is None or tool in map(self._get_tool_name, only_tools)
        return is_one and tool not in map(self._get_tool_name, self.except_tools)

    def _select(self, events: Iterable[Event], *, are_expected: bool = False) -> Selected:
        pairs = [(event, self._get_canonical_name(event.name)) for event in events]
        # Agents and failures are facts of a run, which expected calls do not have.
        agents = None if are_expected else self.agents
        selected = [
            (event, name)
            for event, name in pairs
            if self._is_selected(name) and (agents is None or event.agent is None or event.agent in agents)
        ]
        is_emptied = bool(pairs) and not selected
        if self.failed == "skip" and not are_expected:
            # A call with malformed arguments often has an error too, and must never be skipped.
            selected = [pair for pair in selected if pair[0].error is None or pair[0].args_note == ARGS_MALFORMED]
        return Selected(selected, frozenset(name for _, name in pairs), is_emptied)

    def _read_observed(self, turns: Iterable[Any]) -> Selected:
        sides = [read_side("observed", read_trajectory, turn, self.observed_format) for turn in turns]
        events = [event for side in sides for event in side]
        agents = {event.agent for event in events if event.agent is not None}
        self._refuse_near_names("agents", self.agents or (), agents)
        names = {name for event in events for name in (event.name, self._strip_server(event.name))}
        self._refuse_near_names("aliases", self.aliases.keys() - names, names.difference(self.aliases.values()))
        return self._select(events)

    def _check_tool_names(
        self, settings: Mapping[str, Iterable[str]], sides: Sequence[Selected], other_names: Iterable[str] = ()
    ) -> None:
        """Refuse to select a tool that nothing else names, and to name one that is almost one that a side calls."""
        # Excluding a tool that is not called is harmless, unless another one was meant.
        for setting, tools in {"tools": self.tools, "except_tools": self.except_tools, **settings}.items():
            self._refuse_near_tools(setting, tools, *sides)
        called = set[str]().union(*(side.names for side in sides))
        if self.tools or not called:
            return
        others = {name for tools in (other_names, *settings.values()) for name in tools}
        known = called.union(self.aliases.values(), map(self._get_tool_name, (*self.aliases, *others)))
        for name in sorted({*map(self._get_tool_name, self.only_tools or ())} - known):
            raise UnusableError(
                UNKNOWN_TOOL,
                f"only_tools has {name!r}, which no side calls and no other setting names.{allowed('tool', name, known)}"
                " Tools that need not be called are named in tools=[...]",
            )

    def _refuse_near_tools(self, setting: str, tools: Iterable[str], *sides: Selected) -> None:
        """Refuse a tool that no side calls if a side calls one with almost the same name."""
        called = set[str]().union(*(side.names for side in sides))
        called.update(alias for alias, tool in self.aliases.items() if tool in called)
        declared = set(map(self._get_tool_name, self.tools))
        names = set(map(self._get_tool_name, tools))
        # Two tools that are both declared are two tools.
        self._refuse_near_names(setting, names - declared, called)
        self._refuse_near_names(setting, names & declared, called - declared)

    def _refuse_near_names(self, setting: str, names: Iterable[str], occurring: Collection[str]) -> None:
        """Refuse a name that does not occur if one does that is almost the same, and is not in the setting itself."""
        absent = {*names}.difference(occurring)
        occurring = {*occurring}.difference(names)
        if self.exact_names or not absent or not occurring:
            return
        near = find_near_name(absent, occurring)
        if near is not None:
            raise UnusableError(
                NEAR_NAME,
                f"{setting} has {near[0]!r}, which does not occur, but {near[1]!r} does; write {near[1]!r},"
                " or set exact_names=True if another name is meant",
            )

    def _refuse_emptied(self, name: str, side: Selected) -> None:
        """Refuse a side with calls, none of which was selected."""
        if side.is_emptied and not self.tools:
            raise UnusableError(
                EMPTY_SELECTION,
                f"no {name} call is left after the selection by only_tools, except_tools or agents, so nothing would be"
                " compared; name the tools of the agent in tools=[...] where a side may be empty",
            )

    def _list_steps(self) -> tuple[str, ...]:
        """Return the names of the normalization steps for the record."""
        steps = {
            "strip_mcp_prefix": bool(self.mcp_servers),
            "alias_tools": bool(self.aliases),
            "select_tools": self.only_tools is not None or bool(self.except_tools),
            "select_agents": self.agents is not None,
            "skip_failed_calls": self.failed == "skip",
        }
        return tuple(name for name, is_applied in steps.items() if is_applied)


def _check_occurrence(value: Any) -> Any:
    if value in ("first", "last") or (type(value) is int and value > 0):
        return value
    raise ValueError(f"takes first, last or a whole number from 1, or these by tool, got {value!r}")


Occurrence = Annotated[str | int, BeforeValidator(_check_occurrence)]


def compare_turns(operator: Operator, expected: list[Any], observed: list[Any], *, mean: bool) -> Outcome:
    counts = {"expected_turns": len(expected), "observed_turns": len(observed)}
    children = tuple(
        run(operator, *sides, name=f"turn {number}")
        for number, sides in enumerate(zip(expected, observed, strict=False), 1)
    )
    notes = tuple(dict.fromkeys(note for child in children for note in child.notes))
    for child in children:
        if child.error is not None:
            return Outcome(0.0, notes=notes, details=counts, children=children, error=child.error)
    if len(expected) != len(observed):
        return Outcome(0.0, notes=(DIFFERENT_TURNS, *notes), details=counts, children=children)
    if not children:
        return Outcome(1.0, notes=("empty_expected",), details=counts)

    scores = [child.score for child in children]
    score = min(scores)
    if mean:
        score = min(sum(scores) / len(scores), 1.0)
    return Outcome(score, notes=notes, details=counts, children=children)


class TrajectoryOperator(ObservedTrajectory):
    """An operator that compares two trajectories."""

    args: ArgumentRules = EQUAL
    ignored_args: tuple[str, ...] = ()
    defaults: dict[str, dict[str, Any]] = {}  # noqa: RUF012 - pydantic copies it for each operator
    turns: Literal["none", "all", "mean", "flatten"] = "none"
    expected_format: str = AUTO
    occurrences: OmitWhenDefault[dict[str, Occurrence]] = {}  # noqa: RUF012 - pydantic copies it for each operator
    _is_turn: bool = PrivateAttr(default=False)

    @field_validator("occurrences", mode="before")
    @classmethod
    def _name_tools(cls, occurrences: Any) -> Any:
        return occurrences if isinstance(occurrences, Mapping) else {OTHERS: occurrences}

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        expected_turns = [expected]
        observed_turns = [observed]
        if self.turns != "none":
            observed_turns = read_side("observed:", read_turns, observed)
            # A setting in place of expected is for each turn.
            expected_turns = [expected] * len(observed_turns)
            if self.needs_expected():
                expected_turns = read_side("expected:", read_turns, expected)
        matcher = self._build_matcher()
        expected_side, expected_calls = self._read_expected(expected_turns, matcher)
        observed_side = self._read_observed(observed_turns)
        if not self._is_turn:
            # A turn may have no calls, and a tool need not be called in each, so all turns together are checked.
            self._check_selection(expected_side, observed_side)
            self._check_expected(expected_calls)
        if self.turns in {"all", "mean"}:
            operator = self.model_copy(update={"turns": "none"})
            operator._is_turn = True  # noqa: SLF001 - the copy is ours
            outcome = compare_turns(operator, expected_turns, observed_turns, mean=self.turns == "mean")
        else:
            calls = [matcher.prepare(event, name) for event, name in self._choose_occurrences(observed_side)]
            outcome = self._compare_calls(expected_calls, calls, matcher)
            outcome = self._complete(outcome, expected_calls, calls, matcher)
        if outcome.score > 0.0 and not self._is_turn:
            self._refuse_emptied("observed", observed_side)
        return outcome

    def _check_selection(self, expected: Selected, observed: Selected) -> None:
        rules = self.args if isinstance(self.args, dict) else {}
        tools = {"args": [tool for tool in rules if tool != OTHERS], "defaults": [*self.defaults]}
        self._check_tool_names(tools, [expected, observed])
        settings: list[tuple[str, str, Collection[str]]] = [("ignored_args", OTHERS, self.ignored_args)]
        settings += [(f"defaults for {tool}", tool, own) for tool, own in self.defaults.items()]
        settings += [(f"args for {tool}", tool, rule) for tool, rule in rules.items() if isinstance(rule, dict)]
        for setting, tool, names in settings:
            self._check_argument_names(setting, tool, names, [*expected.events, *observed.events])
        self._refuse_emptied("expected", expected)

    def _check_argument_names(
        self, setting: str, tool: str, names: Collection[str], events: Iterable[tuple[Event, str]]
    ) -> None:
        """Refuse an argument that no call of its tool has if a call has one with almost the same name."""
        tool_name = self._get_tool_name(tool)
        arguments = {argument for event, name in events if tool_name in (OTHERS, name) for argument in event.args}
        # A rule may be for a part of an argument, and one with a number is another one: address2 is not address.
        parts = {name: name.partition(".")[0] for name in names if name != OTHERS}
        absent = {
            part for name, part in parts.items() if name not in arguments and _NUMBER.sub("", part) not in arguments
        }
        self._refuse_near_names(setting, absent, arguments.difference(names))
        if isinstance(names, dict) and names.get(OTHERS) == IGNORE and arguments:
            compared = [name for name in parts if names[name] != IGNORE]
            if compared and arguments.isdisjoint(map(parts.get, compared)):
                raise UnusableError(
                    UNUSED_RULE,
                    f"{setting} compares only {', '.join(compared)}, which no call has; they have {sorted(arguments)}",
                )

    def _choose_occurrences(self, observed: Selected) -> list[tuple[Event, str]]:
        """Return the observed calls without those of a tool that are not its first, last or n-th one."""
        if not self.occurrences:
            return observed.events
        self._refuse_near_tools("occurrences", self.occurrences.keys() - {OTHERS}, observed)
        occurrences = {self._get_tool_name(tool): occurrence for tool, occurrence in self.occurrences.items()}
        places: dict[str, list[int]] = {tool: [] for tool in occurrences if tool != OTHERS}
        for place, (_, name) in enumerate(observed.events):
            places.setdefault(name, []).append(place)
        chosen: list[int] = []
        for name, own in places.items():
            occurrence = occurrences.get(name, occurrences.get(OTHERS))
            if isinstance(occurrence, int) and occurrence > len(own):
                calls = format_count(len(own), "call")
                raise NoSuchCallError(f"observed has {calls} of {name}, and call {occurrence} of it is compared")
            if isinstance(occurrence, int):
                chosen.append(own[occurrence - 1])
            else:
                chosen += {"first": own[:1], "last": own[-1:]}.get(str(occurrence), own)
        return [observed.events[place] for place in sorted(chosen)]

    def _check_expected(self, expected: list[Any]) -> None:
        """Refuse an expected side under which any calls would pass."""

    def _compare_calls(self, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        raise NotImplementedError

    def _build_matcher(self) -> CallMatcher:
        args = self.args
        if not isinstance(args, str):
            args = {self._get_tool_name(tool): rule for tool, rule in args.items()}
        defaults = {self._get_tool_name(tool): own for tool, own in self.defaults.items()}
        return CallMatcher(args, self.ignored_args, defaults)

    def _read_expected(self, turns: Iterable[Any], matcher: CallMatcher) -> tuple[Selected, list[Any]]:
        """Return the events of the expected side that count, and the calls or steps that are compared."""
        sides = [read_side("expected", read_trajectory, turn, self.expected_format) for turn in turns]
        selected = self._select((event for side in sides for event in side), are_expected=True)
        return selected, [matcher.prepare(event, name) for event, name in selected.events]

    def _list_steps(self) -> tuple[str, ...]:
        steps = {
            "fill_default_args": self.defaults,
            "leave_out_args": self.ignored_args,
            "choose_occurrences": self.occurrences,
        }
        return (*super()._list_steps(), *(name for name, setting in steps.items() if setting))

    def _complete(self, outcome: Outcome, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        """Add the notes and details that all comparisons of two trajectories have."""
        notes = dict.fromkeys((*outcome.notes, *list_argument_notes(expected, observed, matcher)))
        normalization = self._list_steps()
        details = {"expected_calls": len(expected), "observed_calls": len(observed), **(outcome.details or {})}
        surfaces: dict[str, Any] = {}
        if normalization:
            surfaces["expected_surface"] = [format_call(call) for call in expected]
            surfaces["observed_surface"] = [format_call(call) for call in observed]
        return outcome.replace(notes=tuple(notes), normalization=normalization, details=details, **surfaces)


def read_side(side: str, read: Callable[..., T], *args: Any) -> T:
    """Read one side of a comparison; an error names the side."""
    try:
        return read(*args)
    except TrajectoryError as error:
        reason = f"{side} {error}"
    # The author of the test wrote expected; observed is evidence.
    if side.startswith("expected"):
        raise UnusableError(UNREADABLE, reason)
    raise TrajectoryError(reason)
