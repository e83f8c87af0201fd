"""Numbers in exact decimal arithmetic, from Python, NumPy and text."""

import decimal
import re
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isinf
from typing import Any, Final

from pytest_verdict.core.values.placeholders import EncodedObject

# Far beyond any measured quantity; 1e999999999 would need a billion digits.
MAXIMUM_MAGNITUDE: Final = 5_000
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_NOT_ZERO: Final = re.compile(r"[^eE]*[1-9]")
_LARGEST_SHORT_INT: Final = 10**100
_COMPARED_BY_VALUE: Final = frozenset({int, float, Fraction})

# A test may lower the precision of the thread's own context, which must not change a verdict.
EXACT: Final = decimal.Context(
    prec=4 * MAXIMUM_MAGNITUDE,
    Emax=decimal.MAX_EMAX,
    Emin=decimal.MIN_EMIN,
    rounding=decimal.ROUND_HALF_EVEN,
    traps=[decimal.InvalidOperation, decimal.Overflow],
)


def plain_scalar(value: Any) -> bool | int | float | complex | None:
    """Return the Python number or bool of a NumPy scalar."""
    if getattr(value, "ndim", None) != 0 or not hasattr(value, "dtype") or not hasattr(value, "item"):
        return None
    item = value.item()
    if isinstance(item, bool | int | complex):
        return item if str(value.dtype)[:1] in "buic" else None
    if str(value.dtype).startswith(("float", "bfloat")):
        return float(str(value))
    return None


def truth_value(value: Any) -> bool | None:
    """Return a bool, also of NumPy, as a Python bool; None for other values."""
    if isinstance(value, bool):
        return value
    scalar = plain_scalar(value)
    return scalar if isinstance(scalar, bool) else None


def is_number(value: object) -> bool:
    """Return whether a value is a number: int, float, Decimal, Fraction or a NumPy scalar, but never a bool."""
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    if isinstance(value, Decimal | Fraction):
        return not isinstance(value, Enum)
    scalar = plain_scalar(value)
    return isinstance(scalar, int | float) and not isinstance(scalar, bool)


def is_nan(value: Any) -> bool:
    """Return whether a number is NaN."""
    return as_exact(value).is_nan()


def is_beyond_float(text: str, number: float) -> bool:
    """Return whether a number in a text became infinite or zero only because it was read as a float."""
    return (not number or isinf(number)) and _NOT_ZERO.match(text) is not None


def as_decimal(value: Any) -> Decimal | None:
    """Return the exact value of a number, or of a text that is one ASCII decimal number; None for anything else."""
    # A float is its shortest decimal form: 1.1, not 1.100000000000000088.
    kind = type(value)
    if kind is float:
        return Decimal(repr(value))
    if kind is int and -_LARGEST_SHORT_INT < value < _LARGEST_SHORT_INT:
        return Decimal(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        text = value.strip()
        if len(text) > 2 * MAXIMUM_MAGNITUDE or not _NUMBER.fullmatch(text):
            return None
        try:
            # The thread's own context may not raise for an exponent that is out of range.
            return _refuse_huge(Decimal(text, EXACT))
        except decimal.InvalidOperation:
            return None
    if is_number(value):
        return _refuse_huge(as_exact(value))
    if isinstance(value, Enum | EncodedObject) and getattr(value, "kind", "enum") == "enum":
        return as_decimal(value.value)
    return None


def as_exact(value: Any) -> Decimal:
    """Return the exact value of a number of any magnitude."""
    # A subclass may have methods of its own, which no record has.
    if isinstance(value, Decimal):
        return value if type(value) is Decimal else Decimal(value)
    if isinstance(value, int):
        return Decimal(int.__int__(value))
    if isinstance(value, float):
        return Decimal(float.__repr__(value))
    if isinstance(value, Fraction):
        return EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return as_exact(plain_scalar(value))


def _refuse_huge(number: Decimal) -> Decimal | None:
    if number.is_finite() and abs(number.adjusted()) > MAXIMUM_MAGNITUDE and number:
        return None
    return number


def same_number(expected: Any, observed: Any) -> bool:
    """Return whether two numbers are equal by value; NaN equals nothing."""
    # A subclass may have an __eq__ of its own, which a replay does not have.
    if type(expected) is type(observed) and type(expected) in _COMPARED_BY_VALUE:
        return bool(expected == observed)
    first = as_exact(expected)
    second = as_exact(observed)
    return not first.is_nan() and not second.is_nan() and first == second
