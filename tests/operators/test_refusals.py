"""Every refusal of every operator: an expected value that cannot be used is an error, observed evidence a fail."""

import re

import pytest

from pytest_verdict import UndecidedError, compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import SettingsError
from pytest_verdict.laws import REFUSALS
from pytest_verdict.operators import ContainsAll, SemanticMatch
from pytest_verdict.suites import Evaluator
from refusals import refused

DEEP = "[" * 300
WITHOUT_REFUSAL = {"exact", "literal", "not_blank", "nothing_found"}
# What the parts refuse, an outcome of another tool, or nothing at all.
OF_OTHERS = {
    "none_of",
    "all_of",
    "any_of",
    "at_least_n",
    "weighted",
    "criteria",
    "derived",
    "not_compared",
    "scorer_verdict",
}


def embedder(texts):
    return [{"zero": [0.0, 0.0], "infinite": [1.0, float("inf")]}.get(text, [1.0, 2.0]) for text in texts]


SEMANTIC = SemanticMatch(embedder=embedder)

UNUSABLE_EXPECTED = [
    ("boolean", "yes", True, "not_a_boolean", {}),
    ("boolean", 1, "true", "not_a_boolean", {}),
    ("one_of", "abc", "a", "not_a_list", {}),
    ("one_of", [], "a", "empty_expected", {}),
    ("contains_any", 5, "a", "not_text", {}),
    ("contains_any", ["a", 5], "a", "not_text", {}),
    ("contains_any", [], "a", "empty_expected", {}),
    ("contains_any", "", "a", "empty_expected", {}),
    ("contains_all", ["a", ""], "a", "empty_expected", {}),
    ("contains_all", "!?", "a", "empty_expected", {"normalize": ["remove_punctuation"]}),
    ("contains_all", None, None, "not_text", {}),
    ("not_contains", "", "a", "empty_expected", {}),
    ("starts_with", "", "a", "empty_expected", {}),
    ("ends_with", ["a", 5], "a", "not_text", {}),
    ("is_type", "word", "a", "not_a_type", {}),
    ("is_type", [], "a", "not_a_type", {}),
    ("is_type", {"type": "integer"}, "a", "not_a_type", {}),
    ("is_type", ["null", 5], 5, "not_a_type", {}),
    ("best_of", "abc", "a", "not_a_list", {"inner": "exact"}),
    ("best_of", [], "a", "empty_expected", {"inner": "exact"}),
    ("set_similarity", "abc", ["a"], "not_a_list", {}),
    ("set_similarity", None, ["a"], "not_a_list", {}),
    ("contains_all", "", None, "empty_expected", {}),
    ("normalized_exact", "+", "-", "empty_expected", {"normalize": ["remove_punctuation"]}),
    ("normalized_exact", "The", "the", "empty_expected", {"normalize": ["lowercase", "remove_articles", "strip"]}),
    ("text_similarity", "+", "-", "empty_expected", {"normalize": ["remove_punctuation"]}),
    ("json_distance", {"a": 1}, {"a": 2}, "empty_expected", {"ignore": ["$.a"]}),
    ("json_distance", [1, 2], [], "empty_expected", {"ignore": ["$[*]"]}),
    ("json_distance", {"a": 1}, {"a": 2}, "empty_expected", {"rules": {"$.a": {"ignore": True}}}),
    ("regex", "(", "(", "invalid_regex_pattern", {}),
    ("regex", "(", None, "invalid_regex_pattern", {}),
    ("regex", "", "a", "empty_expected", {}),
    ("regex", None, "a", "not_text", {}),
    ("text_similarity", 1, "1", "not_text", {}),
    (SEMANTIC, 1, "1", "not_text", {}),
    (SEMANTIC, "zero", "a", "zero_vector", {}),
    (SEMANTIC, "infinite", "zero", "not_finite", {}),
    ("numeric_exact", "about five", 5, "not_a_number", {}),
    ("numeric_exact", None, "x", "not_a_number", {}),
    ("numeric_tolerance", True, 1, "not_a_number", {"tolerance": 0.1}),
    ("numeric_minimum", "x", 1, "not_a_number", {}),
    ("numeric_maximum", float("nan"), 1, "not_a_number", {}),
    ("numeric_range", "1-10", 5, "not_a_range", {}),
    ("numeric_range", {"low": 1}, 5, "not_a_range", {}),
    ("numeric_range", [None, None], None, "not_a_range", {}),
    ("numeric_range", [10, 1], 5, "not_a_range", {}),
    ("numeric_range", [10, 1], "x", "not_a_range", {}),
    ("numeric_range", [5, 5], 5, "not_a_range", {"exclusive_min": True}),
    ("numeric_range", ["a", 1], 5, "not_a_number", {}),
    ("delta", "x", [1, 2], "not_a_number", {}),
    ("delta", "x", 5, "not_a_number", {}),
    ("set_containment", "abc", ["a"], "not_a_list", {}),
    ("ordered_match", {"a": 1}, ["a"], "not_a_list", {}),
    ("date_match", "ignored", "2024-01-01", "not_a_date", {}),
    ("date_match", "March 2024", "x", "date_incomplete", {}),
    ("date_match", "2024-02-30", "30/02/2024", "not_a_date", {"format": "%d/%m/%Y"}),
    ("date_tolerance", 5, "2024-01-01", "not_a_date", {"tolerance": 1}),
    ("date_tolerance", "2024-01-15 10:00 EST", "2024-01-15 10:00", "timezone_unknown", {"tolerance": 1}),
    ("date_range", "2024-01-01", "2024-06-01", "not_a_range", {}),
    ("date_range", ["2024-12-31", "2024-01-01"], "2024-06-01", "not_a_range", {}),
    ("date_range", ["x", None], "2024-06-01", "not_a_date", {}),
    ("date_range", [None, "x"], "y", "not_a_date", {}),
    ("date_range", ["2024-01-15 10:00 EST", None], "2024-06-01 10:00", "timezone_unknown", {}),
    ("json_canonical", '{"a":', "{}", "json_parse_failed", {}),
    ("json_canonical", '{"a": 1, "a": 2}', "{", "json_duplicate_key", {}),
    ("json_canonical", {1}, "{}", "not_json", {}),
    ("json_subset", "[NaN]", "[]", "json_not_finite", {}),
    ("json_distance", DEEP, "[]", "json_too_deep", {}),
    ("json_schema", "{", "{}", "json_parse_failed", {}),
    ("json_schema", {"type": "strin"}, {}, "invalid_schema", {}),
    ("json_schema", {"pattern": "("}, '"a"', "schema_failed", {}),
    ("json_schema", {"$ref": "https://example.org/x.json"}, {}, "unresolved_reference", {}),
    ("trace_regex", "(", "a", "invalid_regex_pattern", {}),
    ("trace_regex", "", None, "empty_expected", {}),
    ("trace_regex", "no", "a", "not_a_boolean", {"pattern": "a"}),
    ("trace_contains", "", "a", "empty_expected", {}),
    ("trace_contains", 5, None, "not_text", {}),
    ("trace_length", 5, "a", "not_a_boolean", {"min": 1}),
    ("pass_rate", 1.5, {"pass": 1, "fail": 0, "error": 0}, "not_a_rate", {}),
    ("pass_rate", True, {"pass": 1, "fail": 0, "error": 0}, "not_a_rate", {}),
    ("pass_rate", 0, "counts", "not_a_rate", {}),
]

UNREADABLE_OBSERVED = [
    ("boolean", True, "true", "not_a_boolean", {}),
    ("boolean", True, None, "null_observed", {}),
    ("contains_any", "a", 5, "not_text", {}),
    ("contains_all", ["a"], None, "not_text", {}),
    ("not_contains", "a", None, "not_text", {}),
    ("not_contains", "a", ["b"], "not_text", {}),
    ("starts_with", "a", 5, "not_text", {}),
    ("ends_with", "a", None, "not_text", {}),
    ("set_similarity", ["a"], "a", "not_a_list", {}),
    ("regex", "a", None, "not_text", {}),
    ("text_similarity", "1", 1, "not_text", {}),
    (SEMANTIC, "1", 1, "not_text", {}),
    (SEMANTIC, "a", "zero", "zero_vector", {}),
    (SEMANTIC, "a", "infinite", "not_finite", {}),
    ("numeric_exact", 5, "about five", "not_a_number", {}),
    ("numeric_tolerance", 1, True, "not_a_number", {"tolerance": 0.1}),
    ("numeric_minimum", 1, "x", "not_a_number", {}),
    ("numeric_maximum", 1, float("nan"), "not_a_number", {}),
    ("numeric_range", [1, 10], "x", "not_a_number", {}),
    ("delta", 1, 5, "not_a_change", {}),
    ("delta", 1, [1, "x"], "not_a_number", {}),
    ("delta", 0, [float("inf"), float("inf")], "not_a_number", {}),
    ("set_containment", ["a"], "a", "not_a_list", {}),
    ("ordered_match", ["a"], None, "not_a_list", {}),
    ("date_match", "2024-01-01", "soon", "not_a_date", {}),
    ("date_tolerance", "2024-01-01", "March 2024", "date_incomplete", {"tolerance": 1}),
    ("date_tolerance", "2024-01-15 10:00", "2024-01-15 10:00 EST", "timezone_unknown", {"tolerance": 1}),
    ("date_tolerance", "2024-01-15 10:00", "2024-01-15T10:00Z", "timezone_mismatch", {"tolerance": 1}),
    ("date_range", ["2024-01-01", None], "x", "not_a_date", {}),
    ("json_canonical", '{"answer": 42}', '{"answer":', "json_parse_failed", {}),
    ("json_subset", [], "NaN", "json_not_finite", {}),
    ("json_distance", [], {1}, "not_json", {}),
    ("json_distance", 1, "{", "json_parse_failed", {}),
    ("json_schema", {}, "{", "json_parse_failed", {}),
    ("json_schema", {"multipleOf": 2}, "1e999999", "schema_failed", {}),
    ("trace_regex", "a", None, "not_text", {}),
    ("trace_contains", "a", ["a"], "not_text", {}),
    ("trace_length", False, 5, "not_text", {"min": 1}),
    ("pass_rate", 0.5, {"pass": 1}, "not_counts", {}),
    ("pass_rate", 0.5, {"pass": -1, "fail": 0, "error": 0}, "not_counts", {}),
]


def _name(operator):
    return operator if isinstance(operator, str) else operator.name


def _ids(rows):
    return [f"{_name(row[0])}-{row[3]}-{index}" for index, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("operator", "expected", "observed", "note", "settings"), UNUSABLE_EXPECTED, ids=_ids(UNUSABLE_EXPECTED)
)
def test_an_expected_value_that_cannot_be_used_is_an_error(operator, expected, observed, note, settings):
    result = refused(operator, expected, observed, note, **settings)
    assert re.match("expected must be .*, got ", result.outcome.error)
    with pytest.raises(UndecidedError):
        assert not result


@pytest.mark.parametrize(
    ("operator", "expected", "observed", "note", "settings"), UNREADABLE_OBSERVED, ids=_ids(UNREADABLE_OBSERVED)
)
def test_observed_evidence_that_cannot_be_read_is_a_fail(operator, expected, observed, note, settings):
    refused(operator, expected, observed, note, verdict="fail", **settings)


def test_the_laws_know_every_refusal():
    notes = {row[3] for row in (*UNUSABLE_EXPECTED, *UNREADABLE_OBSERVED)}
    # A trajectory of which nothing is expected passes with that note.
    assert notes - REFUSALS == {"empty_expected"}


def test_the_error_names_the_value_and_what_is_allowed():
    assert compare("one_of", "abc", "a").outcome.error == (
        'expected must be a list of at least one accepted value, got "abc"'
    )
    assert compare("numeric_range", {"max": 1, "min": 10}, 5).outcome.error == (
        'expected must be bounds between which a number lies, got {"max":1,"min":10}'
    )


def test_every_operator_on_values_is_in_a_table():
    tabled = {_name(row[0]) for row in UNUSABLE_EXPECTED}
    names = {name for name in REGISTRY if REGISTRY.find(name).__module__.startswith("pytest_verdict.operators.")}
    assert tabled | WITHOUT_REFUSAL | OF_OTHERS == names


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
