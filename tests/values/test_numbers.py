"""Numbers, read exactly."""

from __future__ import annotations

import decimal
import enum
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.numbers import as_decimal, as_exact, is_number, same_number

HOSTILE = ["1e99999999999999999999999", "1e-99999999999999999999999", "9" * 20_000, [1], b"1", 1j, object()]


class Size(enum.Enum):
    SMALL = 5


class Rank(enum.IntEnum):
    FIRST = 1


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, "7"),
        (1.1, "1.1"),
        (" +1.10\n", "1.10"),
        (".5", "0.5"),
        ("5.", "5"),
        ("1e3", "1E+3"),
        ("-0", "-0"),
        (Fraction(1, 8), "0.125"),
        (Size.SMALL, "5"),
        (Rank.FIRST, "1"),
        (math.inf, "Infinity"),
        ("0e-9000", "0E-9000"),
    ],
    ids=repr,
)
def test_number_is_parsed_exactly(value, number):
    assert str(as_decimal(value)) == number


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        "",
        "one",
        "1,000",
        "1_000",
        "٣",
        "1 2",
        "$5",
        "50%",
        "nan",
        "inf",
        "0x10",
        "1e9999",
        "1e-9999",
        *HOSTILE,
    ],
    ids=lambda value: repr(value)[:20],
)
def test_not_a_number(value):
    assert as_decimal(value) is None


def test_decimal_context_is_ignored():
    with decimal.localcontext(decimal.Context(prec=2, traps=[])):
        assert as_decimal("1.23456") == Decimal("1.23456")
        assert as_decimal("1e99999999999999999999999") is None
        assert same_number(Decimal("1.2345"), 1.2345)
        assert not same_number(Decimal("1.2345"), Decimal("1.2346"))


def test_numpy_scalars_are_numbers():
    numpy = pytest.importorskip("numpy")
    assert as_decimal(numpy.float32(0.1)) == Decimal("0.1")
    assert as_decimal(numpy.int64(3)) == 3
    assert not any(map(is_number, [numpy.bool_(True), numpy.complex128(1), numpy.array([1]), numpy.datetime64("2024")]))
    assert as_decimal(numpy.complex128(1)) is None


@given(st.integers() | st.floats(allow_nan=False) | st.decimals(allow_nan=False) | st.fractions())
def test_number_survives_a_record(value):
    assert is_number(value)
    assert same_number(value, value)
    assert as_exact(decode(encode(value))) == as_exact(value)
