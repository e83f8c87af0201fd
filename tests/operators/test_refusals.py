"""Every refusal of every operator: an expected value that cannot be used is an error, observed evidence a fail."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import ContainsAll
from pytest_verdict.suites import Evaluator
from refusals import refused


def test_the_error_names_the_value_and_what_is_allowed():
    assert compare("one_of", "abc", "a").outcome.error == (
        'expected must be a list of at least one accepted value, got "abc"'
    )
    assert compare("numeric_range", {"max": 1, "min": 10}, 5).outcome.error == (
        'expected must be bounds between which a number lies, got {"max":1,"min":10}'
    )


def test_a_missing_expected_key_of_an_aggregate_is_an_error_of_its_part():
    result = refused("all_of", {}, {"a": 1}, "child_error", conditions={"a": "exact"})
    [part] = result.children
    assert (part.verdict, part.notes) == ("error", ["missing_expected"])
    [part] = compare("all_of", {"a": 1}, {}, conditions={"a": "exact"}).children
    assert (part.verdict, part.notes) == ("fail", ["missing_observed"])


@pytest.mark.parametrize("operator", ["json_distance"])
def test_json_paths_that_fail_on_a_document(operator):
    settings = {"ignore": ["$.items[?(@.n > 1)]"]}
    good, bad = {"items": [{"n": 1}]}, {"items": [{"n": {}}]}
    for expected, observed, verdict in [(bad, good, "error"), (bad, bad, "error"), (good, bad, "fail")]:
        result = compare(operator, expected, observed, **settings)
        if result.notes == ["jsonpath_failed"]:
            refused(operator, expected, observed, "jsonpath_failed", verdict=verdict, **settings)


def test_substrings_that_normalization_empties_are_refused_when_made():
    with pytest.raises(SettingsError, match="'!' is empty after normalization"):
        ContainsAll(substrings=["a", "!"], normalize=["remove_punctuation"])


def test_a_text_that_was_blank_already_may_be_expected():
    assert compare("normalized_exact", "", "  ").passed
    assert compare("normalized_exact", " ", "").passed
    assert compare("normalized_exact", "+", "+").passed
    assert compare("json_distance", {}, {"a": 1}, ignore=["$.a"]).passed


@pytest.mark.parametrize(
    ("operator", "settings"),
    [("trace_contains", {"substring": "a"}), ("trace_regex", {"pattern": "a"}), ("trace_length", {"min": 1})],
)
def test_a_mapping_says_what_is_expected_unless_a_setting_does(operator, settings):
    assert Evaluator(operator, {"observed": "$"}, **settings).evaluate("a").result.passed
    if operator != "trace_length":
        with pytest.raises(
            SettingsError, match=f"the mapping does not say where it comes from, and {operator} needs it"
        ):
            Evaluator(operator, {"observed": "$"})
