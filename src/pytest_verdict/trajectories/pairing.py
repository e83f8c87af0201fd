"""Pairing: which expected call belongs to which observed one.

As many pairs as possible where a call is accepted or not, the highest sum of scores where it counts in part; with order and
without. Without order, calls that are accepted by equality alone are counted, which takes linear time. As soon as a rule is
tolerant, one observed call may serve several expected ones, and taking the first that fits gives wrong verdicts; then the pairing
is a maximum matching.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from pytest_verdict.core.matching import maximum_matching, optimal_assignment
from pytest_verdict.trajectories.alignment import best_in_order, longest_common_subsequence
from pytest_verdict.trajectories.call_index import CallScores, accepted_calls
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, calls_of_each_tool, calls_of_same_tool

Partners = list[int | None]
"""For each expected call the position of its observed one."""

Worth = Callable[[float], float]
"""What a score counts."""


def pair_most(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible."""
    partners: Partners = [None] * len(expected)
    for lefts, rights in calls_of_each_tool(expected, observed):
        found = _pair_tool([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        for left, right in zip(lefts, found, strict=True):
            partners[left] = None if right is None else rights[right]
    return partners


def _pair_tool(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> Partners:
    if all(matcher.demands_nothing(call) for call in expected):
        return [at if at < len(observed) else None for at in range(len(expected))]
    if matcher.is_equality(expected[0].name) and all(call.key is not None for call in (*expected, *observed)):
        waiting: dict[Hashable, list[int]] = {}
        for at in range(len(observed) - 1, -1, -1):
            waiting.setdefault(observed[at].key, []).append(at)
        return [waiting[call.key].pop() if waiting.get(call.key) else None for call in expected]
    return maximum_matching(accepted_calls(expected, observed, matcher), len(observed))


def pair_most_in_order(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible without crossing."""
    return longest_common_subsequence(accepted_calls(expected, observed, matcher), len(observed))


def pair_best(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, worth: Worth = float
) -> Partners:
    """Pair so that the sum of the scores is the highest possible."""
    partners: Partners = [None] * len(expected)
    for lefts, rights in calls_of_each_tool(expected, observed):
        chosen = CallScores([expected[at] for at in lefts], [observed[at] for at in rights], matcher, worth)
        costs = [[-one for one in chosen(row, range(len(rights)))] for row in range(len(lefts))]
        for row, column in enumerate(optimal_assignment(costs)):
            if column is not None and costs[row][column] < 0:
                partners[lefts[row]] = rights[column]
    return partners


def pair_best_in_order(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, worth: Worth = float
) -> Partners:
    """Pair without crossing so that the sum of the scores is the highest possible."""
    near = calls_of_same_tool(expected, observed)
    return best_in_order(near, len(observed), CallScores(expected, observed, matcher, worth))


def competing_calls(accepted: Sequence[Sequence[int]], partners: Partners) -> tuple[list[int], list[int]] | None:
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
