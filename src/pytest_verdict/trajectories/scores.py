"""Operators with scores: how many of the calls are right, and how many edits turn one trajectory into the other."""

from collections.abc import Callable
from typing import ClassVar, Final, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories import pairing
from pytest_verdict.trajectories.call_index import SCALE, CallScores
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, find_calls_of_same_tool
from pytest_verdict.trajectories.details import align, list_pairs
from pytest_verdict.trajectories.trajectory_operator import TrajectoryOperator

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

        pair = _PAIRINGS[_BASE_MATCHING.get(self.matching, self.matching), self.credit]
        partners = pair(expected, observed, matcher)
        matched: int | float = 0
        score = 0.0
        if expected and observed and self._calls_right_tools(expected, observed):
            pairs = [(expected[left], observed[right]) for left, right in enumerate(partners) if right is not None]
            matched = len(pairs)
            if self.credit == "partial":
                matched = sum(round(matcher.score(left, right) * SCALE) for left, right in pairs) / SCALE
            left_weight, right_weight = self._weights
            possible = left_weight * len(expected) + right_weight * len(observed)
            score = min(matched * (left_weight + right_weight) / possible, 1.0)

        if score == 1.0:
            return Outcome(score, details={"matched": matched, **list_pairs(partners)})
        paired = set(partners)
        rows: list[pairing.Row] = list(enumerate(partners))
        rows += [(None, at) for at in range(len(observed)) if at not in paired]
        return Outcome(score, details={"matched": matched, **align(rows, expected, observed, matcher)})

    def _calls_right_tools(self, expected: list[Call], observed: list[Call]) -> bool:
        lefts = [call.name for call in expected]
        rights = [call.name for call in observed]
        if self.matching == "same_tools":
            return sorted(lefts) == sorted(rights)
        return self.matching != "same_order" or lefts == rights


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
        same_tool = find_calls_of_same_tool(expected, observed)
        scores = CallScores(expected, observed, matcher)
        cost, partners = pairing.edit_distance(same_tool, len(observed), scores)
        details = {"distance": f"{cost / SCALE:.9f}"}
        if cost:
            details |= align(pairing.iter_rows(partners, len(observed)), expected, observed, matcher)
        return Outcome(1.0 - cost / (longer * SCALE), details=details)
