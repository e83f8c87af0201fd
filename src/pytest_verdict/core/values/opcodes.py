"""The edit operations between two sequences.

The standard library finds them in cubic time at worst. Here long sequences are split at items that both have exactly once,
as in patience diff, and the standard library compares the parts.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

_SMALL: Final = 40_000


class Opcode(NamedTuple):
    """An edit operation, ``equal``, ``replace``, ``delete`` or ``insert``, and its ranges on both sides."""

    tag: str
    left: range
    right: range


def opcodes(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[Opcode]:
    """Return the operations that turn one sequence into another, in nearly linear time."""
    operations: list[Opcode] = []
    for tag, lefts, rights in _stretches(left, right, range(len(left)), range(len(right))):
        if not lefts and not rights:
            continue
        last = operations[-1] if operations else None
        if last is not None and tag == last.tag == "equal":
            operations[-1] = Opcode(tag, range(last.left.start, lefts.stop), range(last.right.start, rights.stop))
        else:
            operations.append(Opcode(tag, lefts, rights))
    return operations


def _stretches(left: Sequence[Hashable], right: Sequence[Hashable], lefts: range, rights: range) -> Iterator[Opcode]:
    head, tail = common_ends(left, right, lefts, rights)
    yield Opcode("equal", lefts[:head], rights[:head])
    inner = lefts[head : len(lefts) - tail], rights[head : len(rights) - tail]
    yield from _between(left, right, *inner)
    yield Opcode("equal", lefts[len(lefts) - tail :], rights[len(rights) - tail :])


def common_ends(left: Sequence[Hashable], right: Sequence[Hashable], lefts: range, rights: range) -> tuple[int, int]:
    """Count the equal items at the start of two ranges, and at the end of the rest."""
    head = _common(left, right, lefts, rights, 1)
    return head, _common(left, right, lefts[head:], rights[head:], -1)


def _common(left: Sequence[Hashable], right: Sequence[Hashable], lefts: range, rights: range, step: int) -> int:
    pairs = enumerate(zip(lefts[::step], rights[::step], strict=False))
    different = (at for at, (one, other) in pairs if left[one] != right[other])
    return next(different, min(len(lefts), len(rights)))


def _between(left: Sequence[Hashable], right: Sequence[Hashable], lefts: range, rights: range) -> Iterator[Opcode]:
    if not lefts or not rights:
        yield Opcode("delete" if lefts else "insert", lefts, rights)
    elif len(lefts) * len(rights) <= _SMALL:
        inner = left[lefts.start : lefts.stop], right[rights.start : rights.stop]
        for tag, *places in SequenceMatcher(None, *inner, autojunk=False).get_opcodes():
            yield Opcode(tag, lefts[places[0] : places[1]], rights[places[2] : places[3]])
    else:
        yield from _split(left, right, lefts, rights)


def _split(left: Sequence[Hashable], right: Sequence[Hashable], lefts: range, rights: range) -> Iterator[Opcode]:
    anchors = _anchors(left, right, lefts, rights)
    if not anchors:
        yield Opcode("replace", lefts, rights)
        return
    one, other = lefts.start, rights.start
    for at, to in anchors:
        # Adjacent anchors have nothing between them.
        if at > one or to > other:
            yield from _stretches(left, right, range(one, at), range(other, to))
        if at >= one:
            same = _common(left, right, range(at, lefts.stop), range(to, rights.stop), 1)
            yield Opcode("equal", range(at, at + same), range(to, to + same))
            one, other = at + same, to + same
    yield from _stretches(left, right, range(one, lefts.stop), range(other, rights.stop))


def _anchors(left: Sequence[Hashable], right: Sequence[Hashable], lefts: range, rights: range) -> list[tuple[int, int]]:
    """Return the positions of items that both sides have exactly once, as many as are in the same order."""
    counts = Counter(left[at] for at in lefts)
    others = Counter(right[at] for at in rights)
    places = {right[at]: at for at in rights if others[right[at]] == 1}
    pairs = [(at, places[left[at]]) for at in lefts if counts[left[at]] == 1 and left[at] in places]
    return longest_rising(pairs)


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
