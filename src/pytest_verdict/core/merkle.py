"""The Merkle tree of RFC 9162 (section 2.1.1) over the records of a file, with SHA-256."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, Final

# Copied, because creating a hash takes longer than hashing two nodes.
_LEAF: Final = hashlib.sha256(b"\x00")
_NODE: Final = hashlib.sha256(b"\x01")
_OF_NOTHING: Final = hashlib.sha256().hexdigest()


def leaves_of(lines: Iterable[bytes]) -> list[bytes]:
    """Return the digests of records, without their line ends."""
    return _digests(_LEAF, [line.removesuffix(b"\n") for line in lines])


def parents_of(nodes: list[bytes]) -> list[bytes]:
    """Return the digests of pairs of neighbours, without the last of an odd number."""
    return _digests(_NODE, map(bytes.__add__, nodes[::2], nodes[1::2]))


def root_of(subtrees: Iterable[bytes]) -> str:
    """Return the root over whole subtrees, from the last to the first."""
    nodes = [*subtrees]
    if nodes:
        return reduce(lambda right, left: parents_of([left, right])[0], nodes).hex()
    return _OF_NOTHING


def subtree_sizes(before: int, count: int) -> Iterator[int]:
    """Yield the sizes of the largest complete subtrees over some leaves that follow ``before`` others, in their order."""
    while count:
        size = 1 << count.bit_length() - 1
        if before:
            # A subtree of this size begins at a multiple of it.
            size = min(size, before & -before)
        yield size
        before += size
        count -= size


def build_subtrees(before: int, leaves: list[bytes]) -> list[bytes]:
    """Return the roots of the largest complete subtrees over leaves that follow ``before`` others."""
    roots = []
    start = 0
    for size in subtree_sizes(before, len(leaves)):
        nodes = leaves[start : start + size]
        start += size
        while len(nodes) > 1:
            nodes = parents_of(nodes)
        roots += nodes
    return roots


def _digests(kind: Any, contents: Iterable[bytes]) -> list[bytes]:
    digests = []
    for content in contents:
        digest = kind.copy()
        digest.update(content)
        digests.append(digest.digest())
    return digests


class MerkleTree:
    """A tree that grows; it stores the last node of each level that has no right neighbour yet."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[bytes | None] = []

    def add_subtree(self, size: int, root: bytes) -> None:
        """Add a complete subtree, which begins at a multiple of its size."""
        self.add([root], level=size.bit_length() - 1)

    def add(self, nodes: list[bytes], level: int = 0) -> None:
        """Add leaves, or nodes of a higher level."""
        while nodes:
            self._waiting += [None] * (level + 1 - len(self._waiting))
            left = self._waiting[level]
            if left is not None:
                nodes = [left, *nodes]
            self._waiting[level] = nodes[-1] if len(nodes) & 1 else None
            nodes = parents_of(nodes)
            level += 1

    def root(self) -> str:
        """Return the root in hexadecimal digits."""
        # Nodes of higher levels are further to the left.
        return root_of(node for node in self._waiting if node is not None)
