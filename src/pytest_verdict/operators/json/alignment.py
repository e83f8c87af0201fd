"""Pairing the items of two lists of JSON so that what is left out or changed costs least.

Everything here counts what a pairing *saves* compared with leaving all items out: two items save the sum of their sizes less
the cost of turning one into the other, an item without a partner saves nothing. docs/explanation/json-distance.md has the
definition, the bounds and the reason why pairing within them is exact.
"""

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Final

from pytest_verdict.core.matching import optimal_assignment
from pytest_verdict.core.values.opcodes import common_ends, longest_rising
from pytest_verdict.operators.json.tree import UNIT, Node, Pairs, equal_pairs, find_unpaired, precedes

LARGEST_ASSIGNMENT: Final = 150
_MOST_CELLS: Final = 10**8
_PAIR: Final = 1
_LEAVE_RIGHT: Final = 2
_SORT_KEY: Final = cmp_to_key(precedes)

Cost = Callable[[Node, Node, int], int]


class Aligner:
    """Pairs the items of lists; each method also returns the budget of one pair."""

    def __init__(self, cost: Cost, *, strict: bool) -> None:
        self._cost = cost
        self._strict = strict
        self.reached_bound = False
        """Whether a bound on the time was reached, so that a cost may be higher than the lowest one."""

    def ordered(self, items: Sequence[Node], others: Sequence[Node], budget: int) -> tuple[Pairs, int]:
        """Pair items without crossing: the edit-distance alignment."""
        head, items, others, pairs = _unequal_part(items, others)
        rows = len(items)
        columns = len(others)
        cells = rows * columns
        first_pairs = _pair_equal_first(items, others)
        # Scalars save all or nothing, so the best pairing of them is a longest common subsequence.
        is_flat = not any(item.is_container for side in (items, others) for item in side)
        if cells <= 1 or (self._strict and is_flat and cells <= _MOST_CELLS):
            return pairs + _shift(first_pairs, head), budget
        weight = _weight(items, others)
        slack = cells
        band = cells
        if cells * weight > budget:
            # The best pairing saves at least as much as the first one, so it cannot be far from the diagonal.
            share = budget // len(first_pairs)
            if len(first_pairs) * weight <= budget:
                slack = self._slack(items, others, first_pairs, share)
                band = min(cells, rows * (2 * slack + 1 + abs(rows - columns)))
            if band * weight > budget:
                self.reached_bound = True
                return pairs + _shift(first_pairs, head), share
        share = budget // band
        return pairs + _shift(self._best_pairs(items, others, slack, share), head), share

    def _slack(self, items: Sequence[Node], others: Sequence[Node], pairs: Pairs, share: int) -> int:
        """Return how far from the diagonal a pairing can be without leaving out more than these pairs."""
        spent = sum([item.size for item in items]) + sum([item.size for item in others])
        for row, column in pairs:
            spent += self._cost(items[row], others[column], share) - items[row].size - others[column].size
        least = min([item.size for item in items])
        other_least = min([item.size for item in others])
        surplus = len(items) - len(others)
        spent -= abs(surplus) * (least if surplus > 0 else other_least)
        return max(spent, 0) // (least + other_least)

    def _best_pairs(self, items: Sequence[Node], others: Sequence[Node], slack: int, share: int) -> Pairs:
        """Return the best pairing within a distance from the diagonal."""
        rows = len(items)
        columns = len(others)
        low = max(min(0, columns - rows) - slack, -rows)
        high = min(max(0, columns - rows) + slack, columns)
        # Cells outside the band mean "nothing paired yet", which is a pairing too.
        saved = [0] * (high - low + 2)
        moves: list[bytearray] = []
        for row, item in enumerate(items, 1):
            move = bytearray(high - low + 1)
            behind = 0
            for column in range(max(1, row + low), min(columns, row + high) + 1):
                other = others[column - 1]
                place = column - row - low
                best = saved[place + 1]
                if behind > best:
                    best = behind
                    move[place] = _LEAVE_RIGHT
                if saved[place] + 2 * min(item.size, other.size) >= best:
                    gained = saved[place] + item.size + other.size - self._cost(item, other, share)
                    if gained >= best:
                        best = gained
                        move[place] = _PAIR
                saved[place] = behind = best
            moves.append(move)
        return _trace_pairs(moves, columns, low)

    def unordered(self, items: Sequence[Node], others: Sequence[Node], budget: int) -> tuple[Pairs, int]:
        """Pair items in any order: the optimal assignment."""
        pairs: Pairs = []
        # Strict costs obey the triangle inequality, so equal items are partners in some best pairing.
        if self._strict or not _is_assignable(items, others, budget):
            pairs = equal_pairs(items, others)
            self.reached_bound |= not self._strict
        rows, columns = find_unpaired(items, others, pairs)
        left = [items[row] for row in rows]
        right = [others[column] for column in columns]
        if not _is_assignable(left, right, budget):
            self.reached_bound = True
            rows.sort(key=lambda index: _SORT_KEY(items[index]))
            columns.sort(key=lambda index: _SORT_KEY(others[index]))
            left = [items[row] for row in rows]
            right = [others[column] for column in columns]
            aligned, share = self.ordered(left, right, budget)
            return pairs + [(rows[row], columns[column]) for row, column in aligned], share

        share = budget // max(len(left) * len(right), 1)
        matrix: list[list[int]] = []
        for item in left:
            costs = []
            for other in right:
                costs.append(self._cost(item, other, share) - item.size - other.size)  # noqa: PERF401 - saves a frame
            matrix.append(costs)
        for row, column in enumerate(optimal_assignment(matrix)):
            if column is not None:
                pairs.append((rows[row], columns[column]))
        return pairs, share


def _unequal_part(items: Sequence[Node], others: Sequence[Node]) -> tuple[int, Sequence[Node], Sequence[Node], Pairs]:
    """Pair the equal items at both ends; return how many start the lists, and the items between."""
    # They are partners in some best pairing, because no cost is below the difference of two sizes.
    identities = [item.identity for item in items]
    other_identities = [item.identity for item in others]
    head, tail = common_ends(identities, other_identities)
    last = len(items) - tail
    stop = len(others) - tail
    pairs = [(index, index) for index in range(head)]
    pairs += [(last + index, stop + index) for index in range(tail)]
    return head, items[head:last], others[head:stop], pairs


def _pair_equal_first(items: Sequence[Node], others: Sequence[Node]) -> Pairs:
    """Pair as many equal items as possible in order, and the items between them by their position."""
    from rapidfuzz.distance import LCSseq

    if len(items) * len(others) > _MOST_CELLS:
        equal = longest_rising(equal_pairs(items, others))
    else:
        equal = []
        for block in LCSseq.opcodes([item.identity for item in items], [other.identity for other in others]):
            if block.tag == "equal":
                equal += zip(
                    range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True
                )
    pairs: Pairs = []
    row = 0
    column = 0
    for next_row, next_column in [*equal, (len(items), len(others))]:
        pairs += zip(range(row, next_row), range(column, next_column), strict=False)
        if next_row < len(items):
            pairs.append((next_row, next_column))
        row = next_row + 1
        column = next_column + 1
    return pairs


def _shift(pairs: Pairs, distance: int) -> Pairs:
    return [(row + distance, column + distance) for row, column in pairs]


def _weight(items: Sequence[Node], others: Sequence[Node]) -> int:
    """Return about how many nodes one comparison of two items visits."""
    if not items or not others:
        return 1
    return 1 + min(sum([item.size for item in side]) // len(side) for side in (items, others)) // UNIT


def _is_assignable(items: Sequence[Node], others: Sequence[Node], budget: int) -> bool:
    if not items or not others:
        return True
    is_short = max(len(items), len(others)) <= LARGEST_ASSIGNMENT
    return is_short and len(items) * len(others) * _weight(items, others) <= budget


def _trace_pairs(moves: Sequence[bytearray], columns: int, low: int) -> Pairs:
    pairs: Pairs = []
    row = len(moves)
    column = columns
    while row and column:
        place = column - row - low
        if not 0 <= place < len(moves[0]):
            break
        move = moves[row - 1][place]
        if move == _PAIR:
            pairs.append((row - 1, column - 1))
        row = row - (move != _LEAVE_RIGHT)
        column = column - (move in {_PAIR, _LEAVE_RIGHT})
    return pairs[::-1]
