"""Expected values that are derived without a look at the draft."""

import pytest

from pytest_verdict import ConfigurationError
from pytest_verdict.operators import DerivedMatch
from pytest_verdict.operators.aggregate import compare_derived
from refusals import refused


def test_derived_has_verdict_of_inner_operator():
    result = compare_derived(
        "numeric_exact", (6, 7), lambda pair: pair[0] * pair[1], "It is 42.", lambda text: text[6:8]
    )
    assert (result.verdict, result.operator, result.expected, result.observed) == ("pass", "derived", 42, "42")
    assert result.settings["source"] == "blind_rederivation"
    assert compare_derived("numeric_exact", 1, lambda one: one, "2", str).verdict == "fail"


def test_derived_refuses_what_inner_operator_refuses():
    refused(DerivedMatch(inner="numeric_exact", source="spec"), "x", 1, "not_a_number")
    refused(DerivedMatch(inner="numeric_exact", source="spec"), 1, "x", "not_a_number", verdict="fail")


def test_derivation_that_sees_the_draft_or_varies_is_rejected():
    with pytest.raises(ConfigurationError, match="cannot see the draft"):
        compare_derived("exact", 1, lambda question, draft: draft, 1, int)
    values = iter(range(5))
    with pytest.raises(ConfigurationError, match="two different values"):
        compare_derived("exact", 1, lambda _: next(values), 1, int)
