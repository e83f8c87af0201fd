"""The Merkle tree of RFC 9162 (section 2.1.1) over the records of a file, with SHA-256."""

from __future__ import annotations

import hashlib
from functools import reduce
from typing import Final

_LEAF: Final = b"\x00"
_NODE: Final = b"\x01"
_sha256: Final = hashlib.sha256


def leaf(line: bytes) -> bytes:
    """Digest a record: its line without the line end."""
    return _sha256(_LEAF + line.removesuffix(b"\n")).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return _sha256(_NODE + left + right).digest()


class MerkleTree:
    """A tree that grows by one leaf at a time and keeps only the roots of its whole subtrees, fewer than 64."""

    __slots__ = ("_roots", "_size")

    def __init__(self) -> None:
        self._roots: list[bytes] = []
        self._size = 0

    def add(self, digest: bytes) -> None:
        """Add a leaf."""
        roots, size = self._roots, self._size
        # Subtrees of the same size become one, as in a binary counter.
        while size & 1:
            digest = _node(roots.pop(), digest)
            size >>= 1
        roots.append(digest)
        self._size += 1

    def root(self) -> str:
        """Give the root in hexadecimal digits; that of an empty tree is the digest of nothing."""
        if not self._roots:
            return _sha256().hexdigest()
        return reduce(lambda right, left: _node(left, right), reversed(self._roots)).hex()
