"""Pairing without order: each expected call with an observed one of its own, as many as possible.

When calls are accepted by equality alone, counting is enough and takes linear time. As soon as a rule is tolerant, one observed
call may serve several expected ones, and taking the first that fits gives wrong verdicts; then the pairing is a maximum matching.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from pytest_verdict.core.matching import maximum_matching, optimal_assignment
from pytest_verdict.trajectories.candidates import by_name, candidates
from pytest_verdict.trajectories.relation import Call, Relation
from pytest_verdict.trajectories.shares import equal_shares

SCALE = 10**9
"""Scores become whole numbers for the assignment, so that rounding cannot decide."""


def pair(expected: Sequence[Call], observed: Sequence[Call], relation: Relation) -> list[int | None]:
    """Pair as many expected calls as possible."""
    partners: list[int | None] = [None] * len(expected)
    offered = by_name(observed)
    for name, lefts in by_name(expected).items():
        rights = offered.get(name)
        if rights:
            found = _pair_tool([expected[at] for at in lefts], [observed[at] for at in rights], relation)
            for left, right in zip(lefts, found, strict=True):
                partners[left] = None if right is None else rights[right]
    return partners


def _pair_tool(expected: list[Call], observed: list[Call], relation: Relation) -> list[int | None]:
    if all(relation.demands_nothing(call) for call in expected):
        return [at if at < len(observed) else None for at in range(len(expected))]
    if relation.is_equality(expected[0].name) and all(call.key is not None for call in (*expected, *observed)):
        return _pair_equal(expected, observed)
    return maximum_matching(candidates(expected, observed, relation), len(observed))


def _pair_equal(expected: list[Call], observed: list[Call]) -> list[int | None]:
    waiting: dict[Hashable, list[int]] = {}
    for at in range(len(observed) - 1, -1, -1):
        waiting.setdefault(observed[at].key, []).append(at)
    return [waiting[call.key].pop() if waiting.get(call.key) else None for call in expected]


def pair_by_score(
    expected: Sequence[Call], observed: Sequence[Call], score: Callable[[Call, Call], float]
) -> list[int | None]:
    """Pair so that the sum of the scores is the highest possible."""
    return _assign(
        expected,
        observed,
        lambda lefts, rights: [[round(score(left, right) * SCALE) for right in rights] for left in lefts],
    )


def pair_by_share(expected: Sequence[Call], observed: Sequence[Call], relation: Relation) -> list[int | None]:
    """Pair so that as much as possible of the arguments is right."""

    def units(lefts: list[Call], rights: list[Call]) -> list[list[int]]:
        found = equal_shares(lefts, rights, SCALE) if relation.is_equality(lefts[0].name) else None
        if found is None:
            found = [[round(relation.score(left, right) * SCALE) for right in rights] for left in lefts]
        return found

    return _assign(expected, observed, units)


def _assign(
    expected: Sequence[Call],
    observed: Sequence[Call],
    units: Callable[[list[Call], list[Call]], list[list[int]]],
) -> list[int | None]:
    partners: list[int | None] = [None] * len(expected)
    offered = by_name(observed)
    for name, lefts in by_name(expected).items():
        rights = offered.get(name, [])
        scores = units([expected[at] for at in lefts], [observed[at] for at in rights])
        cost = [[-score for score in row] for row in scores]
        for row, column in enumerate(optimal_assignment(cost)):
            if column is not None and cost[row][column] < 0:
                partners[lefts[row]] = rights[column]
    return partners


def competing(accepted: Sequence[Sequence[int]], partners: Sequence[int | None]) -> tuple[list[int], list[int]] | None:
    """Find the expected calls that compete for too few observed ones, a witness of Hall's theorem (1935)."""
    owners = {right: left for left, right in enumerate(partners) if right is not None}
    found = []
    for start, partner in enumerate(partners):
        if partner is None and accepted[start]:
            lefts = _reachable(start, accepted, owners)
            found.append((len(lefts), lefts))
    if not found:
        return None
    lefts = _without_bystanders(min(found)[1], accepted)
    return lefts, sorted({right for left in lefts for right in accepted[left]})


def _reachable(start: int, accepted: Sequence[Sequence[int]], owners: dict[int, int]) -> list[int]:
    seen = {start}
    queue = [start]
    for left in queue:
        for right in accepted[left]:
            owner = owners[right]
            if owner not in seen:
                seen.add(owner)
                queue.append(owner)
    return sorted(seen)


def _without_bystanders(lefts: list[int], accepted: Sequence[Sequence[int]]) -> list[int]:
    if len(lefts) > 50:
        return lefts
    for left in list(lefts):
        fewer = [other for other in lefts if other != left]
        if len(fewer) > len({right for other in fewer for right in accepted[other]}) > 0:
            lefts = fewer
    return lefts
