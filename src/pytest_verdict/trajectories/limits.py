"""Operators on what may be called: nothing else, nothing forbidden, not too often, at least once."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import field_validator

from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.trajectories.argument_rules import OTHERS
from pytest_verdict.trajectories.call_index import accepted_calls
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import call_as_json, listed, unexpected
from pytest_verdict.trajectories.event import ARGS_MALFORMED
from pytest_verdict.trajectories.pairing import pair_most
from pytest_verdict.trajectories.readers import read_trajectory
from pytest_verdict.trajectories.selection import UnusableError
from pytest_verdict.trajectories.trajectory_operator import EMPTY_EXPECTED, ObservedTrajectory, TrajectoryOperator

NOT_A_LIMIT: Final = "not_a_limit"
NOT_A_TOOL: Final = "not_a_tool_name"


class TrajectoryOnlyFrom(TrajectoryOperator):
    """Every observed call is one of the expected ones; expected calls may be missing.

    Args:
        repeats: ``forbid`` lets each expected call be made once, ``allow`` any number of times.

    Example:
        >>> compare("trajectory_only_from", ["search", "book"], ["book"]).score
        1.0
        >>> compare("trajectory_only_from", ["pay"], ["pay", "pay"], repeats="allow").score
        1.0
    """

    name: ClassVar[str] = "trajectory_only_from"

    repeats: Literal["forbid", "allow"] = "forbid"

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        if self.repeats == "allow":
            taken = set[int | None]().union(*accepted_calls(expected, observed, matcher))
        else:
            taken = set(pair_most(expected, observed, matcher))
        extra = [at for at in range(len(observed)) if at not in taken]
        return _none_of(extra, observed)


class TrajectoryForbidden(TrajectoryOperator):
    """No observed call is one of those in expected.

    A name forbids the tool, a call with arguments only such calls. A call whose arguments are unknown fails when its tool is
    forbidden with arguments, because it may be the forbidden one; and so does every call of a tool whose forbidden arguments
    are malformed.

    Args:
        forbidden: The forbidden calls, as a plain list; they take the place of expected.

    Example:
        >>> compare("trajectory_forbidden", ["delete"], ["search", "delete"]).score
        0.0
    """

    name: ClassVar[str] = "trajectory_forbidden"
    expected_settings: ClassVar[tuple[str, ...]] = ("forbidden",)

    forbidden: tuple[Any, ...] | None = None

    @field_validator("forbidden", mode="before")
    @classmethod
    def _as_json(cls, forbidden: Any) -> Any:
        if forbidden is None:
            return None
        if not isinstance(forbidden, list | tuple) or not forbidden:
            raise ValueError(f"takes a list of calls, at least one, got {forbidden!r}")
        events = read_trajectory(forbidden)
        for event in events:
            if event.args_note == ARGS_MALFORMED:
                raise ValueError(f"the arguments of {event.name!r} are no object: {event.args_text}")
        # One form for all, so that settings read back from a record are equal.
        return tuple(call_as_json(CallMatcher("equal").call(event, event.name)) for event in events)

    def _expected_turns(self, expected: Any, observed: int) -> list[Any]:
        # What is forbidden is forbidden in each turn.
        return super()._expected_turns(expected, observed) if self.forbidden is None else [expected] * observed

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        found = [at for at, made in enumerate(observed) if any(_forbids(call, made, matcher) for call in expected)]
        return _none_of(found, observed, () if expected else (EMPTY_EXPECTED,))


class TrajectoryMaxCalls(ObservedTrajectory):
    """No more calls than allowed.

    Args:
        limits: A whole number for all calls together, or numbers by tool, in which ``*`` is for all calls together; it takes
            the place of expected.

    Example:
        >>> compare("trajectory_max_calls", {"search": 1}, ["search", "book", "search"]).score
        0.0
    """

    name: ClassVar[str] = "trajectory_max_calls"
    expected_settings: ClassVar[tuple[str, ...]] = ("limits",)

    limits: int | dict[str, int] | None = None

    @field_validator("limits", mode="before")
    @classmethod
    def _whole_numbers(cls, limits: Any) -> Any:
        if limits is not None and _read_limits(limits) is None:
            raise ValueError(f"takes a whole number from 0, or such numbers by tool, got {limits!r}")
        return limits

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        limits = _read_limits(expected)
        if limits is None:
            reason = f"expected is no whole number from 0, and no such numbers by tool: {shown(expected, 80)}"
            raise UnusableError(NOT_A_LIMIT, reason)
        side = self._observed_side(observed)
        self._refuse_unknown_tools(side, named=limits)
        names = [name for _, name in side.events]
        counts = {**Counter(names), OTHERS: len(names)}
        calls = {tool: counts.get(self._tool_name(tool), 0) for tool in limits}
        over = [
            {"path": f"$.{tool}", "kind": "changed", "expected": f"at most {limit}", "observed": calls[tool]}
            | {"reason": f"{counted(calls[tool], 'call')}, at most {limit} allowed"}
            for tool, limit in limits.items()
            if calls[tool] > limit
        ]
        details = {"calls": calls, **(listed(over) if over else {})}
        return self._unless_emptied(Outcome(0.0 if over else 1.0, self._selection.steps(), details=details), side)


class TrajectorySingleToolUse(ObservedTrajectory):
    """A tool is called at least once.

    Vertex's trajectory_single_tool_use.

    Args:
        tool: The tool; it takes the place of expected.

    Example:
        >>> compare("trajectory_single_tool_use", "pay", ["login", "pay", "pay"]).details
        {'calls': 2}
    """

    name: ClassVar[str] = "trajectory_single_tool_use"
    expected_settings: ClassVar[tuple[str, ...]] = ("tool",)

    tool: str | None = None

    @field_validator("tool")
    @classmethod
    def _named(cls, tool: str | None) -> str | None:
        if tool == "":
            raise ValueError("takes the name of a tool, got ''")
        return tool

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(expected, str) or not expected:
            raise UnusableError(NOT_A_TOOL, f"expected is no name of a tool: {shown(expected, 80)}")
        side = self._observed_side(observed)
        self._refuse_unknown_tools(side, named=(expected,))
        tool = self._tool_name(expected)
        calls = sum(name == tool for _, name in side.events)
        return Outcome(1.0 if calls else 0.0, self._selection.steps(), details={"calls": calls})


def _none_of(found: list[int], observed: list[Call], notes: tuple[str, ...] = ()) -> Outcome:
    if not found:
        return Outcome(1.0, notes=notes)
    return Outcome(0.0, details=listed([unexpected(at, observed[at]) for at in found]))


def _forbids(forbidden: Call, made: Call, matcher: CallMatcher) -> bool:
    if forbidden.name != made.name:
        return False
    # What cannot be read on either side may be the forbidden call.
    readable = made.known and (forbidden.known or forbidden.unstated)
    return not readable or matcher.accepts(forbidden, made)


def _read_limits(value: Any) -> dict[str, int] | None:
    limits = value if isinstance(value, Mapping) else {OTHERS: value}
    whole = all(type(limit) is int and limit >= 0 for limit in limits.values())
    return dict(limits) if limits and whole and all(isinstance(tool, str) for tool in limits) else None
