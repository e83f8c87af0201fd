"""Copies of evidence: one that later changes do not reach, and what an operator sees, which reading the record gives back."""

import copy
import datetime
import uuid
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.encoding import decode, encode, encode_text, is_replayable
from pytest_verdict.core.values.placeholders import EncodedObject, Unreplayable, class_name, has_fields

PLAIN: Final = frozenset({str, int, float, bool, type(None)})
"""The classes whose values need no copy."""

_CHANGEABLE: Final = (dict, list, set, MutableMapping, MutableSequence, MutableSet)
_SINGLE: Final = {bytes, complex, Decimal, Fraction, uuid.UUID, datetime.date, datetime.timedelta}
_LEAVES: Final = PLAIN | _SINGLE | {EncodedObject, Unreplayable}
_COLLECTIONS: Final = frozenset({tuple, set, frozenset, bytearray})


def snapshot(value: Any) -> Any:
    """Copy what can change in a value: containers, dataclasses and models. Instances of other classes are shared."""
    try:
        return _copy(value, _copy_of_class)
    except Exception:  # noqa: BLE001 - the class under test decides what copying raises
        return value


def _copy_of_class(value: Any) -> Any:
    return copy.deepcopy(value) if isinstance(value, _CHANGEABLE) or has_fields(value) else value


def _refuse_class(value: Any) -> Any:
    raise TypeError(f"{class_name(type(value))} is not read back")


def _copy(value: Any, of_class: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind in _LEAVES or (kind is datetime.datetime and not value.fold and value.tzinfo is None):
        return value
    # A call of its own for each leaf would take most of the time.
    if kind is dict:
        return {
            key if type(key) is str else _copy(key, of_class): item if type(item) in _LEAVES else _copy(item, of_class)
            for key, item in value.items()
        }
    if kind is list:
        return value[:] if _LEAVES.issuperset(map(type, value)) else [_copy(item, of_class) for item in value]
    return kind([_copy(item, of_class) for item in value]) if kind in _COLLECTIONS else of_class(value)


def recorded_form(value: Any) -> tuple[Any, Any]:
    """Give the copy of a value that is recorded, and what an operator sees of it.

    An object of a class has more than a record keeps of it: methods, properties, its repr. Were it compared as it is, a replay
    could come to another result. So it is compared as it is read back. What cannot be read back is recorded as its repr.
    """
    try:
        copied = _copy(value, _refuse_class)
    except (TypeError, RecursionError):
        copy = snapshot(value)
    else:
        return copied, copied
    try:
        encoded = encode(copy)
        if not is_replayable(encoded):
            return copy, value
        seen = decode(encoded)
        is_same = encode_text(seen) == encode_text(copy)
    except Exception:  # noqa: BLE001 - the class under test decides what it raises
        is_same = False
    return (copy, seen) if is_same else (Unreplayable(class_name(type(value)), safe_repr(value)), value)
