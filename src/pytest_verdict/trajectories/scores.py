"""Operators with scores: how many of the calls are right, and how much one trajectory must be edited to become the other."""

from collections.abc import Callable
from typing import Any, ClassVar, Final, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories import details, pairing
from pytest_verdict.trajectories.call_index import SCALE, CallScores
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, calls_of_same_tool
from pytest_verdict.trajectories.trajectory_operator import TrajectoryOperator

_PAIRINGS: Final[dict[tuple[str, str], Callable[[list[Call], list[Call], CallMatcher], pairing.Partners]]] = {
    ("any_order", "whole"): pairing.pair_most,
    ("in_order", "whole"): pairing.pair_most_in_order,
    ("any_order", "partial"): pairing.pair_best,
    ("in_order", "partial"): pairing.pair_best_in_order,
}
_SAME: Final = {"same_order": "in_order", "same_tools": "any_order"}


class _PrecisionRecall(TrajectoryOperator):
    matching: Literal["any_order", "in_order", "same_order", "same_tools"] = "any_order"
    credit: Literal["whole", "partial"] = "whole"
    _counts: ClassVar[tuple[int, int]]
    """How often the expected and the observed calls count in what could have matched."""

    def _compare_calls(self, expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Outcome:
        if not expected and not observed:
            return Outcome(1.0, details={"matched": 0})
        partners = _PAIRINGS[_SAME.get(self.matching, self.matching), self.credit](expected, observed, matcher)
        if not expected or not observed or not self._may_match(expected, observed):
            return Outcome(0.0, details={"matched": 0, **_unpaired(partners, expected, observed, matcher)})
        matched = self._matched(partners, expected, observed, matcher)
        left, right = self._counts
        score = min(matched * (left + right) / (left * len(expected) + right * len(observed)), 1.0)
        found = details.pairs(partners) if score == 1.0 else _unpaired(partners, expected, observed, matcher)
        return Outcome(score, details={"matched": matched, **found})

    def _may_match(self, expected: list[Call], observed: list[Call]) -> bool:
        left, right = ([call.name for call in side] for side in (expected, observed))
        if self.matching == "same_tools":
            return sorted(left) == sorted(right)
        return self.matching != "same_order" or left == right

    def _matched(
        self, partners: pairing.Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher
    ) -> int | float:
        found = [(expected[left], observed[right]) for left, right in enumerate(partners) if right is not None]
        if self.credit == "whole":
            return len(found)
        return sum(round(matcher.score(*pair) * SCALE) for pair in found) / SCALE


def _unpaired(
    partners: pairing.Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher
) -> dict[str, Any]:
    taken = set(partners)
    rows: list[pairing.Row] = list(enumerate(partners))
    rows += [(None, at) for at in range(len(observed)) if at not in taken]
    return details.aligned(rows, expected, observed, matcher)


class TrajectoryPrecision(_PrecisionRecall):
    """How many of the observed calls were expected.

    Vertex's trajectory_precision, counting repeated calls. Two empty trajectories score 1.0, one empty one 0.0.

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
    _counts: ClassVar[tuple[int, int]] = (0, 1)


class TrajectoryRecall(_PrecisionRecall):
    """How many of the expected calls were made.

    Vertex's trajectory_recall, counting repeated calls. Two empty trajectories score 1.0, one empty one 0.0.

    Args:
        matching: As for `TrajectoryPrecision`.
        credit: As for `TrajectoryPrecision`.

    Example:
        >>> compare("trajectory_recall", ["a", "a"], ["a", "x"]).score
        0.5
    """

    name: ClassVar[str] = "trajectory_recall"
    _counts: ClassVar[tuple[int, int]] = (1, 0)


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
    _counts: ClassVar[tuple[int, int]] = (1, 1)


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
        near = calls_of_same_tool(expected, observed)
        cost, partners = pairing.edit_distance(near, len(observed), CallScores(expected, observed, matcher))
        rows = pairing.side_by_side(partners, len(observed))
        found = details.aligned(rows, expected, observed, matcher) if cost else {}
        return Outcome(1.0 - cost / (longer * SCALE), details={"distance": f"{cost / SCALE:.9f}", **found})
