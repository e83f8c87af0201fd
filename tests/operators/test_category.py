"""Truth values, literals, and one of several accepted values."""

import datetime
import json

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import category
from pytest_verdict.operators.category import OneOf


def test_one_of_records_the_matched_value():
    result = compare("one_of", ["New York", "NYC"], "nyc", normalize=["lowercase"])
    assert result.passed
    assert result.details["matched_index"] == 1
    assert result.details["matched"] == "NYC"
    assert result.observed == "nyc"


def test_one_of_takes_values_as_a_setting():
    result = compare("one_of", "ignored", 2.0, values=[1, 2])
    assert result.passed
    assert result.expected == [1, 2]
    assert not compare("one_of", None, True, values=[1, 2]).passed


@pytest.mark.parametrize("values", [[], "abc", 5, {}], ids=repr)
def test_one_of_rejects_values_that_are_not_a_list(values):
    with pytest.raises(SettingsError, match="at least one accepted value"):
        OneOf(values=values)


def test_one_of_values_of_any_type_round_trip():
    operator = OneOf(values=[datetime.date(2024, 1, 15), ("a", 1), None], normalize=["lowercase"])
    again = OneOf(**json.loads(json.dumps(operator.settings())))
    assert again == operator
    assert again.evaluate(None, ("a", 1)).score == 1.0


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.none()), st.builds(dict)))
def test_json_value_has_one_type_except_integers(value):
    found = [name for name in category._TYPES if compare("is_type", name, value)]
    assert found == (["integer", "number"] if type(value) is int else [found[0]])
    assert compare("is_type", "null", value).details.get("type") == found[0]


def test_one_of_ignores_case_on_request():
    assert not compare("one_of", ["Straße"], "STRASSE")
    found = compare("one_of", ["Rome", "Straße"], "STRASSE", case_sensitive=False)
    assert (found.details["matched"], found.normalization) == ("Straße", ["casefold"])
    assert "case_sensitive" not in compare("one_of", ["a"], "a", case_sensitive=True).settings
