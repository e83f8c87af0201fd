"""What it costs to turn one JSON document into another: the items of lists are paired so that this costs least.

docs/explanation/json-distance.md has the definition, and the reason why the pairing is the best one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, Literal

from pytest_verdict.core.matching import optimal_assignment
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.core.values.opcodes import common_ends, longest_rising
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.json.rules import NO_MARKS, JsonRule, Marks, Policy
from pytest_verdict.operators.similarity import measure_of

UNIT: Final = 1_000_000
"""The size of one node. Costs are whole numbers of millionths, so that their sums are exact in any order."""

MOST_PAIRS: Final = 1_000_000
"""The number of pairs of nodes that one comparison may visit; each takes one to three microseconds."""

LARGEST_ASSIGNMENT: Final = 200
_MOST_CELLS: Final = 10**8
_MOST_CHARACTER_PAIRS: Final = 10**9
_PAIR: Final = 1
_LEAVE_RIGHT: Final = 2

Kind = Literal["null", "boolean", "number", "text", "list", "object"]

_KINDS: Final[dict[type, Kind]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    Decimal: "number",
    str: "text",
    list: "list",
    dict: "object",
}
Pairs = list[tuple[int, int]]
"""Indices of the partners in two lists."""


class TooManyPairsError(Exception):
    """The best pairing would take too long to find."""


@dataclass(slots=True, eq=False)
class Node:
    kind: Kind
    document: Any
    label: str | int
    policy: Policy
    size: int = UNIT
    identity: int = 0
    """The same for equal parts of both documents."""
    context: int = 0
    """The same for equal parts to which the same rules apply."""
    items: list["Node"] = field(default_factory=list)
    fields: dict[str, "Node"] = field(default_factory=dict)

    @property
    def is_container(self) -> bool:
        return self.kind in {"list", "object"}


_Place = tuple[str | None, str | None, Node | None, Node | None]
"""Two parts that are partners, or one without a partner, with their paths."""


class TreeBuilder:
    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._identities: dict[Hashable, int] = {}
        self._marks = NO_MARKS
        self._built = 0

    def build(self, document: Any, marks: Marks = NO_MARKS) -> Node:
        """Build the tree of a document."""
        self._marks = marks
        return self._node(document, "$", "$", marks.policy(self._policy, "$"))

    def _node(self, document: Any, path: str, label: str | int, policy: Policy) -> Node:
        kind = _KINDS[type(document)]
        node = Node(kind, document, label, policy)
        key: Hashable
        if not node.is_container:
            # A bool and a number, which are equal in Python, must not have the same key.
            key = (document,) if kind == "boolean" else document
        elif kind == "list":
            node.items = self._parts(node, path, enumerate(document))
            node.size = sum([item.size for item in node.items], UNIT)
            identities = [item.identity for item in node.items]
            order = policy.rule.list_order
            key = (order, *(sorted(identities) if order == "unordered" else identities))
        else:
            fields = self._parts(node, path, document.items())
            node.fields = {str(field.label): field for field in fields}
            node.size = sum([field.size for field in fields], UNIT)
            key = frozenset([(field.label, field.identity) for field in fields])
        node.identity = node.context = self._identities.setdefault(key, len(self._identities))
        if self._marks.rules:
            self._built += 1
            node.context = self._built
        return node

    def _parts(self, holder: Node, path: str, parts: Iterable[tuple[str | int, Any]]) -> list[Node]:
        nodes: list[Node] = []
        for label, part in parts:
            place = path if self._marks is NO_MARKS else step(path, label)
            if place not in self._marks.ignored:
                nodes.append(self._node(part, place, label, self._marks.policy(holder.policy, place)))
        return nodes


class TreeComparison:
    """The comparison of two documents; ``strict`` says that their scalars are either equal or not, without degrees."""

    def __init__(self, expected: Node, observed: Node, *, strict: bool) -> None:
        self._expected = expected
        self._observed = observed
        self._strict = strict
        self._visited = 0
        self._cache: dict[tuple[int, int], int] = {}

    def cost(self) -> int:
        """Return the cost of turning one document into the other."""
        return self._cost(self._expected, self._observed)

    def _cost(self, first: Node, second: Node) -> int:
        if first.identity == second.identity:
            return 0
        if first.kind != second.kind:
            return first.size + second.size
        self._count(1)
        if not first.is_container:
            return self._scalar_cost(first, second)
        key = first.context, second.context
        total = self._cache.get(key)
        if total is not None:
            return total
        if first.kind == "list":
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
        rule = _rule(first, second)
        if first.kind == "number" and rule.tolerance and _is_within(first.document, second.document, rule):
            return 0
        if first.kind != "text" or rule.string_similarity is None:
            return 2 * UNIT
        texts = sorted((first.document, second.document))
        if len(texts[0]) * len(texts[1]) > _MOST_CHARACTER_PAIRS:
            raise TooManyPairsError
        similarity: float = measure_of(rule.string_similarity).normalized_similarity(*texts)
        # Rounding must not make different texts equal.
        return max(round(2 * UNIT * (1 - similarity)), 1)

    def _alignment(self, first: Node, second: Node) -> Callable[[Sequence[Node], Sequence[Node]], Pairs]:
        return self._pair_ordered if _rule(first, second).list_order == "ordered" else self._pair_unordered

    def _pair_ordered(self, items: Sequence[Node], others: Sequence[Node]) -> Pairs:
        """Pair items without crossing: the edit-distance alignment."""
        # Equal items at both ends are partners in some best pairing, because no cost is below the difference of two sizes.
        identities = [item.identity for item in items]
        other_identities = [other.identity for other in others]
        head, tail = common_ends(identities, other_identities)
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
        pairs = _equal_pairs(items, others) if self._strict else []
        rows = sorted({*range(len(items))} - {row for row, _ in pairs})
        columns = sorted({*range(len(others))} - {column for _, column in pairs})
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
        pending: list[_Place] = [("$", "$", self._expected, self._observed)]
        while pending:
            path, observed_path, first, second = pending.pop()
            if first is None:
                yield Difference(
                    path or observed_path or "$", ABSENT, second.document if second else ABSENT, observed_path
                )
            elif second is None:
                yield Difference(path or "$", first.document, ABSENT, observed_path)
            elif first.kind == second.kind and first.is_container and first.identity != second.identity:
                pending += reversed([*self._parts(path or "$", observed_path or "$", first, second)])
            elif self._cost(first, second):
                yield Difference(path or "$", first.document, second.document, observed_path)

    def _parts(self, path: str, observed_path: str, first: Node, second: Node) -> Iterator[_Place]:
        if first.kind == "object":
            for key in sorted({*first.fields, *second.fields}):
                yield step(path, key), step(observed_path, key), first.fields.get(key), second.fields.get(key)
            return
        partners = dict(self._alignment(first, second)(first.items, second.items))
        for index, item in enumerate(first.items):
            other = second.items[partners[index]] if index in partners else None
            yield step(path, item.label), None if other is None else step(observed_path, other.label), item, other
        # Unexpected items come last.
        unexpected = {*range(len(second.items))} - {*partners.values()}
        for index in sorted(unexpected):
            yield None, step(observed_path, second.items[index].label), None, second.items[index]


def _rule(first: Node, second: Node) -> JsonRule:
    return first.policy.rule if first.policy.ranks >= second.policy.ranks else second.policy.rule


def _is_within(first: int | Decimal, second: int | Decimal, rule: JsonRule) -> bool:
    number = as_decimal(first)
    other = as_decimal(second)
    if number is None or other is None:
        return False
    limit = as_exact(rule.tolerance)
    if rule.mode == "relative":
        limit = EXACT.multiply(limit, max(number.copy_abs(), other.copy_abs()))
    return EXACT.subtract(number, other).copy_abs() <= limit


def _pair_equal_first(items: Sequence[Node], others: Sequence[Node]) -> Pairs:
    """Pair as many equal items as possible in order, and the items between them by their position."""
    from rapidfuzz.distance import LCSseq

    if len(items) * len(others) > _MOST_CELLS:
        equal = longest_rising(_equal_pairs(items, others))
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


def _equal_pairs(left: Sequence[Node], right: Sequence[Node]) -> Pairs:
    """Pair the equal items of two lists: the first of several equal ones with the first, the second with the second."""
    places: dict[int, list[int]] = {}
    for index in range(len(right) - 1, -1, -1):
        places.setdefault(right[index].identity, []).append(index)
    pairs: Pairs = []
    for index, item in enumerate(left):
        equal = places.get(item.identity)
        if equal:
            pairs.append((index, equal.pop()))
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
