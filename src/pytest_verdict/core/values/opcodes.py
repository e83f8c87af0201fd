"""The edit operations between two sequences."""

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

# The standard library takes cubic time at worst, and rapidfuzz a bit of memory for each pair of items.
_SMALL: Final = 40_000
_LARGEST: Final = 5 * 10**8


class Opcode(NamedTuple):
    """An edit operation, ``equal``, ``replace``, ``delete`` or ``insert``, and its ranges on both sides."""

    tag: str
    left: range
    right: range


def opcodes(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Opcode]:
    """Return the operations that turn one sequence into another."""
    head, tail = common_ends(left, right)
    left_end = len(left) - tail
    right_end = len(right) - tail
    operations: list[Opcode] = []
    row = column = 0
    inner = _matching_blocks(left[head:left_end], right[head:right_end])
    shifted = [(head + at, head + to, size) for at, to, size in inner]
    for at, to, size in [(0, 0, head), *shifted, (left_end, right_end, tail)]:
        if row < at or column < to:
            tag = "replace"
            if row == at:
                tag = "insert"
            elif column == to:
                tag = "delete"
            operations.append(Opcode(tag, range(row, at), range(column, to)))
        row = at + size
        column = to + size
        if size:
            operations.append(Opcode("equal", range(at, row), range(to, column)))
    return operations


def _matching_blocks(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[tuple[int, int, int]]:
    """Yield the positions and the lengths of equal stretches; nothing for two very long sequences."""
    size = len(left) * len(right)
    if size <= _SMALL:
        yield from SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    elif size <= _LARGEST:
        from rapidfuzz.distance import LCSseq

        # rapidfuzz compares hashes, which are not unique.
        numbers: dict[Hashable, int] = {}
        sides = [[numbers.setdefault(item, len(numbers)) for item in side] for side in (left, right)]
        for operation in LCSseq.opcodes(*sides):
            if operation.tag == "equal":
                yield operation.src_start, operation.dest_start, operation.src_end - operation.src_start


def common_ends(left: Sequence[Hashable], right: Sequence[Hashable]) -> tuple[int, int]:
    """Count the equal items at the start of two sequences, and at the end of the rest."""
    shorter = min(len(left), len(right))
    head = 0
    while head < shorter and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < shorter - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return head, tail


def longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence whose second members rise, by patience sorting."""
    ends: list[int] = []
    indices: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(indices[at - 1] if at else -1)
        ends[at : at + 1] = [place]
        indices[at : at + 1] = [index]
    longest = []
    index = indices[-1] if indices else -1
    while index >= 0:
        longest.append(pairs[index])
        index = before[index]
    return longest[::-1]
