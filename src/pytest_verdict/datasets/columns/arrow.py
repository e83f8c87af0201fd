"""Arrow arrays and scalars of Python values, built without pyarrow.array(), which would import pandas."""

from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Final

import pyarrow
from pyarrow import compute

Array = Any
Scalar = Any

TEXT: Final = pyarrow.string()
INTEGER: Final = pyarrow.int64()
FLOAT: Final = pyarrow.float64()
BOOLEAN: Final = pyarrow.bool_()
TYPES: Final = {str: TEXT, int: INTEGER, float: FLOAT, bool: BOOLEAN}
_ARRAY_CODES: Final = {INTEGER: "q", FLOAT: "d", pyarrow.uint64(): "Q", pyarrow.uint8(): "B"}


def build_column(values: Sequence[Any], arrow_type: Any) -> Array:
    """Build an array of texts, numbers or booleans; None becomes null."""
    if None in values:
        filler = "" if arrow_type == TEXT else 0
        is_valid = build_column([value is not None for value in values], BOOLEAN)
        return null_unless(build_column([filler if value is None else value for value in values], arrow_type), is_valid)

    if arrow_type == TEXT:
        joined = "".join(values)
        encoded = values if joined.isascii() else [value.encode() for value in values]
        offsets = array("i", accumulate(map(len, encoded), initial=0))
        content = pyarrow.py_buffer(joined.encode())
        return pyarrow.StringArray.from_buffers(len(values), pyarrow.py_buffer(offsets), content)

    if arrow_type == BOOLEAN:
        return build_column(values, pyarrow.uint8()).cast(BOOLEAN)

    content = pyarrow.py_buffer(array(_ARRAY_CODES[arrow_type], values))
    return pyarrow.Array.from_buffers(arrow_type, len(values), [None, content])


def scalar(value: str | float) -> Scalar:
    return build_column([value], TYPES[type(value)])[0]


def null_unless(column: Array, condition: Array) -> Array:
    """Replace the rows that do not meet a condition by null, which every computation passes on."""
    return compute.if_else(condition, column, pyarrow.nulls(1, column.type)[0])


def keep_plain_floats(column: Array) -> Array:
    """Replace the floats that Arrow writes with other digits than Python, or with an exponent, by null."""
    size = compute.abs(column)
    is_positive = compute.greater(compute.divide(scalar(1.0), column), scalar(0.0))
    is_zero = compute.and_(compute.equal(size, scalar(0.0)), is_positive)
    is_plain = compute.and_(compute.greater_equal(size, scalar(1e-4)), compute.less(size, scalar(1e10)))
    return null_unless(column, compute.or_(is_zero, is_plain))
