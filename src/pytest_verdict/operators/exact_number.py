"""Numbers as settings: what was written is what is meant, and what the record shows."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator

from pytest_verdict.values.display import shown
from pytest_verdict.values.numbers import EXACT, as_decimal


def as_setting(value: Any) -> int | float | str:
    """Read a finite number and keep it in the plainest form that loses nothing.

    Args:
        value: An int, float, Decimal, Fraction or text that holds one decimal number.

    Returns:
        An int or a float where that has exactly this decimal value, else decimal text; so a setting is always JSON.

    Raises:
        ValueError: The value is not a finite number, or a fraction without an end in decimals; a bool is not a number.

    Example:
        >>> as_setting(0.1), as_setting("5.0"), as_setting("0.12345678901234567890")
        (0.1, 5, '0.12345678901234567890')
    """
    number = None if value is None else as_decimal(value)
    if number is None or not number.is_finite():
        raise ValueError(f"takes a finite number, got {shown(value, 80)}")
    if number.adjusted() <= 15 and number == number.to_integral_value(context=EXACT):
        return int(number)
    nearest = float(number)
    if Decimal(repr(nearest)) == number:
        return nearest
    text = EXACT.to_sci_string(number)
    if as_decimal(text) is None:
        raise ValueError(f"takes a number that decimals can write, such as 0.3333 or '0.3333', got {shown(value, 80)}")
    return text


def as_exact(setting: float | str | Decimal) -> Decimal:
    """Give the exact decimal value of a setting.

    Args:
        setting: What `as_setting` returned.

    Returns:
        The number.
    """
    number = as_decimal(setting)
    if number is None:
        raise TypeError(f"not a validated setting: {setting!r}")
    return number


def as_written(number: Decimal) -> str:
    """Write a number for the record.

    Args:
        number: Any decimal number.

    Returns:
        Its shortest exact decimal text, in plain notation unless that would be very long.

    Example:
        >>> as_written(Decimal("0.500")), as_written(Decimal("1e3")), as_written(Decimal("1e90"))
        ('0.5', '1000', '1E+90')
    """
    if not number.is_finite():
        return EXACT.to_sci_string(number)
    if not number:
        return "0"
    short = number.normalize(EXACT)
    return format(short, "f") if abs(short.adjusted()) <= 30 else EXACT.to_sci_string(short)


ExactNumber = Annotated[int | float | str | Decimal, BeforeValidator(as_setting)]
"""A setting that is a finite number; 0.1 means one tenth, however it is given."""
