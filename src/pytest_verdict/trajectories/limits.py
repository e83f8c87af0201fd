"""Operators on the calls that are allowed: no others, none of the forbidden, not too many, at least one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from pydantic import field_validator

from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.trajectories.call_index import find_accepted_calls
from pytest_verdict.trajectories.call_matcher import OTHERS, Call, CallMatcher
from pytest_verdict.trajectories.details import format_call, format_unexpected, list_differences
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
            allowed = set[int | None]().union(*find_accepted_calls(expected, observed, matcher))
        else:
            allowed = set(pair_most(expected, observed, matcher))
        return _fail_on([at for at in range(len(observed)) if at not in allowed], observed)


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
    def _parse_forbidden(cls, forbidden: Any) -> Any:
        if forbidden is None:
            return None
        if not isinstance(forbidden, list | tuple) or not forbidden:
            raise ValueError(f"takes a list of calls, at least one, got {forbidden!r}")
        events = read_trajectory(forbidden)
        for event in events:
            if event.args_note == ARGS_MALFORMED:
                raise ValueError(f"the arguments of {event.name!r} are no object: {event.args_text}")
        # Settings read back from a record are equal, because all calls have one form.
        return tuple(format_call(CallMatcher("equal").prepare(event, event.name)) for event in events)

    def _read_expected_turns(self, expected: Any, observed: int) -> list[Any]:
        if self.forbidden is None:
            return super()._read_expected_turns(expected, observed)
        return [expected] * observed

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        forbidden = [
            at for at, call in enumerate(observed) if any(_may_be_forbidden(other, call, matcher) for other in expected)
        ]
        return _fail_on(forbidden, observed, notes=() if expected else (EMPTY_EXPECTED,))


def _may_be_forbidden(forbidden: Call, call: Call, matcher: CallMatcher) -> bool:
    if forbidden.name != call.name:
        return False
    has_args = call.has_args and (forbidden.has_args or forbidden.is_bare)
    return not has_args or matcher.accepts(forbidden, call)


def _fail_on(positions: Sequence[int], observed: list[Call], notes: tuple[str, ...] = ()) -> Outcome:
    """Return the outcome of a comparison in which some observed calls must not occur."""
    if not positions:
        return Outcome(1.0, notes=notes)
    return Outcome(0.0, details=list_differences([format_unexpected(at, observed[at]) for at in positions]))


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
    def _check_limits(cls, limits: Any) -> Any:
        if limits is not None and _parse_limits(limits) is None:
            raise ValueError(f"takes a whole number from 0, or such numbers by tool, got {limits!r}")
        return limits

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        limits = _parse_limits(expected)
        if limits is None:
            reason = f"expected is no whole number from 0, and no such numbers by tool: {shown(expected, 80)}"
            raise UnusableError(NOT_A_LIMIT, reason)
        side = self._read_observed(observed)
        self._refuse_unknown_tools(side, other_names=limits)

        counts = Counter(name for _, name in side.events)
        counts[OTHERS] = len(side.events)
        calls = {tool: counts[self._get_tool_name(tool)] for tool in limits}
        differences = [
            {
                "path": f"$.{tool}",
                "kind": "changed",
                "expected": f"at most {limit}",
                "observed": calls[tool],
                "reason": f"{counted(calls[tool], 'call')}, at most {limit} allowed",
            }
            for tool, limit in limits.items()
            if calls[tool] > limit
        ]
        details: dict[str, Any] = {"calls": calls}
        if differences:
            details |= list_differences(differences)
        outcome = Outcome(0.0 if differences else 1.0, self._selection.list_steps(), details=details)
        return self._refuse_emptied(outcome, side)


def _parse_limits(value: Any) -> dict[str, int] | None:
    limits = {OTHERS: value}
    if isinstance(value, Mapping):
        limits = dict(value)
    for tool, limit in limits.items():
        if not isinstance(tool, str) or type(limit) is not int or limit < 0:
            return None
    return limits or None


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
    def _check_tool(cls, tool: str | None) -> str | None:
        if tool == "":
            raise ValueError("takes the name of a tool, got ''")
        return tool

    def _compare(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(expected, str) or not expected:
            raise UnusableError(NOT_A_TOOL, f"expected is no name of a tool: {shown(expected, 80)}")
        side = self._read_observed(observed)
        self._refuse_unknown_tools(side, other_names=(expected,))
        tool = self._get_tool_name(expected)
        calls = sum(name == tool for _, name in side.events)
        return Outcome(1.0 if calls else 0.0, self._selection.list_steps(), details={"calls": calls})
