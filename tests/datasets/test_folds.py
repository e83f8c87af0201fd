"""Folding is associative, and the root of a fold is the Merkle root of its records."""

from __future__ import annotations

import hashlib
from functools import reduce

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.datasets.units import Fold, build_subtrees


def fold_of(before, rows):
    return Fold(
        before=before,
        rows=rows,
        counts={"exact": (rows, 0, 0)} if rows else {},
        unreadable=0,
        samples=tuple(f"{number}" for number in range(before, before + min(rows, 3))),
        subtrees=build_subtrees(before, b"".join(b"%d\n" % number for number in range(before, before + rows))),
        parts=(),
    )


def folds_of(sizes):
    before = 0
    for size in sizes:
        yield fold_of(before, size)
        before += size


def digest(content):
    return hashlib.sha256(content).digest()


def root_of(lines):
    """The hash of a Merkle tree as RFC 9162, section 2.1.1, defines it."""
    if len(lines) < 2:
        return digest(b"\x00" + lines[0] if lines else b"")
    left = 1 << (len(lines) - 1).bit_length() - 1
    return digest(b"\x01" + root_of(lines[:left]) + root_of(lines[left:]))


SIZES = st.lists(st.integers(0, 40) | st.just(256), max_size=8)


@given(SIZES)
def test_the_root_is_that_of_the_records_one_after_another(sizes):
    whole = reduce(Fold.__add__, folds_of(sizes), Fold())
    assert whole.root() == root_of([b"%d" % number for number in range(sum(sizes))]).hex()
    assert whole.rows == sum(sizes)
    assert len(whole.subtrees) == sum(sizes).bit_count()


@given(SIZES, SIZES, SIZES)
def test_folding_is_associative(one, two, three):
    found = [*folds_of([*one, *two, *three])]
    first, rest = found[: len(one)], found[len(one) :]
    parts = [first, rest[: len(two)], rest[len(two) :]]
    if not all(parts):
        return
    left, middle, right = (reduce(Fold.__add__, part) for part in parts)
    assert (left + middle) + right == left + (middle + right) == reduce(Fold.__add__, found)


def test_folds_of_distant_units_are_refused():
    with pytest.raises(ValueError, match="rows up to 3 are followed by those from 5"):
        fold_of(0, 3) + fold_of(4, 2)
