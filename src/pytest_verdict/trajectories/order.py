"""Operators on the order of calls: the same calls in the same places, in the same order, or in any order.

The three have the meaning of Google's ADK and Vertex AI; a separate setting allows further calls.
"""

from typing import ClassVar, Final, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.details import align_any_order, align_in_order, list_pairs
from pytest_verdict.trajectories.pairing import pair_most
from pytest_verdict.trajectories.trajectory_operator import EMPTY_EXPECTED, TrajectoryOperator

Extras = Literal["allow", "forbid"]

WRONG_ORDER: Final = "right_calls_wrong_order"


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


class TrajectoryInOrder(TrajectoryOperator):
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
            if len(positions) == len(expected):
                break
            if matcher.accepts(expected[len(positions)], call):
                positions.append(at)

        is_complete = len(positions) == len(expected)
        if is_complete and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, notes=_note_empty(expected, self.extras), details=list_pairs(positions))
        details = align_in_order(expected, observed, matcher, self.extras)
        if not is_complete:
            details = {"first_divergence": len(positions), **details}
        return Outcome(0.0, notes=_note_wrong_order(expected, observed, matcher, self.extras), details=details)


class TrajectoryAnyOrder(TrajectoryOperator):
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
        partners = pair_most(expected, observed, matcher)
        if None not in partners and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, notes=_note_empty(expected, self.extras), details=list_pairs(partners))
        return Outcome(0.0, details=align_any_order(partners, expected, observed, matcher, self.extras))


def _note_empty(expected: list[Call], extras: str) -> tuple[str, ...]:
    if not expected and extras == "allow":
        return (EMPTY_EXPECTED,)
    return ()


def _note_wrong_order(expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str) -> tuple[str, ...]:
    # Paired in any case, because a rule that cannot compare two values makes the comparison an error.
    is_complete = None not in pair_most(expected, observed, matcher)
    if expected and is_complete and (extras == "allow" or len(expected) == len(observed)):
        return (WRONG_ORDER,)
    return ()
