"""Criteria of a file, checked together."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import CriteriaMatch
from pytest_verdict.suites import Evaluator

POLITE = {
    "id": "polite",
    "version": 1,
    "severity": "minor",
    "operator": "contains_any",
    "settings": {"substrings": ["please"]},
}
SHORT = {"id": "short", "version": 1, "severity": "blocker", "operator": "trace_length", "settings": {"max": 9}}
NUMBER = {"id": "number", "version": 1, "severity": "major", "operator": "numeric_exact"}


def checking(*criteria, **more):
    return CriteriaMatch(id="tone", revision=2, criteria=criteria, **more)


@pytest.mark.parametrize(
    ("observed", "unmet", "verdict"),
    [
        ("please go", {}, "pass"),
        ("go", {"minor": ["polite"]}, "pass"),
        ("please go on", {"blocker": ["short"]}, "fail"),
    ],
)
def test_severity_decides_whether_unmet_criterion_fails(observed, unmet, verdict):
    result = compare(checking(POLITE, SHORT), {"short": True}, observed)
    assert (result.verdict, result.notes) == (verdict, [])
    assert result.details["unmet"] == {"blocker": [], "major": [], "minor": [], **unmet}


def test_missing_or_unusable_expected_value_is_an_error():
    for expected, note in [({}, "missing_expected"), ({"number": "x"}, "not_a_number")]:
        result = compare(checking(NUMBER), expected, "5")
        assert (result.verdict, result.score, result.notes) == ("error", 0.0, ["child_error"])
        [part] = result.children
        assert (part.verdict, part.notes) == ("error", [note])
    assert compare(checking(NUMBER), {"number": 5}, "5").passed


def test_mapping_needs_expected_if_a_criterion_does():
    mapping = {"observed": "$.reply"}
    assert Evaluator(checking(POLITE), mapping).evaluate({"reply": "please"}).result.passed
    with pytest.raises(SettingsError, match="the mapping does not say where it comes from, and criteria needs it"):
        Evaluator(checking(POLITE, NUMBER), mapping)


def test_unmet_criterion_fails_despite_error_of_another():
    result = compare(checking(NUMBER, SHORT), {"short": True}, "far too long")
    assert (result.verdict, result.notes) == ("fail", ["child_error"])


@pytest.mark.parametrize(
    "wrong", [[], [POLITE, POLITE], [{**POLITE, "severity": "bad"}], [{**POLITE, "weight": 1}], [{**POLITE, "id": ""}]]
)
def test_invalid_criteria_are_rejected(wrong):
    with pytest.raises(SettingsError):
        checking(*wrong)


@pytest.mark.parametrize("key", [1, None, True, b"pattern", ("pattern",)])
def test_setting_whose_name_is_no_text_is_refused(key):
    settings = {"pattern": "x+", key: 3}
    with pytest.raises(SettingsError, match=r"there is no setting .*Allowed: flags, mode, normalize, pattern"):
        checking({**SHORT, "operator": "regex", "settings": settings})
    with pytest.raises(SettingsError, match="there is no setting"):
        compare("all_of", None, "xx", conditions=[{"operator": "regex", "settings": settings}])


def with_settings(operator, **settings):
    return {"operator": operator, "settings": settings}


EQUAL = [
    ("contains_any", {"operator": "contains_any"}),
    ("contains_any", with_settings("contains_any")),
    (with_settings("exact"), "exact"),
    (with_settings("contains_any", substrings=["a"]), with_settings("contains_any", substrings=("a",))),
    (with_settings("json_schema", schema_document={"minimum": 0.1}),) * 2,
]
DIFFERENT = [
    ("contains_any", "contains_all"),
    ("contains_any", with_settings("contains_any", case_sensitive=False)),
    ("text_similarity", {"operator": "text_similarity", "threshold": 0.5}),
    (with_settings("numeric_tolerance", tolerance=1), with_settings("numeric_tolerance", tolerance=2)),
]


@pytest.mark.parametrize(("first", "second"), EQUAL + DIFFERENT)
def test_criteria_are_equal_if_they_check_the_same(first, second):
    are_equal = (first, second) in EQUAL
    one = checking({**NUMBER, "operator": first})
    other = checking({**NUMBER, "operator": second})
    assert (one == other, hash(one) == hash(other)) == (are_equal, are_equal)
    assert CriteriaMatch(**one.settings()) == one
    for changed in ({"id": "other"}, {"version": 2}, {"version": "1"}, {"severity": "minor"}):
        assert checking({**NUMBER, "operator": first, **changed}) != one
