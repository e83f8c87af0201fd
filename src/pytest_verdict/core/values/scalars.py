"""The number or bool that a value is, also one of NumPy."""

from __future__ import annotations

from typing import Any


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
    scalar = value if isinstance(value, bool) else plain_scalar(value)
    return scalar if isinstance(scalar, bool) else None
