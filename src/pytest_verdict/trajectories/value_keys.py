"""Keys of values: hashable forms that are equal exactly when the values are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from pytest_verdict.core.values.numbers import as_decimal, is_number


def key_of(value: Any) -> Hashable | None:
    """Give a key by which equal values can be found without comparing each with each."""
    try:
        return _key(value)
    except (_NoKeyError, RecursionError):
        return None


class _NoKeyError(Exception):
    pass


def _key(value: Any) -> Hashable:
    kind = type(value)
    if kind is str:
        return ("text", value)
    if kind is int:
        return ("number", value)
    if value is None or kind is bool:
        return ("constant", repr(value))
    if kind is dict or isinstance(value, Mapping):
        return ("object", frozenset([(_key(name), _key(item)) for name, item in value.items()]))
    if kind is list or kind is tuple:
        return (kind.__name__, tuple([_key(item) for item in value]))
    number = as_decimal(value) if is_number(value) else None
    if number is None or number != number:  # noqa: PLR0124 - NaN equals nothing, so it has no key
        raise _NoKeyError
    return ("number", number)
