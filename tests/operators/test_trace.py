"""The raw text of a response."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.trace import TraceLength


def test_trace_regex_counts_the_matches():
    assert compare("trace_regex", True, "See [1] and [2].", pattern=r"\[\d\]").details == {
        "count": 2,
        "matched": ["[1]", "[2]"],
    }


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
def test_invalid_settings_are_rejected(operator, settings):
    with pytest.raises(SettingsError):
        compare(operator, True, "a", **settings)


def test_details_name_side_that_is_not_a_boolean():
    assert compare(TraceLength(min=1), "no", "a").details == {"not_a_boolean": ["expected"]}
