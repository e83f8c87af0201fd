"""Pairing in order for partial credit: the pairs without crossing whose scores have the highest sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_verdict.trajectories.alignment import SCALE

_PAIR, _UP, _LEFT = 0, 1, 2
_STEPS: Final = (_PAIR, _UP, _LEFT)


def heaviest_subsequence(expected: int, observed: int, score: Callable[[int, int], float]) -> list[int | None]:
    """Pair without crossing so that the sum of the scores is the highest possible.

    Args:
        expected: How many expected calls there are.
        observed: How many observed calls there are.
        score: From 0.0 to 1.0 for a pair, by positions.

    Returns:
        For each expected call the position of its observed call, or None; no pair scores 0.0.
    """
    steps: list[bytearray] = []
    before = [0] * (observed + 1)
    for left in range(expected):
        current = [0] * (observed + 1)
        chosen = bytearray(observed + 1)
        for right in range(observed):
            weight = round(score(left, right) * SCALE)
            sums = (before[right] + weight if weight else -1, before[right + 1], current[right])
            best = max(_STEPS, key=sums.__getitem__)
            current[right + 1] = sums[best]
            chosen[right + 1] = best
        steps.append(chosen)
        before = current
    return _traced(steps, expected, observed)


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
