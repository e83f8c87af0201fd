"""Lists: containment without order, and equality in order."""

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values.equality import equal
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.lists import SetContainment, _Distinct
from refusals import refused


@pytest.mark.parametrize(
    ("mode", "expected", "observed", "passes"),
    [
        ("exact", ["a", "b"], ["b", "a", "a"], True),
        ("exact", [], [], True),
        ("exact", ["a"], [], False),
        ("exact", ["a"], ["A"], False),
        ("exact", [1], ["1"], False),
        ("exact", [1], [True], False),
        ("exact", [1, Decimal("0.10")], [0.1, 1.0], True),
        ("exact", [{"x": 1}, ["y"]], [["y"], {"x": 1.0}], True),
        ("exact", {"a", "b"}, ("b", "a"), True),
        ("exact", [float("nan")], [float("nan")], False),
        ("subset", ["a", "b"], ["b"], True),
        ("subset", ["a"], ["a", "x"], False),
        ("superset", ["a"], ["a", "x"], True),
        ("superset", ["a", "b"], ["a", "x"], False),
        ("overlap", ["a", "b"], ["b", "c"], True),
        ("overlap", ["a"], ["b"], False),
        ("overlap", [], [], False),
    ],
    ids=repr,
)
def test_set_containment(mode, expected, observed, passes):
    assert compare("set_containment", expected, observed, mode=mode).passed is passes


def test_no_pair_of_records_is_compared_one_by_one(monkeypatch):
    monkeypatch.setattr("pytest_verdict.operators.lists.equal", None)
    records = [{"id": number, "tags": ["a", (1, True)]} for number in range(100)]
    assert compare("set_containment", records, records[::-1]).passed
    assert not compare("set_containment", [*records, {"id": 1, "tags": ["a", (1, 1)]}], records).passed


def test_an_item_of_a_class_with_its_own_equality_is_asked():
    assert compare("set_containment", [pytest.approx(1.0), {"a": 1}], [{"a": 1}, 1.0000001]).passed


def test_overlap_counts_different_items():
    assert compare("set_containment", ["a", "b"], ["a", "a"], mode="overlap", min_overlap=2).passed is False
    assert compare("set_containment", ["a", "b"], ["b", "a"], mode="overlap", min_overlap=2).passed


@pytest.mark.parametrize(
    ("mode", "expected", "observed", "note"),
    [("subset", ["a"], [], "empty_observed"), ("superset", [], ["z"], "empty_expected")],
)
def test_a_pass_that_asked_for_nothing_says_so(mode, expected, observed, note):
    result = compare("set_containment", expected, observed, mode=mode)
    assert result.passed
    assert result.notes == [note]


@pytest.mark.parametrize("value", ["abc", None, 5, {"a": 1}], ids=repr)
@pytest.mark.parametrize("operator", ["set_containment", "ordered_match"])
def test_what_is_no_list_fails_with_a_note(operator, value):
    result = refused(operator, ["a"], value, "not_a_list", verdict="fail")
    assert (result.notes, result.details) == (["not_a_list"], {"not_a_list": ["observed"]})
    assert refused(operator, value, value, "not_a_list").details == {"not_a_list": ["expected", "observed"]}


@pytest.mark.parametrize(
    "settings",
    [{"mode": "equal"}, {"mode": "overlap", "min_overlap": 0}, {"min_overlap": 1}, {"normalize": ["upper"]}],
    ids=repr,
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(SettingsError):
        SetContainment(**settings)


def test_the_evidence_of_set_containment():
    result = compare("set_containment", ["a", "B"], ["b", "c", 1], normalize=["lowercase"])
    assert {key: result.details[key] for key in ("missing", "unexpected", "common")} == {
        "missing": ["a"],
        "unexpected": ["c", 1],
        "common": ["b"],
    }


def test_the_evidence_is_bounded():
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
def test_the_order_of_items_never_matters(expected, observed, mode, random):
    operator = SetContainment(mode=mode)
    score = operator.evaluate(expected, observed).score
    random.shuffle(expected)
    random.shuffle(observed)
    assert operator.evaluate(expected, observed + observed).score == score


@given(expected=st.lists(items, max_size=6), observed=st.lists(items, max_size=6))
def test_subset_and_superset_together_are_exact(expected, observed):
    scores = {
        mode: SetContainment(mode=mode).evaluate(expected, observed).score for mode in ("exact", "subset", "superset")
    }
    assert scores["exact"] == min(scores["subset"], scores["superset"])
    assert SetContainment(mode="subset").evaluate(observed, expected).score == scores["superset"]


@pytest.mark.parametrize(
    ("expected", "observed", "passes"),
    [
        (["a", "b"], [" A", "b "], True),
        (["a", "b"], ["b", "a"], False),
        ([], [], True),
        (["a"], ["a", "a"], False),
        ([1, "A"], [1.0, "a"], True),
        ([None], ["none"], False),
        (["1"], [1], False),
    ],
    ids=repr,
)
def test_ordered_match(expected, observed, passes):
    assert compare("ordered_match", expected, observed).passed is passes


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
def test_sets_are_compared_as_item_by_item(expected, observed):
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
def test_the_similarities_of_sets_are_those_of_the_textbook(expected, observed):
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


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard"])
def test_the_similarity_of_empty_lists(metric):
    assert [
        compare("set_similarity", *sides, metric=metric).score for sides in ([[], []], [["a"], []], [[], ["a"]])
    ] == [
        1.0,
        0.0,
        0.0,
    ]
