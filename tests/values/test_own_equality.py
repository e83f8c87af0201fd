"""Values that equal everything, or hide what is in them, never pass."""

import collections
import decimal
import ipaddress
import json
from unittest import mock

import numpy as np
import pytest

from pytest_verdict import Outcome, compare
from pytest_verdict.core.kernel import result_from_outcome
from pytest_verdict.operators import Exact


class EqualsAll:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class EqualsNothing:
    def __eq__(self, other):
        return False

    __hash__ = None


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return isinstance(other, Money) and self.amount == other.amount

    def __hash__(self):
        return hash(self.amount)


class TextThatEqualsAll(str):
    __slots__ = ()

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class IterationOfAnother(list):
    def __iter__(self):
        return iter([1, 2])


class LengthOfAnother(list):
    def __len__(self):
        return 2


class KeysOfAnother(dict):
    def __iter__(self):
        return iter(["a"])

    def items(self):
        return {"a": 1}.items()


class ItemsOfAnother(dict):
    def items(self):
        return {"a": 1}.items()


def magic():
    matcher = mock.MagicMock()
    matcher.__eq__ = lambda self, other: True
    return matcher


MATCHERS = {
    "ANY": mock.ANY,
    "MagicMock": magic(),
    "approx": pytest.approx(1.0),
    "own": EqualsAll(),
    "never": EqualsNothing(),
}
PLACES = {
    "alone": lambda value: value,
    "list": lambda value: [1, value],
    "tuple": lambda value: (1, value),
    "dict": lambda value: {"a": value},
    "deep": lambda value: {"a": [{"b": value}]},
}
OPERATORS = {
    "exact": lambda value: value,
    "one_of": lambda value: [value],
    "set_containment": lambda value: [value],
    "ordered_match": lambda value: [value],
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("matcher", MATCHERS.values(), ids=MATCHERS)
def test_matcher_is_an_error_on_both_sides(matcher, place):
    for expected, observed in ((1.0, matcher), (matcher, 1.0)):
        result = compare("exact", place(expected), place(observed))
        assert result.verdict == "error"
        assert type(matcher).__name__ in result.error


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("matcher", MATCHERS.values(), ids=MATCHERS)
def test_no_operator_passes_a_matcher(operator, matcher):
    assert (
        compare(
            operator, OPERATORS[operator](1.0), [matcher] if operator not in {"exact", "one_of"} else matcher
        ).verdict
        != "pass"
    )


def test_matcher_in_a_set_is_an_error():
    assert compare("exact", {1}, {EqualsAll()}).verdict == "error"


@pytest.mark.parametrize("matcher", [EqualsAll(), mock.ANY])
def test_two_objects_that_equal_everything_are_an_error(matcher):
    assert compare("exact", matcher, type(matcher)()).verdict == "error"


@pytest.mark.parametrize(
    ("matcher", "hint"),
    [(mock.ANY, "not_blank"), (pytest.approx(1), "numeric_tolerance"), (EqualsAll(), "compare its parts")],
)
def test_error_names_what_to_use_instead(matcher, hint):
    assert hint in compare("exact", matcher, 1).error


def test_objects_of_one_class_are_compared_by_it():
    assert compare("exact", Money(5), Money(5)).passed
    assert compare("exact", Money(5), Money(6)).verdict == "fail"
    assert compare("exact", ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("10.0.0.1")).passed


def test_text_is_compared_by_its_characters():
    assert compare("exact", "a", TextThatEqualsAll("b")).verdict == "fail"


@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        ([1, 2], IterationOfAnother([5, 6, 7])),
        ([1, 2], IterationOfAnother([5, 6])),
        ([1, 2], LengthOfAnother([1, 2, 3])),
        ({"a": 1}, KeysOfAnother({"b": 3})),
        ({"a": 1}, ItemsOfAnother({"a": 3})),
    ],
)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_container_that_hides_its_content_is_an_error(expected, observed, place):
    result = compare("exact", place(expected), place(observed))
    assert result.verdict == "error"
    assert "hides what is in the" in result.error


@pytest.mark.parametrize(
    "value",
    [
        collections.OrderedDict(a=1),
        collections.defaultdict(int, a=1),
        collections.Counter("a"),
        collections.UserDict(a=1),
    ],
)
def test_honest_mappings_are_compared(value):
    assert compare("exact", {"a": 1}, value).passed


def test_hidden_content_is_recorded_where_no_operator_runs():
    result = result_from_outcome(Exact(), [1, 2], IterationOfAnother([5]), Outcome(0.0, error="no answer"))
    assert result.error == "no answer"
    assert json.loads(result.to_text())["observed"]["$type"] == "repr"


@pytest.mark.parametrize("depth", [150, 5_000])
def test_container_that_hides_its_content_is_found_at_any_depth(depth):
    value = IterationOfAnother([5, 6])
    for _ in range(depth):
        value = [value]
    assert "hides what is in the list" in compare("exact", 1, value).error


def test_arrays_are_compared_by_their_elements():
    assert compare("exact", np.array([1, 2]), np.array([1, 2])).passed
    assert compare("exact", np.array([1, 2]), np.array([1, 3])).verdict == "fail"
    assert compare("exact", np.array([[1, 2]]), np.array([1, 2])).verdict == "fail"
    assert compare("exact", np.array([np.nan]), np.array([np.nan])).verdict == "fail"


@pytest.mark.parametrize("expected", [5, [5], (5,)])
def test_array_of_one_element_is_no_scalar_and_no_list(expected):
    assert compare("exact", expected, np.array([5])).verdict == "error"
    assert compare("numeric_exact", 5, np.array([5])).verdict != "pass"


def test_tables_of_pandas_are_compared():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": [1, 2]})
    assert compare("exact", table, table.copy()).passed
    assert compare("exact", table, table + 1).verdict == "fail"
    assert compare("exact", table["a"], table["a"].copy()).passed


INVISIBLE = [
    *("\u200b", "\ufeff", "\u0301", "\0", "\u2060\u200d", "\u3164", "\xad", "\u180e", "\u2800", "\u115f", "\u202e"),
    *("\u061c", "\ufe0f", "\x1b", "\x7f", "\u20dd"),
]


@pytest.mark.parametrize("text", [*INVISIBLE, "".join(INVISIBLE), "\u200b \n", "", " "])
def test_text_without_visible_characters_is_blank(text):
    assert compare("not_blank", None, text).notes == ["blank"]


@pytest.mark.parametrize(
    "text", ["a", "0", ".", "\u00e9", "e\u0301", "\u6771", "\U0001f600", "\u0915\u093f", "-", "\ufe0f1", "\U0001fae9"]
)
def test_text_with_a_visible_character_is_not_blank(text):
    assert compare("not_blank", None, text).passed


@pytest.mark.parametrize(
    "value", [float("nan"), decimal.Decimal("nan"), np.nan, np.float64("nan"), np.datetime64("NaT"), b""]
)
def test_missing_value_is_blank(value):
    assert compare("not_blank", None, value).notes == ["blank"]


def test_missing_values_of_pandas_are_blank():
    pandas = pytest.importorskip("pandas")
    for value in (pandas.NA, pandas.NaT):
        assert compare("not_blank", None, value).notes == ["blank"]


@pytest.mark.parametrize("value", [0, False, 0.0, b"\0", [None], {"a": None}, object()])
def test_values_that_are_there_are_not_blank(value):
    assert compare("not_blank", None, value).passed
