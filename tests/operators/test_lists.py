"""Lists: containment without order, and equality in order."""

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values.equality import equal
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.lists import SetContainment, _Distinct


def test_set_containment_of_records_is_not_quadratic(monkeypatch):
    calls = []
    monkeypatch.setattr("pytest_verdict.operators.lists.equal", lambda *pair: calls.append(pair) or equal(*pair))
    records = [{"id": number, "tags": ["a", (1, True)]} for number in range(100)]
    assert compare("set_containment", records, records[::-1]).passed
    assert len(calls) <= 200
    assert not compare("set_containment", [*records, {"id": 1, "tags": ["a", (1, 1)]}], records).passed


def test_matcher_among_items_is_an_error():
    assert compare("set_containment", [pytest.approx(1.0), {"a": 1}], [{"a": 1}, 1.0000001]).verdict == "error"


@pytest.mark.parametrize(
    "settings",
    [{"mode": "equal"}, {"mode": "overlap", "min_overlap": 0}, {"min_overlap": 1}, {"normalize": ["upper"]}],
    ids=repr,
)
def test_invalid_settings_are_rejected(settings):
    with pytest.raises(SettingsError):
        SetContainment(**settings)


def test_details_name_side_that_is_not_a_list():
    for operator in ("set_containment", "ordered_match"):
        assert compare(operator, ["a"], None).details == {"not_a_list": ["observed"]}
        assert compare(operator, "abc", "abc").details == {"not_a_list": ["expected", "observed"]}


def test_set_containment_details():
    result = compare("set_containment", ["a", "B"], ["b", "c", 1], normalize=["lowercase"])
    assert {key: result.details[key] for key in ("missing", "unexpected", "common")} == {
        "missing": ["a"],
        "unexpected": ["c", 1],
        "common": ["b"],
    }


def test_details_are_limited():
    details = compare("set_containment", list(range(150)), []).details
    assert len(details["missing"]) == 100
    assert details["missing_omitted"] == 50


items = st.one_of(
    st.text(max_size=2),
    st.integers(-2, 2),
    st.booleans(),
    st.none(),
    st.floats(-2, 2),
    st.lists(st.integers(0, 1), max_size=1),
)


@given(
    expected=st.lists(items, max_size=6),
    observed=st.lists(items, max_size=6),
    mode=st.sampled_from(["exact", "subset", "superset", "overlap"]),
    random=st.randoms(use_true_random=False),
)
def test_order_of_items_is_irrelevant(expected, observed, mode, random):
    operator = SetContainment(mode=mode)
    score = operator.evaluate(expected, observed).score
    random.shuffle(expected)
    random.shuffle(observed)
    assert operator.evaluate(expected, observed + observed).score == score


@given(expected=st.lists(items, min_size=1, max_size=6), observed=st.lists(items, min_size=1, max_size=6))
def test_subset_and_superset_imply_exact(expected, observed):
    scores = {
        mode: SetContainment(mode=mode).evaluate(expected, observed).score for mode in ("exact", "subset", "superset")
    }
    assert scores["exact"] == min(scores["subset"], scores["superset"])
    assert SetContainment(mode="subset").evaluate(observed, expected).score == scores["superset"]


def test_ordered_match_lists_the_differences():
    assert compare("ordered_match", ["a", "b"], ["a", "x", "y"]).details["differences"] == [
        {"path": "$[1]", "kind": "changed", "expected": "b", "observed": "x"},
        {"path": "$[2]", "kind": "unexpected", "observed": "y"},
    ]
    assert compare("ordered_match", ["a"], []).details["differences"] == [
        {"path": "$[0]", "kind": "missing", "expected": "a"}
    ]
    assert compare("ordered_match", ["a"] * 150, []).details["differences_omitted"] == 50


ITEMS = st.lists(st.sampled_from(["a", "b", "A", "", 1, 1.0, True, None, float("nan"), object()]), max_size=6)


@given(ITEMS, ITEMS)
def test_set_split_agrees_with_pairwise_comparison(expected, observed):
    def distinct(items):
        kept = []
        for item in items:
            if not any(equal(one, item) for one in kept):
                kept.append(item)
        return kept

    left, right = _Distinct(expected), _Distinct(observed)
    common = [item for item in distinct(expected) if any(equal(item, other) for other in observed)]
    missing = [item for item in distinct(expected) if not any(equal(item, other) for other in observed)]
    assert list(map(id, left.split(right)[0])) == list(map(id, missing))
    assert list(map(id, left.split(right)[1])) == list(map(id, common))


LABELS = st.lists(st.sampled_from(["a", "b", "A", 1, 1.0, True, None]), max_size=5)


@given(LABELS, LABELS)
def test_set_similarity_agrees_with_definitions(expected, observed):
    def score(metric, left=expected, right=observed):
        return compare("set_similarity", left, right, metric=metric).score

    precision, recall, f1, jaccard = map(score, ("precision", "recall", "f1", "jaccard"))
    assert (f1, jaccard) == (score("f1", observed, expected), score("jaccard", observed, expected))
    assert precision == score("recall", observed, expected)
    assert score("f1", [*expected, *expected], observed[::-1]) == f1
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    assert jaccard == pytest.approx(f1 / (2 - f1))
    assert (f1 == 1.0) is compare("set_containment", expected, observed).passed
    if expected and observed:
        assert (recall == 1.0) is compare("set_containment", expected, observed, mode="superset").passed
        assert (precision == 1.0) is compare("set_containment", expected, observed, mode="subset").passed


# Expected and observed with null for absent keys, the mode, and the paths of the differences: first the expected keys that
# are there, in their order, then what may not be there.
NULLS = [
    ({"a": None, "b": 1}, {"a": 2, "b": 3}, "exact", ["$.b", "$.a"]),
    ({"a": None, "b": 1}, {"a": 2, "b": 3}, "subset", ["$.b", "$.a"]),
    ({"b": 1, "a": None}, {"a": 2, "b": 3}, "exact", ["$.b", "$.a"]),
    ({"a": None, "b": 1}, {"x": 1, "a": 2, "b": 1}, "exact", ["$.x", "$.a"]),
    ({"a": None, "b": 1}, {"x": 1, "a": 2, "b": 1}, "subset", ["$.a"]),
    ({"c": None, "a": None, "b": 1}, {"a": 2, "b": 1, "c": 3}, "exact", ["$.a", "$.c"]),
    ({"c": None, "a": None, "b": 1}, {"a": 2, "b": 1, "c": 3}, "subset", ["$.c", "$.a"]),
    ({"a": 1, "b": None}, {"a": None, "b": None}, "exact", ["$.a"]),
    ({"a": 1, "b": 2}, {"b": None, "c": None}, "exact", ["$.a", "$.b"]),
    ({"a": {"x": None, "y": 1}, "b": None}, {"a": {"x": 1, "y": 2}, "b": 1}, "exact", ["$.a.y", "$.a.x", "$.b"]),
    ({"a": None}, {}, "exact", []),
    ({}, {"a": None}, "exact", []),
    ({"a": None, "b": 1}, {"b": 1, "c": None}, "subset", []),
]


@pytest.mark.parametrize(("expected", "observed", "mode", "paths"), NULLS)
def test_differences_of_absent_keys_come_last(expected, observed, mode, paths):
    result = compare("mapping_match", expected, observed, mode=mode, none_is_absent=True)
    assert [difference["path"] for difference in result.details["differences"]] == paths
    assert result.passed is not bool(paths)


# In the order of the characters, not of their escapes in JSON.
WORDS = ["", "1", "Z", "a", "a b", "z", "\xc9", "\xe9", "\uffff", "\U0001f600"]


@pytest.mark.parametrize("kind", [set, frozenset])
def test_texts_of_a_set_are_sorted_as_texts(kind):
    words = WORDS[1:]
    for operator in ("contains_all", "contains_any", "not_contains"):
        assert compare(operator, None, "q", substrings=kind(words)).settings["substrings"] == words
    assert compare("contains_all", kind(words), "q").details["missing"] == words
    paths = ["$.Z", "$.a", "$['\xe9']"]
    assert compare("json_canonical", {"b": 1}, {"b": 1}, ignore=kind(paths)).settings["ignore"][:2] == paths[:2]
