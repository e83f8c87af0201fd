import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict import ComparisonResult, Operator, Outcome, advice, compare
from pytest_verdict.advice import Advice, advices, advise


@pytest.mark.parametrize(
    ("operator", "expected", "observed", "own", "sentences"),
    [
        ("exact", "Paris", "paris", {}, ["normalized_exact with normalize=['lowercase']"]),
        ("exact", "Paris", " Paris\n", {}, ["normalized_exact with normalize=['strip']"]),
        ("exact", "Paris", " PARIS", {}, ["normalized_exact with normalize=['strip', 'lowercase']"]),
        ("exact", "Paris", "PARIS  ", {}, ["normalized_exact with normalize=['strip', 'lowercase']"]),
        ("normalized_exact", "Paris", "paris.", {}, None),
        ("exact", "straße", "STRASSE", {}, ["normalized_exact with normalize=['casefold']"]),
        ("literal", "Yes", "yes", {}, ["normalized_exact with normalize=['lowercase']"]),
        ("exact", 1, "1.0", {}, ["numeric_exact"]),
        ("numeric_exact", 1000, "1,000", {}, ["numeric_exact with normalize=['strip_thousands_separators']"]),
        (
            "numeric_tolerance",
            37.0,
            36.8,
            {"tolerance": 0.1, "mode": "absolute"},
            [
                "numeric_tolerance with tolerance=0.2, mode='absolute'",
                "numeric_tolerance with tolerance=0.00540541, mode='relative'",
            ],
        ),
        (
            "numeric_tolerance",
            10,
            "11.5",
            {"tolerance": 0.1},
            [
                "numeric_tolerance with tolerance=0.15, mode='relative'",
                "numeric_tolerance with tolerance=1.5, mode='absolute'",
            ],
        ),
        ("numeric_exact", 0, 0.5, {}, ["numeric_tolerance with tolerance=0.5, mode='absolute'"]),
        ("delta", -20, [100, 81], {}, ["delta with tolerance=1"]),
        ("exact", '{"a": 1}', '{ "a": 1.0 }', {}, ["json_canonical"]),
        ("exact", "2024-01-15", "January 15, 2024", {}, ["date_match"]),
        ("date_match", "2024-01-15", "2024-01-17", {}, ["date_tolerance with tolerance=2"]),
        ("exact", ["a", "b"], ["b", "a"], {}, ["set_containment"]),
        ("exact", ["a", "b"], ["A", "b "], {}, None),
        ("exact", "7", "The answer is 7.", {}, ["contains_all"]),
        ("json_canonical", {"a": 1}, {"a": 1, "b": 2}, {}, ["json_subset"]),
        ("exact", "quick brown fox", "quikc brown fox", {}, ["text_similarity with threshold=0.8666666666666667"]),
    ],
)
def test_advice_is_true_and_the_tightest_comes_first(operator, expected, observed, own, sentences):
    result = compare(operator, expected, observed, **own)
    found = advices(result)
    assert 1 <= len(found) <= 3
    for one in found:
        assert compare(one.operator, expected, observed, one.threshold, **one.settings).passed
    if sentences is not None:
        assert advise(result) == [f"would pass under {sentence}" for sentence in sentences]


def test_the_threshold_that_would_have_passed_is_the_score():
    result = compare("text_similarity", "abcdefghij", "abcdefghix", 0.95)
    assert Advice("text_similarity", {}, 0.9) in advices(result)
    assert "would pass under text_similarity with threshold=0.9" in advise(result)


def test_settings_that_the_test_chose_stay_in_the_advice():
    result = compare("text_similarity", "abcdefghij", "abcdefghix", 0.95, metric="indel")
    assert Advice("text_similarity", {"metric": "indel"}, 0.9) in advices(result)


@pytest.mark.parametrize(
    ("operator", "expected", "observed", "own"),
    [
        ("exact", "", "anything", {}),
        ("exact", "!", "?", {}),
        ("exact", "4", "2024", {}),
        ("json_canonical", {}, {"a": 1}, {}),
        ("json_canonical", {"a": []}, {"a": [], "b": [1, 2, 3, 4]}, {}),
        ("exact", [], ["a"], {}),
        ("numeric_exact", 1, 5_000, {}),
        ("exact", "Paris", "London", {}),
        ("exact", "x" * 30_000, "X" * 30_000, {}),
        ("exact", ["x"] * 30_000, ("x",) * 30_000, {}),
        ("regex", "[a", "[a", {}),
        ("semantic", "a", "A", {"embedder": lambda _texts: [[1.0, 0.0], [0.0, 1.0]]}),
        ("all_of", 1, "1", {"conditions": ["exact"]}),
        ("numeric_range", [0, 10], 11, {}),
    ],
)
def test_nothing_is_advised_that_anything_would_pass_or_that_costs_much(operator, expected, observed, own):
    assert advise(compare(operator, expected, observed, **own)) == []


class Raising(Operator):
    name = "raising"

    def evaluate(self, expected, observed):
        raise ZeroDivisionError


class Refusing(Operator):
    name = "refusing"

    def evaluate(self, expected, observed):
        return Outcome(0.0)


def test_an_error_and_an_unregistered_operator_have_no_advice():
    assert advise(compare(Raising(), 1, 2)) == []
    assert advise(compare(Refusing(), "a", "A")) == []


def test_a_broken_candidate_is_skipped(monkeypatch):
    monkeypatch.setattr(advice, "_share", lambda *_: 1 / 0)
    assert advise(compare("numeric_exact", 10, 11)) == []


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["1", "a b", "A  b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200)
@given(
    st.sampled_from(["exact", "normalized_exact", "json_canonical", "ordered_match", "numeric_exact"]), values, values
)
def test_advice_never_raises_and_is_always_true(operator, expected, observed):
    result = compare(operator, expected, observed)
    if not result.passed:
        for one in advices(result):
            assert compare(one.operator, expected, observed, one.threshold, **one.settings).passed


def test_a_bounded_number_of_comparisons_is_made(monkeypatch):
    calls = []
    real = advice.REGISTRY.build
    monkeypatch.setattr(advice.REGISTRY, "build", lambda *arguments: (calls.append(1), real(*arguments))[1])
    advise(compare("normalized_exact", "one thing entirely", "another thing entirely", normalize=["nfc"]))
    assert len(calls) <= 60


def test_a_result_read_from_a_record_can_be_advised():
    result = ComparisonResult.from_record(compare("exact", "Paris", "paris").to_record())
    assert advise(result) == ["would pass under normalized_exact with normalize=['lowercase']"]
