"""Versioned criteria, expected values that are derived first, and measurements before and after."""

import json

import pytest

from pytest_verdict import ComparisonResult, compare
from pytest_verdict.blind.baseline import Baseline
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.operators.aggregate import compare_derived
from pytest_verdict.operators.criteria import read_criteria

CRITERIA = """
id: city-answers
version: 3
criteria:
  - {id: city, version: 1, severity: blocker, operator: contains_all, settings: {substrings: [Paris]}}
  - {id: words, version: 2, severity: major, operator: text_similarity, threshold: 0.5, expected: Paris it is}
  - {id: polite, version: 1, severity: minor, operator: contains_any, expected: [please, thank]}
"""


@pytest.fixture
def criteria(tmp_path):
    (tmp_path / "criteria.yaml").write_text(CRITERIA)
    return tmp_path / "criteria.yaml"


def test_criteria_of_a_file_are_checked_together(criteria):
    criteria_file = read_criteria(criteria)
    result = compare(criteria_file.operator, criteria_file.expected, "Paris it is")
    assert result.passed
    assert result.details["unmet"] == {"blocker": [], "major": [], "minor": ["polite"]}
    assert [child.name for child in result.children] == ["city", "words", "polite"]
    assert (result.details["criteria_id"], result.details["criteria_version"]) == ("city-answers", 3)
    assert not compare(criteria_file.operator, criteria_file.expected, "London it is")
    strict = read_criteria(criteria, fail_on=("minor",))
    assert not compare(strict.operator, strict.expected, "Paris it is")


def test_digest_of_criteria_changes_with_a_criterion(criteria):
    before = read_criteria(criteria)
    criteria.write_text(CRITERIA.replace("please", "kindly"))
    after = read_criteria(criteria)
    digests = [compare(one.operator, one.expected, "x").details["criteria_sha256"] for one in (before, after, after)]
    assert digests[0] != digests[1] == digests[2]


def test_criteria_round_trip_through_a_record(criteria):
    criteria_file = read_criteria(criteria)
    result = compare(criteria_file.operator, criteria_file.expected, "Paris it is")
    assert type(criteria_file.operator)(**criteria_file.operator.settings()) == criteria_file.operator
    assert ComparisonResult.from_record(json.loads(result.to_text())) == result


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("severity: minor", "severity: small", "Allowed: blocker, major, minor"),
        ("operator: contains_any", "operator: contains_some", "Did you mean 'contains"),
        ("id: polite", "id: city", "'city' occurs twice"),
        ("version: 2", "version: 2.5", "quoted text"),
        ("threshold", "treshold", "Did you mean 'threshold'"),
        ("criteria:", "criterion:", "Did you mean 'criteria'"),
        ("version: 2", "2: version", "a criterion has no key 2"),
        ("operator: contains_any", "4: contains_any", r"criteria\['polite'\]: a criterion has no key 4"),
    ],
)
def test_invalid_criteria_are_rejected(criteria, before, after, message):
    criteria.write_text(CRITERIA.replace(before, after))
    with pytest.raises(ConfigurationError, match=message):
        read_criteria(criteria)


def test_threshold_beside_a_full_operator_is_kept(criteria):
    in_full = "operator: {operator: text_similarity}, threshold"
    criteria.write_text(CRITERIA.replace("operator: text_similarity, threshold", in_full))
    criteria_file = read_criteria(criteria)
    assert criteria_file.operator.criteria[1].condition.threshold == 0.5


def test_compare_derived_derives_before_it_extracts():
    order = []

    def derive(question):
        order.append("derive")
        return question["a"] + question["b"]

    def extract(draft):
        order.append("extract")
        return draft.split()[-1]

    result = compare_derived(
        "numeric_exact", {"a": 2, "b": 3}, derive, "The sum is 5", extract, source="spec", name="sum"
    )
    assert order == ["derive", "derive", "extract"]
    assert (result.operator, result.verdict, result.expected, result.observed) == ("derived", "pass", 5, "5")
    assert result.settings["source"] == "spec"


def test_compare_derived_rejects_unstable_derivation():
    with pytest.raises(ConfigurationError, match="cannot see the draft"):
        compare_derived("exact", 1, lambda question, draft: draft, 1, lambda draft: draft)
    numbers = iter(range(9))
    with pytest.raises(ConfigurationError, match="two different values"):
        compare_derived("exact", 1, lambda _: next(numbers), 1, lambda draft: draft)


def test_baseline_measures_before_and_after():
    rows = [1, 2]
    with Baseline(lambda: len(rows)) as baseline:
        rows.append(3)
        with pytest.raises(ConfigurationError, match="before the end"):
            _ = baseline.change
    rows.append(4)
    assert compare("delta", 1, baseline.change).passed
    assert not compare("delta", 2, baseline.change)
    with pytest.raises(ConfigurationError, match="needs a function"):
        Baseline(3)
