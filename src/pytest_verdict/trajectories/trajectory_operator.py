"""`TrajectoryOperator`: what the operators on trajectories share."""

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, Literal, Self, TypeVar

from pydantic import field_validator, model_validator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.trajectories.argument_rules import EQUAL, OTHERS, ArgumentRules
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import call_as_json, notes_on_arguments
from pytest_verdict.trajectories.readers import AUTO, check_format, read_trajectory
from pytest_verdict.trajectories.selection import (
    EMPTY_SELECTION,
    Failed,
    Selected,
    Selection,
    UnusableError,
    canonical_name,
    joined_sides,
)
from pytest_verdict.trajectories.turns import Turns, compare_turns, read_turns

T = TypeVar("T")

UNREADABLE: Final = "trajectory_unreadable"
EMPTY_EXPECTED: Final = "empty_expected"

_EMPTIED: Final = (
    " after the selection by only_tools, except_tools or agents, so nothing would be compared;"
    " name the tools of the agent in tools=[...] where a side may be empty"
)


class ObservedTrajectory(Operator):
    """An operator that reads the observed trajectory and selects the events that count."""

    kind: ClassVar[str] = "trajectory"

    observed_format: str = AUTO
    aliases: dict[str, str] = {}  # noqa: RUF012 - pydantic copies it for each operator
    mcp_servers: Literal["any"] | tuple[str, ...] = ()
    only_tools: tuple[str, ...] | None = None
    except_tools: tuple[str, ...] = ()
    agents: tuple[str, ...] | None = None
    failed: Failed = "count"
    tools: tuple[str, ...] = ()

    @field_validator("observed_format", "expected_format", check_fields=False)
    @classmethod
    def _known_format(cls, name: str) -> str:
        check_format(name)
        return name

    @field_validator("only_tools", "agents")
    @classmethod
    def _not_empty(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if names is not None and not names:
            raise ValueError("an empty list selects nothing; leave it out to select everything")
        return names

    @model_validator(mode="after")
    def _known_tools(self) -> Self:
        known = [*self.tools, *map(self._tool_name, self.tools)]
        for name in (*(self.only_tools or ()), *self.except_tools) if self.tools else ():
            if self._tool_name(name) not in known:
                raise ValueError(f"{name!r} is not one of tools.{allowed('tool', name, self.tools)}")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare; see the class."""
        try:
            return self._compare(self.effective_expected(expected), observed)
        except UnusableError as error:
            return Outcome(0.0, notes=(error.note,), details={"reason": str(error)}, error=str(error))
        except TrajectoryError as error:
            return Outcome(0.0, notes=(UNREADABLE,), details={"reason": str(error)})

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        raise NotImplementedError

    @functools.cached_property
    def _selection(self) -> Selection:
        only = None if self.only_tools is None else tuple(map(self._tool_name, self.only_tools))
        left_out = tuple(map(self._tool_name, self.except_tools))
        return Selection(self.aliases, self.mcp_servers, only, left_out, self.agents, self.failed)

    def _tool_name(self, written: str) -> str:
        """Give the name by which a tool is compared; a setting may name it with or without its prefix or alias."""
        if not (self.aliases or self.mcp_servers) or written in self.aliases.values():
            return written
        return canonical_name(written, self.aliases, self.mcp_servers)

    def _observed_side(self, observed: Any) -> Selected:
        return self._selection.of(read_side("observed", read_trajectory, observed, self.observed_format))

    def _refuse_unknown_tools(self, *sides: Selected, named: Iterable[str] = ()) -> None:
        """Refuse a selection by tools that no side calls and no setting names."""
        if not self.tools and any(side.names for side in sides):
            settings = {*self.aliases.values(), *map(self._tool_name, (*self.aliases, *named))}
            self._selection.refuse_unknown(settings.union(*(side.names for side in sides)))

    def _unless_emptied(self, found: Outcome, observed: Selected) -> Outcome:
        """Refuse a comparison that passes, or nearly does, because no observed call was selected."""
        if found.score > 0.0 and observed.is_emptied and not self.tools and self._selection.selects:
            raise UnusableError(EMPTY_SELECTION, f"no observed call is left{_EMPTIED}")
        return found


class TrajectoryOperator(ObservedTrajectory):
    """An operator that compares two trajectories."""

    args: ArgumentRules = EQUAL
    ignored_args: tuple[str, ...] = ()
    defaults: dict[str, dict[str, Any]] = {}  # noqa: RUF012 - pydantic copies it for each operator
    turns: Turns = "none"
    expected_format: str = AUTO

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        if self.turns == "none":
            return self._compare_sides([expected], [observed])
        made = read_side("observed:", read_turns, observed)
        wanted = self._expected_turns(expected, len(made))
        if self.turns == "flatten":
            return self._compare_sides(wanted, made)
        whole = self.model_copy(update={"turns": "none"})
        if self.tools or not self._selection.selects:
            return compare_turns(whole, wanted, made, mean=self.turns == "mean")
        # A tool need not be called in each turn, so the selection is checked for all turns together.
        matcher = self._matcher()
        expected_side = joined_sides(self._read_expected(turn, matcher)[0] for turn in wanted)
        observed_side = joined_sides(map(self._observed_side, made))
        self._refuse_selection(expected_side, observed_side)
        selection = self._selection
        tools = {*expected_side.names, *observed_side.names, *(selection.only_tools or ()), *selection.except_tools}
        whole = whole.model_copy(update={"tools": tuple(sorted(tools))})
        return self._unless_emptied(compare_turns(whole, wanted, made, mean=self.turns == "mean"), observed_side)

    def _expected_turns(self, expected: Any, _observed: int) -> list[Any]:
        return read_side("expected:", read_turns, expected)

    def _compare_sides(self, expected_turns: list[Any], observed_turns: list[Any]) -> Outcome:
        matcher = self._matcher()
        read = [self._read_expected(turn, matcher) for turn in expected_turns]
        expected = [one for _, turn in read for one in turn]
        observed_side = joined_sides(map(self._observed_side, observed_turns))
        self._refuse_selection(joined_sides(side for side, _ in read), observed_side)
        observed = [matcher.call(event, name) for event, name in observed_side.events]
        found = self._unless_emptied(self._compare_calls(expected, observed, matcher), observed_side)
        return self._completed(found, expected, observed, matcher)

    def _refuse_selection(self, expected: Selected, observed: Selected) -> None:
        rules = () if isinstance(self.args, str) else (tool for tool in self.args if tool != OTHERS)
        self._refuse_unknown_tools(expected, observed, named=(*rules, *self.defaults))
        if expected.is_emptied and not self.tools and self._selection.selects:
            raise UnusableError(EMPTY_SELECTION, f"no expected call is left{_EMPTIED}")

    def _compare_calls(self, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        raise NotImplementedError

    def _matcher(self) -> CallMatcher:
        args = self.args if isinstance(self.args, str) else self._by_tool_name(self.args)
        return CallMatcher(args, self.ignored_args, self._by_tool_name(self.defaults))

    def _by_tool_name(self, settings: Mapping[str, T]) -> Mapping[str, T]:
        return {self._tool_name(tool): setting for tool, setting in settings.items()}

    def _read_expected(self, expected: Any, matcher: CallMatcher) -> tuple[Selected, list[Any]]:
        """Read what counts of expected, and prepare it for comparison."""
        events = read_side("expected", read_trajectory, expected, self.expected_format)
        side = self._expected_selection().of(events)
        return side, [matcher.call(event, name) for event, name in side.events]

    def _expected_selection(self) -> Selection:
        # Which agent makes a call and whether it fails are facts of a run.
        return replace(self._selection, agents=None, failed="count")

    def _completed(self, found: Outcome, expected: list[Any], observed: list[Call], matcher: CallMatcher) -> Outcome:
        """Add to an outcome what every comparison of two trajectories says."""
        notes = dict.fromkeys((*found.notes, *notes_on_arguments(expected, observed, matcher)))
        filled = ("fill_default_args",) if self.defaults else ()
        left_out = ("leave_out_args",) if self.ignored_args else ()
        normalization = (*self._selection.steps(), *filled, *left_out)
        return found.replace(
            notes=tuple(notes),
            normalization=normalization,
            details={"expected_calls": len(expected), "observed_calls": len(observed), **(found.details or {})},
            expected_surface=[call_as_json(call) for call in expected] if normalization else ABSENT,
            observed_surface=[call_as_json(call) for call in observed] if normalization else ABSENT,
        )


def read_side(side: str, read: Callable[..., T], *given: Any) -> T:
    """Read one side of a comparison, and say which one it was when it cannot be read."""
    try:
        return read(*given)
    except TrajectoryError as error:
        reason = f"{side} {error}"
    # Expected is what the author of the test wrote, observed is evidence.
    raise UnusableError(UNREADABLE, reason) if side.startswith("expected") else TrajectoryError(reason)
