"""When two values are equal."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
import zoneinfo
from collections import OrderedDict, namedtuple
from decimal import Decimal
from fractions import Fraction

import pydantic
import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.equality import OwnEqualityError, equal

NAN = math.nan
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
Pair = namedtuple("Pair", "left right")


class Mood(enum.StrEnum):
    CALM = "calm"


class Level(enum.IntEnum):
    LOW = 1


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass(frozen=True)
class Point:
    x: object


class AnyCase(str):
    __slots__ = ()

    def __eq__(self, other):
        return self.lower() == str(other).lower()

    __hash__ = str.__hash__


class AnyNumber(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Price(Decimal, enum.Enum):
    ONE = Decimal(1)


class Corner(tuple, enum.Enum):  # noqa: SLOT001 - an Enum has none
    ORIGIN = (0, 0)


class AlwaysEqual:
    def __eq__(self, other):
        return True

    __hash__ = None


@dataclasses.dataclass(eq=False)
class ByFields(AlwaysEqual):
    x: int


@dataclasses.dataclass
class Settings(dict):
    x: int = 1


class Model(pydantic.BaseModel):
    x: object


def at(hour: int, minute: int = 0, fold: int = 0) -> datetime.datetime:
    return datetime.datetime(2024, 10, 27, hour, minute, tzinfo=BERLIN, fold=fold)


EQUAL = {
    "int and float": (1, 1.0),
    "float and decimal as written": (0.1, Decimal("0.10")),
    "fraction": (Fraction(1, 4), 0.25),
    "zero signs": (0.0, -0.0),
    "infinities": (math.inf, Decimal("Infinity")),
    "numbers in lists": ([1, [2.0]], [1.0, [2]]),
    "numbers as keys": ({1: "a", 0.1: "b"}, {Decimal(1): "a", Decimal("0.1"): "b"}),
    "numbers in sets": ({1, 0.1}, {Decimal("1.0"), Decimal("0.1")}),
    "key order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "ordered dict": (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)),
    "set and frozenset": ({1, 2}, frozenset({2, 1})),
    "named tuple": (Pair(1, 2), (1, 2)),
    "text enum": (Mood.CALM, "calm"),
    "int enum": (Level.LOW, 1),
    "enum member": (Color.RED, Color.RED),
    "bytes and bytearray": (b"a", bytearray(b"a")),
    "text of a class of its own": (AnyCase("a"), "a"),
    "numbers in a dataclass in a set": ({Point(1)}, {Point(Decimal(1))}),
    "instants of the hour that comes twice in a set": (
        {at(2, 30, fold=1)},
        {at(2, 30, fold=1).astimezone(datetime.UTC)},
    ),
    "instants in two zones": (at(12), at(12).astimezone(datetime.UTC)),
    "model": (Model(x=1), Model(x=1.0)),
}
DIFFERENT = {
    "bool is no number": (True, 1),
    "bool is no number in a list": ([True], [1]),
    "bool is no number as key": ({True: "a"}, {1: "a"}),
    "bool is no number in a set": ({True}, {1}),
    "bool is no number in a tuple in a set": ({(1, True)}, {(1, 1)}),
    "bool is no number in a dataclass": (Point(True), Point(1)),
    "bool is no number in a model": (Model(x=True), Model(x=1)),
    "none is not its name": (None, "None"),
    "none is not false": (None, False),
    "none is not zero": (None, 0),
    "text is no number": ("1", 1),
    "case": ("a", "A"),
    "unicode forms": ("\u00e9", "e\u0301"),
    "nan": (NAN, NAN),
    "nan in a list": ([NAN], [NAN]),
    "nan in a set": ({NAN}, {NAN}),
    "nan as key": ({NAN: 1}, {NAN: 1}),
    "nan in a dataclass": (Point(NAN), Point(NAN)),
    "signaling nan": (Decimal("sNaN"), Decimal("sNaN")),
    "nan in a dataclass in a set": ({Point(NAN)}, {Point(NAN)}),
    "list is no tuple": ([1], (1,)),
    "text is no bytes": ("a", b"a"),
    "enum is not its value": (Color.RED, "red"),
    "enum that is also a decimal is not its value": (Price.ONE, Decimal(1)),
    "enum that is also a tuple is not its value": (Corner.ORIGIN, (0, 0)),
    "date is no datetime": (datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 1)),
    "naive is not aware": (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)),
    "the hour that comes twice": (at(2, 30, fold=0), at(2, 30, fold=1)),
    "the hour that comes twice, in a set": ({at(2, 30, fold=0)}, {at(2, 30, fold=1)}),
    "a missing key": ({"a": None}, {}),
    "an eq that lies, in a dataclass": (ByFields(1), ByFields(2)),
    "an eq that lies, of a dataclass and another value": (ByFields(1), 1),
    "an eq that lies, in a text": (AnyCase("a"), "A"),
    "an eq that lies, in a number": (AnyNumber(1), AnyNumber(2)),
    "a dataclass is no mapping": (Settings(), {}),
    "a large int and its neighbour as float": (2**53 + 1, float(2**53)),
}


@pytest.mark.parametrize(("expected", "observed"), EQUAL.values(), ids=EQUAL)
def test_equal_values(expected, observed):
    assert equal(expected, observed)
    assert equal(observed, expected)
    assert equal(decode(encode(expected)), decode(encode(observed)))


@pytest.mark.parametrize(("expected", "observed"), DIFFERENT.values(), ids=DIFFERENT)
def test_different_values(expected, observed):
    assert not equal(expected, observed)
    assert not equal(observed, expected)
    assert not equal(decode(encode(expected)), decode(encode(observed)))


@pytest.mark.parametrize(
    "value", [NAN, [NAN], {"a": (NAN,)}, {NAN}, Point(NAN), Decimal("NaN"), Decimal("sNaN")], ids=repr
)
def test_nan_equals_nan_on_request(value):
    assert equal(value, decode(encode(value)), nan_equal=True)


def test_numpy_scalars_equal_their_numbers():
    numpy = pytest.importorskip("numpy")
    assert equal(True, numpy.bool_(True))
    assert not equal(1, numpy.bool_(True))
    assert equal(0.1, numpy.float32(0.1))
    assert equal([1, 2], [numpy.int64(1), numpy.uint8(2)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.ci
@given(json_values, json_values)
def test_decoded_values_compare_alike(expected, observed):
    assert equal(expected, observed) == equal(observed, expected)
    assert equal(expected, observed) == equal(decode(encode(expected)), decode(encode(observed)))
    assert equal(expected, expected, nan_equal=True)


def test_error_in_custom_equality_is_raised():
    class Angry:
        __hash__ = None

        def __eq__(self, other):
            raise RuntimeError("angry")

    with pytest.raises(RuntimeError, match="angry"):
        equal(Angry(), Angry())


@pytest.mark.parametrize("value", [None, True, 1, "a", b"a", [1], {"a": 1}, Point(1), Color.RED], ids=repr)
def test_class_that_decides_equality_is_refused(value):
    for expected, observed in ((AlwaysEqual(), value), ([value], [AlwaysEqual()])):
        with pytest.raises(OwnEqualityError, match="AlwaysEqual decides what it equals"):
            equal(expected, observed)
