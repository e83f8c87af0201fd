"""Numbers in exact decimal arithmetic; and the number or bool that a value is, also one of NumPy."""

import decimal
import re
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from math import isinf
from typing import Any, Final

from pytest_verdict.core.values.placeholders import EncodedObject

# Far beyond any measured quantity; keeps "1e999999999" from becoming a billion digits of arithmetic.
MAXIMUM_MAGNITUDE: Final = 5_000
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)

_NOT_ZERO: Final = re.compile(r"[^eE]*[1-9]")

_SURELY_BOUNDED: Final = 10**100

_COMPARED_BY_VALUE: Final = frozenset({int, float, Fraction})

# The thread's own context is never used: a test that lowers the precision must not change a verdict.
EXACT: Final = decimal.Context(
    prec=4 * MAXIMUM_MAGNITUDE,
    Emax=decimal.MAX_EMAX,
    Emin=decimal.MIN_EMIN,
    rounding=decimal.ROUND_HALF_EVEN,
    traps=[decimal.InvalidOperation, decimal.Overflow],
)


def plain_scalar(value: Any) -> bool | int | float | complex | None:
    """Give the Python number or bool behind a NumPy scalar."""
    if getattr(value, "ndim", None) != 0 or not hasattr(value, "dtype") or not hasattr(value, "item"):
        return None
    item = value.item()
    if isinstance(item, bool | int | complex):
        return item if str(value.dtype)[:1] in "buic" else None
    if str(value.dtype).startswith(("float", "bfloat")):
        return float(str(value))
    return None


def truth_value(value: Any) -> bool | None:
    """Give the bool that a value is."""
    if isinstance(value, bool):
        return value
    scalar = plain_scalar(value)
    return scalar if isinstance(scalar, bool) else None


def is_number(value: object) -> bool:
    """Say whether a value is a number: int, float, Decimal, Fraction or a NumPy scalar, but never a bool."""
    if isinstance(value, int | float):
        return not isinstance(value, bool)
    if isinstance(value, Decimal | Fraction):
        return not isinstance(value, Enum)
    scalar = plain_scalar(value)
    return isinstance(scalar, int | float) and not isinstance(scalar, bool)


def is_nan(value: Any) -> bool:
    """Say whether a number is NaN."""
    return as_exact(value).is_nan()


def is_beyond_float(written: str, number: float) -> bool:
    """Say whether a float has become infinite or zero of a number that is neither, as it is written."""
    return (not number or isinf(number)) and _NOT_ZERO.match(written) is not None


def as_decimal(value: Any) -> Decimal | None:
    """Read a number exactly as it is written.

    A float counts as its shortest decimal form, so ``1.1`` is 1.1 and not 1.100000000000000088. Text is read when it is
    one ASCII decimal number between optional blanks; thousands separators, signs of currency or percent and words are
    not a number (a normalizer can remove them first). A bool is never a number.
    """
    kind = type(value)
    if kind is float:
        return Decimal(repr(value))
    if kind is int and -_SURELY_BOUNDED < value < _SURELY_BOUNDED:
        return Decimal(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _from_text(value)
    if is_number(value):
        return _bounded(as_exact(value))
    if isinstance(value, Enum | EncodedObject):
        if getattr(value, "kind", "enum") == "enum":
            return as_decimal(value.value)
        return None
    return None


def _from_text(text: str) -> Decimal | None:
    stripped = text.strip()
    if len(stripped) > 2 * MAXIMUM_MAGNITUDE or not _NUMBER.fullmatch(stripped):
        return None
    try:
        # The context says only that an exponent beyond all bounds raises, whatever the thread's own context says.
        return _bounded(Decimal(stripped, EXACT))
    except decimal.InvalidOperation:
        return None


def as_exact(value: Any) -> Decimal:
    """Read a number exactly, whatever its magnitude."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int):
        return Decimal(int(value))
    if isinstance(value, float):
        return Decimal(float.__repr__(value))
    if isinstance(value, Fraction):
        return EXACT.divide(Decimal(value.numerator), Decimal(value.denominator))
    return as_exact(plain_scalar(value))


def _bounded(number: Decimal) -> Decimal | None:
    if number.is_finite() and abs(number.adjusted()) > MAXIMUM_MAGNITUDE and number:
        return None
    return number


def same_number(expected: Any, observed: Any) -> bool:
    """Compare two numbers by value; NaN equals nothing."""
    # A class of the user may have an __eq__ of its own, which a replay cannot ask.
    if type(expected) is type(observed) and type(expected) in _COMPARED_BY_VALUE:
        return bool(expected == observed)
    left = as_exact(expected)
    right = as_exact(observed)
    return not left.is_nan() and not right.is_nan() and left == right
