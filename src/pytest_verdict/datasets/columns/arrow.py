"""Arrow arrays and scalars of Python values.

pyarrow can build them too, but imports pandas first where it is installed, which costs time and memory.
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
        return build_text_column(map(len, encoded), joined.encode())

    if arrow_type == BOOLEAN:
        return build_column(values, pyarrow.uint8()).cast(BOOLEAN)

    content = pyarrow.py_buffer(array(_ARRAY_CODES[arrow_type], values))
    return pyarrow.Array.from_buffers(arrow_type, len(values), [None, content])


def build_text_column(sizes: Iterable[int], joined: bytes) -> Array:
    """Build an array from joined texts and the size of each in bytes."""
    offsets = array("i", accumulate(sizes, initial=0))
    return pyarrow.StringArray.from_buffers(len(offsets) - 1, pyarrow.py_buffer(offsets), pyarrow.py_buffer(joined))


def scalar(value: str | float) -> Scalar:
    """Build the scalar of a text or number."""
    return build_column([value], TYPES[type(value)])[0]


def null_unless(column: Array, condition: Array) -> Array:
    """Replace the rows that do not meet a condition by null, which every computation passes on."""
    return compute.if_else(condition, column, pyarrow.nulls(1, column.type)[0])


def keep_plain_floats(column: Array) -> Array:
    """Keep the floats that Arrow writes with the digits of Python and without an exponent; the others become null."""
    size = compute.abs(column)
    is_positive = compute.greater(compute.divide(scalar(1.0), column), scalar(0.0))
    is_zero = compute.and_(compute.equal(size, scalar(0.0)), is_positive)
    is_plain = compute.and_(compute.greater_equal(size, scalar(1e-4)), compute.less(size, scalar(1e10)))
    return null_unless(column, compute.or_(is_zero, is_plain))
