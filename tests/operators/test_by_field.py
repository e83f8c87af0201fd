"""`by_field`: each field of a JSON document by an operator of its own."""

import json
from decimal import Decimal

import pytest

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.comparison import describe_failure
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.errors import ConfigurationError

NEAR = {"operator": "numeric_tolerance", "settings": {"tolerance": 0.1}}
SIMILAR = {"operator": "text_similarity", "threshold": 0.5}
A = {"a": 1, "b": "X", "c": [1, 2], "d": {"e": 1.5, "f": None}}


def verdicts(result):
    return {field["path"]: field["verdict"] for field in result.details["fields"]}


@pytest.mark.parametrize(
    ("expected", "observed", "rules", "fields"),
    [
        (A, A, {"$.a": "exact"}, {"$.a": "pass", "$": "pass"}),
        (A, json.dumps(A), {"$.a": "exact"}, {"$.a": "pass", "$": "pass"}),
        (A, "\ufeff" + json.dumps(A), {"$.a": "exact"}, {"$.a": "pass", "$": "pass"}),
        (A, {**A, "a": 1.05}, {"$.a": NEAR}, {"$.a": "pass", "$": "pass"}),
        (A, {**A, "a": 1.2}, {"$.a": NEAR}, {"$.a": "fail", "$": "pass"}),
        (A, {**A, "b": "x"}, {"$.b": "normalized_exact"}, {"$.b": "pass", "$": "pass"}),
        (A, {**A, "b": "x"}, {"$.a": NEAR}, {"$.a": "pass", "$": "fail"}),
        (A, {**A, "g": 1}, {"$.a": NEAR}, {"$.a": "pass", "$": "fail"}),
        (A, {**A, "c": [2, 1]}, {"$.c": "set_containment"}, {"$.c": "pass", "$": "pass"}),
        (A, {**A, "c": [2, 1]}, {"$.c[*]": "exact"}, {"$.c[0]": "fail", "$.c[1]": "fail", "$": "pass"}),
        (A, {**A, "c": [1, 3]}, {"$.c[*]": "exact", "$.c[1]": {"operator": "numeric_minimum"}},
         {"$.c[0]": "pass", "$.c[1]": "pass", "$": "pass"}),
        (A, {**A, "c": [1]}, {"$.c[*]": "exact"}, {"$.c[0]": "pass", "$.c[1]": "fail", "$": "pass"}),
        (A, {**A, "d": {"e": 1.6, "f": None}}, {"$..e": NEAR}, {"$.d.e": "pass", "$": "pass"}),
        (A, {**A, "d": {"e": 1.6, "f": None}}, {"$.d": "json_canonical", "$.d.e": NEAR},
         {"$.d": "pass", "$.d.e": "pass", "$": "pass"}),
        (A, {**A, "d": {"e": 1.6, "f": 1}}, {"$.d": "json_canonical", "$.d.e": NEAR},
         {"$.d": "fail", "$.d.e": "pass", "$": "pass"}),
        ({"t": "kitten"}, {"t": "sitting"}, {"$.t": SIMILAR}, {"$.t": "pass"}),
        ({"t": "kitten"}, {"t": "sitting"}, {"$.t": "text_similarity"}, {"$.t": "fail"}),
        ({"t": "1"}, {"t": 1}, {"$.t": "exact"}, {"$.t": "fail"}),
        ({"t": None}, {"t": None}, {"$.t": "exact"}, {"$.t": "pass"}),
        ({"a": '{"b": 1}'}, {"a": '{"b":  1.0}'}, {"$.a": "json_canonical"}, {"$.a": "pass"}),
        ({"a": [], "b": 1}, {"a": {}, "b": 1}, {"$.b": "exact"}, {"$.b": "pass", "$": "fail"}),
        ({"a": Decimal("0.1")}, '{"a": 0.1}', {"$.a": "exact"}, {"$.a": "pass"}),
    ],
)  # fmt: skip
def test_fields_and_rest(expected, observed, rules, fields):
    result = compare("by_field", expected, observed, rules=rules)
    assert verdicts(result) == fields
    assert result.passed == (set(fields.values()) == {"pass"})
    assert [child.name for child in result.children] == [*fields]
    recorded = ComparisonResult.from_record(result.to_record())
    operator = operator_from_settings({"operator": "by_field", "version": 1, "settings": recorded.settings})
    assert compare(operator, recorded.expected, recorded.observed).to_text() == result.to_text()


@pytest.mark.parametrize(
    ("expected", "observed", "operator", "notes"),
    [
        ({"a": 1}, {"b": 1}, "exact", ["missing_observed"]),
        ({"b": 1}, {"b": 1, "a": 1}, "exact", ["unexpected"]),
        ({"b": 1}, {"b": 1, "a": 1}, "not_blank", None),
        ({"b": 1}, {"b": 1, "a": ""}, "not_blank", ["blank"]),
        ({"a": 1}, {"b": 1}, "not_blank", ["missing_observed"]),
        ({"a": None}, {}, "exact", ["missing_observed"]),
        ({"a": 1}, [], "exact", ["missing_observed"]),
        ({"a": 1}, None, "exact", ["missing_observed"]),
    ],
)
def test_field_of_one_document(expected, observed, operator, notes):
    result = compare("by_field", expected, observed, rules={"$.a": operator}, rest=None)
    assert result.verdict == ("fail" if notes else "pass")
    assert result.details["fields"][0].get("notes") == notes


@pytest.mark.parametrize("path", ["$.A", "$.aa", "$.c[2]", "$.d.x", "$.b.x", "$..z", "$.c[?(@ > 9)]", "$.d[0]"])
def test_rule_that_matches_nothing_is_an_error(path):
    for observed in (A, {**A, "a": 2}, {}, []):
        result = compare("by_field", A, observed, rules={"$.a": "exact", path: "exact"})
        assert (result.verdict, result.notes) == ("error", ["unknown_path"])
        assert repr(path) in result.error


def test_rule_that_another_rule_replaces_everywhere_is_no_error():
    assert compare("by_field", {"a": [1]}, {"a": [1]}, rules={"$.a[*]": "exact", "$.a[0]": NEAR}).passed


def test_unreadable_documents():
    assert compare("by_field", A, "{", rules={"$.a": "exact"}).notes == ["json_parse_failed"]
    assert compare("by_field", "{", A, rules={"$.a": "exact"}).verdict == "error"
    fenced = f"```json\n{json.dumps(A)}\n```"
    assert compare("by_field", A, fenced, rules={"$.a": "exact"}, normalize=["strip_markdown_fence"]).passed


def test_error_of_a_field_that_may_decide_is_an_error():
    rules = {"$.a": "exact", "$.b": "numeric_exact"}
    assert compare("by_field", {"a": 1, "b": "x"}, {"a": 1, "b": 1}, rules=rules).verdict == "error"
    assert compare("by_field", {"a": 1, "b": "x"}, {"a": 2, "b": 1}, rules=rules).verdict == "fail"


def test_nothing_left_is_no_part():
    result = compare("by_field", {"a": 1, "b": [2]}, {"a": 9, "b": [2]}, 0.6, rules={"$.a": "exact", "$.b[*]": "exact"})
    assert (result.score, result.verdict) == (0.5, "fail")


def test_rest_by_another_operator():
    observed = {"a": 1, "b": 2, "more": 3}
    assert compare("by_field", {"a": 1, "b": 2}, observed, rules={"$.a": "exact"}, rest="json_subset").passed
    assert not compare("by_field", {"a": 1, "b": 3}, observed, rules={"$.a": "exact"}, rest="json_subset").passed
    assert compare("by_field", {"a": 1, "b": 3}, observed, rules={"$.a": "exact"}, rest=None).passed


def test_expected_is_not_needed_if_settings_replace_it():
    assert compare("by_field", None, {"a": "x"}, rules={"$.a": "not_blank"}, rest=None).passed


def test_failure_names_the_path():
    result = compare("by_field", {"a": {"b": 10}}, {"a": {"b": 12}}, rules={"$.a.b": NEAR})
    assert "$.a.b off by 2" in describe_failure(result)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "at least one JSONPath"),
        (None, "at least one JSONPath"),
        ("exact", "at least one JSONPath"),
        (["$.a"], "at least one JSONPath"),
        ({"$": "exact"}, "whole document"),
        ({"$.": "exact"}, "not a JSONPath"),
        ({1: "exact"}, "JSONPaths"),
        ({"$.a": "exct"}, "Did you mean 'exact'"),
        ({"$.a": {"operator": "exact", "setting": {}}}, "Did you mean 'settings'"),
        ({"$.a": {"operator": "exact", "threshold": "0.5"}}, "threshold must be in"),
        ({"$.a": {"operator": "exact", "threshold": True}}, "threshold must be in"),
        ({"$.a": {"operator": "exact", "threshold": float("nan")}}, "threshold must be in"),
        ({"$.a": None}, "operator"),
        ({"$.a": {"operator": "numeric_tolerance"}}, "tolerance"),
    ],
)
def test_invalid_rules_are_refused(rules, message):
    with pytest.raises(ConfigurationError, match=message):
        compare("by_field", A, A, rules=rules)
