"""Operators on the order of calls: the same calls in the same places, in the same order, or in any order.

The meaning of the three is that of Google's ADK and Vertex AI; whether further calls may occur is a setting of its own.
"""

from typing import ClassVar, Final, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories import details
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
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
        diverges = next((at for at in range(shorter) if not matcher.accepts(expected[at], observed[at])), shorter)
        if diverges == len(expected) == len(observed):
            return Outcome(1.0)
        found = {"first_divergence": diverges, **details.in_order(expected, observed, matcher)}
        return Outcome(0.0, notes=_wrong_order(expected, observed, matcher, "forbid"), details=found)


class TrajectoryInOrder(TrajectoryOperator):
    """All expected calls occur in their order.

    ADK's IN_ORDER, Vertex's trajectory_in_order_match.

    Args:
        extras: Whether other calls may lie before, between and after them; ``forbid`` makes it `TrajectoryExact`.

    Example:
        >>> compare("trajectory_in_order", ["search", "pay"], ["login", "search", "pay"]).score
        1.0
    """

    name: ClassVar[str] = "trajectory_in_order"

    extras: Extras = "allow"

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        places = _earliest(expected, observed, matcher)
        complete = len(places) == len(expected)
        if complete and (self.extras == "allow" or len(expected) == len(observed)):
            return Outcome(1.0, notes=_empty(expected, self.extras), details=details.pairs([*places]))
        diverges = {} if complete else {"first_divergence": len(places)}
        found = {**diverges, **details.in_order(expected, observed, matcher, self.extras)}
        return Outcome(0.0, notes=_wrong_order(expected, observed, matcher, self.extras), details=found)


class TrajectoryAnyOrder(TrajectoryOperator):
    """All expected calls occur, in whatever order; each observed call counts for one expected call only.

    ADK's ANY_ORDER, Vertex's trajectory_any_order_match. With tolerant rules for arguments the pairing is a maximum matching, so
    the verdict does not depend on the order in which expected is written.

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
            return Outcome(1.0, notes=_empty(expected, self.extras), details=details.pairs(partners))
        return Outcome(0.0, details=details.any_order(partners, expected, observed, matcher, self.extras))


def _earliest(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[int]:
    # Whatever a later choice allows, the earliest choice allows too.
    found: list[int] = []
    for at, made in enumerate(observed):
        if len(found) == len(expected):
            break
        if matcher.accepts(expected[len(found)], made):
            found.append(at)
    return found


def _empty(expected: list[Call], extras: str) -> tuple[str, ...]:
    return (EMPTY_EXPECTED,) if not expected and extras == "allow" else ()


def _wrong_order(expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str) -> tuple[str, ...]:
    complete = None not in pair_most(expected, observed, matcher)
    enough = extras == "allow" or len(expected) == len(observed)
    return (WRONG_ORDER,) if expected and complete and enough else ()
