"""Expected values that are derived without a look at the draft."""

import pytest

from pytest_verdict import ConfigurationError
from pytest_verdict.operators import DerivedMatch
from pytest_verdict.operators.derived import compare_derived
from refusals import refused


def test_it_decides_as_the_operator_inside():
    result = compare_derived(
        "numeric_exact", (6, 7), lambda pair: pair[0] * pair[1], "It is 42.", lambda text: text[6:8]
    )
    assert (result.verdict, result.operator, result.expected, result.observed) == ("pass", "derived", 42, "42")
    assert result.settings["source"] == "blind_rederivation"
    assert compare_derived("numeric_exact", 1, lambda one: one, "2", str).verdict == "fail"


def test_what_the_operator_inside_refuses_is_refused():
    refused(DerivedMatch(inner="numeric_exact", source="spec"), "x", 1, "not_a_number")
    refused(DerivedMatch(inner="numeric_exact", source="spec"), 1, "x", "not_a_number", verdict="fail")


def test_what_cannot_be_expected_is_refused():
    with pytest.raises(ConfigurationError, match="cannot see the draft"):
        compare_derived("exact", 1, lambda question, draft: draft, 1, int)
    values = iter(range(5))
    with pytest.raises(ConfigurationError, match="two different values"):
        compare_derived("exact", 1, lambda _: next(values), 1, int)
