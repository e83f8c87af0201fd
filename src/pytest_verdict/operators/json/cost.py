"""What it costs to turn one JSON document into another, and where the cost arises."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.json.alignment import Aligner, Alignment, Bound
from pytest_verdict.operators.json.rules import Policy, StringSimilarity
from pytest_verdict.operators.json.tree import UNIT, Kind, Node, precedes, unpaired
from pytest_verdict.operators.similarity import measure_of

ALIGNMENT_BOUNDED: Final = "alignment_bounded"
SIMILARITY_BOUNDED: Final = "similarity_bounded"
BUDGET: Final = 250_000
"""About how many pairs of nodes one comparison looks at before it settles for a pairing that may not be the best one."""

_MOST_REMEMBERED: Final = 100_000
_MOST_CHARACTER_PAIRS: Final = 10**9

_Place = tuple[str | None, str | None, Node | None, Node | None, int]


class TreeComparison:
    """The comparison of two documents."""

    def __init__(self, expected: Node, observed: Node, *, strict: bool) -> None:
        # Everything below sees the two in an order of their own, so that swapping them cannot change the result.
        self._swapped = precedes(expected, observed) > 0
        self._left, self._right = (observed, expected) if self._swapped else (expected, observed)
        self._bound = Bound()
        self._similarity_bounded = False
        self._aligner = Aligner(self._cost, self._bound, strict=strict)
        self._remembered: dict[tuple[int, int, int], tuple[int, bool]] = {}

    def cost(self) -> int:
        """Compute the cost."""
        return self._cost(self._left, self._right, BUDGET)

    def notes(self) -> list[str]:
        """Say which bounds the cost was computed within."""
        reached = {ALIGNMENT_BOUNDED: self._bound.reached, SIMILARITY_BOUNDED: self._similarity_bounded}
        return [note for note, is_reached in reached.items() if is_reached]

    def _cost(self, left: Node, right: Node, budget: int) -> int:
        if left.identity == right.identity:
            return 0
        if left.kind is not right.kind:
            return left.size + right.size
        if left.kind < Kind.LIST:
            return self._scalar_cost(left, right)
        key = (left.context, right.context, budget)
        known = self._remembered.get(key)
        if known is not None:
            self._bound.reached |= known[1]
            return known[0]
        before, self._bound.reached = self._bound.reached, False
        if left.kind is Kind.LIST:
            total, pairs = _items(left, right, self._aligning(left, right)(left.items, right.items, budget))
        else:
            total, pairs = _fields(left, right, budget)
        for part, other, share in pairs:
            total += self._cost(part, other, share)
        if len(self._remembered) < _MOST_REMEMBERED:
            self._remembered[key] = total, self._bound.reached
        self._bound.reached |= before
        return total

    def _aligning(self, left: Node, right: Node) -> Callable[[Sequence[Node], Sequence[Node], int], Alignment]:
        # Returns the method and not its result, which saves a stack frame on every level of a document.
        if _policy(left, right).list_order == "ordered":
            return self._aligner.ordered
        return self._aligner.unordered

    def _scalar_cost(self, left: Node, right: Node) -> int:
        policy = _policy(left, right)
        if left.kind is Kind.NUMBER and policy.tolerance and _within(left.document, right.document, policy):
            return 0
        if left.kind is Kind.TEXT and policy.string_similarity is not None:
            return self._text_cost(left.document, right.document, policy.string_similarity)
        return 2 * UNIT

    def _text_cost(self, left: str, right: str, similarity: StringSimilarity) -> int:
        if len(left) * len(right) > _MOST_CHARACTER_PAIRS:
            self._similarity_bounded = True
            return 2 * UNIT
        alike: float = measure_of(similarity).normalized_similarity(min(left, right), max(left, right))
        # Rounding must not make different texts equal.
        return max(round(2 * UNIT * (1 - alike)), 1)

    def differences(self) -> Iterator[Difference]:
        """Find where the cost arises."""
        pending: list[_Place] = [("$", "$", self._left, self._right, BUDGET)]
        while pending:
            place = left_path, right_path, left, right, budget = pending.pop()
            if left is None or right is None:
                yield self._difference(place)
            elif left.kind is right.kind and left.is_container:
                if left.identity != right.identity:
                    pending += reversed(self._parts(left_path or "$", right_path or "$", left, right, budget))
            elif self._cost(left, right, budget):
                yield self._difference(place)

    def _difference(self, place: _Place) -> Difference:
        left_path, right_path, left, right, _ = place
        if self._swapped:
            left_path, right_path, left, right = right_path, left_path, right, left
        expected = ABSENT if left is None else left.document
        observed = ABSENT if right is None else right.document
        return Difference(left_path or right_path or "$", expected, observed, right_path)

    def _parts(self, left_path: str, right_path: str, left: Node, right: Node, budget: int) -> list[_Place]:
        if left.kind is Kind.LIST:
            return self._item_parts(left_path, right_path, left, right, budget)
        shares = {field.label: share for field, _, share in _fields(left, right, budget)[1]}
        parts: list[_Place] = []
        for key in sorted({*left.fields, *right.fields}):
            paths = step(left_path, key), step(right_path, key)
            parts.append((*paths, left.fields.get(key), right.fields.get(key), shares.get(key, 0)))
        return parts

    def _item_parts(self, left_path: str, right_path: str, left: Node, right: Node, budget: int) -> list[_Place]:
        alignment = self._aligning(left, right)(left.items, right.items, budget)
        left_items = left.items
        right_items = right.items
        pairs: list[tuple[int | None, int | None]] = [*alignment.pairs]
        pairs += [(index, None) for index in unpaired(left_items, [index for index, _ in alignment.pairs])]
        pairs += [(None, index) for index in unpaired(right_items, [index for _, index in alignment.pairs])]
        # In the order of the expected list, whichever of the two it is; what is unexpected comes last.
        pairs.sort(key=lambda pair: [(index is None, index or 0) for index in (pair[::-1] if self._swapped else pair)])
        parts: list[_Place] = []
        for index, other_index in pairs:
            item = None if index is None else left_items[index]
            if other_index is None:
                other = None
            else:
                other = right_items[other_index]
            path = None if item is None else step(left_path, item.label)
            if other is None:
                other_path = None
            else:
                other_path = step(right_path, other.label)
            parts.append((path, other_path, item, other, alignment.budget))
        return parts


def _fields(left: Node, right: Node, budget: int) -> tuple[int, list[tuple[Node, Node, int]]]:
    # What the fields of one side only cost, and the pairs of different fields with their share of the budget.
    alone = 0
    pairs: list[tuple[Node, Node]] = []
    for key, field in left.fields.items():
        other = right.fields.get(key)
        if other is None:
            alone += field.size
        elif other.identity != field.identity:
            pairs.append((field, other))
    for key, other in right.fields.items():
        if key not in left.fields:
            alone += other.size
    total = sum([field.size + other.size for field, other in pairs])
    return alone, [(field, other, budget * (field.size + other.size) // total) for field, other in pairs]


def _items(left: Node, right: Node, alignment: Alignment) -> tuple[int, list[tuple[Node, Node, int]]]:
    # The same for the items of two lists; nothing is left to compute where the alignment knows its cost.
    if alignment.cost is not None:
        return alignment.cost, []
    pairs = [(left.items[index], right.items[place]) for index, place in alignment.pairs]
    paired = sum([item.size + other.size for item, other in pairs])
    alone = left.size + right.size - 2 * UNIT - paired
    return alone, [(item, other, alignment.budget) for item, other in pairs if item.identity != other.identity]


def _policy(left: Node, right: Node) -> Policy:
    if left.policy is right.policy:
        return left.policy
    if left.policy.ranks >= right.policy.ranks:
        return left.policy
    return right.policy


def _within(left: int | Decimal, right: int | Decimal, policy: Policy) -> bool:
    number = as_decimal(left)
    other = as_decimal(right)
    if number is None or other is None:
        return False
    limit = policy.tolerance
    if policy.mode == "relative":
        limit = EXACT.multiply(limit, max(number.copy_abs(), other.copy_abs()))
    return EXACT.subtract(number, other).copy_abs() <= limit
