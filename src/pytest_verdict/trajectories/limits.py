"""Operators on what may be called: nothing else, nothing forbidden, not too often, at least once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import field_validator

from pytest_verdict.core.result import Outcome
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.arguments import OTHERS
from pytest_verdict.trajectories.event import ARGS_MALFORMED
from pytest_verdict.trajectories.evidence import call_evidence, listed, unexpected
from pytest_verdict.trajectories.operator import EMPTY_EXPECTED, ObservedTrajectory, TrajectoryOperator, unreadable
from pytest_verdict.trajectories.pairing import pair
from pytest_verdict.trajectories.readers import read_trajectory
from pytest_verdict.trajectories.relation import Call, Relation

NOT_A_LIMIT: Final = "not_a_limit"
NOT_A_TOOL: Final = "not_a_tool_name"


class TrajectoryOnlyFrom(TrajectoryOperator):
    """Every observed call is one of the expected ones; expected calls may be missing.

    Args:
        repeats: ``forbid`` lets each expected call be made once, ``allow`` any number of times.

    Example:
        >>> TrajectoryOnlyFrom().evaluate(["search", "book"], ["book"]).score
        1.0
        >>> TrajectoryOnlyFrom(repeats="allow").evaluate(["search"], ["search", "search"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_only_from"

    repeats: Literal["forbid", "allow"] = "forbid"

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Look for observed calls that have no place in expected; see the class."""
        if self.repeats == "allow":
            by_name: dict[str, list[Call]] = {}
            for call in expected:
                by_name.setdefault(call.name, []).append(call)
            extra = [
                at
                for at, made in enumerate(observed)
                if not any(relation.accepts(wanted, made) for wanted in by_name.get(made.name, ()))
            ]
        else:
            taken = set(pair(expected, observed, relation))
            extra = [at for at in range(len(observed)) if at not in taken]
        if not extra:
            return Outcome(1.0)
        return Outcome(0.0, details=listed([unexpected(at, observed[at]) for at in extra]))


class TrajectoryForbidden(TrajectoryOperator):
    """No observed call is one of those in expected.

    A name forbids the tool, a call with arguments only such calls. A call whose arguments are unknown fails when its tool is
    forbidden with arguments, because it may be the forbidden one; and so does every call of a tool whose forbidden arguments
    are malformed.

    Args:
        forbidden: The forbidden calls, as a plain list; they take the place of expected.

    Example:
        >>> TrajectoryForbidden(forbidden=["delete"]).evaluate(None, ["search", "delete"]).score
        0.0
    """

    name: ClassVar[str] = "trajectory_forbidden"

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
        return tuple(call_evidence(Relation("equal").call(event, event.name)) for event in events)

    def effective_expected(self, expected: Any) -> Any:
        """Give the forbidden calls when they are a setting."""
        return expected if self.forbidden is None else list(self.forbidden)

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Look for forbidden calls; see the class."""
        found = [
            at for at, made in enumerate(observed) if any(self._forbids(call, made, relation) for call in expected)
        ]
        if found:
            return Outcome(0.0, details=listed([unexpected(at, observed[at]) for at in found]))
        return Outcome(1.0, notes=() if expected else (EMPTY_EXPECTED,))

    @staticmethod
    def _forbids(forbidden: Call, made: Call, relation: Relation) -> bool:
        if forbidden.name != made.name:
            return False
        # What cannot be read on either side may be the forbidden call.
        readable = made.known and (forbidden.known or forbidden.unstated)
        return not readable or relation.accepts(forbidden, made)


class TrajectoryMaxCalls(ObservedTrajectory):
    """No more calls than allowed.

    Args:
        limits: A whole number for all calls together, or numbers by tool, in which ``*`` is for all calls together; it takes
            the place of expected.

    Example:
        >>> TrajectoryMaxCalls(limits={"search": 1}).evaluate(None, ["search", "book", "search"]).score
        0.0
    """

    name: ClassVar[str] = "trajectory_max_calls"

    limits: int | dict[str, int] | None = None

    @field_validator("limits", mode="before")
    @classmethod
    def _whole_numbers(cls, limits: Any) -> Any:
        if limits is not None and _read_limits(limits) is None:
            raise ValueError(f"takes a whole number from 0, or such numbers by tool, got {limits!r}")
        return limits

    def effective_expected(self, expected: Any) -> Any:
        """Give the limits when they are a setting."""
        return expected if self.limits is None else self.limits

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Count the calls; see the class."""
        limits = _read_limits(self.effective_expected(expected))
        if limits is None:
            return Outcome(0.0, notes=(NOT_A_LIMIT,))
        try:
            names = [name for _, name in self.observed_events(observed)]
        except TrajectoryError as error:
            return unreadable(error)
        counts = {**Counter(names), OTHERS: len(names)}
        calls = {tool: counts.get(self.tool_name(tool), 0) for tool in limits}
        over = [
            {"path": f"$.{tool}", "kind": "changed", "expected": f"at most {limit}", "observed": calls[tool]}
            for tool, limit in limits.items()
            if calls[tool] > limit
        ]
        details: dict[str, Any] = {"calls": calls}
        notes = () if limits else (EMPTY_EXPECTED,)
        if over:
            details.update(listed(over))
        return Outcome(0.0 if over else 1.0, self.selection().names(), notes, details)


class TrajectorySingleToolUse(ObservedTrajectory):
    """A tool is called at least once.

    Vertex's trajectory_single_tool_use.

    Args:
        tool: The tool; it takes the place of expected.

    Example:
        >>> TrajectorySingleToolUse(tool="search").evaluate(None, ["login", "search", "search"]).details
        {'calls': 2}
    """

    name: ClassVar[str] = "trajectory_single_tool_use"

    tool: str | None = None

    @field_validator("tool")
    @classmethod
    def _named(cls, tool: str | None) -> str | None:
        if tool == "":
            raise ValueError("takes the name of a tool, got ''")
        return tool

    def effective_expected(self, expected: Any) -> Any:
        """Give the tool when it is a setting."""
        return expected if self.tool is None else self.tool

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Look for the tool; see the class."""
        tool = self.effective_expected(expected)
        if not isinstance(tool, str) or not tool:
            return Outcome(0.0, notes=(NOT_A_TOOL,))
        try:
            names = [name for _, name in self.observed_events(observed)]
        except TrajectoryError as error:
            return unreadable(error)
        calls = names.count(self.tool_name(tool))
        return Outcome(1.0 if calls else 0.0, self.selection().names(), details={"calls": calls})


def _read_limits(value: Any) -> dict[str, int] | None:
    limits = value if isinstance(value, Mapping) else {OTHERS: value}
    whole = all(type(limit) is int and limit >= 0 for limit in limits.values())
    return dict(limits) if whole and all(isinstance(tool, str) for tool in limits) else None
