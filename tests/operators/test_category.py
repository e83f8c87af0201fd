"""Truth values, literals, and one of several accepted values."""

import dataclasses
import datetime
import enum
import json
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import category
from pytest_verdict.operators.category import OneOf


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int


class Level(enum.IntEnum):
    LOW = 1


class Color(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("expected", "observed", "passes", "notes"),
    [
        (True, True, True, []),
        (True, False, False, []),
        (None, None, True, []),
        (False, None, False, ["null_observed"]),
        (None, False, False, []),
        (True, "true", False, ["not_a_boolean"]),
        (True, 1, False, ["not_a_boolean"]),
        (False, [], False, ["not_a_boolean"]),
        ("yes", True, False, ["not_a_boolean"]),
    ],
    ids=repr,
)
def test_boolean(expected, observed, passes, notes):
    result = compare("boolean", expected, observed)
    assert (result.passed, result.notes) == (passes, notes)


@pytest.mark.parametrize(
    ("expected", "observed", "passes"),
    [
        ("a", "a", True),
        ("a", "A", False),
        (1, 1.0, True),
        (1, True, False),
        ("1", 1, False),
        ("null", "None", False),
        (("a",), ("a",), True),
        (datetime.date(2024, 1, 15), datetime.date(2024, 1, 15), True),
        (float("nan"), float("nan"), False),
    ],
    ids=repr,
)
def test_literal_is_typed_equality(expected, observed, passes):
    assert compare("literal", expected, observed).passed is passes


def test_one_of_says_which_value_matched():
    result = compare("one_of", ["New York", "NYC"], "nyc", normalize=["lowercase"])
    assert result.passed
    assert result.details["matched_index"] == 1
    assert result.details["matched"] == "NYC"
    assert result.observed == "nyc"


def test_one_of_takes_the_values_as_a_setting():
    result = compare("one_of", "ignored", 2.0, values=[1, 2])
    assert result.passed
    assert result.expected == [1, 2]
    assert not compare("one_of", None, True, values=[1, 2]).passed


@pytest.mark.parametrize(("expected", "note"), [([], "empty_expected"), ("abc", "not_a_list"), (5, "not_a_list")])
def test_one_of_expects_a_list(expected, note):
    assert compare("one_of", expected, "a").notes == [note]


@pytest.mark.parametrize("values", [[], "abc", 5, {}], ids=repr)
def test_one_of_refuses_a_setting_that_is_no_list_of_values(values):
    with pytest.raises(SettingsError, match="at least one accepted value"):
        OneOf(values=values)


def test_accepted_values_of_any_type_survive_json():
    operator = OneOf(values=[datetime.date(2024, 1, 15), ("a", 1), None], normalize=["lowercase"])
    again = OneOf(**json.loads(json.dumps(operator.settings())))
    assert again == operator
    assert again.evaluate(None, ("a", 1)).score == 1.0


@pytest.mark.parametrize(
    ("expected", "value", "passes"),
    [
        ("integer", 7, True),
        ("integer", 7.0, False),
        ("integer", True, False),
        ("integer", "7", False),
        ("number", 7, True),
        ("number", Decimal("1.5"), True),
        ("number", float("nan"), True),
        ("boolean", 1, False),
        ("boolean", False, True),
        ("null", None, True),
        ("null", "None", False),
        ("string", "", True),
        ("string", b"a", False),
        ("array", (1, 2), True),
        ("array", "ab", False),
        ("object", {}, True),
        ("object", [], False),
        ("object", Point(1, 2), True),
        ("array", Point(1, 2), False),
        ("integer", Level.LOW, True),
        ("string", Color.RED, False),
        (["integer", "null"], None, True),
        (["integer", "string"], 1.5, False),
    ],
    ids=repr,
)
def test_a_type_is_that_of_the_value(expected, value, passes):
    assert compare("is_type", expected, value).passed is passes


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.none()), st.builds(dict)))
def test_a_json_value_has_one_type_and_integers_are_numbers(value):
    found = [name for name in category._TYPES if compare("is_type", name, value)]
    assert found == (["integer", "number"] if type(value) is int else [found[0]])
    assert compare("is_type", "null", value).details.get("type") == found[0]


def test_one_of_folds_case_and_says_so():
    assert not compare("one_of", ["Straße"], "STRASSE")
    found = compare("one_of", ["Rome", "Straße"], "STRASSE", case_sensitive=False)
    assert (found.details["matched"], found.normalization) == ("Straße", ["casefold"])
    assert "case_sensitive" not in compare("one_of", ["a"], "a", case_sensitive=True).settings
