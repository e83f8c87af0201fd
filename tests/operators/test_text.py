"""Equality of text and of values that hold text, and what their records say of normalization."""

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare

STEPS = ["lowercase", "strip", "collapse_whitespace"]


@dataclass
class City:
    name: str


def test_text_is_normalized_at_every_depth():
    sides = {"trip": [{"city": "New York"}, 2]}, {"trip": [{"city": "NEW YORK"}, 2.0]}
    assert compare("exact", *sides, case_sensitive=False).normalization == ["casefold"]
    assert compare("normalized_exact", *sides).normalization == STEPS


def test_surfaces_hold_normalized_values():
    result = compare("normalized_exact", {"a": [" X ", 1]}, {"a": ["y", 1]})
    assert (result.expected_surface, result.observed_surface) == ({"a": ["x", 1]}, {"a": ["y", 1]})
    assert result.changed_sides == (True, False)
    assert result.details["effective_normalization"] == ["lowercase", "strip"]
    assert result.expected == {"a": [" X ", 1]}


@pytest.mark.parametrize(
    ("expected", "observed"),
    [(1, 1), (None, None), ([1, [2.5]], [1, [2.5]]), ({"a": True}, {"a": True}), (City("Paris"), City("Paris"))],
    ids=repr,
)
def test_normalization_is_recorded_only_for_text(expected, observed):
    for operator, settings in [("normalized_exact", {}), ("exact", {"case_sensitive": False})]:
        result = compare(operator, expected, observed, **settings)
        assert (result.verdict, result.operator, result.normalization) == ("pass", "normalized_exact", [])


def test_normalization_of_numbers_and_json_is_recorded_only_for_text():
    assert compare("numeric_exact", 5, 5, normalize=["strip"]).normalization == []
    assert compare("numeric_exact", 5, "5 ", normalize=["strip"]).normalization == ["strip"]
    assert compare("set_containment", [1], [1], normalize=["strip"]).normalization == []
    assert compare("json_distance", {"a": "X"}, {"a": "X"}, normalize=["lowercase"]).normalization == []
    assert compare("json_distance", {"a": 1}, '{"A": 1}', normalize=["lowercase"]).normalization == ["lowercase"]


def test_keys_and_dataclasses_are_not_normalized():
    assert not compare("normalized_exact", {"A": 1}, {"a": 1})
    assert not compare("normalized_exact", [City("Paris")], [City("paris")])


@pytest.mark.parametrize("steps", [[], ["strip"], ["nfc"]])
def test_json_canonical_applies_normalizers(steps):
    text = json.dumps({"a": True})
    result = compare("json_canonical", text, text, normalize=steps)
    assert (result.verdict, result.normalization) == ("pass", [*steps, "json_sort_keys"])
    assert compare("json_canonical", "true", "1", normalize=steps).verdict == "fail"


TEXTS = st.text("aAb !", max_size=8)
SOUGHT = st.lists(st.text("aAb", min_size=1, max_size=3), min_size=1, max_size=3)


@given(SOUGHT, TEXTS, st.booleans())
def test_not_contains_is_the_opposite_of_contains_any(sought, text, case_sensitive):
    opposite = compare("contains_any", sought, text, case_sensitive=case_sensitive)
    found = compare("not_contains", sought, text, case_sensitive=case_sensitive)
    assert found.passed is not opposite.passed
    assert found.details["found"] == opposite.details["found"]


@given(SOUGHT, TEXTS)
def test_starts_with_mirrors_ends_with(sought, text):
    start = compare("starts_with", sought, text)
    assert start.passed is text.startswith(tuple(sought))
    assert start.passed is compare("ends_with", [item[::-1] for item in sought], text[::-1]).passed
    assert not start.passed or compare("contains_any", sought, text).passed


def test_starts_with_normalizes_first():
    assert not compare("starts_with", "dear", "  Dear all")
    found = compare("starts_with", "dear", "  Dear all", normalize=["strip"], case_sensitive=False)
    assert (found.passed, found.normalization, found.details["found"]) == (True, ["strip", "casefold"], ["dear"])
    assert compare("ends_with", None, "a.", substrings=["!", "."]).expected == ["!", "."]
