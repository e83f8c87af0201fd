"""Columns of numbers: whole numbers and decimals of a few digits, as whole numbers of millionths."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Columns
from pytest_verdict.core.values.numbers import EXACT
from pytest_verdict.operators.columns.texts import BLANKS, TEXT, Array, Steps, kinds, normalized, taken

_DIGITS: Final = 6
_UNIT: Final = 10**_DIGITS
_LONG: Final = pyarrow.int64()
_DECIMAL: Final = r"^[+-]?[0-9]{1,12}(\.[0-9]{1,6})?$"
_MOST: Final = 4 * 10**18
"""Two numbers of this size can be added."""


class Decided(NamedTuple):
    """Whether rows pass, and numbers of their details with so many digits behind the point."""

    passed: Array
    details: dict[str, Array]
    digits: int = _DIGITS


def compared(
    expected: Array | None, observed: Array, steps: Steps, decide: Callable[[Array, Array], Decided | None]
) -> Columns | None:
    """Sort rows by what is decided of two numbers; without an expected column, of observed twice."""
    sides = [normalized(column, steps) for column in (expected, observed) if column is not None]
    numbers = [None if side is None else _millionths(side.column) for side in sides]
    decided = None if any(number is None for number in numbers) else decide(numbers[0], numbers[-1])
    if decided is None:
        return None
    parts: dict[Any, Array] = {
        ("details", name): _written(number, decided.digits) for name, number in decided.details.items()
    }
    surfaces = [side for side in sides if side is not None]
    names = ("expected_surface", "observed_surface")[-len(surfaces) :]
    parts |= {(name,): side.column for name, side in zip(names, surfaces, strict=True)}
    return Columns(kinds([decided.passed], *surfaces), parts)


def exact(expected: Array, observed: Array) -> Decided:
    """Decide whether numbers are equal."""
    return Decided(compute.equal(expected, observed), {"distance": _distance(expected, observed)})


def within(tolerance: Decimal, *, relative: bool) -> Callable[[Array, Array], Decided | None]:
    """Decide whether numbers differ by at most a tolerance."""

    def decide(expected: Array, observed: Array) -> Decided | None:
        places = max(-int(tolerance.as_tuple().exponent), 0)
        factor, step = int(EXACT.scaleb(tolerance, places)), 10**places
        if places > _DIGITS or factor > _MOST // _UNIT:
            return None
        distance = _distance(expected, observed)
        size = compute.abs(expected) if relative else pyarrow.scalar(_UNIT, _LONG)
        most = _MOST // max(factor, step)
        distance = taken(distance, compute.less_equal(compute.max_element_wise(distance, size), most))
        scaled, limit = compute.multiply(distance, step), compute.multiply(size, factor)
        details = {"distance": scaled, "margin": compute.subtract(limit, scaled)}
        return Decided(compute.less_equal(scaled, limit), details, _DIGITS + places)

    return decide


def limit(*, is_lowest: bool, exclusive: bool) -> Callable[[Array, Array], Decided]:
    """Decide whether observed numbers are at least or at most the expected ones."""

    def decide(expected: Array, observed: Array) -> Decided:
        low, high = (expected, observed) if is_lowest else (observed, expected)
        passed = compute.less(low, high) if exclusive else compute.less_equal(low, high)
        return Decided(passed, {"margin": compute.subtract(high, low)})

    return decide


Bound = tuple[Decimal | None, bool]
"""A bound of a range, None where it is open, and whether it is outside of it."""


def between(low: Bound, high: Bound) -> Callable[[Array, Array], Decided | None]:
    """Decide whether observed numbers lie in a range."""

    def decide(_: Array, observed: Array) -> Decided | None:
        margin = passed = None
        for (bound, is_outside), sign in ((low, 1), (high, -1)):
            if bound is None:
                continue
            millionths = EXACT.scaleb(bound, _DIGITS)
            if abs(millionths) > _MOST // 4 or millionths != int(millionths):
                return None
            slack = compute.multiply(compute.subtract(observed, int(millionths)), sign)
            inside = compute.greater(slack, 0) if is_outside else compute.greater_equal(slack, 0)
            margin = slack if margin is None else compute.min_element_wise(margin, slack, skip_nulls=False)
            passed = inside if passed is None else compute.and_(passed, inside)
        distance = compute.negate(compute.min_element_wise(margin, 0, skip_nulls=False))
        return Decided(passed, {"distance": distance, "margin": margin})

    return decide


def _distance(expected: Array, observed: Array) -> Array:
    return compute.abs(compute.subtract(expected, observed))


def _millionths(column: Array) -> Array | None:
    if column.type == _LONG:
        rows = compute.less(compute.abs(taken(column, compute.not_equal(column, -(2**63)))), 10**12)
        return compute.multiply(taken(column, rows), _UNIT)
    if column.type != TEXT:
        return None
    column = compute.ascii_trim(column, characters=BLANKS)
    kind = pyarrow.decimal128(18, _DIGITS)
    try:
        found = column.cast(kind)
    except pyarrow.ArrowInvalid:
        found = taken(column, compute.match_substring_regex(column, _DECIMAL)).cast(kind)
    whole = pyarrow.Array.from_buffers(pyarrow.decimal128(18, 0), len(found), found.buffers(), found.null_count)
    return whole.cast(_LONG)


def _written(number: Array, digits: int) -> Array:
    """Write numbers as the kernel does: without an exponent, and without zeros at the end."""
    size = compute.abs(number)
    whole = compute.divide(size, 10**digits)
    rest = compute.subtract(size, compute.multiply(whole, 10**digits))
    fraction = compute.ascii_rtrim(compute.ascii_lpad(rest.cast(TEXT), digits, "0"), "0")
    sign = compute.if_else(compute.less(number, 0), "-", "")
    point = compute.if_else(compute.equal(rest, 0), "", ".")
    return compute.binary_join_element_wise(sign, whole.cast(TEXT), point, fraction, "")
