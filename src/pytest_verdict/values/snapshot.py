"""A copy of evidence that later changes of the original do not reach."""

from __future__ import annotations

from typing import Any


def snapshot(value: Any) -> Any:
    """Copy the lists, dicts and sets in a value; everything else is shared.

    Args:
        value: Any value.

    Returns:
        An equal value. One that contains itself is returned as it is.

    Example:
        >>> original = {"tags": ["a"]}
        >>> kept = snapshot(original)
        >>> original["tags"].append("b")
        >>> kept
        {'tags': ['a']}
    """
    try:
        return _copy(value)
    except RecursionError:
        return value


def _copy(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {key: _copy(item) for key, item in value.items()}
    if kind is list:
        return [_copy(item) for item in value]
    if kind is tuple:
        return tuple([_copy(item) for item in value])
    if kind is set or kind is bytearray:
        return kind(value)
    return value
