"""The operator on how much one trajectory must be edited to become the other."""

from __future__ import annotations

from typing import ClassVar

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.alignment import SCALE, edit_distance, side_by_side
from pytest_verdict.trajectories.call import Call, observed_of_same_tool
from pytest_verdict.trajectories.call_matcher import CallMatcher
from pytest_verdict.trajectories.details import aligned
from pytest_verdict.trajectories.trajectory_operator import TrajectoryOperator


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
        near = observed_of_same_tool(expected, observed)
        cost, partners = edit_distance(
            near, len(observed), lambda left, right: matcher.score(expected[left], observed[right])
        )
        rows = side_by_side(partners, len(observed))
        details = aligned(rows, expected, observed, matcher) if cost else {}
        return Outcome(1.0 - cost / (longer * SCALE), details={"distance": f"{cost / SCALE:.9f}", **details})
