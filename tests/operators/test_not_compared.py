"""What could not be compared is an error with its reason, and stays one."""

import pytest

from pytest_verdict import ErrorVerdict, compare
from pytest_verdict.operators.not_compared import record_not_compared


def test_the_reason_is_the_error():
    result = record_not_compared("the adapter raised OSError", "Paris", instead_of="exact", name="row 7")
    assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
    assert (result.outcome.error, result.name) == ("the adapter raised OSError", "row 7")
    assert (result.expected, result.settings) == ("Paris", {"instead_of": "exact"})


@pytest.mark.parametrize("observed", [None, True, 1.0, {"passed": True}], ids=repr)
def test_nothing_makes_it_pass(observed):
    result = compare("not_compared", observed, observed)
    assert (result.verdict, result.outcome.error) == ("error", "no reason was recorded")
    with pytest.raises(ErrorVerdict):
        assert not result
