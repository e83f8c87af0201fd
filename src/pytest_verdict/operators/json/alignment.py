"""Pairing the items of two lists of JSON so that what is left out or changed costs least.

Everything here counts what a pairing *saves* compared with leaving all items out: two items save the sum of their sizes less
the cost of turning one into the other, an item without a partner saves nothing. docs/explanation/json-distance.md has the
definition, the bounds and the reason why pairing within them is exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Final, NamedTuple

from pytest_verdict.core.matching import optimal_assignment
from pytest_verdict.core.values.opcodes import common_ends, longest_rising
from pytest_verdict.operators.json.tree import UNIT, Node, Pairs, Profile, equal_pairs, precedes, without_equal

LARGEST_ASSIGNMENT: Final = 150
_SMALL: Final = 64
_MOST_SCALAR_CELLS: Final = 10**8
_PAIR: Final = 1
_LEAVE_RIGHT: Final = 2

Cost = Callable[[Node, Node, int], int]


@dataclass(frozen=True, slots=True)
class Alignment:
    cost: int | None
    pairs: Pairs
    budget: int


class _Span(NamedTuple):
    # A part of both lists: items first to last - 1 of one, start to stop - 1 of the other.
    first: int
    last: int
    start: int
    stop: int

    @property
    def rows(self) -> int:
        return self.last - self.first

    @property
    def columns(self) -> int:
        return self.stop - self.start

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def work(self) -> int:
        if self.cells <= _SMALL:
            return self.cells
        return min(self.rows, self.columns)

    @property
    def square(self) -> _Span:
        side = min(self.rows, self.columns)
        return _Span(self.first, self.first + side, self.start, self.start + side)


class Aligner:
    def __init__(self, cost: Cost, *, strict: bool) -> None:
        self._cost = cost
        self._strict = strict
        self.reached_bound = False
        """Whether a bound on the time was reached, so that a cost may be higher than the lowest one."""

    def ordered(self, items: Sequence[Node], others: Sequence[Node], budget: int) -> Alignment:
        """Pair items without crossing: the edit-distance alignment."""
        whole, ends = _unequal_part(items, others)
        if whole.cells <= 1:
            return Alignment(None, ends + _diagonal(whole), budget)
        inner = items[whole.first : whole.last], others[whole.start : whole.stop]
        is_flat = not any(item.is_container for item in itertools.chain(*inner))
        if self._strict and whole.cells <= _MOST_SCALAR_CELLS and is_flat:
            saved, pairs = _common_subsequence(*inner, whole)
            return Alignment(_size(*inner) - saved, ends + pairs, budget)
        weight = _weight(*inner)
        if whole.cells <= _SMALL and whole.cells * weight <= budget:
            share = budget // whole.cells
            saved, pairs = self._fill(items, others, whole, whole.cells, 0, share)
            return Alignment(_size(*inner) - saved, ends + pairs, share)
        anchors, gaps = _find_anchors(*inner, whole)
        if min(whole.rows, whole.columns) * weight > budget:
            self.reached_bound = True
            return Alignment(None, ends + anchors + [pair for gap in gaps for pair in _diagonal(gap)], 0)
        before = self.reached_bound
        share = budget // max(sum(gap.work for gap in gaps), 1)
        saved = sum(2 * items[index].size for index, _ in anchors)
        pairs = anchors
        for gap in gaps:
            span, slack = (gap, gap.cells) if gap.cells <= _SMALL and share >= weight else (gap.square, 0)
            gained, more_pairs = self._fill(items, others, span, slack, 0, share)
            saved += gained
            pairs += more_pairs
        slack = _slack(*inner, saved)
        cells = min(whole.cells, whole.rows * (2 * slack + 1 + abs(whole.rows - whole.columns)))
        if cells * weight <= budget:
            self.reached_bound = before
            best, more_pairs = self._fill(items, others, whole, slack, saved, budget // cells)
            if best >= saved:
                return Alignment(_size(*inner) - best, ends + more_pairs, budget // cells)
        self.reached_bound = True
        return Alignment(_size(*inner) - saved, ends + pairs, share)

    def _fill(
        self, items: Sequence[Node], others: Sequence[Node], span: _Span, slack: int, least: int, share: int
    ) -> tuple[int, Pairs]:
        # Returns the best pairing of a span within slack of the diagonal, and what it saves. Cells that cannot save at least
        # as much as a pairing found before are skipped, and so are pairs that have too little in common.
        first, last, start, stop = span
        rows = last - first
        columns = stop - start
        low = max(min(0, columns - rows) - slack, -rows)
        high = min(max(0, columns - rows) + slack, columns)
        sizes = [item.size for item in others[start:stop]]
        other_size_after = [*itertools.accumulate(reversed(sizes), initial=0)][::-1]
        size_after = sum([item.size for item in items[first:last]])
        profiles = self._profiles(items[first:last])
        other_profiles = self._profiles(others[start:stop])
        # Cells outside the band mean "nothing paired yet", which is a pairing too.
        saved = [0] * (high - low + 2)
        moves: list[bytearray] = []
        for row in range(1, rows + 1):
            item = items[first + row - 1]
            move = bytearray(high - low + 1)
            behind = 0
            size = item.size
            profile = profiles[row - 1]
            for column in range(max(1, row + low), min(columns, row + high) + 1):
                place = column - row - low
                best = saved[place + 1]
                diagonal = saved[place]
                other_size = sizes[column - 1]
                if behind > best:
                    best = behind
                    move[place] = _LEAVE_RIGHT
                hopeful = diagonal + 2 * size >= best and diagonal + 2 * other_size >= best
                reaching = (
                    hopeful
                    and diagonal + 2 * size_after >= least
                    and diagonal + 2 * other_size_after[column - 1] >= least
                )
                if reaching and diagonal + (most := _most_saved(profile, other_profiles[column - 1])) >= best:
                    other = others[start + column - 1]
                    gained = diagonal + (most and size + other_size - self._cost(item, other, share))
                    if gained >= best:
                        best = gained
                        move[place] = _PAIR
                saved[place] = behind = best
            moves.append(move)
            size_after -= size
        return saved[columns - rows - low], _trace_pairs(moves, span, low)

    def _profiles(self, items: Sequence[Node]) -> list[Profile]:
        return [item.profile() if self._strict else Profile(item.size) for item in items]

    def unordered(self, items: Sequence[Node], others: Sequence[Node], budget: int) -> Alignment:
        """Pair items in any order: the optimal assignment."""
        everything = list(range(len(items))), list(range(len(others)))
        # Strict costs obey the triangle inequality, so equal items are partners in some best pairing.
        pairs, rest = without_equal(items, others) if self._strict else ([], everything)
        if not self._strict and not _assignable(items, others, rest, budget):
            pairs, rest = without_equal(items, others)
            self.reached_bound = True
        rows, columns = rest
        if not _assignable(items, others, rest, budget):
            self.reached_bound = True
            rows.sort(key=lambda index: _SORT_KEY(items[index]))
            columns.sort(key=lambda index: _SORT_KEY(others[index]))
            aligned = self.ordered([items[index] for index in rows], [others[index] for index in columns], budget)
            pairs += [(rows[row], columns[column]) for row, column in aligned.pairs]
            return Alignment(aligned.cost, pairs, aligned.budget)

        share = budget // max(len(rows) * len(columns), 1)
        cost = sum([items[row].size for row in rows]) + sum([others[column].size for column in columns])
        matrix: list[list[int]] = []
        for row in rows:
            item = items[row]
            gains = []
            for column in columns:
                other = others[column]
                gains.append(self._cost(item, other, share) - item.size - other.size)
            matrix.append(gains)
        for index, partner in enumerate(optimal_assignment(matrix)):
            if partner is not None:
                cost += matrix[index][partner]
                pairs.append((rows[index], columns[partner]))
        return Alignment(cost, pairs, share)


def _most_saved(profile: Profile, other: Profile) -> int:
    if profile.scalars is None or other.scalars is None:
        return 2 * min(profile.size, other.size)
    common = len(profile.scalars & other.scalars) + min(profile.repeated, other.repeated)
    return 2 * UNIT * (common + min(profile.containers, other.containers))


def _size(items: Sequence[Node], others: Sequence[Node]) -> int:
    return sum([item.size for item in items]) + sum([item.size for item in others])


def _common_subsequence(items: Sequence[Node], others: Sequence[Node], whole: _Span) -> tuple[int, Pairs]:
    # Scalars save all or nothing, so the best pairing of them is a longest common subsequence.
    from rapidfuzz.distance import LCSseq

    identities = [item.identity for item in items]
    other_identities = [item.identity for item in others]
    blocks = LCSseq.opcodes(identities, other_identities)
    pairs: Pairs = []
    saved = 0
    row = 0
    column = 0
    for block in blocks:
        if block.tag == "equal":
            pairs += _diagonal(_shift_span(whole, row, block.src_start, column, block.dest_start))
            pairs += _diagonal(_shift_span(whole, block.src_start, block.src_end, block.dest_start, block.dest_end))
            saved += 2 * UNIT * (block.src_end - block.src_start)
            row = block.src_end
            column = block.dest_end
    return saved, pairs + _diagonal(_shift_span(whole, row, len(items), column, len(others)))


def _shift_span(whole: _Span, first: int, last: int, start: int, stop: int) -> _Span:
    return _Span(whole.first + first, whole.first + last, whole.start + start, whole.start + stop)


def _diagonal(span: _Span) -> Pairs:
    return list(zip(range(span.first, span.last), range(span.start, span.stop), strict=False))


_SORT_KEY: Final = cmp_to_key(precedes)


def _unequal_part(items: Sequence[Node], others: Sequence[Node]) -> tuple[_Span, Pairs]:
    # Equal items at either end are partners in some best pairing: no cost is below the difference of two sizes.
    identities = [item.identity for item in items]
    other_identities = [item.identity for item in others]
    head, tail = common_ends(identities, other_identities)
    last = len(items) - tail
    stop = len(others) - tail
    pairs = [(index, index) for index in range(head)]
    pairs += [(last + index, stop + index) for index in range(tail)]
    return _Span(head, last, head, stop), pairs


def _weight(items: Sequence[Node], others: Sequence[Node]) -> int:
    # About how many nodes one comparison of two items visits.
    if not items or not others:
        return 1
    return 1 + min(sum([item.size for item in side]) // len(side) for side in (items, others)) // UNIT


def _slack(items: Sequence[Node], others: Sequence[Node], saved: int) -> int:
    # A pairing further from the diagonal leaves out too much to be better.
    sizes = [item.size for item in items]
    other_sizes = [item.size for item in others]
    least = min(sizes)
    other_least = min(other_sizes)
    surplus = len(sizes) - len(other_sizes)
    spent = sum(sizes) + sum(other_sizes) - saved - abs(surplus) * (least if surplus > 0 else other_least)
    return max(spent, 0) // (least + other_least)


def _find_anchors(items: Sequence[Node], others: Sequence[Node], whole: _Span) -> tuple[Pairs, list[_Span]]:
    # Returns the longest run of equal items in the same order on both sides, and the spans between them.
    pairs = [(whole.first + row, whole.start + column) for row, column in longest_rising(equal_pairs(items, others))]
    gaps: list[_Span] = []
    first = whole.first
    start = whole.start
    for row, column in [*pairs, (whole.last, whole.stop)]:
        if first < row and start < column:
            gaps.append(_Span(first, row, start, column))
        first = row + 1
        start = column + 1
    return pairs, gaps


def _trace_pairs(moves: Sequence[bytearray], span: _Span, low: int) -> Pairs:
    pairs: Pairs = []
    row = span.rows
    column = span.columns
    while row and column:
        place = column - row - low
        if not 0 <= place < len(moves[0]):
            break
        move = moves[row - 1][place]
        if move == _PAIR:
            pairs.append((span.first + row - 1, span.start + column - 1))
        row = row - (move != _LEAVE_RIGHT)
        column = column - (move in {_PAIR, _LEAVE_RIGHT})
    return pairs[::-1]


def _assignable(items: Sequence[Node], others: Sequence[Node], rest: tuple[list[int], list[int]], budget: int) -> bool:
    rows, columns = rest
    if not rows or not columns:
        return True
    weight = _weight([items[row] for row in rows], [others[column] for column in columns])
    return max(len(rows), len(columns)) <= LARGEST_ASSIGNMENT and len(rows) * len(columns) * weight <= budget
