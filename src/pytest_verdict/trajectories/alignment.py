"""Pairing in order: the earliest subsequence, the longest common subsequence, and the cheapest alignment."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

SCALE: Final = 10**9
"""The cost of one call that is missing or unexpected; scores become whole numbers, so that rounding cannot decide."""

_DIAGONAL, _UP, _LEFT = 0, 1, 2


def earliest_subsequence(expected: int, observed: int, accepts: Callable[[int, int], bool]) -> list[int]:
    """Pair each expected call with the earliest observed one that is left for it.

    For the question whether all of expected occurs in order this is right for any relation: whatever a later choice
    allows, the earliest choice allows too.
    """
    found: list[int] = []
    for at in range(observed):
        if len(found) == expected:
            break
        if accepts(len(found), at):
            found.append(at)
    return found


def longest_common_subsequence(accepted: Sequence[Sequence[int]], size: int) -> list[int | None]:
    """Pair as many expected calls as possible without crossing.

    The bit-parallel method of Crochemore and others (2001) and Hyyrö (2004): one addition of a long integer per
    expected call. It uses nothing of equality, so it holds for any relation.
    """
    full = (1 << size) - 1
    row = full
    rows = [row]
    masks: dict[int, int] = {}
    for choices in accepted:
        # Equal calls share one list of choices, and so one mask.
        mask = masks.get(id(choices))
        if mask is None:
            mask = masks[id(choices)] = _mask(choices, size)
        gained = row & mask
        row = ((row + gained) | (row - gained)) & full
        rows.append(row)
    return _traced(rows, accepted, size)


def _mask(positions: Sequence[int], size: int) -> int:
    written = bytearray(size // 8 + 1)
    for at in positions:
        written[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(written, "little")


def _traced(rows: list[int], accepted: Sequence[Sequence[int]], size: int) -> list[int | None]:
    # A cleared bit says that the length grows there. Walking back, a call is paired where its row cleared the bit first.
    found: list[int | None] = [None] * len(accepted)
    at = size
    expected = len(accepted)
    while expected and at:
        if rows[expected] >> (at - 1) & 1:
            at -= 1
            continue
        expected -= 1
        if rows[expected] >> (at - 1) & 1:
            found[expected] = at - 1
            at -= 1
    return found


def align(
    near: Sequence[Sequence[int]], observed: int, score: Callable[[int, int], float]
) -> tuple[int, list[tuple[int | None, int | None]]]:
    """Align two sequences at the lowest cost.

    A call that is missing or unexpected costs ``SCALE``, a pair ``SCALE`` times one minus its score: the edit distance
    of Needleman and Wunsch (1970) with substitutions weighted by their score, in the band of Ukkonen (1985).
    """
    expected = len(near)
    head, tail = _equal_ends(expected, observed, score)
    left, right = expected - head - tail, observed - head - tail
    cost, middle = _align_middle(left, right, _Costs(near, score, head, right))
    rows: list[tuple[int | None, int | None]] = [(at, at) for at in range(head)]
    rows += [(None if i is None else head + i, None if j is None else head + j) for i, j in middle]
    rows += [(head + left + at, head + right + at) for at in range(tail)]
    return cost, rows


def _equal_ends(expected: int, observed: int, score: Callable[[int, int], float]) -> tuple[int, int]:
    # Pairing two ends that match fully is never worse than anything else that can be done with them.
    shorter = min(expected, observed)
    head = 0
    while head < shorter and score(head, head) == 1.0:
        head += 1
    tail = 0
    while tail < shorter - head and score(expected - 1 - tail, observed - 1 - tail) == 1.0:
        tail += 1
    return head, tail


class _Costs:
    """The costs of pairs, each asked for once although the band is widened again and again."""

    def __init__(
        self, near: Sequence[Sequence[int]], score: Callable[[int, int], float], head: int, width: int
    ) -> None:
        self._near = near
        self._score = score
        self._head = head
        self._width = width
        self._rows: dict[int, tuple[int, int, list[int]]] = {}

    def row(self, row: int, first: int, last: int) -> list[int]:
        """Give the costs of a row, filled from column ``first`` up to ``last``."""
        start, end, costs = self._rows.get(row, (first, first, []))
        if not costs:
            costs = [SCALE] * self._width
        for low, high in ((first, start), (end, last)):
            for place in self._places(row, low, high):
                costs[place - self._head] = SCALE - round(self._score(self._head + row, place) * SCALE)
        self._rows[row] = min(start, first), max(end, last), costs
        return costs

    def _places(self, row: int, low: int, high: int) -> Sequence[int]:
        near = self._near[self._head + row]
        return near[bisect_left(near, self._head + low) : bisect_left(near, self._head + high)]


def _align_middle(expected: int, observed: int, costs: _Costs) -> tuple[int, list[tuple[int | None, int | None]]]:
    if not expected or not observed:
        rows: list[tuple[int | None, int | None]] = [(at, None) for at in range(expected)]
        return (expected + observed) * SCALE, rows + [(None, at) for at in range(observed)]
    band = max(abs(expected - observed), 16)
    while True:
        cost, steps = _fill(expected, observed, costs, band)
        # Leaving the band takes more than `band` calls without a partner, so a cheaper alignment cannot lie outside.
        if cost <= band * SCALE or band >= max(expected, observed):
            return cost, _walk(expected, observed, steps)
        band *= 4


def _fill(expected: int, observed: int, costs: _Costs, band: int) -> tuple[int, list[bytearray]]:
    far = (expected + observed + 1) * SCALE
    before = [column * SCALE if column <= band else far for column in range(observed + 1)]
    steps = [bytearray([_LEFT]) * (observed + 1)]
    for row in range(1, expected + 1):
        first, last = max(1, row - band), min(observed, row + band)
        current = [far] * (observed + 1)
        current[0] = row * SCALE if row <= band else far
        chosen = bytearray([_UP]) * (observed + 1)
        pairs = costs.row(row - 1, first - 1, last)
        beside, corner = current[first - 1], before[first - 1]
        for column in range(first, last + 1):
            above = before[column]
            best, step = corner + pairs[column - 1], _DIAGONAL
            if above + SCALE < best:
                best, step = above + SCALE, _UP
            if beside + SCALE < best:
                best, step = beside + SCALE, _LEFT
            current[column] = beside = best
            chosen[column] = step
            corner = above
        before = current
        steps.append(chosen)
    return before[observed], steps


def _walk(expected: int, observed: int, steps: list[bytearray]) -> list[tuple[int | None, int | None]]:
    rows: list[tuple[int | None, int | None]] = []
    while expected or observed:
        step = steps[expected][observed] if observed else _UP
        if step == _DIAGONAL:
            expected, observed = expected - 1, observed - 1
            rows.append((expected, observed))
        elif step == _UP:
            expected -= 1
            rows.append((expected, None))
        else:
            observed -= 1
            rows.append((None, observed))
    return rows[::-1]
