"""The raw text of a response."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.trace import TraceContains, TraceLength, TraceRegex
from refusals import refused


@pytest.mark.parametrize(
    ("settings", "expected", "trace", "passes"),
    [
        pytest.param({"pattern": r"\[\d+\]"}, True, "See [1]", True, id="found"),
        pytest.param({"pattern": r"\[\d+\]"}, None, "See [1]", True, id="none-means-found"),
        pytest.param({"pattern": r"\[\d+\]"}, False, "See [1]", False, id="must-be-absent"),
        pytest.param({"pattern": "(?i)x"}, True, "X", True, id="inline-flag"),
        pytest.param({"pattern": "x", "flags": ["I"]}, True, "X", True, id="flag"),
        pytest.param({"pattern": "a"}, True, "b", False, id="no-match"),
        pytest.param({"pattern": "a"}, False, "b", True, id="no-match-is-wanted"),
        pytest.param({}, "a", "b", False, id="expected-does-not-match"),
        pytest.param({"pattern": "a", "count_min": 2}, True, "aa", True, id="count"),
        pytest.param({"pattern": "aa", "count_min": 2}, True, "aaa", False, id="matches-do-not-overlap"),
        pytest.param({"pattern": "a", "count_min": 2}, False, "a", True, id="fewer-than-the-count"),
        pytest.param({}, r"\d{4}", "in 1928", True, id="expected-is-the-pattern"),
    ],
)
def test_trace_regex(settings, expected, trace, passes):
    assert compare("trace_regex", expected, trace, **settings).passed is passes


def test_trace_regex_counts_the_matches():
    assert compare("trace_regex", True, "See [1] and [2].", pattern=r"\[\d\]").details == {
        "count": 2,
        "matched": ["[1]", "[2]"],
    }


@pytest.mark.parametrize(
    ("operator", "expected", "trace", "note"),
    [
        pytest.param(TraceRegex(), "(", "a", "invalid_regex_pattern", id="pattern-does-not-compile"),
        pytest.param(TraceRegex(), "", "a", "empty_expected", id="empty-pattern"),
        pytest.param(TraceContains(), "", "a", "empty_expected", id="empty-substring"),
        pytest.param(TraceContains(), True, "a", "not_text", id="no-substring"),
        pytest.param(TraceRegex(pattern="a"), "no", "a", "not_a_boolean", id="regex-wish-is-no-bool"),
        pytest.param(TraceContains(substring="a"), 1, "a", "not_a_boolean", id="contains-wish-is-no-bool"),
        pytest.param(TraceLength(min=1), "a", "a", "not_a_boolean", id="length-wish-is-no-bool"),
        pytest.param(TraceRegex(pattern="a"), False, None, "not_text", id="regex-without-trace"),
        pytest.param(TraceContains(substring="a"), False, ["a"], "not_text", id="contains-without-trace"),
        pytest.param(TraceLength(min=1), False, 5, "not_text", id="length-without-trace"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_note(operator, expected, trace, note):
    result = refused(operator, expected, trace, note, verdict="error" if trace == "a" else "fail")
    assert result.notes == [note]


@pytest.mark.parametrize(
    ("settings", "expected", "trace", "passes"),
    [
        ({"substring": "a"}, True, "bab", True),
        ({"substring": "a"}, True, "A", False),
        ({"substring": "z"}, False, "abc", True),
        ({}, "b", "abc", True),
    ],
    ids=repr,
)
def test_trace_contains(settings, expected, trace, passes):
    assert compare("trace_contains", expected, trace, **settings).passed is passes


@pytest.mark.parametrize(
    ("settings", "expected", "trace", "passes"),
    [
        ({"min": 1, "max": 3}, True, "abc", True),
        ({"max": 2}, True, "abc", False),
        ({"max": 2}, False, "abc", True),
        ({"min": 2, "max": 2, "unit": "words"}, None, " two\nwords ", True),
        ({"max": 2, "unit": "lines"}, True, "one\ntwo\n", True),
        ({"min": 0, "max": 0}, True, "", True),
        ({"min": 1, "max": 1}, True, "\U0001f44d\U0001f3fd", False),
    ],
    ids=repr,
)
def test_trace_length(settings, expected, trace, passes):
    assert compare("trace_length", expected, trace, **settings).passed is passes


@pytest.mark.parametrize(
    ("operator", "settings"),
    [
        ("trace_regex", {"pattern": ""}),
        ("trace_regex", {"pattern": "("}),
        ("trace_regex", {"pattern": "a", "flags": ["compile"]}),
        ("trace_regex", {"pattern": "a", "count_min": -1}),
        ("trace_regex", {"pattern": "a", "count_min": 0}),
        ("trace_contains", {"substring": ""}),
        ("trace_length", {}),
        ("trace_length", {"min": -1}),
        ("trace_length", {"min": 0}),
        ("trace_length", {"min": 2, "max": 1}),
        ("trace_length", {"min": 1, "unit": "tokens"}),
    ],
    ids=repr,
)
def test_wrong_settings_are_refused(operator, settings):
    with pytest.raises(SettingsError):
        compare(operator, True, "a", **settings)


def test_the_details_name_the_side_that_says_what_is_wanted():
    assert compare(TraceLength(min=1), "no", "a").details == {"not_a_boolean": ["expected"]}
