"""Arrow columns and scalars of Python values.

pyarrow makes them as well, but imports pandas first where it is installed: 35 MB of memory and a quarter of a second.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final

import pyarrow
from pyarrow import compute

Array = Any
Scalar = Any

TEXT: Final = pyarrow.string()
WHOLE: Final = pyarrow.int64()
FLOAT: Final = pyarrow.float64()
TRUTH: Final = pyarrow.bool_()
TYPES: Final = {str: TEXT, int: WHOLE, float: FLOAT, bool: TRUTH}
_CODES: Final = {WHOLE: "q", FLOAT: "d", pyarrow.uint64(): "Q", pyarrow.uint8(): "B"}


def column(values: Sequence[Any], kind: Any) -> Array:
    """Make a column of texts, of numbers or of booleans; None is a null."""
    if None in values:
        filler = "" if kind == TEXT else 0
        rows = column([value is not None for value in values], TRUTH)
        return taken(column([filler if value is None else value for value in values], kind), rows)
    if kind == TEXT:
        joined = "".join(values)
        texts = values if joined.isascii() else [value.encode() for value in values]
        return column_of(map(len, texts), joined.encode())
    if kind == TRUTH:
        return column(values, pyarrow.uint8()).cast(TRUTH)
    return pyarrow.Array.from_buffers(kind, len(values), [None, pyarrow.py_buffer(array(_CODES[kind], values))])


def column_of(sizes: Iterable[int], joined: bytes) -> Array:
    """Make a column of texts that are joined already."""
    ends = array("i", accumulate(sizes, initial=0))
    return pyarrow.StringArray.from_buffers(len(ends) - 1, pyarrow.py_buffer(ends), pyarrow.py_buffer(joined))


def literal(value: str | float) -> Scalar:
    """Make the scalar of a text or of a number."""
    return column([value], TYPES[type(value)])[0]


def taken(column: Array, rows: Array) -> Array:
    """Take only some rows; a null goes through every computation."""
    return compute.if_else(rows, column, pyarrow.nulls(1, column.type)[0])


def plain_floats(column: Array) -> Array:
    """Leave only the floats that Arrow writes with the digits of Python, and without an exponent."""
    size = compute.abs(column)
    is_positive = compute.greater(compute.divide(literal(1.0), column), literal(0.0))
    is_zero = compute.and_(compute.equal(size, literal(0.0)), is_positive)
    is_usual = compute.and_(compute.greater_equal(size, literal(1e-4)), compute.less(size, literal(1e10)))
    return taken(column, compute.or_(is_zero, is_usual))
