"""JSON text, read strictly and in bounded time."""

from __future__ import annotations

import decimal
import json
import re
import sys
from decimal import Decimal

import pytest
from hypothesis import example, given, strategies as st

from pytest_verdict.core.values import jsontext
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.jsontext import JsonTextError, hold_surely_the_same, parse_json


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ('{"a": 1, "a": 2}', "json_duplicate_key"),
        ('[{"b": {"a": 1, "\\u0061": 1}}]', "json_duplicate_key"),
        ("NaN", "json_not_finite"),
        ("[-Infinity]", "json_not_finite"),
        ("[" * 201 + "]" * 201, "json_too_deep"),
        ('{"a":' * 100_000, "json_too_deep"),
        ("", "json_parse_failed"),
        ("{'a': 1}", "json_parse_failed"),
        ("[1,]", "json_parse_failed"),
        ("1 2", "json_parse_failed"),
        (b"\xff", "json_parse_failed"),
        ("1e99999999999999999999999", "json_parse_failed"),
        ("[" * 201 + '"' + '\\"' * 100_000, "json_too_deep"),
        ("{}" * 201 + '"' + '\\"' * 100_000, "json_parse_failed"),
        ("{}" * 201 + '"' * 50_001 + "\\", "json_parse_failed"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_invalid_json_is_rejected(text, note):
    with pytest.raises(JsonTextError) as caught:
        parse_json(text)
    assert caught.value.note == note


def test_numbers_are_exact_in_any_decimal_context():
    with decimal.localcontext(decimal.Context(prec=2, traps=[])):
        assert parse_json("[1.10, 1E400, 12345678901234567890]") == [
            Decimal("1.10"),
            Decimal("1E400"),
            12345678901234567890,
        ]
        with pytest.raises(JsonTextError):
            parse_json("1e99999999999999999999999")


@pytest.mark.parametrize("limit", [640, 4_300])
@pytest.mark.parametrize("digits", [640, 641, 4_300, 4_301, 1_000_000])
def test_integers_of_any_length_are_parsed(digits, limit):
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(limit)
    try:
        [read, text] = parse_json(f'[{"9" * digits}, "1"]')
    finally:
        sys.set_int_max_str_digits(before)
    assert (type(read), text) == (int if digits <= 4_300 else Decimal, "1")
    assert read == Decimal("9" * digits)
    assert parse_json(f"-{'1' * digits}") < 0


def test_brackets_in_strings_do_not_nest():
    assert parse_json(json.dumps("[{" * 500)) == "[{" * 500
    assert parse_json("[" * 200 + "]" * 200)


@pytest.mark.ci
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_output_of_json_is_parsed(value):
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value, ensure_ascii=True).encode()) == value


PIECES = ["[", "]", "{", "}", '"', "\\", "a", "[[[[", "]]]]", "{" * 150, "}" * 150, '"["', '"]"', '"\\""', "[" * 199]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
@example(["[", "[", '"', '"\\""', "[" * 199])
def test_shallow_check_is_never_wrong(pieces):
    text = "".join(pieces)
    depth = deepest = 0
    # The parser reads nothing behind a backslash outside of a string.
    for token in re.findall(rf"{jsontext._BRACKETS.pattern}|\\", text, re.DOTALL):
        if token == "\\":
            break
        depth += (token in "[{") - (token in "]}")
        deepest = max(deepest, depth)
    if jsontext._is_surely_shallow(text):
        assert deepest <= 200


KEYS = ['"a"', '"\\u0061"', '"a:"', '":a"', '"a\\":"', '"a\\\\"', '" :"']
LEAVES = ["1", "1.0", "15e-1", "true", "null", '":"', '"\\":"', '"]"', "[]", "{}", "NaN", "1e9999999999999999999"]
BLANKS = st.sampled_from(["", " ", "\n"])


def _members(values):
    member = st.builds(
        lambda key, first, second, value: f"{key}{first}:{second}{value}", st.sampled_from(KEYS), BLANKS, BLANKS, values
    )
    return st.lists(member, max_size=3).map(lambda members: f"{{{','.join(members)}}}")


DOCUMENTS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: _members(inner) | st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
    max_leaves=6,
)


@given(expected=DOCUMENTS, observed=DOCUMENTS, is_same=st.booleans(), is_long=st.booleans())
def test_equal_texts_are_parsed_alike(expected, observed, is_same, is_long):
    sides = [expected, expected if is_same else observed]
    if is_long:
        sides = [f'[{side}, "{"x" * 600}"]' for side in sides]
    if hold_surely_the_same(*sides):
        left, right = map(parse_json, sides)
        assert equal(left, right)


@pytest.mark.parametrize("padding", ["", "x" * 600])
@pytest.mark.parametrize(
    "refused",
    [
        '{"a": 1, "a": 1}',
        '{"a" :1, "a":1}',
        '{"a" :1, "a":":"}',
        '{"a": {"b": 1, "\\u0062": 1}}',
        "[NaN]",
        "[1e99999999999999999999]",
        "[" * 201 + "]" * 201,
        "[True]",
        "[1] 2",
    ],
)
def test_invalid_text_equals_nothing(refused, padding):
    text = f'[{refused}, "{padding}"]'
    assert not hold_surely_the_same(text, text)


@pytest.mark.parametrize("padding", ["", "x" * 600])
@pytest.mark.parametrize(
    ("left", "right", "expected"), [("1", "true", False), ("1.5", "1.5", True), ('{"a":"x:y"}', '{"a": "x:y"}', True)]
)
def test_only_texts_in_the_same_form_are_surely_equal(left, right, expected, padding):
    assert hold_surely_the_same(*(f'[{side}, "{padding}"]' for side in (left, right))) is expected
