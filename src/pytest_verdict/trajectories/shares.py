"""Shares of equal arguments for all pairs of calls at once, found through the values that the calls have in common."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence

from pytest_verdict.trajectories.keys import key_of
from pytest_verdict.trajectories.relation import Call


def equal_shares(expected: Sequence[Call], observed: Sequence[Call], scale: int) -> list[list[int]] | None:
    """Give what `Relation.score` gives for every pair of calls under the rule ``equal``, without comparing each with each."""
    if any(call.key is None for call in (*expected, *observed)):
        return None
    holders: dict[tuple[str, Hashable], list[int]] = {}
    for at, call in enumerate(observed):
        for argument, value in call.args.items():
            holders.setdefault((argument, key_of(value)), []).append(at)
    shapes = [frozenset(call.args) for call in observed]

    @functools.cache
    def share(matches: int, own: frozenset[str], other: frozenset[str]) -> int:
        count = len(own | other)
        return round(matches / count * scale) if count else scale

    rows = []
    for call in expected:
        matches = [0] * len(observed)
        for argument, value in call.args.items():
            for at in holders.get((argument, key_of(value)), ()):
                matches[at] += 1
        own = frozenset(call.args)
        rows.append([share(found, own, shape) for found, shape in zip(matches, shapes, strict=True)])
    return rows
