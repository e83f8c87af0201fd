"""JSON documents as trees whose equal parts have one identity."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import IntEnum
from typing import Any, Final

from pytest_verdict.operators.json.rules import NO_MARKS, Marks, Policy

UNIT: Final = 1_000_000
"""The size of one node. Costs are whole numbers of millionths, so that their sums are exact in any order."""


class Kind(IntEnum):
    """The kind of a node; nodes of different kinds are sorted by it."""

    NULL = 0
    BOOLEAN = 1
    NUMBER = 2
    TEXT = 3
    LIST = 4
    OBJECT = 5


_KINDS: Final = {
    type(None): Kind.NULL,
    bool: Kind.BOOLEAN,
    int: Kind.NUMBER,
    Decimal: Kind.NUMBER,
    str: Kind.TEXT,
    list: Kind.LIST,
    dict: Kind.OBJECT,
}


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
        return self.kind >= Kind.LIST


class TreeBuilder:
    def __init__(self, policy: Policy | None = None) -> None:
        self._policy = policy or Policy()
        self._identities: dict[Hashable, int] = {}
        self._marks = NO_MARKS
        self._built = 0

    def build(self, document: Any, marks: Marks = NO_MARKS) -> Node:
        """Build the tree of a document."""
        self._marks = marks
        return self._node(document, "$", marks.policy(self._policy, marks.root))

    def _node(self, document: Any, label: str | int, policy: Policy) -> Node:
        kind = _KINDS[type(document)]
        node = Node(kind, document, label, policy)
        key: Hashable
        if not node.is_container:
            # A bool and a number, which are equal in Python, must not have the same key.
            key = document if kind > Kind.BOOLEAN else (document,)
        elif kind is Kind.LIST:
            node.items = self._parts(node, enumerate(document))
            node.size = sum([item.size for item in node.items], UNIT)
            identities = [item.identity for item in node.items]
            key = ("unordered", *sorted(identities)) if policy.list_order == "unordered" else ("ordered", *identities)
        else:
            fields = self._parts(node, document.items())
            node.fields = {str(field.label): field for field in fields}
            node.size = sum([field.size for field in fields], UNIT)
            key = frozenset([(field.label, field.identity) for field in fields])
        node.identity = node.context = self._identities.setdefault(key, len(self._identities))
        if self._marks.rules:
            self._built += 1
            node.context = self._built
        return node

    def _parts(self, holder: Node, parts: Iterable[tuple[str | int, Any]]) -> list[Node]:
        nodes: list[Node] = []
        for label, part in parts:
            place = id(holder.document), label
            if place not in self._marks.ignored:
                nodes.append(self._node(part, label, self._marks.policy(holder.policy, place)))
        return nodes


Pairs = list[tuple[int, int]]
"""Indices of the partners in two lists."""


def equal_pairs(left: Sequence[Node], right: Sequence[Node]) -> Pairs:
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


def find_unpaired(left: Sequence[Node], right: Sequence[Node], pairs: Pairs) -> tuple[list[int], list[int]]:
    """Return the indices of the items of two lists that have no partner."""
    paired = {row for row, _ in pairs}
    others = {column for _, column in pairs}
    return (
        [row for row in range(len(left)) if row not in paired],
        [column for column in range(len(right)) if column not in others],
    )


def precedes(first: Node, second: Node) -> int:
    """Compare two nodes by kind and content: negative if the first precedes, 0 if they are equal."""
    while first.identity != second.identity:
        if first.kind is not second.kind:
            return first.kind - second.kind
        if first.kind is Kind.OBJECT:
            keys = sorted(first.fields)
            other_keys = sorted(second.fields)
            if keys != other_keys:
                return -1 if keys < other_keys else 1
            key = next(key for key in keys if first.fields[key].identity != second.fields[key].identity)
            first = first.fields[key]
            second = second.fields[key]
        elif first.kind is Kind.LIST:
            pairs = zip(first.items, second.items, strict=False)
            pair = next(((one, other) for one, other in pairs if one.identity != other.identity), None)
            if pair is None or len(first.items) != len(second.items):
                return len(first.items) - len(second.items)
            first, second = pair
        else:
            return -1 if first.document < second.document else 1
    return 0
