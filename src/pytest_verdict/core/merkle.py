"""The Merkle tree of RFC 9162 (section 2.1.1) over the records of a file, with SHA-256."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Final

# Copied, because creating a hash takes longer than hashing two nodes.
_LEAF: Final = hashlib.sha256(b"\x00")
_NODE: Final = hashlib.sha256(b"\x01")
_OF_NOTHING: Final = hashlib.sha256().hexdigest()


def leaves_of(lines: Iterable[bytes]) -> list[bytes]:
    """Return the digests of records, without their line ends."""
    leaves = []
    for line in lines:
        digest = _LEAF.copy()
        digest.update(line.removesuffix(b"\n"))
        leaves.append(digest.digest())
    return leaves


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
    tree = MerkleTree(before)
    tree.add(leaves)
    return tree.subtrees()


def _parent(left: bytes, right: bytes) -> bytes:
    digest = _NODE.copy()
    digest.update(left + right)
    return digest.digest()


class MerkleTree:
    """A tree over leaves that follow ``before`` others; it stores only the roots of its largest complete subtrees."""

    __slots__ = ("_end", "_subtrees")

    def __init__(self, before: int = 0) -> None:
        self._end = before
        self._subtrees: list[tuple[int, bytes]] = []

    def add(self, leaves: Iterable[bytes]) -> None:
        """Add leaves."""
        for leaf in leaves:
            self.add_subtree(1, leaf)

    def add_subtree(self, size: int, root: bytes) -> None:
        """Add a complete subtree, which begins at a multiple of its size."""
        self._end += size
        while self._subtrees and self._subtrees[-1][0] == size and self._end % (2 * size) == 0:
            root = _parent(self._subtrees.pop()[1], root)
            size *= 2
        self._subtrees.append((size, root))

    def subtrees(self) -> list[bytes]:
        """Return the roots of the largest complete subtrees, in their order."""
        return [root for _, root in self._subtrees]

    def root(self) -> str:
        """Return the root in hexadecimal digits."""
        if not self._subtrees:
            return _OF_NOTHING
        return reduce(lambda right, left: _parent(left, right), reversed(self.subtrees())).hex()
