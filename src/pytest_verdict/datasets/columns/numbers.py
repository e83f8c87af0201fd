"""Columns of numbers: integers, and decimals of a few digits as integers of millionths."""

import functools
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.values.numbers import EXACT
from pytest_verdict.datasets.columns.arrow import FLOAT, INTEGER, TEXT, Array, null_unless, scalar
from pytest_verdict.datasets.columns.table import GroupedRows, Path
from pytest_verdict.datasets.columns.texts import BLANKS, normalize_column, number_groups
from pytest_verdict.operators.exact_number import as_exact

_DIGITS: Final = 6
_UNIT: Final = 10**_DIGITS
_DECIMAL: Final = r"^[+-]?[0-9]{1,12}(\.[0-9]{1,6})?$"
_MOST: Final = 4 * 10**18
"""The sum of two numbers of this size fits into 64 bits."""


class Decision(NamedTuple):
    """Which rows pass, and the numbers in their details, as integers with a fixed count of decimals."""

    passed: Array
    details: dict[str, Array]
    decimals: int = _DIGITS


def group_by_numbers(operator: Any, expected: Array | None, observed: Array) -> GroupedRows | None:
    """Group rows by the decision about two numbers, or about one when settings take the place of expected."""
    if getattr(operator, "zero_at", None) is not None:
        # Every row has a score of its own.
        return None

    columns = [observed] if operator.name == "numeric_range" else [expected, observed]
    sides = []
    numbers = []
    for column in columns:
        if column is None:
            return None
        side = normalize_column(column, operator.normalize)
        if side is None:
            return None
        number = _read_millionths(side.column)
        if number is None:
            return None
        sides.append(side)
        numbers.append(number)

    decision = _RULES[operator.name](operator, *numbers)
    if decision is None:
        return None

    parts: dict[Path, Array] = {}
    for name, number in decision.details.items():
        parts["details", name] = _format_numbers(number, decision.decimals)
    names = ("expected_surface", "observed_surface")[-len(sides) :]
    for name, side in zip(names, sides, strict=True):
        parts[name,] = side.column
    return GroupedRows(number_groups([decision.passed], *sides), parts)


def _decide_tolerance(operator: Any, expected: Array, observed: Array) -> Decision | None:
    tolerance = as_exact(operator.tolerance)
    decimals = max(-int(tolerance.as_tuple().exponent), 0)
    factor = int(EXACT.scaleb(tolerance, decimals))
    step = 10**decimals
    if decimals > _DIGITS or factor > _MOST // _UNIT:
        return None

    distance = _distance(expected, observed)
    size = compute.abs(expected) if operator.mode == "relative" else scalar(_UNIT)
    fits = compute.less_equal(compute.max_element_wise(distance, size), scalar(_MOST // max(factor, step)))
    scaled = compute.multiply(null_unless(distance, fits), scalar(step))
    limit = compute.multiply(size, scalar(factor))
    details = {"distance": scaled, "margin": compute.subtract(limit, scaled)}
    return Decision(compute.less_equal(scaled, limit), details, _DIGITS + decimals)


def _decide_limit(operator: Any, expected: Array, observed: Array) -> Decision:
    sides = [expected, observed]
    if operator.name == "numeric_maximum":
        sides.reverse()
    low, high = sides
    is_below = compute.less if operator.exclusive else compute.less_equal
    return Decision(is_below(low, high), {"margin": compute.subtract(high, low)})


def _decide_range(operator: Any, observed: Array) -> Decision | None:
    slacks = []
    passed = []
    bounds = ((operator.min, operator.exclusive_min, 1), (operator.max, operator.exclusive_max, -1))
    for bound, is_exclusive, sign in bounds:
        if bound is None:
            continue
        millionths = EXACT.scaleb(as_exact(bound), _DIGITS)
        if abs(millionths) > _MOST // 4 or millionths != int(millionths):
            return None
        slack = compute.multiply(compute.subtract(observed, scalar(int(millionths))), scalar(sign))
        is_inside = compute.greater if is_exclusive else compute.greater_equal
        slacks.append(slack)
        passed.append(is_inside(slack, scalar(0)))
    if not slacks:
        return None

    margin = compute.min_element_wise(*slacks, skip_nulls=False)
    distance = compute.negate(compute.min_element_wise(margin, scalar(0), skip_nulls=False))
    return Decision(functools.reduce(compute.and_, passed), {"distance": distance, "margin": margin})


_RULES: Final[dict[str, Callable[..., Decision | None]]] = {
    "numeric_exact": lambda _, *sides: Decision(compute.equal(*sides), {"distance": _distance(*sides)}),
    "numeric_tolerance": _decide_tolerance,
    "numeric_minimum": _decide_limit,
    "numeric_maximum": _decide_limit,
    "numeric_range": _decide_range,
}


def _distance(expected: Array, observed: Array) -> Array:
    return compute.abs(compute.subtract(expected, observed))


def _read_millionths(column: Array) -> Array | None:
    """Read a column as millionths; rows that are too large or no such number become null."""
    if column.type == INTEGER:
        # The smallest integer has no absolute value.
        safe = null_unless(column, compute.not_equal(column, scalar(-(2**63))))
        fits = compute.less(compute.abs(safe), scalar(10**12))
        return compute.multiply(null_unless(column, fits), scalar(_UNIT))

    if column.type == FLOAT:
        column = column.cast(TEXT)
    if column.type != TEXT:
        return None

    column = compute.ascii_trim(column, characters=BLANKS)
    decimal = pyarrow.decimal128(18, _DIGITS)
    try:
        numbers = column.cast(decimal)
    except pyarrow.ArrowInvalid:
        numbers = null_unless(column, compute.match_substring_regex(column, _DECIMAL)).cast(decimal)
    without_point = pyarrow.decimal128(18, 0)
    return pyarrow.Array.from_buffers(without_point, len(numbers), numbers.buffers(), numbers.null_count).cast(INTEGER)


def _format_numbers(number: Array, decimals: int) -> Array:
    """Format numbers as the kernel does: without an exponent and without trailing zeros."""
    size = compute.abs(number)
    unit = scalar(10**decimals)
    whole = compute.divide(size, unit)
    rest = compute.subtract(size, compute.multiply(whole, unit))
    fraction = compute.ascii_rtrim(compute.ascii_lpad(rest.cast(TEXT), decimals, "0"), "0")
    sign = compute.if_else(compute.less(number, scalar(0)), scalar("-"), scalar(""))
    point = compute.if_else(compute.equal(rest, scalar(0)), scalar(""), scalar("."))
    return compute.binary_join_element_wise(sign, whole.cast(TEXT), point, fraction, scalar(""))
