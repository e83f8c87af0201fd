"""Which comparison of one run is which of the other: by what is compared, never by a number that others shift."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final, NamedTuple

from pytest_verdict.runs.run import Comparison

Key = Callable[[Comparison], Hashable]


class Pairing(NamedTuple):
    """The comparisons of two runs, each in the order of its run."""

    pairs: list[tuple[Comparison, Comparison]]
    removed: list[Comparison]
    added: list[Comparison]


# The last two are for those without a name, and only where as many are left on both sides: then one was edited, and none was
# removed or added.
_KEYS: Final[tuple[tuple[Key, bool], ...]] = (
    (lambda one: None if one.name is None else (one.test, one.name), False),
    (lambda one: (one.test, one.operator, one.expected), False),
    (lambda one: (one.test, one.expected) if one.name is None else None, True),
    (lambda one: (one.test, one.operator) if one.name is None else None, True),
)


def paired(old: Sequence[Comparison], new: Sequence[Comparison]) -> Pairing:
    """Pair the comparisons of two runs; those with the same key in the order in which they were made."""
    matches: dict[int, int] = {}
    left, right = range(len(old)), range(len(new))
    remaining: tuple[Sequence[int], Sequence[int]] = left, right
    for key, only_if_as_many in _KEYS:
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, run in enumerate((old, new)):
            for index in remaining[side]:
                if (found := key(run[index])) is not None:
                    groups.setdefault(found, ([], []))[side].append(index)
        for olds, news in groups.values():
            if not only_if_as_many or len(olds) == len(news):
                matches.update(zip(news, olds, strict=False))
        taken = {*matches.values()}
        remaining = [index for index in left if index not in taken], [index for index in right if index not in matches]
    pairs = [(old[matches[index]], new[index]) for index in right if index in matches]
    return Pairing(pairs, [old[index] for index in remaining[0]], [new[index] for index in remaining[1]])
