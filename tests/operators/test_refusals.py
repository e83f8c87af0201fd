"""Every refusal of every operator: an expected value that cannot be used is an error, observed evidence a fail."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import ContainsAll
from pytest_verdict.suites import Evaluator
from refusals import refused


def test_error_names_value_and_what_is_allowed():
    assert compare("one_of", "abc", "a").outcome.error == (
        'expected must be a list of at least one accepted value, got "abc"'
    )
    assert compare("numeric_range", {"max": 1, "min": 10}, 5).outcome.error == (
        'expected must be bounds between which a number lies, got {"max":1,"min":10}'
    )


def test_missing_expected_key_of_aggregate_is_an_error():
    result = refused("all_of", {}, {"a": 1}, "child_error", conditions={"a": "exact"})
    [part] = result.children
    assert (part.verdict, part.notes) == ("error", ["missing_expected"])
    [part] = compare("all_of", {"a": 1}, {}, conditions={"a": "exact"}).children
    assert (part.verdict, part.notes) == ("fail", ["missing_observed"])


@pytest.mark.parametrize("operator", ["json_distance"])
def test_failing_jsonpath_is_refused(operator):
    settings = {"ignore": ["$.items[?(@.n > 1)]"]}
    good, bad = {"items": [{"n": 1}]}, {"items": [{"n": {}}]}
    for expected, observed, verdict in [(bad, good, "error"), (bad, bad, "error"), (good, bad, "fail")]:
        result = compare(operator, expected, observed, **settings)
        if result.notes == ["jsonpath_failed"]:
            refused(operator, expected, observed, "jsonpath_failed", verdict=verdict, **settings)


def test_substring_that_normalizes_to_nothing_is_rejected():
    with pytest.raises(SettingsError, match="'!' is empty after normalization"):
        ContainsAll(substrings=["a", "!"], normalize=["remove_punctuation"])


def test_blank_expected_text_is_allowed():
    assert compare("normalized_exact", "", "  ").passed
    assert compare("normalized_exact", " ", "").passed
    assert compare("normalized_exact", "+", "+").passed
    assert compare("json_distance", {}, {"a": 1}, ignore=["$.a"]).passed


@pytest.mark.parametrize(
    ("operator", "settings"),
    [("trace_contains", {"substring": "a"}), ("trace_regex", {"pattern": "a"}), ("trace_length", {"min": 1})],
)
def test_mapping_needs_expected_unless_setting_replaces_it(operator, settings):
    assert Evaluator(operator, {"observed": "$"}, **settings).evaluate("a").result.passed
    if operator != "trace_length":
        with pytest.raises(
            SettingsError, match=f"the mapping does not say where it comes from, and {operator} needs it"
        ):
            Evaluator(operator, {"observed": "$"})
