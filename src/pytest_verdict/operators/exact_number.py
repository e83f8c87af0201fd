"""Settings that are numbers: read exactly, and recorded in their shortest exact form."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import EXACT, as_decimal


def as_setting(value: Any) -> int | float | str:
    """Return a finite number in its plainest exact form: int, float or text."""
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
    number = as_decimal(setting)
    if number is None:
        raise TypeError(f"not a validated setting: {setting!r}")
    return number


def as_written(number: Decimal) -> str:
    """Return the text of a number in a record."""
    if not number:
        return "0"
    if number.is_finite():
        number = number.normalize(EXACT)
        if abs(number.adjusted()) <= 30:
            return format(number, "f")
    return EXACT.to_sci_string(number)


ExactNumber = Annotated[int | float | str | Decimal, BeforeValidator(as_setting)]
"""A setting that is a finite number; the float 0.1 means one tenth."""


def _refuse_negative(tolerance: float | str | Decimal) -> float | str | Decimal:
    if as_exact(tolerance) < 0:
        raise ValueError(f"takes a number of at least 0, got {tolerance!r}")
    return tolerance


Tolerance = Annotated[ExactNumber, AfterValidator(_refuse_negative)]
"""A setting that is a finite number of at least 0."""
