"""Small plain values as JSON text: what most evidence is, written without a detour over typed JSON."""

from __future__ import annotations

from json.encoder import encode_basestring_ascii
from math import isfinite
from typing import Any, Final

_MOST_ITEMS: Final = 32
_DEPTH: Final = 4
_LARGEST_INT: Final = 10**18
_CONSTANTS: Final = {None: "null", True: "true", False: "false"}


def small_json(value: Any, depth: int = _DEPTH) -> str | None:
    """Write a value as JSON text, when it is small and plain."""
    kind = type(value)
    if kind is str:
        return encode_basestring_ascii(value) if value.isascii() else None
    if kind is bool or value is None:
        return _CONSTANTS[value]
    if kind is int:
        return repr(value) if -_LARGEST_INT < value < _LARGEST_INT else None
    if kind is float:
        return repr(value) if isfinite(value) else None
    if kind is list:
        return _list(value, depth - 1) if depth and len(value) <= _MOST_ITEMS else None
    if kind is dict:
        return _dict(value, depth - 1) if depth and len(value) <= _MOST_ITEMS else None
    return None


def _list(items: list[Any], depth: int) -> str | None:
    written = []
    for item in items:
        text = small_json(item, depth)
        if text is None:
            return None
        written.append(text)
    return f"[{','.join(written)}]"


def _dict(values: dict[Any, Any], depth: int) -> str | None:
    written = []
    for key, item in values.items():
        # A key with a dollar may be the one that marks a type.
        if type(key) is not str or not key.isascii() or key.startswith("$"):
            return None
        text = small_json(item, depth)
        if text is None:
            return None
        written.append(f"{encode_basestring_ascii(key)}:{text}")
    return f"{{{','.join(written)}}}"
