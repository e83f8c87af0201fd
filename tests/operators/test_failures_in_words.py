"""How failures of aggregates, traces, rates and scorers read."""

from __future__ import annotations

import textwrap

import pytest

from pytest_verdict import Budget, ComparisonResult, compare, explain
from pytest_verdict.explanation import failure_block


def counts(texts):
    return [[text.count(letter) for letter in "abc"] for text in texts]


FIRST_LINES = [
    ("trace_length", None, "bar", {"min": 5}, "length 3, at least 5 needed, got 'bar'"),
    ("trace_length", None, "a b c", {"max": 2, "unit": "words"}, "3 words, at most 2 needed, got 'a b c'"),
    ("trace_length", None, "x", {"min": 5, "max": 8}, "length 1, from 5 to 8 needed, got 'x'"),
    ("trace_length", False, "bar", {"max": 5}, "length 3, at most 5 not wanted, got 'bar'"),
    ("trace_length", None, 7, {"max": 5}, "observed is not a text: 7"),
    ("trace_regex", "fo+", "bar", {}, "expected 'fo+' in the trace, got 'bar'"),
    ("trace_regex", False, "a foo", {"pattern": "fo+"}, "expected no 'fo+' in the trace, got 'a foo'"),
    (
        "trace_regex",
        None,
        "a foo",
        {"pattern": "fo+", "count_min": 2},
        "expected 'fo+' 2 times (found 1) in the trace, got 'a foo'",
    ),
    ("trace_contains", "foo", "bar", {}, "expected 'foo' in the trace, got 'bar'"),
    ("trace_contains", None, "bar", {"substring": "foo"}, "expected 'foo' in the trace, got 'bar'"),
    ("trace_contains", False, "a foo", {"substring": "foo"}, "expected no 'foo' in the trace, got 'a foo'"),
    ("not_contains", ["x", "sor"], "I am sorry", {}, "expected no 'sor', got 'I am sorry'"),
    ("not_contains", "x", 5, {}, "observed is not a text: 5"),
    ("starts_with", "Dear", "Hello", {}, "expected at the start 'Dear', got 'Hello'"),
    ("ends_with", ".", "Hello", {}, "expected at the end '.', got 'Hello'"),
    ("is_type", ["integer", "null"], "7", {}, "expected integer or null, got string '7'"),
    ("is_type", "integer", b"7", {}, "expected integer, got none of the types b'7'"),
    ("set_similarity", ["a", "b"], ["b", "c"], {}, "missing 'a'; unexpected 'c'"),
    (
        "best_of",
        ["Paris", "Lutetia"],
        "Rome",
        {"inner": "exact"},
        "the best of 2 references: expected 'Paris', got 'Rome'",
    ),
    (
        "best_of",
        None,
        "Pari",
        {"inner": "text_similarity", "references": ["Roma", "Palo"]},
        "the best of 2 references scores 0.5, 0.8 needed: expected 'Palo', got 'Pari'",
    ),
    (
        "none_of",
        "Rome",
        "Rome",
        {"conditions": ["exact", {"operator": "regex", "settings": {"pattern": "x"}}]},
        "1 of 2 passed, none may: exact pass",
    ),
    (
        "none_of",
        {"a": 1},
        "[NaN]",
        {"conditions": ["json_subset"]},
        "0 of 1 passed, none may: json_subset observed has a number that JSON does not have: '[N…",
    ),
    ("not_blank", None, "  ", {}, "observed is blank: '  '"),
    ("not_compared", "Paris", "the adapter raised OSError", {}, "error: the adapter raised OSError"),
    (
        "pass_rate",
        0.9,
        {"pass": 3, "fail": 1, "error": 1},
        {},
        "3 of 5 passed, 1 could not be compared: a share of 0.6, at least 0.9 needed",
    ),
    ("pass_rate", 0.9, "x", {}, "observed does not count passes, fails and errors: 'x'"),
    (
        "scorer_verdict",
        None,
        {"output": "Hi", "score": 0.25, "passed": None, "explanation": "no please"},
        {"scorer": "polite"},
        "polite gave 0.25, 1 needed: no please, output 'Hi'",
    ),
    (
        "scorer_verdict",
        None,
        {"output": "Hi", "score": None, "passed": False, "explanation": None},
        {},
        "the scorer says no, output 'Hi'",
    ),
    ("semantic", "aab", "bcc", {"embedder": counts}, "similarity 0.2, 0.85 needed: expected 'aab', got 'bcc'"),
    (
        "date_range",
        ["2020-01-01", "2020-02-01"],
        "2020-03-01",
        {},
        "off by 29 days: expected ['2020-01-01', '2020-02-01'], got '2020-03-01'",
    ),
    (
        "date_range",
        ["2020-01-01T10:00", None],
        "2020-01-01T09:30",
        {},
        "off by 1800 seconds: expected ['2020-01-01T10:00', None], got '2020-01-01T09:30'",
    ),
    (
        "numeric_tolerance",
        100,
        110,
        {"tolerance": 0.05, "zero_at": 0.25},
        "off by 10, allowed 5, score 0.75, 1 needed: expected 100, got 110",
    ),
    ("delta", -20, [100, 90], {}, "off by 10: expected -20, got [100, 90]"),
    ("json_schema", {"properties": {"id": {"type": "integer"}}}, {"id": "7"}, {}, "$.id: '7' is not of type 'integer'"),
]


@pytest.mark.parametrize(("operator", "expected", "observed", "settings", "first"), FIRST_LINES)
def test_first_line_explains_failure(operator, expected, observed, settings, first):
    result = compare(operator, expected, observed, **settings)
    assert not result.passed
    assert next(explain(result)) == f"{operator}: {first}"


def test_date_range_details_have_the_distance():
    details = compare("date_range", ["2020-01-05", None], "2020-01-01").details
    assert details == {"observed_date": "2020-01-01", "distance": "4", "margin": "-4", "measured_in": "days"}
    assert compare("date_range", ["2020-01-05", None], "2020-01-06").details == {"observed_date": "2020-01-06"}
    zones = compare("date_range", ["2020-01-05T10:00Z", None], "2020-01-05T09:00")
    assert (zones.notes, zones.details) == (["timezone_mismatch"], {"observed_date": "2020-01-05"})


AGGREGATES = {
    "at_least_n": (
        lambda: compare("at_least_n", "a b", "b c", n=2, conditions=["exact", "contains_all", "json_canonical"]),
        """
        at_least_n: 0 of 3 passed, 2 needed: exact expected 'a b', got 'b c'; …
          FAIL  exact '0': expected 'a b', got 'b c'
                normalization: none
          FAIL  contains_all '1': missing 'a b', got 'b c'
                normalization: none
        """,
    ),
    "keys": (
        lambda: compare(
            "all_of",
            {"a": 1, "b": 2, "c": "x"},
            {"a": 1, "b": 3, "c": "y"},
            conditions={"a": "exact", "b": {"operator": "any_of", "settings": {"conditions": ["exact"]}}, "c": "exact"},
        ),
        """
        all_of: 1 of 3 passed, 3 needed: b 0 of 1 passed, 1 needed: exact expected 2, got 3; …
          FAIL  any_of 'b': 0 of 1 passed, 1 needed: exact expected 2, got 3
                FAIL  exact '0': expected 2, got 3
                      normalization: none
          FAIL  exact 'c': expected 'x', got 'y'
                normalization: none
          ok    exact 'a': got 1
          score 0.333333 < threshold 1
        """,
    ),
    "a threshold of the caller": (
        lambda: compare("all_of", 1, "2", 0.5, conditions=["exact", "numeric_exact", "boolean", "exact"]),
        """
        all_of: 0 of 4 passed, 2 needed: exact expected 1, got '2'; …
        """,
    ),
    "weighted": (
        lambda: compare("weighted", 2, "2", 0.9, conditions=["exact", "numeric_exact"], weights=[1, 3]),
        """
        weighted: score 0.75, 0.9 needed: exact expected 2, got '2'
          FAIL  exact '0': expected 2, got '2'
                normalization: none
          ok    numeric_exact '1': got '2'
          settings: weights=[1, 3]
          score 0.75 < threshold 0.9
        """,
    ),
}


@pytest.mark.parametrize("name", AGGREGATES)
def test_aggregate_is_explained_as_a_tree(name):
    make, wanted = AGGREGATES[name]
    lines = textwrap.dedent(wanted).strip("\n").splitlines()
    assert failure_block(make(), Budget()).splitlines()[: len(lines)] == lines


def test_decisive_criteria_come_first():
    criteria = [
        {
            "id": "polite",
            "version": 1,
            "severity": "minor",
            "operator": "contains_any",
            "settings": {"substrings": ["x"]},
        },
        {
            "id": "city",
            "version": 1,
            "severity": "blocker",
            "operator": "contains_all",
            "settings": {"substrings": ["P"]},
        },
    ]
    lines = list(explain(compare("criteria", {}, "Go.", id="tone", revision=3, criteria=criteria)))
    assert lines[0].startswith("criteria: 0 of 2 passed: city missing 'P', got 'Go.'; polite ")
    assert "  unmet: {'blocker': ['city'], 'major': [], 'minor': ['polite']}" in lines
    assert "  settings: id='tone', revision=3" in lines


def test_failed_branch_of_passed_aggregate_comes_last():
    lines = list(explain(compare("any_of", 1, "1", conditions=["exact", "numeric_exact"])))
    assert lines[:3] == [
        "any_of: pass",
        "  ok    numeric_exact '1': got '1'",
        "  FAIL  exact '0': expected 1, got '1'",
    ]


def test_tree_shortens_first_line_only():
    expected = "a long text that goes on and on and on and ends with a word"
    result = compare("all_of", {"t": expected}, {"t": expected.replace("word", "verb")}, conditions={"t": "exact"})
    for width in (60, 80, 120):
        lines = failure_block(result, Budget(width=width)).splitlines()
        assert max(map(len, lines)) <= width + 16
        assert "word" in lines[0]
        assert "verb" in "".join(lines[:5])


@pytest.mark.parametrize(
    "change", [{"details": {}}, {"details": {"length": "\x1b[31m"}}, {"settings": {}}, {"observed": "\x1b"}]
)
@pytest.mark.parametrize("row", FIRST_LINES, ids=lambda row: row[0])
def test_untrusted_record_is_explained(row, change):
    operator, expected, observed, settings, _ = row
    record = compare(operator, expected, observed, **settings).to_record()
    read = ComparisonResult.from_record({**record, **change})
    for budget in (Budget(), Budget(width=20), Budget(lines=0, characters=0, differences=0, width=0)):
        said = failure_block(read, budget)
        assert said.startswith(f"{operator}: ")
        assert "\x1b" not in said
