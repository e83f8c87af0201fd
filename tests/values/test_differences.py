"""Differences of two values, and the opcodes that align them."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.values.differences import differences
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.opcodes import longest_rising, opcodes

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False) | st.text("ab", max_size=3)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=4),
    max_leaves=12,
)


@dataclass
class Passenger:
    name: str
    dob: str


def places(expected, observed):
    return [(one.path, one.kind) for one in differences(expected, observed)]


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=12))
def test_opcodes_turn_left_into_right(left, right):
    made = []
    for tag, lefts, rights in opcodes(left, right):
        assert (tag == "equal") == ([left[at] for at in lefts] == [right[at] for at in rights])
        made += [right[at] for at in rights]
    assert made == right
    assert [at for opcode in opcodes(left, right) for at in opcode.left] == list(range(len(left)))


def test_long_sequences_are_aligned_at_unique_items():
    left = [number % 7 if number % 3 else f"once {number}" for number in range(9_000)]
    right = [*left[:4_000], "new", *left[4_010:]]
    changed = [opcode for opcode in opcodes(left, right) if opcode.tag != "equal"]
    assert sum(len(opcode.left) for opcode in changed) == 10
    assert sum(len(opcode.right) for opcode in changed) == 1


def test_long_sequences_without_unique_items_are_replaced():
    left, right = [1, 2] * 2_000, [2, 3] * 2_000
    made = [right[at] for opcode in opcodes(left, right) for at in opcode.right]
    assert made == right


@pytest.mark.ci
@given(VALUES, VALUES)
def test_differences_exist_only_for_unequal_values(expected, observed):
    found = list(differences(expected, observed))
    assert (not found) == equal(expected, observed)
    for one in found:
        assert one.kind != "changed" or not equal(one.expected, one.observed)


@pytest.mark.ci
@given(VALUES, VALUES)
def test_decoded_record_has_the_same_differences(expected, observed):
    again = decode(encode(expected)), decode(encode(observed))
    assert places(*again) == places(expected, observed)


@pytest.mark.parametrize(
    ("expected", "observed", "found"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, [("$.a[1].b", "changed")]),
        ({"a": 1}, {"b": 1}, [("$.a", "missing"), ("$.b", "unexpected")]),
        ({1: "a", None: "b"}, {1: "a", None: "c"}, [("$[None]", "changed")]),
        (Passenger("Ann", "1990"), Passenger("Ann", "1991"), [("$.dob", "changed")]),
        (Passenger("Ann", "1990"), {"name": "Ann", "dob": "1990"}, [("$", "changed")]),
        ({1, 2}, {2, 3}, [("$", "missing"), ("$", "unexpected")]),
        ([1, 2], (1, 2), [("$", "changed")]),
        ((1, 2), (1, 3), [("$[1]", "changed")]),
        ([1], [True], [("$[0]", "changed")]),
        ({1: 0}, {True: 0}, [("$", "changed")]),
        ([{"id": 1}, {"id": 2}], [{"id": 1}, {"id": 3}, {"id": 4}], [("$[1].id", "changed"), ("$[2]", "unexpected")]),
        ([1, 2, 3], [1, 4, 5, 6], [("$[1]", "changed"), ("$[2]", "changed"), ("$[3]", "unexpected")]),
    ],
    ids=repr,
)
def test_differences_of_values(expected, observed, found):
    assert places(expected, observed) == found


def test_inserted_item_does_not_shift_others():
    items = [{"id": number} for number in range(250)]
    assert places(items, [{"id": -1}, *items]) == [("$[0]", "unexpected")]
    assert places(items, items[1:]) == [("$[0]", "missing")]


@pytest.mark.ci
def test_very_long_lists_are_aligned():
    items = [{"id": number, "v": number % 5} for number in range(20_000)]
    changed = [{**item, "v": 9} if item["id"] in {7, 19_000} else item for item in items]
    assert places(items, changed) == [("$[7].v", "changed"), ("$[19000].v", "changed")]
    assert places(items, [{}, *items]) == [("$[0]", "unexpected")]
    shuffled = random.Random(1).sample(items, len(items))
    assert places(items, shuffled)


def test_difference_has_path_on_both_sides():
    found = list(differences([{"a": 1}, {"b": [1, 2]}], [{"b": [1, 3]}]))
    assert [(one.path, one.observed_path) for one in found if one.kind == "changed"] in (
        [],
        [("$[1].b[1]", "$[0].b[1]")],
    )


@given(st.permutations(range(9)))
def test_longest_rising_subsequence_is_longest(order):
    pairs = list(enumerate(order))
    found = longest_rising(pairs)
    assert found == sorted(found)
    assert [place for _, place in found] == sorted(place for _, place in found)
    longest = [1] * len(order)
    for at in range(len(order)):
        longest[at] += max((longest[before] for before in range(at) if order[before] < order[at]), default=0)
    assert len(found) == max(longest)
