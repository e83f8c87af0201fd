"""The operators on lists of calls: their order, how many are right, how near they are, and which are allowed."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import field_validator

from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.trajectories import pairing
from pytest_verdict.trajectories.call_matcher import CONTAINS, OTHERS, ArgumentRules, Call, CallMatcher
from pytest_verdict.trajectories.details import (
    align,
    align_any_order,
    align_in_order,
    fail_on,
    format_call,
    format_excess,
    format_unexpected,
    list_pairs,
)
from pytest_verdict.trajectories.event import ARGS_MALFORMED
from pytest_verdict.trajectories.readers import read_trajectory
from pytest_verdict.trajectories.trajectory_operator import (
    EMPTY_EXPECTED,
    EMPTY_SELECTION,
    ObservedTrajectory,
    Selected,
    TrajectoryOperator,
    UnusableError,
)

Extras = Literal["allow", "forbid"]

WRONG_ORDER: Final = "right_calls_wrong_order"
NOT_A_LIMIT: Final = "not_a_limit"
NOT_A_TOOL: Final = "not_a_tool_name"


class TrajectoryExact(TrajectoryOperator):
    """The same calls in the same places, and no others.

    ADK's EXACT, Vertex's trajectory_exact_match.

    Example:
        >>> compare("trajectory_exact", ["search", "pay"], ["search", ("pay", {"id": 7})]).score
        1.0
        >>> compare("trajectory_exact", ["search", "book"], ["book", "search"]).notes
        ['right_calls_wrong_order']
    """

    name: ClassVar[str] = "trajectory_exact"

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        shorter = min(len(expected), len(observed))
        divergence = next((at for at in range(shorter) if not matcher.accepts(expected[at], observed[at])), shorter)
        if divergence == len(expected) == len(observed):
            return Outcome(1.0)
        details = {"first_divergence": divergence, **align_in_order(expected, observed, matcher)}
        return Outcome(0.0, notes=_note_wrong_order(expected, observed, matcher, "forbid"), details=details)


class _NonEmptyExpected(TrajectoryOperator):
    """An operator under which no expected calls would accept any observed ones."""

    def _check_expected(self, expected: list[Any]) -> None:
        if not expected and getattr(self, "extras", "allow") == "allow":
            reason = "expected has no calls, so nothing is compared; trajectory_exact compares with no calls at all"
            raise UnusableError(EMPTY_EXPECTED, reason)


class TrajectoryInOrder(_NonEmptyExpected):
    """All expected calls occur in their order.

    ADK's IN_ORDER, Vertex's trajectory_in_order_match.

    Args:
        extras: Whether other calls may occur before, between and after them; ``forbid`` makes it `TrajectoryExact`.

    Example:
        >>> compare("trajectory_in_order", ["search", "pay"], ["login", "search", "pay"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_in_order"

    extras: Extras = "allow"

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        # Any match that a later choice allows, the earliest choice allows too.
        positions: list[int | None] = []
        for at, call in enumerate(observed):
            if len(positions) < len(expected) and matcher.accepts(expected[len(positions)], call):
                positions.append(at)
        is_complete = len(positions) == len(expected)
        if is_complete and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, details=list_pairs(positions))
        details = align_in_order(expected, observed, matcher, self.extras)
        if not is_complete:
            details = {"first_divergence": len(positions), **details}
        return Outcome(0.0, notes=_note_wrong_order(expected, observed, matcher, self.extras), details=details)


class TrajectoryAnyOrder(_NonEmptyExpected):
    """All expected calls occur, in whatever order; each observed call counts for one expected call only.

    ADK's ANY_ORDER, Vertex's trajectory_any_order_match. With tolerant rules for arguments the pairing is a maximum matching, so
    the verdict does not depend on the order of expected.

    Args:
        extras: Whether other calls may occur too. With ``forbid`` both sides are the same calls.

    Example:
        >>> compare("trajectory_any_order", ["find", "book"], ["book", "look", "find"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_any_order"

    extras: Extras = "allow"

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        partners = pairing.pair_most(expected, observed, matcher)
        if None not in partners and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, details=list_pairs(partners))
        return Outcome(0.0, details=align_any_order(partners, expected, observed, matcher, self.extras))


def _note_wrong_order(expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str) -> tuple[str, ...]:
    # Paired in any case, because a rule that cannot compare two values makes the comparison an error.
    is_complete = None not in pairing.pair_most(expected, observed, matcher)
    if expected and is_complete and (extras == "allow" or len(expected) == len(observed)):
        return (WRONG_ORDER,)
    return ()


_PAIRINGS: Final[dict[tuple[str, str], Callable[[list[Call], list[Call], CallMatcher], pairing.Partners]]] = {
    ("any_order", "whole"): pairing.pair_most,
    ("in_order", "whole"): pairing.pair_most_in_order,
    ("any_order", "partial"): pairing.pair_best,
    ("in_order", "partial"): pairing.pair_best_in_order,
}
_BASE_MATCHING: Final = {"same_order": "in_order", "same_tools": "any_order"}


class _PrecisionRecall(TrajectoryOperator):
    matching: Literal["any_order", "in_order", "same_order", "same_tools"] = "any_order"
    credit: Literal["whole", "partial"] = "whole"
    _weights: ClassVar[tuple[int, int]]
    """The weights of the expected and the observed calls in the number of possible matches."""

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        if not expected and not observed:
            return Outcome(1.0, details={"matched": 0})

        partners = _PAIRINGS[_BASE_MATCHING.get(self.matching, self.matching), self.credit](expected, observed, matcher)
        tools = [[call.name for call in side] for side in (expected, observed)]
        if self.matching == "same_tools":
            tools = [sorted(side) for side in tools]
        matched: int | float = 0
        if expected and observed and (self.matching not in _BASE_MATCHING or tools[0] == tools[1]):
            pairs = [(expected[row], observed[column]) for row, column in enumerate(partners) if column is not None]
            matched = len(pairs)
            if self.credit == "partial":
                matched = sum(round(matcher.score(*pair) * pairing.SCALE) for pair in pairs) / pairing.SCALE
        expected_weight, observed_weight = self._weights
        possible = expected_weight * len(expected) + observed_weight * len(observed)
        score = min(matched * (expected_weight + observed_weight) / possible, 1.0) if matched else 0.0

        if score == 1.0:
            return Outcome(score, details={"matched": matched, **list_pairs(partners)})
        used = set(partners)
        unpaired: list[pairing.Pair] = [(None, at) for at in range(len(observed)) if at not in used]
        details = align([*enumerate(partners), *unpaired], expected, observed, matcher)
        return Outcome(score, details={"matched": matched, **details})


class TrajectoryPrecision(_PrecisionRecall):
    """How many of the observed calls were expected.

    Vertex's trajectory_precision, counting repeated calls. Two empty trajectories score 1.0; if only one is empty, 0.0.

    Args:
        matching: ``any_order`` pairs as many calls as possible, ``in_order`` as many as possible without crossing. With
            ``same_order`` and ``same_tools`` nothing counts unless both sides call the same tools as often, in the former
            also in the same order.
        credit: ``partial`` counts a call by the mean score of its arguments, under the pairing with the highest sum.

    Example:
        >>> compare("trajectory_precision", ["a", "b"], ["a", "x", "b", "y"]).score
        0.5
    """

    name: ClassVar[str] = "trajectory_precision"
    _weights: ClassVar[tuple[int, int]] = (0, 1)


class TrajectoryRecall(_PrecisionRecall):
    """How many of the expected calls were made.

    Vertex's trajectory_recall, counting repeated calls. Two empty trajectories score 1.0; if only one is empty, 0.0.

    Args:
        matching: As for `TrajectoryPrecision`.
        credit: As for `TrajectoryPrecision`.

    Example:
        >>> compare("trajectory_recall", ["a", "a"], ["a", "x"]).score
        0.5
    """

    name: ClassVar[str] = "trajectory_recall"
    _weights: ClassVar[tuple[int, int]] = (1, 0)


class TrajectoryF1(_PrecisionRecall):
    """The harmonic mean of precision and recall.

    Args:
        matching: As for `TrajectoryPrecision`.
        credit: As for `TrajectoryPrecision`.

    Example:
        >>> compare("trajectory_f1", ["a", "b"], ["b", "a"], matching="in_order").score
        0.5
    """

    name: ClassVar[str] = "trajectory_f1"
    _weights: ClassVar[tuple[int, int]] = (1, 1)


class TrajectorySimilarity(TrajectoryOperator):
    """One minus the edit distance of the two trajectories over the length of the longer one.

    A call that is missing, unexpected or of another tool costs 1; a call of the right tool costs one minus the mean score of its
    arguments. Two empty trajectories score 1.0.

    Example:
        >>> compare("trajectory_similarity", ["a", "b", "c", "a"], ["a", "d", "c", "a"]).score
        0.75
    """

    name: ClassVar[str] = "trajectory_similarity"

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        longer = max(len(expected), len(observed))
        if not longer:
            return Outcome(1.0)
        cost, partners = pairing.edit_distance(expected, observed, matcher)
        details = {"distance": f"{cost / pairing.SCALE:.9f}"}
        if cost:
            details |= align(pairing.iter_pairs(partners, len(observed)), expected, observed, matcher)
        return Outcome(1.0 - cost / (longer * pairing.SCALE), details=details)


class TrajectoryOnlyFrom(_NonEmptyExpected):
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
            allowed = set[int | None]().union(*pairing.find_accepted_calls(expected, observed, matcher))
        else:
            allowed = set(pairing.pair_most(expected, observed, matcher))
        return fail_on([format_unexpected(at, call) for at, call in enumerate(observed) if at not in allowed])


class TrajectoryForbidden(_NonEmptyExpected):
    """No observed call is one of those in expected.

    A name forbids the tool, a call with arguments those calls that have at least these. A call whose arguments are unknown
    fails when its tool is forbidden with arguments, because it may be the forbidden one; and so does every call of a tool whose
    forbidden arguments are malformed.

    Args:
        forbidden: The forbidden calls, as a plain list; they take the place of expected.
        args: The rule for arguments (default: ``contains``); ``equal`` forbids only calls without further arguments.

    Example:
        >>> compare("trajectory_forbidden", ["delete"], ["search", "delete"]).score
        0.0
    """

    name: ClassVar[str] = "trajectory_forbidden"
    expected_settings: ClassVar[tuple[str, ...]] = ("forbidden",)

    args: ArgumentRules = CONTAINS
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

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        differences = []
        for at, call in enumerate(observed):
            for forbidden in expected:
                has_args = call.has_args and (forbidden.has_args or forbidden.is_bare)
                if forbidden.name == call.name and (not has_args or matcher.accepts(forbidden, call)):
                    differences.append(format_unexpected(at, call))
                    break
        return fail_on(differences)

    def _check_selection(self, expected: Selected, observed: Selected) -> None:
        super()._check_selection(expected, observed)
        self._refuse_near_tools("forbidden", {name for _, name in expected.events}, observed)
        for event, tool in expected.events:
            self._check_argument_names(f"forbidden {tool}", tool, event.args.keys(), observed.events)


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

    def _parse_expected(self, expected: Any) -> dict[str, int]:
        limits = _parse_limits(expected)
        if limits is None:
            reason = f"expected is no whole number from 0, and no such numbers by tool: {shown(expected, 80)}"
            raise UnusableError(NOT_A_LIMIT, reason)
        return limits

    def _check_calls(self, expected: dict[str, int], observed: Selected) -> Outcome:
        self._refuse_near_tools("limits", expected.keys() - {OTHERS}, observed)
        unselected = [tool for tool in expected if tool != OTHERS and not self._is_selected(self._get_tool_name(tool))]
        if unselected:
            raise UnusableError(
                EMPTY_SELECTION, f"only_tools or except_tools leaves out {unselected[0]!r}, which has a limit"
            )

        counts = Counter(name for _, name in observed.events)
        counts[OTHERS] = len(observed.events)
        calls = {tool: counts[self._get_tool_name(tool)] for tool in expected}
        differences = [
            format_excess(tool, limit, calls[tool], format_count(calls[tool], "call"))
            for tool, limit in expected.items()
            if calls[tool] > limit
        ]
        return fail_on(differences, calls=calls)


def _parse_limits(value: Any) -> dict[str, int] | None:
    limits = {OTHERS: value}
    if isinstance(value, Mapping):
        limits = dict(value)
    for tool, limit in limits.items():
        if not isinstance(tool, str) or not tool or type(limit) is not int or limit < 0:
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

    def _parse_expected(self, expected: Any) -> dict[str, None]:
        if not isinstance(expected, str) or not expected:
            raise UnusableError(NOT_A_TOOL, f"expected is no name of a tool: {shown(expected, 80)}")
        return {expected: None}

    def _check_calls(self, expected: dict[str, None], observed: Selected) -> Outcome:
        self._refuse_near_tools("tool", expected, observed)
        tools = set(map(self._get_tool_name, expected))
        calls = sum(name in tools for _, name in observed.events)
        return Outcome(float(calls > 0), details={"calls": calls})
