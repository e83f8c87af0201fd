"""Whatever a test gives an operator: nothing raises, the record reads back, and replay never accuses it."""

from __future__ import annotations

import collections
import json
import math

import pytest
from hostile_values import VALUES, CallTuple, Color, Plain, Point

from operators.cases import CASES
from pytest_verdict import ComparisonResult, compare
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.values.encoding import decode, encode, is_replayable
from pytest_verdict.core.values.equality import equal
from test_replay import line_of, replay_line

FIRST = {row.operator: row for row in reversed(CASES)}
OPERATORS = sorted(FIRST)
CALLS = [{"name": "search", "args": {"q": "x"}}]
SIDES = ("expected", "observed", "both")


def test_there_are_enough_values_and_all_operators():
    assert len(VALUES) >= 109
    assert len(OPERATORS) >= 50


def check_record(name, operator, side):
    make = VALUES[name]
    row = FIRST[operator]
    left = row.expected if side == "observed" else make()
    right = row.observed if side == "expected" else make()
    result = compare(operator, left, right, **row.settings)
    line = line_of(result)
    replayed = replay_line(line)
    assert replayed.status in {"identical", "unverifiable"}, (operator, side, replayed)
    assert ComparisonResult.from_record(json.loads(line)).to_text() == result.to_text(), (operator, side)
    assert repr(result), (operator, side)


@pytest.mark.every(3)
@pytest.mark.parametrize(("number", "name"), list(enumerate(VALUES)), ids=list(VALUES))
def test_record_of_any_value_is_identical_or_unverifiable(number, name):
    """Each value with every fourth operator, another fourth for the next value; -m fuzz tries all of them on each side."""
    for turn, operator in enumerate(OPERATORS[number % 4 :: 4], number):
        check_record(name, operator, SIDES[turn % len(SIDES)])


@pytest.mark.fuzz
@pytest.mark.parametrize("name", VALUES)
def test_record_of_any_value_on_either_side_is_identical_or_unverifiable(name):
    for operator in OPERATORS:
        for side in SIDES:
            check_record(name, operator, side)


@pytest.mark.parametrize("name", VALUES)
def test_replayable_value_decodes_alike(name):
    encoded = compare("exact", VALUES[name](), None).to_record()["expected"]
    if is_replayable(encoded):
        assert json.dumps(encode(decode(encoded))) == json.dumps(encoded)


@pytest.mark.parametrize(
    "name",
    [
        "pandas NaT", "pandas NaT in a list", "pandas NA", "pandas Timestamp with nanoseconds",
        "pandas Timedelta with nanoseconds", "numpy datetime64 in nanoseconds", "numpy NaT",
        "datetime subclass that lies", "date subclass that lies", "mapping that can be read once", "generator",
        "memoryview", "repr that raises", "object",
    ],
)  # fmt: skip
def test_other_value_is_recorded_as_repr(name):
    if name not in VALUES:
        pytest.skip("needs pandas and numpy")
    result = compare("exact", VALUES[name](), VALUES[name]())
    assert '"$type":"repr"' in result.to_text()
    assert replay_line(line_of(result)).status == "unverifiable"


@pytest.mark.parametrize("operator", ["exact", "set_containment", "ordered_match", "one_of"])
def test_complex_nan_equals_nothing(operator):
    number = complex(math.nan, 0)
    assert not compare(operator, [number], [number] if operator != "one_of" else number).passed
    assert not equal({number}, {number})


@pytest.mark.parametrize("trajectory", [Color.RED, [Color.RED], Point(1, 2)], ids=repr)
def test_enum_members_and_tuples_are_no_calls(trajectory):
    result = compare("trajectory_exact", CALLS, trajectory)
    assert (result.verdict, result.notes) == ("fail", ["trajectory_unreadable"])


def test_objects_of_other_classes_replay():
    for calls in ([Plain("search", {"q": "x"})], Plain("search", {"q": "x"}), [CallTuple("search", {"q": "x"})[:2]]):
        result = compare("trajectory_exact", CALLS, calls)
        assert result.passed
        assert replay_line(line_of(result)).status == "identical"


def test_result_holds_the_objects_themselves():
    value = Plain()
    result = compare("exact", value, collections.OrderedDict(a=1))
    assert type(result.expected) is Plain
    assert type(result.observed) is collections.OrderedDict
    assert compare("exact", value, value).passed


def test_user_operator_receives_the_object():
    @REGISTRY.add
    def has_no_args(expected, observed):
        return isinstance(observed, Plain) and not observed.args

    result = compare("has_no_args", None, Plain())
    assert result.passed
    replayed = replay_line(line_of(result))
    assert (replayed.status, replayed.reason) == ("unverifiable", "not_encodable")
    forged = line_of(result).replace(b'"verdict":"pass"', b'"verdict":"fail"')
    assert replay_line(forged).status == "differs"
    plain = line_of(compare("has_no_args", None, 5)).replace(b'"observed":5', b'"observed":6')
    assert replay_line(plain.replace(b'"score":0.0', b'"score":0.5')).status == "differs"
