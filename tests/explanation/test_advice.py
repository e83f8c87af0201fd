import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict import ComparisonResult, Operator, Outcome, compare
from pytest_verdict.explanation import advice
from pytest_verdict.explanation.advice import Advice, advise, find_advice


@pytest.mark.parametrize(
    ("operator", "expected", "observed", "own", "sentences"),
    [
        ("exact", "Paris", "paris", {}, ["normalized_exact with normalize=['lowercase']"]),
        ("exact", "Paris", " Paris\n", {}, ["normalized_exact with normalize=['strip']"]),
        ("exact", "Paris", " PARIS", {}, ["normalized_exact with normalize=['strip', 'lowercase']"]),
        ("exact", "Paris", "PARIS  ", {}, ["normalized_exact with normalize=['strip', 'lowercase']"]),
        ("exact", "caf\u00e9", "cafe\u0301", {}, ["normalized_exact with normalize=['nfc']"]),
        ("exact", "straße", "STRASSE", {}, ["normalized_exact with normalize=['casefold']"]),
        ("exact", "It's", "It\u2019s", {}, ["normalized_exact with normalize=['ascii_punctuation']"]),
        ("literal", "Yes", "yes", {}, ["normalized_exact with normalize=['lowercase']"]),
        ("exact", 1, "1.0", {}, ["numeric_exact"]),
        ("exact", '{"a": 1}', '{ "a": 1.0 }', {}, ["json_canonical"]),
        ("exact", {"a": 1, "b": 2}, '{"b": 2, "a": 1}', {}, ["json_canonical"]),
        ("exact", "2024-01-15", "January 15, 2024", {}, ["date_match"]),
        ("exact", ["a", "b"], ["A", "b "], {}, None),
    ],
)
def test_advice_begins_with_the_tightest_change_of_form(operator, expected, observed, own, sentences):
    result = compare(operator, expected, observed, **own)
    advices = find_advice(result)
    assert 1 <= len(advices) <= 3
    for one in advices:
        assert compare(one.operator, expected, observed, **one.settings).passed
    if sentences is not None:
        assert advise(result) == [f"would pass under {sentence}" for sentence in sentences]


def test_advice_keeps_the_settings_of_the_test():
    result = compare("normalized_exact", "Paris", " PARIS", normalize=["nfkc"])
    assert find_advice(result)[0] == Advice("normalized_exact", {"normalize": ["nfkc", "strip", "lowercase"]})


@pytest.mark.parametrize(
    ("operator", "expected", "observed", "own"),
    [
        # A sign, a currency, a decimal point, an operator or a letter would be lost.
        ("exact", "O+", "O-", {}),
        ("exact", "-5", "5", {}),
        ("exact", "$5.00", "$500", {}),
        ("exact", "5.00 $", "500", {}),
        ("exact", "age > 30", "age < 30", {}),
        ("exact", "1.5", "15", {}),
        ("exact", "C++", "C", {}),
        ("exact", "can't", "cant", {}),
        ("exact", "e.g.", "eg", {}),
        ("exact", "Paris", '"Paris."', {}),
        # Words are no matter of form, nor is an order, a key, a distance or a date.
        ("exact", "safe", "not safe", {}),
        ("exact", "7", "The answer is 7.", {}),
        ("exact", "quick brown fox", "quikc brown fox", {}),
        ("exact", ["a", "b"], ["b", "a"], {}),
        ("json_canonical", {"a": 1}, {"a": 1, "b": 2}, {}),
        ("numeric_exact", 3, 4, {}),
        ("numeric_exact", 0, 0.5, {}),
        ("numeric_tolerance", 37.0, 36.8, {"tolerance": 0.1, "mode": "absolute"}),
        ("delta", -20, [100, 81], {}),
        ("date_match", "2024-01-15", "2024-01-17", {}),
        ("exact", "2024-01-15", "2018-01-15", {}),
        ("text_similarity", "abcdefghij", "abcdefghix", {"metric": "indel"}),
        # Codes are no numbers, and one kind is not another.
        ("exact", "007", "7", {}),
        ("exact", [1], ["1"], {}),
        ("exact", True, 1, {}),
        # Anything would pass, or it costs much.
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
        # Only equality has a looser form that a person may have meant.
        ("one_of", ["Paris"], "paris", {}),
        ("numeric_exact", 1000, "1,000", {}),
        ("regex", "[0-9]+", "It is 7.", {}),
    ],
)
def test_no_advice_where_meaning_is_lost_or_values_are_large(operator, expected, observed, own):
    assert advise(compare(operator, expected, observed, **own)) == []


class Raising(Operator):
    name = "raising"

    def evaluate(self, expected, observed):
        raise ZeroDivisionError


class Refusing(Operator):
    name = "refusing"

    def evaluate(self, expected, observed):
        return Outcome(0.0)


def test_no_advice_for_errors_and_unregistered_operators():
    assert advise(compare(Raising(), 1, 2)) == []
    assert advise(compare(Refusing(), "a", "A")) == []


def test_candidate_that_raises_is_skipped(monkeypatch):
    monkeypatch.setattr(advice, "run", lambda *_, **__: 1 / 0)
    assert advise(compare("exact", "Paris", "paris")) == []


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


@pytest.mark.ci
@settings(max_examples=200)
@given(
    st.sampled_from(["exact", "normalized_exact", "json_canonical", "ordered_match", "numeric_exact"]), values, values
)
def test_advice_for_any_values_passes(operator, expected, observed):
    result = compare(operator, expected, observed)
    if not result.passed:
        for one in find_advice(result):
            assert compare(one.operator, expected, observed, **one.settings).passed


def test_advice_makes_a_bounded_number_of_comparisons(monkeypatch):
    calls = []
    real = advice.REGISTRY.build
    monkeypatch.setattr(advice.REGISTRY, "build", lambda *arguments: (calls.append(1), real(*arguments))[1])
    advise(compare("normalized_exact", "one thing entirely", "another thing entirely", normalize=["nfc"]))
    assert len(calls) <= 60


def test_advice_for_a_result_from_a_record():
    result = ComparisonResult.from_record(compare("exact", "Paris", "paris").to_record())
    assert advise(result) == ["would pass under normalized_exact with normalize=['lowercase']"]
