"""The operator on how much one trajectory must be edited to become the other."""

from __future__ import annotations

from typing import ClassVar

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.alignment import SCALE, align
from pytest_verdict.trajectories.candidates import same_tool
from pytest_verdict.trajectories.evidence import aligned
from pytest_verdict.trajectories.operator import TrajectoryOperator
from pytest_verdict.trajectories.relation import Call, Relation


class TrajectorySimilarity(TrajectoryOperator):
    """One minus the edit distance of the two trajectories over the length of the longer one.

    A call that is missing, unexpected or of another tool costs 1; a call of the right tool costs one minus the mean score of its
    arguments. Two empty trajectories score 1.0.

    Example:
        >>> TrajectorySimilarity().evaluate(["a", "b", "c", "a"], ["a", "d", "c", "a"]).score
        0.75
    """

    name: ClassVar[str] = "trajectory_similarity"

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Align the two; see the class."""
        longer = max(len(expected), len(observed))
        if not longer:
            return Outcome(1.0)
        near = same_tool(expected, observed)
        cost, rows = align(near, len(observed), lambda i, j: relation.score(expected[i], observed[j]))
        details = aligned(rows, expected, observed, relation) if cost else {}
        return Outcome(1.0 - cost / (longer * SCALE), details={"distance": f"{cost / SCALE:.9f}", **details})
