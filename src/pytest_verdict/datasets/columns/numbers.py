"""Columns of numbers: whole numbers and decimals of a few digits, as whole numbers of millionths."""

import functools
from collections.abc import Callable
from typing import Any, Final

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Columns, Path
from pytest_verdict.core.values.numbers import EXACT
from pytest_verdict.datasets.columns.arrow import FLOAT, TEXT, WHOLE, Array, literal, taken
from pytest_verdict.datasets.columns.texts import BLANKS, kinds, normalized
from pytest_verdict.operators.exact_number import as_exact

_DIGITS: Final = 6
_UNIT: Final = 10**_DIGITS
_DECIMAL: Final = r"^[+-]?[0-9]{1,12}(\.[0-9]{1,6})?$"
_MOST: Final = 4 * 10**18
"""Two numbers of this size can be added."""


Decided = tuple[Array, dict[str, Array], int]
"""Whether rows pass, and numbers of their details with so many digits behind the point."""


def compared(operator: Any, expected: Array | None, observed: Array) -> Columns | None:
    """Sort rows by what is decided of two numbers, or of one where the settings say what is expected."""
    if getattr(operator, "zero_at", None) is not None:
        # Of such a score each row has its own.
        return None
    columns = [observed] if operator.name == "numeric_range" else [expected, observed]
    sides = [None if column is None else normalized(column, operator.normalize) for column in columns]
    found = [side for side in sides if side is not None]
    numbers = [number for number in (_millionths(side.column) for side in found) if number is not None]
    decided = _RULES[operator.name](operator, *numbers) if len(numbers) == len(columns) else None
    if decided is None:
        return None
    passed, details, digits = decided
    parts: dict[Path, Array] = {("details", name): _written(number, digits) for name, number in details.items()}
    names = ("expected_surface", "observed_surface")[-len(found) :]
    parts |= {(name,): side.column for name, side in zip(names, found, strict=True)}
    return Columns(kinds([passed], *found), parts)


def _exact(_: Any, expected: Array, observed: Array) -> Decided:
    return compute.equal(expected, observed), {"distance": _distance(expected, observed)}, _DIGITS


def _within(operator: Any, expected: Array, observed: Array) -> Decided | None:
    tolerance = as_exact(operator.tolerance)
    places = max(-int(tolerance.as_tuple().exponent), 0)
    factor, step = int(EXACT.scaleb(tolerance, places)), 10**places
    if places > _DIGITS or factor > _MOST // _UNIT:
        return None
    distance = _distance(expected, observed)
    size = compute.abs(expected) if operator.mode == "relative" else literal(_UNIT)
    fits = compute.less_equal(compute.max_element_wise(distance, size), literal(_MOST // max(factor, step)))
    scaled = compute.multiply(taken(distance, fits), literal(step))
    limit = compute.multiply(size, literal(factor))
    details = {"distance": scaled, "margin": compute.subtract(limit, scaled)}
    return compute.less_equal(scaled, limit), details, _DIGITS + places


def _limited(operator: Any, expected: Array, observed: Array) -> Decided:
    low, high = (expected, observed) if operator.name == "numeric_minimum" else (observed, expected)
    passed = compute.less(low, high) if operator.exclusive else compute.less_equal(low, high)
    return passed, {"margin": compute.subtract(high, low)}, _DIGITS


def _between(operator: Any, observed: Array) -> Decided | None:
    bounds = ((operator.min, operator.exclusive_min, 1), (operator.max, operator.exclusive_max, -1))
    slacks, passed = [], []
    for bound, is_outside, sign in bounds:
        if bound is not None:
            millionths = EXACT.scaleb(as_exact(bound), _DIGITS)
            if abs(millionths) > _MOST // 4 or millionths != int(millionths):
                return None
            slacks.append(compute.multiply(compute.subtract(observed, literal(int(millionths))), literal(sign)))
            passed.append((compute.greater if is_outside else compute.greater_equal)(slacks[-1], literal(0)))
    if not slacks:
        return None
    margin = compute.min_element_wise(*slacks, skip_nulls=False)
    distance = compute.negate(compute.min_element_wise(margin, literal(0), skip_nulls=False))
    return functools.reduce(compute.and_, passed), {"distance": distance, "margin": margin}, _DIGITS


_RULES: Final[dict[str, Callable[..., Decided | None]]] = {
    "numeric_exact": _exact,
    "numeric_tolerance": _within,
    "numeric_minimum": _limited,
    "numeric_maximum": _limited,
    "numeric_range": _between,
}


def _distance(expected: Array, observed: Array) -> Array:
    return compute.abs(compute.subtract(expected, observed))


def _millionths(column: Array) -> Array | None:
    if column.type == WHOLE:
        rows = compute.less(compute.abs(taken(column, compute.not_equal(column, literal(-(2**63))))), literal(10**12))
        return compute.multiply(taken(column, rows), literal(_UNIT))
    if column.type == FLOAT:
        column = column.cast(TEXT)
    if column.type != TEXT:
        return None
    column = compute.ascii_trim(column, characters=BLANKS)
    kind = pyarrow.decimal128(18, _DIGITS)
    try:
        found = column.cast(kind)
    except pyarrow.ArrowInvalid:
        found = taken(column, compute.match_substring_regex(column, _DECIMAL)).cast(kind)
    whole = pyarrow.Array.from_buffers(pyarrow.decimal128(18, 0), len(found), found.buffers(), found.null_count)
    return whole.cast(WHOLE)


def _written(number: Array, digits: int) -> Array:
    """Write numbers as the kernel does: without an exponent, and without zeros at the end."""
    size = compute.abs(number)
    whole = compute.divide(size, literal(10**digits))
    rest = compute.subtract(size, compute.multiply(whole, literal(10**digits)))
    fraction = compute.ascii_rtrim(compute.ascii_lpad(rest.cast(TEXT), digits, "0"), "0")
    sign = compute.if_else(compute.less(number, literal(0)), literal("-"), literal(""))
    point = compute.if_else(compute.equal(rest, literal(0)), literal(""), literal("."))
    return compute.binary_join_element_wise(sign, whole.cast(TEXT), point, fraction, literal(""))
