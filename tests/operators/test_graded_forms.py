"""Graded forms of other tools: numbers, lists and JSON by degrees, with the scores of the peers; mappings with any keys."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import ListSimilarity

inf = float("inf")

# Expected, observed, and the score of NumericDiff of autoevals 0.4.1.
NUMBERS = [
    (100, 105, 0.975609756097561),
    (105, 100, 0.975609756097561),
    (0, 0, 1.0),
    (0, 1, 0.0),
    (1, -1, 0.0),
    (-3, -4, 0.8571428571428572),
    (0.1, 0.3, 0.5),
    (10**9, 10**9 + 1, 0.9999999995),
    (1.5, 2, 0.8571428571428572),
    ("60", 100, 0.75),
]


@pytest.mark.parametrize(("expected", "observed", "score"), NUMBERS)
def test_numeric_similarity_scores_as_autoevals(expected, observed, score):
    assert compare("numeric_similarity", expected, observed).score == pytest.approx(score, abs=1e-12)


@pytest.mark.parametrize(
    ("expected", "observed", "score"), [(inf, inf, 1.0), (inf, 1, 0.0), (1, -inf, 0.0), (10**400, 10**400 + 1, 1.0)]
)
def test_numeric_similarity_of_extremes(expected, observed, score):
    result = compare("numeric_similarity", expected, observed)
    assert result.score == pytest.approx(score)
    assert (result.score == 1.0) is (expected == observed)


@pytest.mark.parametrize("observed", [True, None, "x", float("nan"), [1]])
def test_numeric_similarity_reads_numbers_only(observed):
    assert compare("numeric_similarity", 1, observed).notes == ["not_a_number"]


@given(st.integers() | st.floats(allow_nan=False), st.integers() | st.floats(allow_nan=False))
def test_numeric_similarity_is_symmetric(one, other):
    score = compare("numeric_similarity", one, other).score
    assert score == compare("numeric_similarity", other, one).score
    assert (score == 1.0) is (one == other)


# Expected, observed, and the score of JSONDiff of autoevals 0.4.1.
PERSON = {"name": "John A. Smith", "age": 31, "skills": ["python", "typescript"]}
DOCUMENTS = [
    ({"a": 1}, {"a": 1}, 1.0),
    ({"a": 1}, {"a": 2}, 0.6666666666666667),
    ({"a": 1}, {}, 0.0),
    ({"a": None}, {}, 1.0),
    ([1, 2], [1], 0.5),
    ([], [], 1.0),
    ({}, {}, 1.0),
    ([], [1], 0.0),
    ({"a": "hello"}, {"a": "hallo"}, 0.8),
    ({"a": {"b": 1, "c": "x"}}, {"a": {"b": 3, "c": "x", "d": 0}}, 0.5),
    ([1, [2, 3]], [1, [2, 4]], 0.9642857142857143),
    ({"a": [1]}, {"a": "[1,2]x"}, 0.375),
    ({"a": "1"}, {"a": 1}, 0.33333333333333337),
    (None, None, 1.0),
    ({"a": 1}, [1], 0.1428571428571429),
    (PERSON, {"name": "John Smith", "age": 30, "skills": ["python", "javascript"]}, 0.8509457755359394),
]


@pytest.mark.parametrize(("expected", "observed", "score"), DOCUMENTS)
def test_json_similarity_scores_as_autoevals(expected, observed, score):
    assert compare("json_similarity", expected, observed).score == pytest.approx(score, abs=1e-12)


def test_json_similarity_keeps_bools_apart_and_reads_text():
    assert compare("json_similarity", '{"a": [1, 2]}', {"a": [1, 2]}).passed
    assert compare("json_similarity", [True], [1]).score < 0.5
    assert compare("json_similarity", {"a": 1}, "no JSON").notes == ["json_parse_failed"]
    assert compare("json_similarity", "{", {}).verdict == "error"
    assert compare("json_similarity", {"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 6}}).details == {
        "parts": [["$.a.c", 0.5]]
    }


# Expected, observed, and the score of ListContains of autoevals 0.4.1; then with allow_extra_entities.
LISTS = [
    (["a", "b"], ["b", "a"], 1.0, 1.0),
    (["apple", "pear"], ["aple"], 0.4, 0.4),
    (["a"], ["b"], 0.0, 0.0),
    (["kitten"], ["sitting", "kitten"], 0.5, 1.0),
    (["foo", "bar", "baz"], ["bar", "fooo"], 0.5833333333333334, 0.5833333333333334),
    (["x"], [], 0.0, 0.0),
]


@pytest.mark.parametrize(("expected", "observed", "score", "with_extras"), LISTS)
def test_list_similarity_scores_as_autoevals(expected, observed, score, with_extras):
    assert compare("list_similarity", expected, observed).score == pytest.approx(score, abs=1e-12)
    assert compare("list_similarity", expected, observed, extras="ignore").score == pytest.approx(
        with_extras, abs=1e-12
    )


def test_list_similarity_finds_the_best_pairing_with_any_operator():
    near = {"operator": "numeric_similarity"}
    result = compare("list_similarity", [1, 10, 100], (110, 1, 9), inner=near)
    assert [pair[:2] for pair in result.details["pairs"]] == [[0, 1], [1, 2], [2, 0]]
    records = compare("list_similarity", [{"a": 1}, {"a": 2}], [{"a": 2}, {"a": 1}], inner="json_canonical")
    assert records.passed
    # A greedy pairing takes "ab" for "abc" first.
    assert compare("list_similarity", ["abc", "abd"], ["abd", "abx"]).score == pytest.approx((1 + 2 / 3) / 2)


def test_list_similarity_of_what_is_no_list_or_cannot_be_compared():
    assert compare("list_similarity", [], []).score == 1.0
    assert compare("list_similarity", [], ["a"]).score == 0.0
    assert compare("list_similarity", "a", ["a"]).verdict == "error"
    assert compare("list_similarity", ["a"], "a").notes == ["not_a_list"]
    assert compare("list_similarity", [], ["a"], extras="ignore").notes == ["empty_expected"]
    assert compare("list_similarity", [5], ["a"]).notes == ["child_error"]
    assert "pairs" in str(compare("list_similarity", ["a"] * 101, ["a"] * 100).error)
    with pytest.raises(SettingsError, match="needs expected"):
        ListSimilarity(inner={"operator": "regex", "settings": {"pattern": "a"}})


DAY = datetime.date(2024, 1, 1)
MAPPINGS = [
    ({1: 2}, {1: 2}, {}, True),
    ({1: 2}, {1.0: 2.0}, {}, True),
    ({1: 2}, {True: 2}, {}, False),
    ({None: 1}, {None: 1}, {}, True),
    ({b"k": b"v"}, {b"k": b"v"}, {}, True),
    ({b"k": b"v"}, {"k": "v"}, {}, False),
    ({(1, 2): DAY}, {(1, 2): DAY}, {}, True),
    ({DAY: {1}}, {DAY: {1}}, {}, True),
    ({"a": 1}, {"a": 1, "b": 2}, {}, False),
    ({"a": 1}, {"a": 1, 2: 3}, {"mode": "subset"}, True),
    ({"a": 1, "b": 2}, {"a": 1}, {"mode": "subset"}, False),
    ({"a": {1: 2}}, {"a": {1: 2, 3: 4}}, {"mode": "subset"}, True),
    ({"a": [{1: 2}]}, {"a": [{1: 2, 3: 4}]}, {"mode": "subset"}, True),
    ({"a": [1]}, {"a": [1, 2]}, {"mode": "subset"}, False),
    ({"a": (1,)}, {"a": [1]}, {}, False),
    ({"a": None}, {}, {}, False),
    ({"a": None}, {}, {"none_is_absent": True}, True),
    ({}, {"a": None}, {"none_is_absent": True}, True),
    ({"a": {"b": None}}, {"a": {}}, {"none_is_absent": True}, True),
    ({"a": [None]}, {"a": []}, {"none_is_absent": True}, False),
    ({"a": 0}, {}, {"none_is_absent": True}, False),
    ({"a": None, "b": 1}, {"b": 1}, {"none_is_absent": True, "mode": "subset"}, True),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {}, True),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"key_order": True}, False),
    ({"a": 1, "b": 2}, {"a": 1, "c": 3, "b": 2}, {"key_order": True, "mode": "subset"}, True),
    ({"a": 1, "b": 2}, {"b": 2, "c": 3, "a": 1}, {"key_order": True, "mode": "subset"}, False),
    ({"x": {1: 1, 2: 2}}, {"x": {2: 2, 1: 1}}, {"key_order": True}, False),
    ({}, {}, {}, True),
    ({}, {1: 1}, {}, False),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "observed", "settings", "passes"), MAPPINGS)
def test_mapping_match(expected, observed, settings, passes):
    result = compare("mapping_match", expected, observed, **settings)
    assert (result.error, result.passed) == (None, passes)
    assert bool(result.details.get("differences")) is not passes


@pytest.mark.parametrize(("expected", "settings"), [([], {}), ("a", {}), (None, {}), ({}, {"mode": "subset"})])
def test_mapping_match_needs_a_mapping(expected, settings):
    result = compare("mapping_match", expected, {1: 2}, **settings)
    assert (result.verdict, result.notes) == ("error", ["not_a_mapping"])
    assert compare("mapping_match", {1: 2}, [1], **settings).notes == ["not_a_mapping"]


def test_mapping_match_names_the_places():
    found = compare("mapping_match", {1: {"a": 1, "c": 0}}, {1: {"a": 2, "b": 3}}).details["differences"]
    assert [(part["path"], part["kind"]) for part in found] == [
        ("$['1'].a", "changed"),
        ("$['1'].c", "missing"),
        ("$['1'].b", "unexpected"),
    ]
