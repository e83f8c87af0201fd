"""What it costs to turn one JSON document into another: the items of lists are paired so that this costs least.

docs/explanation/json-distance.md has the definition, and the reason why the pairing is the best one.
"""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from pytest_verdict.core.matching import optimal_assignment
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.core.values.opcodes import common_ends, longest_rising
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.json.rules import Policy
from pytest_verdict.operators.json.tree import UNIT, Kind, Node, Pairs, equal_pairs, find_unpaired, precedes
from pytest_verdict.operators.similarity import measure_of

MOST_PAIRS: Final = 1_000_000
"""The number of pairs of nodes that one comparison may visit; each takes one to three microseconds."""

LARGEST_ASSIGNMENT: Final = 200
_MOST_CELLS: Final = 10**8
_MOST_CHARACTER_PAIRS: Final = 10**9
_PAIR: Final = 1
_LEAVE_RIGHT: Final = 2


class TooManyPairsError(Exception):
    """The best pairing would take too long to find."""


class _Place(NamedTuple):
    """Two parts that are partners, or one without a partner, with their paths."""

    first_path: str | None
    second_path: str | None
    first: Node | None
    second: Node | None


class TreeComparison:
    """The comparison of two documents; ``strict`` says that their scalars are either equal or not, without degrees."""

    def __init__(self, expected: Node, observed: Node, *, strict: bool) -> None:
        # The two are compared in an order of their own, so that swapping them cannot change the result.
        self._swapped = precedes(expected, observed) > 0
        self._first, self._second = (observed, expected) if self._swapped else (expected, observed)
        self._strict = strict
        self._visited = 0
        self._cache: dict[tuple[int, int], int] = {}

    def cost(self) -> int:
        """Return the cost of turning one document into the other."""
        return self._cost(self._first, self._second)

    def _cost(self, first: Node, second: Node) -> int:
        if first.identity == second.identity:
            return 0
        if first.kind is not second.kind:
            return first.size + second.size
        self._count(1)
        if not first.is_container:
            return self._scalar_cost(first, second)
        key = first.context, second.context
        total = self._cache.get(key)
        if total is not None:
            return total
        if first.kind is Kind.LIST:
            # Called here, because a document may have many levels, and each stack frame counts.
            indices = self._alignment(first, second)(first.items, second.items)
            pairs = [(first.items[index], second.items[other_index]) for index, other_index in indices]
        else:
            pairs = [(field, second.fields[key]) for key, field in first.fields.items() if key in second.fields]
        total = first.size + second.size - 2 * UNIT
        for part, other in pairs:
            total += self._cost(part, other) - part.size - other.size
        self._cache[key] = total
        return total

    def _count(self, pairs: int) -> None:
        self._visited += pairs
        if self._visited > MOST_PAIRS:
            raise TooManyPairsError

    def _scalar_cost(self, first: Node, second: Node) -> int:
        policy = _policy(first, second)
        if first.kind is Kind.NUMBER and policy.tolerance and _is_within(first.document, second.document, policy):
            return 0
        if first.kind is not Kind.TEXT or policy.string_similarity is None:
            return 2 * UNIT
        texts = sorted((first.document, second.document))
        if len(texts[0]) * len(texts[1]) > _MOST_CHARACTER_PAIRS:
            raise TooManyPairsError
        similarity: float = measure_of(policy.string_similarity).normalized_similarity(*texts)
        # Rounding must not make different texts equal.
        return max(round(2 * UNIT * (1 - similarity)), 1)

    def _alignment(self, first: Node, second: Node) -> Callable[[Sequence[Node], Sequence[Node]], Pairs]:
        return self._pair_ordered if _policy(first, second).list_order == "ordered" else self._pair_unordered

    def _pair_ordered(self, items: Sequence[Node], others: Sequence[Node]) -> Pairs:
        """Pair items without crossing: the edit-distance alignment."""
        # Equal items at both ends are partners in some best pairing, because no cost is below the difference of two sizes.
        identities = [item.identity for item in items]
        other_identities = [other.identity for other in others]
        head, tail = common_ends(identities, other_identities, range(len(items)), range(len(others)))
        last = len(items) - tail
        stop = len(others) - tail
        pairs = _pair_equal_first(items[head:last], others[head:stop])
        # Scalars save all or nothing, so the best pairing of them is a longest common subsequence.
        is_flat = not any(item.is_container for side in (items[head:last], others[head:stop]) for item in side)
        cells = (last - head) * (stop - head)
        if cells > 1 and (cells > _MOST_CELLS or not self._strict or not is_flat):
            slack = self._slack(items[head:last], others[head:stop], pairs)
            pairs = self._best_pairs(items[head:last], others[head:stop], slack)
        ends = [(index, index) for index in range(head)]
        ends += [(last + index, stop + index) for index in range(tail)]
        return ends + [(row + head, column + head) for row, column in pairs]

    def _slack(self, items: Sequence[Node], others: Sequence[Node], pairs: Pairs) -> int:
        """Return how far from the diagonal a pairing can be without costing more than this one."""
        cost = sum([item.size for item in items]) + sum([other.size for other in others])
        for row, column in pairs:
            cost += self._cost(items[row], others[column]) - items[row].size - others[column].size
        least = min([item.size for item in items])
        other_least = min([other.size for other in others])
        surplus = len(items) - len(others)
        cost -= abs(surplus) * (least if surplus > 0 else other_least)
        return max(cost, 0) // (least + other_least)

    def _best_pairs(self, items: Sequence[Node], others: Sequence[Node], slack: int) -> Pairs:
        """Return the pairing that saves most within a distance from the diagonal, compared with leaving all items out."""
        rows = len(items)
        columns = len(others)
        low = max(min(0, columns - rows) - slack, -rows)
        high = min(max(0, columns - rows) + slack, columns)
        self._count(rows * min(high - low, columns))
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
                    gained = saved[place] + item.size + other.size - self._cost(item, other)
                    if gained >= best:
                        best = gained
                        move[place] = _PAIR
                saved[place] = behind = best
            moves.append(move)
        return _trace_pairs(moves, columns, low)

    def _pair_unordered(self, items: Sequence[Node], others: Sequence[Node]) -> Pairs:
        """Pair items in any order: the optimal assignment."""
        # Strict costs obey the triangle inequality, so equal items are partners in some best pairing.
        pairs = equal_pairs(items, others) if self._strict else []
        rows, columns = find_unpaired(items, others, pairs)
        can_save = all(
            any(side[index].is_container for index in rest) for side, rest in ((items, rows), (others, columns))
        )
        if self._strict and not can_save:
            return [*pairs, *zip(rows, columns, strict=False)]
        if rows and columns and max(len(rows), len(columns)) > LARGEST_ASSIGNMENT:
            raise TooManyPairsError
        self._count(len(rows) * len(columns))
        matrix: list[list[int]] = []
        for row in rows:
            item = items[row]
            costs = []
            for column in columns:
                costs.append(self._cost(item, others[column]) - item.size - others[column].size)  # noqa: PERF401
            matrix.append(costs)
        for index, partner in enumerate(optimal_assignment(matrix)):
            if partner is not None:
                pairs.append((rows[index], columns[partner]))
        return pairs

    def differences(self) -> Iterator[Difference]:
        """Yield the places where the cost arises."""
        pending = [_Place("$", "$", self._first, self._second)]
        while pending:
            place = pending.pop()
            first = place.first
            second = place.second
            if first is None or second is None:
                yield self._difference(place)
            elif first.kind is second.kind and first.is_container and first.identity != second.identity:
                pending += reversed([*self._parts(place.first_path or "$", place.second_path or "$", first, second)])
            elif self._cost(first, second):
                yield self._difference(place)

    def _difference(self, place: _Place) -> Difference:
        first_path, second_path, first, second = place
        if self._swapped:
            first_path, second_path, first, second = second_path, first_path, second, first
        expected = ABSENT if first is None else first.document
        observed = ABSENT if second is None else second.document
        return Difference(first_path or second_path or "$", expected, observed, second_path)

    def _parts(self, first_path: str, second_path: str, first: Node, second: Node) -> Iterator[_Place]:
        if first.kind is Kind.OBJECT:
            for key in sorted({*first.fields, *second.fields}):
                paths = step(first_path, key), step(second_path, key)
                yield _Place(*paths, first.fields.get(key), second.fields.get(key))
            return
        indices = self._alignment(first, second)(first.items, second.items)
        alone, others = find_unpaired(first.items, second.items, indices)
        pairs: list[tuple[Node | None, Node | None]] = []
        pairs += [(first.items[index], second.items[other]) for index, other in indices]
        pairs += [(first.items[index], None) for index in alone]
        pairs += [(None, second.items[index]) for index in others]
        # They follow the expected list; unexpected items come last.
        for item, other in sorted(pairs, key=self._position):
            path = None if item is None else step(first_path, item.label)
            other_path = None if other is None else step(second_path, other.label)
            yield _Place(path, other_path, item, other)

    def _position(self, pair: tuple[Node | None, Node | None]) -> list[tuple[bool, Any]]:
        return [(item is None, item and item.label) for item in (pair[::-1] if self._swapped else pair)]


def _policy(first: Node, second: Node) -> Policy:
    return first.policy if first.policy.ranks >= second.policy.ranks else second.policy


def _is_within(first: int | Decimal, second: int | Decimal, policy: Policy) -> bool:
    number = as_decimal(first)
    other = as_decimal(second)
    if number is None or other is None:
        return False
    limit = policy.tolerance
    if policy.mode == "relative":
        limit = EXACT.multiply(limit, max(number.copy_abs(), other.copy_abs()))
    return EXACT.subtract(number, other).copy_abs() <= limit


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
