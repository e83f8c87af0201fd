"""What came of consecutive rows; what came of more of them is the sum, in whatever order it is taken."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from pytest_verdict.core.merkle import leaves_of, parents_of, root_of
from pytest_verdict.core.record import Counts, merge_counts
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.datasets.scored_rows import SAMPLES

Subtree = tuple[int, int, str]
"""The first leaf of a whole Merkle subtree, how many leaves it has, a power of two, and its root."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What came of rows that have so many records before them; of each file of their records, name and digest."""

    before: int = 0
    rows: int = 0
    counts: Counts = field(default_factory=dict)
    unreadable: int = 0
    samples: tuple[str, ...] = ()
    subtrees: tuple[Subtree, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Fold) -> Fold:
        if self.before + self.rows != other.before:
            raise ValueError(f"rows up to {self.before + self.rows} are followed by those from {other.before + 1}")
        merge_counts(counts := dict(self.counts), other.counts)
        return Fold(
            self.before,
            self.rows + other.rows,
            counts,
            self.unreadable + other.unreadable,
            (*self.samples, *other.samples)[:SAMPLES],
            joined(self.subtrees, other.subtrees),
            (*self.parts, *other.parts),
        )

    def first(self) -> list[ComparisonResult]:
        """Give the first results that did not pass."""
        return [ComparisonResult.from_record(json.loads(sample)) for sample in self.samples]

    def root(self) -> str:
        """Give the Merkle root of all records, where these are the first of a file."""
        return root_of(bytes.fromhex(root) for _, _, root in reversed(self.subtrees))


def subtrees_of(before: int, lines: bytes) -> tuple[Subtree, ...]:
    """Build the largest whole subtrees over records that have so many before them."""
    # Records are ASCII without control characters, so a line ends where it should.
    nodes, size = leaves_of(lines.splitlines()), 1
    left, right = list[Subtree](), list[Subtree]()
    while nodes:
        if before // size % 2:
            left.append((before, size, nodes.pop(0).hex()))
            before += size
        if len(nodes) % 2:
            right.append((before + size * (len(nodes) - 1), size, nodes[-1].hex()))
        nodes, size = parents_of(nodes), size * 2
    return (*left, *reversed(right))


def joined(before: tuple[Subtree, ...], after: tuple[Subtree, ...]) -> tuple[Subtree, ...]:
    """Put the subtrees of consecutive leaves together; two halves of a larger one become that."""
    found = list(before)
    for subtree in after:
        found.append(subtree)
        while len(found) > 1 and found[-2][1] == found[-1][1] and found[-2][0] % (2 * found[-1][1]) == 0:
            (first, size, left), (_, _, right) = found[-2:]
            found[-2:] = [(first, 2 * size, parents_of([*map(bytes.fromhex, (left, right))])[0].hex())]
    return tuple(found)
