"""No value passes because its class hides what is in it, equals everything or compares less than it has."""

import collections
import dataclasses
import datetime
import decimal
import fractions
import functools
import types
import typing
from unittest import mock

import attrs
import numpy as np
import pydantic
import pytest

from pytest_verdict import compare
from pytest_verdict.core.replay import replay_line
from test_replay import line_of

Point = collections.namedtuple("Point", "x y")
Swapped = collections.namedtuple("Swapped", "y x")
Place = collections.namedtuple("Place", "lat lon")
Single = collections.namedtuple("Single", "value")


class Pair(typing.NamedTuple):
    x: int
    y: int


class IteratedList(list):
    def __iter__(self):
        return iter([1, 2])


class IteratedTuple(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter([1, 2])


class IteratedSet(set):
    def __iter__(self):
        return iter([1, 2])


class IteratedFrozenset(frozenset):
    def __iter__(self):
        return iter([1, 2])


class ShortList(list):
    def __len__(self):
        return 2


class GottenDict(dict):
    def get(self, _key, _default=None):
        return 1

    def __getitem__(self, _key):
        return 1


class ItemsDict(dict):
    def items(self):
        return {"a": 1}.items()


class KeysDict(dict):
    def __iter__(self):
        return iter(["a"])

    def keys(self):
        return {"a": 1}.keys()


class EqualText(str):
    __slots__ = ()

    def __eq__(self, other):
        return True

    def __str__(self):
        return "a"

    def __iter__(self):
        return iter("a")

    def __hash__(self):
        return hash("a")


class EqualInt(int):
    def __eq__(self, other):
        return True

    def __int__(self):
        return 1

    def __hash__(self):
        return 1


class EqualDecimal(decimal.Decimal):
    def __eq__(self, other):
        return True

    __hash__ = decimal.Decimal.__hash__


class EqualBytes(bytes):
    def __eq__(self, other):
        return True

    __hash__ = bytes.__hash__


class EqualDate(datetime.date):
    def __eq__(self, other):
        return True

    def isoformat(self):
        return "2024-01-01"

    __hash__ = datetime.date.__hash__


class EqualFraction(fractions.Fraction):
    def __eq__(self, other):
        return True

    __hash__ = fractions.Fraction.__hash__


class ClaimsToBeText:
    __class__ = property(lambda self: str)

    def __eq__(self, other):
        return True

    __hash__ = None


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return isinstance(other, Money) and self.amount == other.amount

    __hash__ = None


class EqualsItsClass(Money):
    def __eq__(self, other):
        return isinstance(other, EqualsItsClass)

    __hash__ = None


@dataclasses.dataclass
class Data:
    value: typing.Any


class Model(pydantic.BaseModel):
    value: typing.Any


@attrs.define
class Attrs:
    value: typing.Any


LIARS = {
    "list": ([1, 2], IteratedList([5, 6])),
    "tuple": ((1, 2), IteratedTuple((5, 6))),
    "set": ({1, 2}, IteratedSet({5})),
    "frozenset": (frozenset({1, 2}), IteratedFrozenset({5})),
    "length": ([1, 2], ShortList([1, 2, 3])),
    "getitem": ({"a": 1}, GottenDict(a=5)),
    "items": ({"a": 1}, ItemsDict(a=5)),
    "keys": ({"a": 1}, KeysDict(b=5)),
    "text": ("a", EqualText("zz")),
    "int": (1, EqualInt(5)),
    "decimal": (decimal.Decimal(1), EqualDecimal(5)),
    "bytes": (b"a", EqualBytes(b"zz")),
    "date": (datetime.date(2024, 1, 1), EqualDate(2025, 1, 1)),
    "fraction": (fractions.Fraction(1), EqualFraction(5)),
    "class": ("a", ClaimsToBeText()),
    "ANY": (1, mock.ANY),
    "approx": (1.0, pytest.approx(1.0)),
    "own class": (EqualsItsClass(1), EqualsItsClass(2)),
}
PLACES = {
    "alone": lambda value: value,
    "list": lambda value: [value],
    "beside an object": lambda value: [Money(1), value],
    "dict": lambda value: {"k": value},
    "dataclass": Data,
    "model": lambda value: Model(value=value),
    "attrs": Attrs,
    "named tuple": Single,
    "deque": lambda value: collections.deque([value]),
    "dataclass in a list": lambda value: [Data([value])],
    "UserDict": lambda value: collections.UserDict(a=value),
    "UserList": lambda value: collections.UserList([value]),
    "ChainMap": lambda value: collections.ChainMap({"a": value}),
    "namespace": lambda value: types.SimpleNamespace(a=value),
    "mapping proxy": lambda value: types.MappingProxyType({"a": value}),
    "dataclass with an object": lambda value: Data([Money(1), value]),
    "array of objects": lambda value: np.array([value, None], dtype=object),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("liar", LIARS)
def test_liar_never_passes(liar, place):
    expected, observed = map(PLACES[place], LIARS[liar])
    assert compare("exact", expected, observed).verdict in {"fail", "error"}
    assert compare("exact", observed, expected).verdict in {"fail", "error"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [1, "a", [1, 2], {"a": 1}, (1, 2), {1, 2}], ids=repr)
def test_honest_value_passes_at_every_place(value, place):
    result = compare("exact", PLACES[place](value), PLACES[place](value))
    assert result.passed


@pytest.mark.parametrize(
    ("operator", "wrap"),
    [
        *[(name, lambda value: [value]) for name in ("set_containment", "set_similarity", "ordered_match")],
        *[(name, lambda value: value) for name in ("normalized_exact", "literal", "numeric_exact", "date_match")],
        *[(name, lambda value: {"a": value}) for name in ("json_canonical", "json_subset", "json_distance")],
        *[(name, lambda value: value) for name in ("contains_any", "starts_with", "text_similarity", "regex")],
    ],
)
@pytest.mark.parametrize("liar", LIARS)
def test_liar_passes_no_operator(operator, wrap, liar):
    expected, observed = map(wrap, LIARS[liar])
    assert not compare(operator, expected, observed).outcome.score
    assert not compare(operator, observed, expected).outcome.score


NAMED = {
    "alone": lambda value: value,
    "list": lambda value: [value],
    "set": lambda value: {value},
    "key": lambda value: {value: 1},
    "value": lambda value: {"a": value},
    "dataclass": Data,
    "set in a tuple": lambda value: (frozenset({value}),),
}


@pytest.mark.parametrize("place", NAMED.values(), ids=NAMED)
def test_named_tuples_of_other_fields_differ(place):
    for other in (Place(1, 2), Swapped(1, 2)):
        result = compare("exact", place(Point(1, 2)), place(other))
        assert result.verdict == "fail"
        assert replay_line(line_of(result)).status == "identical"
    for same in (Point(1, 2), Pair(1, 2), (1, 2)):
        result = compare("exact", place(Point(1, 2)), place(same))
        assert result.passed
        assert replay_line(line_of(result)).status == "identical"


@pytest.mark.parametrize("operator", ["set_containment", "set_similarity", "ordered_match"])
def test_named_tuples_of_other_fields_are_other_items(operator):
    assert not compare(operator, [Point(1, 2)], [Place(1, 2)]).passed
    assert not compare(operator, [Point(1, 2), Place(1, 2)], [Point(1, 2), Swapped(1, 2)]).passed
    assert compare(operator, [Point(1, 2), Place(1, 2)], [Point(1, 2), Place(1, 2)]).passed
    assert compare(operator, [Point(1, 2)], [(1, 2)]).passed


def test_named_tuples_stay_named_when_normalized():
    assert compare("normalized_exact", Point("A", 1), Place("a", 1)).verdict == "fail"
    assert compare("normalized_exact", Point("A", 1), Point("a", 1)).passed


class NothingCompared:
    """Classes whose equality ignores all that they have."""

    @dataclasses.dataclass
    class Data:
        value: int = dataclasses.field(compare=False)

    @attrs.define
    class Attrs:
        value: int = attrs.field(eq=False)

    @dataclasses.dataclass
    class WithoutFields:
        def __init__(self, value):
            self.value = value


@pytest.mark.parametrize("cls", [NothingCompared.Data, NothingCompared.Attrs, NothingCompared.WithoutFields])
def test_object_of_which_nothing_is_compared_is_an_error(cls):
    for place in (PLACES["alone"], PLACES["list"], PLACES["dict"], PLACES["deque"]):
        result = compare("exact", place(cls(1)), place(cls(2)))
        assert result.verdict == "error"
        assert "compare" in result.error


@dataclasses.dataclass
class Marker:
    pass


@dataclasses.dataclass
class Timed:
    value: int
    at: int = dataclasses.field(compare=False)


@attrs.define
class TimedAttrs:
    value: int
    at: int = attrs.field(eq=False)


@attrs.define
class Folded:
    value: str = attrs.field(eq=str.lower)


class EmptyModel(pydantic.BaseModel):
    pass


@pytest.mark.parametrize(
    ("expected", "observed"),
    [
        (Marker(), Marker()),
        (EmptyModel(), EmptyModel()),
        (Timed(1, 2), Timed(1, 3)),
        (TimedAttrs(1, 2), TimedAttrs(1, 3)),
        (Folded("A"), Folded("a")),
        (types.SimpleNamespace(), types.SimpleNamespace()),
        (Money(5), Money(5)),
        (range(10**12), range(10**12)),
        (functools.partial, functools.partial),
    ],
)
def test_class_may_ignore_some_of_its_fields(expected, observed):
    assert compare("exact", expected, observed).passed


@pytest.mark.parametrize(
    "make", [Attrs, lambda value: types.SimpleNamespace(a=value), lambda value: collections.deque([value])]
)
@pytest.mark.parametrize(("expected", "observed"), [(1, True), ((1,), [1]), (float("nan"), float("nan")), ("1", 1)])
def test_types_count_in_objects(make, expected, observed):
    assert compare("exact", make(expected), make(observed)).verdict == "fail"


class SortedSet(set):
    def __iter__(self):
        return iter(sorted(super().__iter__(), reverse=True))


class SortedDict(dict):
    def __iter__(self):
        return iter(sorted(super().keys(), reverse=True))

    def items(self):
        return [(key, self[key]) for key in self]


def test_order_of_a_subclass_is_its_own():
    assert compare("exact", {1, 2, 3}, SortedSet({1, 2, 3})).passed
    assert compare("exact", {"a": 1, "b": 2}, SortedDict(a=1, b=2)).passed


@pytest.mark.parametrize(
    ("expected", "observed", "passes"),
    [
        ([("x", int), ("y", int)], [("x", int), ("y", int)], True),
        ([("x", int), ("y", int)], [("lat", int), ("lon", int)], False),
    ],
)
def test_names_of_structured_arrays_count(expected, observed, passes):
    first, second = (np.array([(1, 2)], dtype=dtype) for dtype in (expected, observed))
    assert compare("exact", first, second).passed is passes


def test_arrays_of_instants_and_spans_differ():
    instants = np.array([1], dtype="M8[ns]")
    assert compare("exact", instants, instants.copy()).passed
    assert compare("exact", instants, np.array([1], dtype="m8[ns]")).verdict == "fail"
    assert compare("exact", np.array([1, 2]), np.array([1.0, 2.0])).passed


def test_index_of_a_series_counts():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1, 2], index=["a", "b"])
    assert compare("exact", series, series.copy()).passed
    assert compare("exact", series, pandas.Series([1, 2], index=["x", "y"])).verdict == "fail"
    liars = pandas.Series([EqualInt(5), None], dtype=object)
    assert compare("exact", pandas.Series([1, None], dtype=object), liars).verdict == "fail"
    assert compare("exact", liars, liars.copy()).passed
    table = pandas.DataFrame({"a": [mock.ANY]}, dtype=object)
    assert compare("exact", pandas.DataFrame({"a": [1]}, dtype=object), table).verdict == "error"


@pytest.mark.parametrize("operator", ["set_containment", "set_similarity", "ordered_match", "one_of"])
def test_arrays_are_lists(operator):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    for make in (np.array, pandas.Series, pandas.Index, polars.Series):
        if operator == "one_of":
            assert compare(operator, make([1, 2]), 2).passed
            assert compare(operator, make([1, 2]), 3).verdict == "fail"
            continue
        assert compare(operator, [1, 2], make([1, 2])).passed
        assert compare(operator, make([1, 2]), [1, 2]).passed
        assert compare(operator, [1, 2], make([1, 3])).verdict == "fail"
    assert compare("set_containment", [1], np.array(1)).notes == ["not_a_list"]


@pytest.mark.parametrize("text", ["\ufffc", "\U0001d159", "\ud800", "\u034f", "\u17b4", "\U000e0041", "\ufff9\ufffb"])
def test_text_that_shows_nothing_is_blank(text):
    assert compare("not_blank", None, text).notes == ["blank"]


@pytest.mark.parametrize(
    "value", [bytearray(), collections.deque(), collections.UserDict(), np.array([]), range(0), complex("nan"), Single]
)
def test_empty_values_are_blank(value):
    assert compare("not_blank", None, value).passed is (value is Single)


MARKED = "\ufeff"


@pytest.mark.parametrize("operator", ["json_canonical", "json_subset", "json_distance"])
@pytest.mark.parametrize("text", ['{"a": 1}', "[1]", "1", '"a"', '{"b": [1.50, "\ufeff"]}'])
def test_byte_order_mark_before_json_is_skipped(operator, text):
    assert compare(operator, text, MARKED + text).passed
    assert compare(operator, MARKED + text, text).passed
    assert compare(operator, text.encode(), (MARKED + text).encode()).passed
    assert compare(operator, MARKED + text, MARKED + text).passed
    assert compare(operator, text, MARKED * 2 + text).notes == ["json_parse_failed"]


def test_byte_order_mark_before_a_fence_and_a_schema_is_skipped():
    fenced = f"{MARKED}```json\n[1]\n```"
    assert compare("json_canonical", [1], fenced, normalize=["strip_markdown_fence"]).passed
    assert compare("json_schema", f'{MARKED}{{"type": "array"}}', f"{MARKED}[1]").passed
    assert compare("exact", "a", f"{MARKED}a").verdict == "fail"
