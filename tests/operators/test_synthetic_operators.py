"""Evidence that is not a pair of values: an output, an impossible comparison, the reply of a scorer."""

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import UndecidedError, compare
from pytest_verdict.laws import check_operator_laws
from pytest_verdict.operators import NotBlank
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import publish


def test_not_blank_records_no_expected_value():
    assert compare("not_blank", "whatever", "a").expected is None


@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=5))
def test_not_blank_agrees_with_regex(text):
    assert compare("not_blank", None, text).passed == compare("regex", r"\S", text, mode="search").passed


def test_not_blank_needs_no_expected_value():
    assert not NotBlank().needs_expected()


@pytest.mark.ci
def test_not_blank_keeps_the_laws():
    check_operator_laws(NotBlank(), examples=50)


def test_not_compared_has_reason_as_error():
    result = publish(not_compared("the adapter raised OSError", "Paris", instead_of="exact", name="row 7"))
    assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
    assert (result.outcome.error, result.name) == ("the adapter raised OSError", "row 7")
    assert (result.expected, result.settings) == ("Paris", {"instead_of": "exact"})


@pytest.mark.parametrize("observed", [None, True, 1.0, {"passed": True}], ids=repr)
def test_not_compared_never_passes(observed):
    result = compare("not_compared", observed, observed)
    assert (result.verdict, result.outcome.error) == ("error", "no reason was recorded")
    with pytest.raises(UndecidedError):
        assert not result
