"""Pairing in order for partial credit: the pairs without crossing whose scores have the highest sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_verdict.trajectories.alignment import SCALE

_PAIR, _UP, _LEFT = 0, 1, 2


def heaviest_subsequence(
    near: Sequence[Sequence[int]], observed: int, score: Callable[[int, int], float]
) -> list[int | None]:
    """Pair without crossing so that the sum of the scores is the highest possible."""
    steps: list[bytearray] = []
    before = [0] * (observed + 1)
    for left, places in enumerate(near):
        weights = [0] * observed
        for right in places:
            weights[right] = round(score(left, right) * SCALE)
        before, chosen = _next_row(before, weights)
        steps.append(chosen)
    return _traced(steps, len(near), observed)


def _next_row(before: list[int], weights: list[int]) -> tuple[list[int], bytearray]:
    current = [0]
    chosen = bytearray([_UP]) * (len(weights) + 1)
    best = 0
    for right, weight in enumerate(weights):
        beside, best = best, before[right + 1]
        if weight and before[right] + weight >= best:
            best = before[right] + weight
            chosen[right + 1] = _PAIR
        if beside > best:
            best = beside
            chosen[right + 1] = _LEFT
        current.append(best)
    return current, chosen


def _traced(steps: list[bytearray], expected: int, observed: int) -> list[int | None]:
    found: list[int | None] = [None] * expected
    while expected and observed:
        step = steps[expected - 1][observed]
        if step == _PAIR:
            expected, observed = expected - 1, observed - 1
            found[expected] = observed
        elif step == _UP:
            expected -= 1
        else:
            observed -= 1
    return found
