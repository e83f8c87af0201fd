"""Values that equal everything, or hide what is in them, never pass."""

import collections
import dataclasses
import datetime
import decimal
import fractions
import ipaddress
import json
import types
import uuid
from unittest import mock

import attrs
import numpy as np
import pydantic
import pytest

from pytest_verdict import ComparisonResult, Outcome, compare
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
    "value", [float("nan"), decimal.Decimal("nan"), np.nan, np.float64("nan"), np.datetime64("NaT", "s"), b""]
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


Point = collections.namedtuple("Point", "x y")
Swapped = collections.namedtuple("Swapped", "y x")
IN_PLACES = {
    **PLACES,
    "set": lambda value: {value},
    "key": lambda value: {value: 1},
    "member": lambda value: frozenset({(value,)}),
}


@pytest.mark.parametrize("place", IN_PLACES.values(), ids=IN_PLACES)
def test_named_tuples_with_other_fields_are_not_equal(place):
    for expected, observed in ((Point(1, 2), Swapped(1, 2)), (Swapped(1, 2), Point(1, 2))):
        result = compare("exact", place(expected), place(observed))
        assert result.verdict == "fail"
        recorded = ComparisonResult.from_record(result.to_record())
        assert recorded == result
        assert compare("exact", recorded.expected, recorded.observed).to_text() == result.to_text()


@pytest.mark.parametrize("place", IN_PLACES.values(), ids=IN_PLACES)
def test_named_tuple_equals_a_tuple_and_one_with_the_same_fields(place):
    same = collections.namedtuple("Other", "x y")
    for expected, observed in ((Point(1, 2), (1, 2)), ((1, 2), Point(1, 2)), (Point(1, 2), same(1, 2))):
        assert compare("exact", place(expected), place(observed)).passed
        assert not compare("exact", place(expected), place((1, 3))).passed


@pytest.mark.parametrize("operator", ["set_containment", "set_similarity", "ordered_match", "one_of"])
def test_lists_of_named_tuples(operator):
    def verdict(expected, observed):
        return compare(operator, expected, observed[0] if operator == "one_of" else observed).verdict

    assert verdict([Point(1, 2)], [Swapped(1, 2)]) == "fail"
    assert verdict([Point(1, 2), Swapped(1, 2)], [Point(1, 2), Swapped(1, 2)]) == "pass"
    assert verdict([(1, 2)], [Point(1, 2)]) == "pass"


@dataclasses.dataclass
class ItemsBesideFields(list):
    label: str = "a"

    def __init__(self, items):
        list.__init__(self, items)


@dataclasses.dataclass
class ItemsAreFields(dict):
    """A mapping of its own fields, as outputs of models have it."""

    text: str
    score: float

    def __post_init__(self):
        self.update(text=self.text, score=self.score)


@dataclasses.dataclass
class NothingCompared:
    text: str = dataclasses.field(compare=False)


class PrivateModel(pydantic.BaseModel):
    _text: str = pydantic.PrivateAttr()

    def __init__(self, text):
        super().__init__()
        self._text = text


@attrs.define
class NoAttributeCompared:
    text: str = attrs.field(eq=False)


class SlotsNotCompared:
    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text

    def __eq__(self, other):
        return isinstance(other, SlotsNotCompared)

    __hash__ = None


class GetOfAnother(dict):
    def get(self, key, default=None):
        return 1


class PairsOfAnother(dict):
    def items(self):
        return dict(zip(self, reversed(self.values()), strict=True)).items()


class Backwards(list):
    def __iter__(self):
        return reversed([*list.__iter__(self)])


class FewerMembers(set):
    def __iter__(self):
        return iter([1])

    def __len__(self):
        return 1


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        ({"a": 1}, GetOfAnother(a=3)),
        ({"a": 2, "b": 1}, PairsOfAnother(a=1, b=2)),
        ([2, 1], Backwards([1, 2])),
        ({1}, FewerMembers([1, 2])),
        (ItemsBesideFields([1]), ItemsBesideFields([2])),
        (NothingCompared("a"), NothingCompared("b")),
        (PrivateModel("a"), PrivateModel("b")),
        (NoAttributeCompared("a"), NoAttributeCompared("b")),
        (SlotsNotCompared("a"), SlotsNotCompared("b")),
        ({}, mock.MagicMock(spec=dict)),
        ([], mock.MagicMock(spec=list)),
        ("", mock.MagicMock(spec=str)),
        (np.array([1], dtype=object), np.array([mock.ANY], dtype=object)),
        (collections.deque([1]), collections.deque([EqualsAll()])),
        (Money(1), Money(EqualsAll())),
        (1, lambda: 1),
        (5, np.array([5])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_class_that_ignores_or_hides_content_never_passes(expected, observed, place):
    assert compare("exact", place(expected), place(observed)).verdict != "pass"


@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        (ItemsAreFields("a", 1.0), ItemsAreFields("a", 1.0)),
        (attrs.make_class("A", ["x"])(1),) * 2,
        (collections.deque([1]), collections.deque([1])),
        (range(3), range(3)),
        (collections.ChainMap({"a": 1}), {"a": 1}),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
        (collections.OrderedDict(a=1, b=2), {"b": 2, "a": 1}),
        (mock.sentinel.one, mock.sentinel.one),
        (np.array([1, 2]), np.array([1.0, 2.0])),
        (np.array(["2024-01-01"], dtype="M8[D]"), np.array(["2024-01-01"], dtype="M8[D]")),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_classes_that_show_their_content_are_compared(expected, observed, place):
    assert compare("exact", place(expected), place(observed)).passed


def test_arrays_of_moments_need_the_same_unit():
    moments = np.array([1], dtype="M8[ns]")
    assert compare("exact", moments, np.array([1], dtype="M8[s]")).verdict == "fail"
    assert compare("exact", moments, np.array([1], dtype="m8[ns]")).verdict == "fail"


def test_nan_equal_holds_inside_of_arrays():
    arrays = np.array([1.0, np.nan]), np.array([1.0, np.nan])
    assert compare("exact", *arrays, nan_equal=True).passed
    assert not compare("exact", *arrays).passed


def test_columns_and_arrays_are_lists():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    arrow = pytest.importorskip("pyarrow")
    columns = [
        np.array,
        pandas.Series,
        pandas.Index,
        polars.Series,
        arrow.array,
        lambda items: arrow.chunked_array([items]),
    ]
    for column in columns:
        assert compare("set_containment", [2, 1], column([1, 2])).passed
        assert compare("ordered_match", column([1, 2]), [1, 2]).passed
        assert compare("set_containment", [2, 1], column([1, 3])).verdict == "fail"
    for table in (np.array([[1]]), np.array(1), pandas.DataFrame({"a": [1]}), arrow.table({"a": [1]}), pandas.NA):
        assert compare("set_containment", [1], table).notes == ["not_a_list"]


def test_truth_values_in_tables_are_no_numbers():
    polars = pytest.importorskip("polars")
    for make in (polars.Series, lambda items: polars.DataFrame({"a": items})):
        assert compare("exact", make([1]), make([True])).verdict == "fail"
        assert compare("exact", make([True]), make([True])).passed
        assert compare("exact", make([1]), make([1])).passed


def test_tables_with_other_names_are_not_equal():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([1], name="a")
    assert compare("exact", column, pandas.Series([1], name="b")).verdict == "fail"
    assert compare("exact", column, pandas.Series([1])).passed
    table = pandas.DataFrame({"name": [1], "names": [2]})
    assert compare("exact", table, table.copy()).passed
    assert compare("exact", table.rename_axis("a"), table.rename_axis("b")).verdict == "fail"


def equal_to_all(base, *arguments, **keywords):
    """Return a value of a subclass that says it equals everything."""
    members = {"__eq__": lambda _self, _other: True, "__hash__": getattr(base, "__hash__", None)}
    return type(f"{base.__name__}ThatEqualsAll", (base,), members)(*arguments, **keywords)


SUBCLASSED = [
    (int, 7), (float, 7.5), (complex, 7), (bytes, b"z"), (bytearray, b"z"), (list, [9]), (tuple, (9,)), (dict, {"z": 9}),
    (set, {9}), (frozenset, {9}), (decimal.Decimal, "7"), (fractions.Fraction, 7), (datetime.date, 2020, 1, 1),
    (datetime.datetime, 2020, 1, 1), (datetime.timedelta, 1), (uuid.UUID, "0" * 32), (collections.deque, [9]),
    (collections.UserDict, {"z": 9}), (collections.UserList, [9]), (collections.UserString, "z"),
    (collections.OrderedDict, {"z": 9}), (collections.Counter, "z"), (ipaddress.IPv4Address, "1.2.3.4"),
]  # fmt: skip
OTHERS = ["Paris", 1, None, True, ["Paris"], {"a": 1}, {1}, b"x", datetime.date(2024, 1, 1), decimal.Decimal(1)]
PLACES = [
    lambda value: value,
    lambda value: [value],
    lambda value: {"k": value},
    lambda value: {"a": [({"b": value},)]},
]


@pytest.mark.parametrize(("base", "arguments"), [(base, arguments) for base, *arguments in SUBCLASSED])
@pytest.mark.parametrize("operator", ["exact", "one_of", "set_containment", "ordered_match", "mapping_match"])
def test_subclass_that_equals_everything_passes_nowhere(operator, base, arguments):
    value = equal_to_all(base, *arguments)
    for other in OTHERS:
        for place in PLACES:
            assert not compare(operator, place(other), place(value)).outcome.score, other
            assert not compare(operator, place(value), place(other)).outcome.score, other
