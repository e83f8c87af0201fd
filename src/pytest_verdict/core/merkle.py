"""The Merkle tree of RFC 9162 (section 2.1.1) over the records of a file, with SHA-256."""

from __future__ import annotations

import hashlib
from functools import reduce
from typing import Final

_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"
# A power of two, so that the leaves of a block are a whole subtree.
_BLOCK: Final = 256
_sha256: Final = hashlib.sha256


def leaf(line: bytes) -> bytes:
    """Digest a record: its line without the line end."""
    return _sha256(_LEAF + line.removesuffix(b"\n")).digest()


def _root_of(digests: list[bytes]) -> bytes:
    """Pair neighbours until one is left; the last of an odd number goes up as it is."""
    while len(digests) > 1:
        pairs = zip(digests[::2], digests[1::2], strict=False)
        rest = digests[-1:] if len(digests) & 1 else []
        digests = [_sha256(_NODE + left + right).digest() for left, right in pairs] + rest
    return digests[0]


class MerkleTree:
    """A tree that grows by one leaf at a time and keeps its last leaves and the roots of its whole subtrees."""

    __slots__ = ("_blocks", "_leaves", "_roots")

    def __init__(self) -> None:
        self._leaves: list[bytes] = []
        self._roots: list[bytes] = []
        self._blocks = 0

    def add(self, digest: bytes) -> None:
        """Add a leaf."""
        leaves = self._leaves
        leaves.append(digest)
        if len(leaves) == _BLOCK:
            self._roots.append(_root_of(leaves))
            self._leaves = []
            # Subtrees of the same size become one, as in a binary counter.
            blocks = self._blocks
            while blocks & 1:
                self._roots[-2:] = [_root_of(self._roots[-2:])]
                blocks >>= 1
            self._blocks += 1

    def root(self) -> str:
        """Give the root in hexadecimal digits; that of an empty tree is the digest of nothing."""
        parts = [*self._roots, _root_of(self._leaves)] if self._leaves else self._roots
        if not parts:
            return _sha256().hexdigest()
        return reduce(lambda right, left: _root_of([left, right]), reversed(parts)).hex()
