"""What came of consecutive rows; what came of more of them is the sum, in whatever order it is taken."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from pytest_verdict.core.merkle import leaf
from pytest_verdict.core.record import Counts, merge_counts

SAMPLES: Final = 5
"""How many comparisons that did not pass are kept as they are."""
_NODE: Final = b"\x01"

Subtree = tuple[int, int, str]
"""The first leaf of a whole subtree, how many it has, a power of two, and its root."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file of records."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Fold:
    """What came of rows that follow one another, the first of which has the number ``before`` + 1.

    Args:
        before: How many records come before them.
        rows: How many they are.
        counts: Their verdicts by operator.
        unreadable: How many could not be read.
        samples: The records of the first that did not pass, at most five.
        subtrees: Their Merkle subtrees, as large as they can be.
        parts: The files of their records.

    Example:
        >>> (Fold.nothing() + Fold.nothing()).rows
        0
    """

    before: int
    rows: int
    counts: Counts
    unreadable: int
    samples: tuple[str, ...]
    subtrees: tuple[Subtree, ...]
    parts: tuple[Part, ...]

    @classmethod
    def nothing(cls, before: int = 0) -> Fold:
        """Give what came of no rows."""
        return cls(before, 0, {}, 0, (), (), ())

    def __add__(self, other: Fold) -> Fold:
        if self.before + self.rows != other.before:
            raise ValueError(f"rows up to {self.before + self.rows} are followed by those from {other.before + 1}")
        counts = dict(self.counts)
        merge_counts(counts, other.counts)
        return Fold(
            before=self.before,
            rows=self.rows + other.rows,
            counts=counts,
            unreadable=self.unreadable + other.unreadable,
            samples=(*self.samples, *other.samples)[:SAMPLES],
            subtrees=joined(self.subtrees, other.subtrees),
            parts=(*self.parts, *other.parts),
        )

    def followed_by(self, line: bytes) -> Fold:
        """Add the record of a comparison that is none of a row."""
        after = subtrees_of(self.before + self.rows, [leaf(line)])
        return replace(self, rows=self.rows + 1, subtrees=joined(self.subtrees, after))

    def root(self) -> str:
        """Give the Merkle root of all records, the first of which is the first of a file."""
        if not self.subtrees:
            return hashlib.sha256().hexdigest()
        return reduce(lambda right, left: _node(left, right), (found for *_, found in reversed(self.subtrees)))


def subtrees_of(first: int, leaves: list[bytes]) -> tuple[Subtree, ...]:
    """Build the largest whole subtrees over leaves, the first of which has this position."""
    left: list[Subtree] = []
    right: list[Subtree] = []
    size = 1
    while leaves:
        if first // size % 2:
            left.append((first, size, leaves[0].hex()))
            first, leaves = first + size, leaves[1:]
        if len(leaves) % 2:
            right.append((first + size * (len(leaves) - 1), size, leaves[-1].hex()))
        pairs = zip(leaves[::2], leaves[1::2], strict=False)
        leaves, size = [hashlib.sha256(_NODE + one + other).digest() for one, other in pairs], size * 2
    return (*left, *reversed(right))


def joined(before: tuple[Subtree, ...], after: tuple[Subtree, ...]) -> tuple[Subtree, ...]:
    """Put the subtrees of consecutive leaves together; two halves of a larger one become that."""
    found = list(before)
    for subtree in after:
        found.append(subtree)
        while len(found) > 1 and found[-2][1] == found[-1][1] and found[-2][0] % (2 * found[-1][1]) == 0:
            (first, size, left), (_, _, right) = found[-2:]
            found[-2:] = [(first, 2 * size, _node(left, right))]
    return tuple(found)


def _node(left: str, right: str) -> str:
    return hashlib.sha256(_NODE + bytes.fromhex(left) + bytes.fromhex(right)).hexdigest()
