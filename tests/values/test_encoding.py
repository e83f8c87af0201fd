"""The typed encoding: what is written is read back as an equal value, in every process."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import math
import os
import pathlib
import subprocess
import sys
import uuid
import zoneinfo
from decimal import Decimal
from fractions import Fraction

import pydantic
import pytest
from hypothesis import given, settings, strategies as st

from pytest_verdict import RecordError
from pytest_verdict.core.values.encoding import decode, encode, encode_text, is_replayable
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.placeholders import EncodedObject, Unreplayable
from pytest_verdict.core.values.redaction import redact


class Color(enum.Enum):
    RED = "red"
    DEEP = ("a", frozenset({1, 2}))


class Mood(enum.StrEnum):
    CALM = "calm"


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.0
    measured_at: float = dataclasses.field(default=0.0, compare=False)


class Trip(pydantic.BaseModel):
    city: str
    days: list[int] = []


def through_text(value):
    """Encode, go through JSON text, decode: the trip of every recorded value."""
    return decode(json.loads(encode_text(value)))


zones = st.sampled_from([None, datetime.UTC, datetime.timezone(datetime.timedelta(hours=-3, minutes=-30))])
hashables = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=[])),
    st.dates(),
    st.datetimes(timezones=zones),
    st.times(timezones=zones),
    st.timedeltas(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.uuids(),
    st.binary(),
    st.complex_numbers(allow_nan=False),
    *map(st.just, [Color.RED, Color.DEEP, Mood.CALM, Level.LOW, Point(1, 2.0)]),
)
values = st.recursive(
    st.one_of(hashables, st.lists(hashables, max_size=4).map(set), st.lists(hashables, max_size=4).map(frozenset)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(max_size=3), st.just("$type"), hashables), inner, max_size=4),
    ),
    max_leaves=12,
)


@pytest.mark.ci
@settings(database=None)
@given(values)
def test_encoded_value_decodes_to_an_equal_value(value):
    assert equal(value, through_text(value), nan_equal=True)
    assert encode_text(through_text(value)) == encode_text(value)
    assert is_replayable(encode(value))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(Color.RED, id="enum"),
        pytest.param(Mood.CALM, id="text enum"),
        pytest.param(Level.LOW, id="int enum"),
        pytest.param({Mood.CALM: 1}, id="text enum as key"),
        pytest.param(Point(1, 2.5), id="dataclass"),
        pytest.param(Trip(city="Rome", days=[1, 2]), id="model"),
        pytest.param([Point(1), {"trip": Trip(city="Oslo")}], id="nested objects"),
        pytest.param(10**5000, id="huge int"),
        pytest.param(-(16**4000), id="huge negative int"),
        pytest.param(math.inf, id="infinity"),
        pytest.param(Decimal("1.10"), id="decimal keeps its zeros"),
        pytest.param(Fraction(1, 3), id="fraction"),
        pytest.param("\ud800 alone", id="lone surrogate"),
        pytest.param({"\ud83d\ude00": "\ud83d\ude00"}, id="two surrogates that JSON would join"),
        pytest.param({1: "int", "1": "text", None: "none", (1, 2): "tuple"}, id="keys that are not text"),
        pytest.param({"$type": "date", "value": "no date"}, id="the user's own $type"),
        pytest.param(bytearray(b"ab"), id="bytearray"),
        pytest.param(pathlib.PurePosixPath("a/b"), id="path"),
        pytest.param(complex(1, math.inf), id="complex"),
        pytest.param(uuid.UUID(int=5), id="uuid"),
    ],
)
def test_decoded_value_is_equal_in_python(value):
    assert through_text(value) == value
    assert value == through_text(value)


@pytest.mark.parametrize("length", [1, 2, 99, 100, 101, 500])
def test_ascii_is_escaped_like_json(length):
    for character in map(chr, range(128)):
        for start in (0, length // 2, length - 1):
            text = "a" * start + character + 'b"\x7f\n'[: length - start - 1].ljust(length - start - 1, "b")
            assert encode_text(text) == json.dumps(text)


@given(st.text(st.sampled_from('a\\"\n\x00\x1f\x7fé\ud800'), min_size=90, max_size=110))
def test_long_texts_are_escaped_like_json(text):
    assert encode_text(text) == json.dumps(text)


def test_nan_and_negative_zero_round_trip():
    assert math.isnan(through_text(math.nan))
    assert through_text(Decimal("sNaN")).is_snan()
    assert math.copysign(1.0, through_text(-0.0)) == -1.0


def test_zoned_datetime_round_trips():
    for fold in (0, 1):
        value = datetime.datetime(2024, 10, 27, 2, 30, fold=fold, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))
        assert equal(value, through_text(value))


def test_field_without_compare_is_not_recorded():
    assert encode(Point(1, measured_at=5.0)) == encode(Point(1, measured_at=6.0))


def test_encoding_does_not_depend_on_hash_seed():
    program = (
        "from pytest_verdict.core.values.encoding import encode_text;"
        "from pytest_verdict.core.values.display import shown;"
        "value = [{'a', 'b', 'c', ('d', 1), frozenset({'e', 'f', 'g'})}, object()];"
        "print(encode_text(value), shown(value))"
    )
    written = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(written) == 1


@pytest.mark.parametrize("kind", ["enum", "dataclass", "model", "repr"])
def test_decoding_imports_nothing(kind):
    record = {"$type": kind, "class": "antigravity:Balloon", "member": "RED", "value": {} if kind != "repr" else "x"}
    found = decode(record)
    assert isinstance(found, EncodedObject | Unreplayable)
    assert "antigravity" not in sys.modules


class Hostile:
    def __repr__(self):
        raise RuntimeError("no repr")

    def __eq__(self, other):
        raise RuntimeError("no eq")

    __hash__ = None


class HostileMapping(dict):
    def items(self):
        raise RuntimeError("no items")


class NowhereZone(datetime.tzinfo):
    def utcoffset(self, _):
        raise RuntimeError("no offset")


class SelfMember(enum.Enum):
    LOOP = []  # noqa: RUF012 - made to contain itself below


SelfMember.LOOP.value.append(SelfMember.LOOP)
looping: list = [1]
looping.append(looping)


def nested_frozensets(depth):
    value = frozenset()
    for _ in range(depth):
        value = frozenset({value})
    return value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(looping, id="contains itself"),
        pytest.param({"deep": looping}, id="contains it further down"),
        pytest.param(SelfMember.LOOP, id="enum that contains itself"),
        pytest.param(nested_frozensets(400), id="deep frozensets"),
        pytest.param(Hostile(), id="repr raises"),
        pytest.param([Hostile()], id="repr raises inside"),
        pytest.param(HostileMapping(a=1), id="mapping raises"),
        pytest.param(datetime.datetime(2024, 1, 1, tzinfo=NowhereZone()), id="zone raises"),
        pytest.param(object(), id="plain object"),
        pytest.param(lambda: None, id="function"),
    ],
)
def test_value_without_encoding_is_kept_as_repr(value):
    encoded = encode(value)
    text = json.dumps(encoded, allow_nan=False)
    assert not is_replayable(encoded)
    assert "0x7" not in text
    assert encode(decode(encoded)) == encoded


def test_repr_of_a_value_equals_nothing():
    kept = decode(encode(object()))
    assert not equal(kept, kept)


def test_numpy_scalars_are_encoded_as_numbers():
    numpy = pytest.importorskip("numpy")
    found = [encode(scalar) for scalar in (numpy.int8(3), numpy.float32(0.1), numpy.float64(0.5), numpy.bool_(True))]
    assert found == [3, 0.1, 0.5, True]
    assert found[3] is True


@pytest.mark.parametrize(
    "tree",
    [
        {"$type": "nonsense", "value": 1},
        {"$type": ["set"], "value": []},
        {"$type": "date", "value": "2024-13-45"},
        {"$type": "set", "value": [[1]]},
        {"$type": "decimal"},
        {"$type": "dataclass", "class": "m:C", "value": 5},
        {"$type": "text", "value": [-1]},
        [{"$type": "int", "value": None}],
    ],
    ids=str,
)
def test_malformed_encoding_is_rejected(tree):
    with pytest.raises(RecordError):
        decode(tree)
    assert is_replayable(tree)


@pytest.mark.ci
@given(values)
def test_redacted_encoding_can_be_decoded(value):
    redacted = redact(encode(value), lambda text: "***")
    decode(redacted)


def test_partly_redacted_value_is_replaced():
    encoded = redact(encode({"born": datetime.date(2001, 2, 3)}), lambda text: text.replace("2001", "****"))
    assert encoded == {"born": {"$type": "redacted", "value": "****-02-03"}}
    assert not is_replayable(encoded)


@pytest.mark.parametrize("key", ["größe", "$type", 1, None, (1, 2)])
def test_nested_dicts_with_unusual_keys_are_written_once(key):
    value = {key: 2}
    for _ in range(60):
        value = {"child": value, key: 1}
    assert encode_text(value).count("child") == 60
