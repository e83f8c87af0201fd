"""Operators on how many of the calls are the right ones: precision, recall and their harmonic mean."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

from pytest_verdict.core.result import Outcome
from pytest_verdict.trajectories.alignment import SCALE, longest_common_subsequence
from pytest_verdict.trajectories.candidates import candidates, same_tool
from pytest_verdict.trajectories.evidence import Row, aligned
from pytest_verdict.trajectories.operator import TrajectoryOperator
from pytest_verdict.trajectories.order import pairs_evidence
from pytest_verdict.trajectories.pairing import pair, pair_by_share
from pytest_verdict.trajectories.relation import Call, Relation
from pytest_verdict.trajectories.weighted import heaviest_subsequence


class _Overlap(TrajectoryOperator):
    matching: Literal["any_order", "in_order"] = "any_order"
    credit: Literal["whole", "partial"] = "whole"

    def judge(self, expected: list[Call], observed: list[Call], relation: Relation) -> Outcome:
        """Count the calls that belong together; see the class."""
        if not expected or not observed:
            nothing = not expected and not observed
            rows: list[Row] = [(at, None) for at in range(len(expected))]
            rows += [(None, at) for at in range(len(observed))]
            details = {} if nothing else aligned(rows, expected, observed, relation)
            return Outcome(1.0 if nothing else 0.0, details={"matched": 0, **details})
        partners = self._partners(expected, observed, relation)
        matched, shown = self._weight(partners, expected, observed, relation)
        score = min(self._score(matched, len(expected), len(observed)), 1.0)
        details = pairs_evidence(partners) if score == 1.0 else self._rows(partners, expected, observed, relation)
        return Outcome(score, details={"matched": shown, **details})

    def _partners(self, expected: list[Call], observed: list[Call], relation: Relation) -> list[int | None]:
        if self.credit == "partial":
            if self.matching == "any_order":
                return pair_by_share(expected, observed, relation)
            near = same_tool(expected, observed)
            return heaviest_subsequence(near, len(observed), lambda i, j: relation.score(expected[i], observed[j]))
        if self.matching == "any_order":
            return pair(expected, observed, relation)
        return longest_common_subsequence(candidates(expected, observed, relation), len(observed))

    def _weight(
        self, partners: list[int | None], expected: list[Call], observed: list[Call], relation: Relation
    ) -> tuple[float, int | float]:
        found = [(left, right) for left, right in enumerate(partners) if right is not None]
        if self.credit == "whole":
            return float(len(found)), len(found)
        units = sum(round(relation.score(expected[left], observed[right]) * SCALE) for left, right in found)
        return units / SCALE, units / SCALE

    def _rows(
        self, partners: list[int | None], expected: list[Call], observed: list[Call], relation: Relation
    ) -> dict[str, Any]:
        taken = set(partners)
        rows: list[Row] = list(enumerate(partners))
        rows += [(None, at) for at in range(len(observed)) if at not in taken]
        return aligned(rows, expected, observed, relation)

    @abstractmethod
    def _score(self, matched: float, expected: int, observed: int) -> float: ...


class TrajectoryPrecision(_Overlap):
    """How many of the observed calls were expected.

    Vertex's trajectory_precision, counting repeated calls. Two empty trajectories score 1.0, one empty one 0.0.

    Args:
        matching: ``any_order`` pairs as many calls as possible, ``in_order`` as many as possible without crossing.
        credit: ``partial`` counts a call by the mean score of its arguments, under the pairing with the highest sum.

    Example:
        >>> TrajectoryPrecision().evaluate(["a", "b"], ["a", "x", "b", "y"]).score
        0.5
    """

    name: ClassVar[str] = "trajectory_precision"

    def _score(self, matched: float, expected: int, observed: int) -> float:
        del expected
        return matched / observed


class TrajectoryRecall(_Overlap):
    """How many of the expected calls were made.

    Vertex's trajectory_recall, counting repeated calls. Two empty trajectories score 1.0, one empty one 0.0.

    Args:
        matching: As for `TrajectoryPrecision`.
        credit: As for `TrajectoryPrecision`.

    Example:
        >>> TrajectoryRecall().evaluate(["a", "a"], ["a", "x"]).score
        0.5
    """

    name: ClassVar[str] = "trajectory_recall"

    def _score(self, matched: float, expected: int, observed: int) -> float:
        del observed
        return matched / expected


class TrajectoryF1(_Overlap):
    """The harmonic mean of precision and recall.

    Args:
        matching: As for `TrajectoryPrecision`.
        credit: As for `TrajectoryPrecision`.

    Example:
        >>> TrajectoryF1(matching="in_order").evaluate(["a", "b"], ["b", "a"]).score
        0.5
    """

    name: ClassVar[str] = "trajectory_f1"

    def _score(self, matched: float, expected: int, observed: int) -> float:
        return 2 * matched / (expected + observed)
