"""JSON text, read strictly and in bounded time."""

from __future__ import annotations

import decimal
import json
import sys
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.values.jsontext import JsonTextError, parse_json


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
