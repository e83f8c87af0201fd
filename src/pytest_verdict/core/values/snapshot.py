"""A copy of evidence that later changes of the original do not reach."""

from __future__ import annotations

import copy
from collections.abc import MutableMapping, MutableSequence, MutableSet
from typing import Any, Final

from pytest_verdict.core.values.fields import has_fields

_UNCHANGEABLE: Final = frozenset({str, int, float, bool, type(None)})
_CHANGEABLE: Final = (dict, list, set, MutableMapping, MutableSequence, MutableSet)


def snapshot(value: Any) -> Any:
    """Copy what can change in a value: containers, dataclasses and models. Instances of other classes are shared."""
    try:
        return _copy(value)
    except Exception:  # noqa: BLE001 - the class under test decides what copying raises
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
    if kind in _UNCHANGEABLE:
        return value
    return copy.deepcopy(value) if isinstance(value, _CHANGEABLE) or has_fields(value) else value
