"""JSON documents as trees in which equal parts are known to be equal without looking into them."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import Any, Final

from pytest_verdict.operators.json.rules import NO_MARKS, Marks, Policy

UNIT: Final = 1_000_000
"""The size of one node. Costs are whole numbers of millionths, so that their sums are exact in any order."""

_LARGEST_PROFILE: Final = 1_000 * UNIT


class Kind(IntEnum):
    """What a node is, in the order in which nodes of different kinds are sorted."""

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

_BOOLEAN: Final = Kind.BOOLEAN
_LIST: Final = Kind.LIST


@dataclass(slots=True)
class Profile:
    """What a part consists of, whatever its shape: two strict parts save at most what their profiles have in common."""

    size: int
    scalars: frozenset[int] | None = None
    repeated: int = 0
    containers: int = 0


class Node:
    """A part of a document."""

    __slots__ = ("_profile", "context", "document", "fields", "identity", "items", "kind", "label", "policy", "size")

    def __init__(self, kind: Kind, document: Any, label: str | int, policy: Policy) -> None:
        self.kind = kind
        self.document = document
        self.label = label
        self.policy = policy
        self.identity = self.context = 0
        self.size = UNIT
        self.items: list[Node] = _NO_ITEMS
        self.fields: dict[str, Node] = _NO_FIELDS
        self._profile: Profile | None = None

    @property
    def is_container(self) -> bool:
        """Whether it is a list or an object."""
        return self.kind >= _LIST

    def profile(self) -> Profile:
        """Say what it consists of."""
        if self._profile is None:
            self._profile = _profile(self) if self.size <= _LARGEST_PROFILE else Profile(self.size)
        return self._profile


def _profile(node: Node) -> Profile:
    identities: list[int] = []
    containers = 0
    pending = [node]
    while pending:
        part = pending.pop()
        if part.is_container:
            containers += 1
            pending += part.items
            pending += part.fields.values()
        else:
            identities.append(part.identity)
    scalars = frozenset(identities)
    return Profile(node.size, scalars, len(identities) - len(scalars), containers)


_NO_ITEMS: Final[list[Node]] = []
_NO_FIELDS: Final[dict[str, Node]] = {}


class TreeBuilder:
    """Builds trees that can be compared with one another."""

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
        if kind < _LIST:
            # A bool and a number, which Python takes for equal, must not get the same key.
            key = document if kind > _BOOLEAN else (document,)
        elif kind is _LIST:
            key = self._fill_list(node, document)
        else:
            key = self._fill_object(node, document)
        node.identity = node.context = self._identities.setdefault(key, len(self._identities))
        if self._marks.rules:
            self._built += 1
            node.context = self._built
        return node

    def _fill_object(self, node: Node, document: dict[str, Any]) -> Hashable:
        fields: dict[str, Node] = {}
        key: list[tuple[str, int]] = []
        size = UNIT
        policy = node.policy
        plain = self._marks is NO_MARKS
        for label, item in document.items():
            if plain:
                field: Node | None = self._node(item, label, policy)
            else:
                field = self._marked(item, label, node)
            if field is not None:
                fields[label] = field
                key.append((label, field.identity))
                size += field.size
        node.fields = fields
        node.size = size
        return frozenset(key)

    def _fill_list(self, node: Node, document: list[Any]) -> Hashable:
        items: list[Node] = []
        policy = node.policy
        plain = self._marks is NO_MARKS
        for label, document_item in enumerate(document):
            if plain:
                item: Node | None = self._node(document_item, label, policy)
            else:
                item = self._marked(document_item, label, node)
            if item is not None:
                items.append(item)
        node.items = items
        node.size = sum([item.size for item in items], UNIT)
        identities = [item.identity for item in items]
        if policy.list_order == "unordered":
            return "unordered", *sorted(identities)
        return "ordered", *identities

    def _marked(self, document: Any, label: str | int, holder: Node) -> Node | None:
        place = id(holder.document), label
        if place in self._marks.ignored:
            return None
        return self._node(document, label, self._marks.policy(holder.policy, place))


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


def without_equal(left: Sequence[Node], right: Sequence[Node]) -> tuple[Pairs, tuple[list[int], list[int]]]:
    """Pair the equal items of two lists, and give the indices of the others in either."""
    pairs = equal_pairs(left, right)
    return pairs, (unpaired(left, [index for index, _ in pairs]), unpaired(right, [index for _, index in pairs]))


def unpaired(items: Sequence[Node], paired: Iterable[int]) -> list[int]:
    """Give the indices of the items that are not among the paired ones."""
    taken = {*paired}
    return [index for index in range(len(items)) if index not in taken]


def precedes(left: Node, right: Node) -> int:
    """Order two nodes by what they are and hold, so that a computation does not depend on which one came first."""
    while left.identity != right.identity:
        if left.kind is not right.kind:
            return left.kind - right.kind
        if left.kind is Kind.OBJECT:
            keys = sorted(left.fields)
            other_keys = sorted(right.fields)
            if keys != other_keys:
                return -1 if keys < other_keys else 1
            key = next(key for key in keys if left.fields[key].identity != right.fields[key].identity)
            left = left.fields[key]
            right = right.fields[key]
        elif left.kind is Kind.LIST:
            pairs = zip(left.items, right.items, strict=False)
            pair = next(((one, other) for one, other in pairs if one.identity != other.identity), None)
            if pair is None or len(left.items) != len(right.items):
                return len(left.items) - len(right.items)
            left, right = pair
        else:
            return -1 if left.document < right.document else 1
    return 0
