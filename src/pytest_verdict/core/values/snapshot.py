"""Copies of evidence: for the record, and for the operator."""

import copy
import datetime
import uuid
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.encoding import decode, encode, encode_text, is_replayable
from pytest_verdict.core.values.placeholders import PLAIN, EncodedObject, Unreplayable, class_name, has_fields
from pytest_verdict.core.values.refused import RefusedValueError, refuse

_CHANGEABLE: Final = (dict, list, set, MutableMapping, MutableSequence, MutableSet)
_SINGLE: Final = {bytes, complex, Decimal, Fraction, uuid.UUID, datetime.date, datetime.timedelta}
_LEAVES: Final = PLAIN | _SINGLE | {EncodedObject, Unreplayable}
_COLLECTIONS: Final = frozenset({tuple, set, frozenset, bytearray})


def snapshot(value: Any) -> Any:
    """Copy the parts of a value that can change: containers, dataclasses and models; share other objects."""
    try:
        return _copy(value, _copy_of_class)
    except Exception:  # noqa: BLE001 - a class under test can raise anything
        return value


def _copy_of_class(value: Any) -> Any:
    if isinstance(value, _CHANGEABLE) or has_fields(value):
        return copy.deepcopy(value)
    return value


def _refuse_class(value: Any) -> Any:
    raise TypeError(f"{class_name(type(value))} cannot be decoded")


def _copy(value: Any, of_class: Callable[[Any], Any]) -> Any:
    kind = type(value)
    if kind in _LEAVES or (kind is datetime.datetime and not value.fold and value.tzinfo is None):
        return value
    # Leaves are copied without a call, which would take most of the time.
    if kind is dict:
        return {
            key if type(key) is str else _copy(key, of_class): item if type(item) in _LEAVES else _copy(item, of_class)
            for key, item in value.items()
        }
    if kind is list:
        if _LEAVES.issuperset(map(type, value)):
            return value[:]
        return [_copy(item, of_class) for item in value]
    if kind in _COLLECTIONS:
        return kind([_copy(item, of_class) for item in value])
    return of_class(value)


def recorded_form(value: Any, *, matchers: bool = False) -> tuple[Any, Any]:
    """Return the copy of a value for the record, and the decoded copy for the operator; refuse what `refuse` refuses.

    An operator that used more of an object than its record has, such as its methods, could not be replayed.
    """
    try:
        copied = _copy(value, _refuse_class)
    except (TypeError, RecursionError):
        refuse(value, matchers=matchers)
        recorded = snapshot(value)
    else:
        return copied, copied
    try:
        encoded = encode(recorded)
        if not is_replayable(encoded):
            return recorded, value
        decoded = decode(encoded)
        is_same = encode_text(decoded) == encode_text(recorded)
    except Exception:  # noqa: BLE001 - a class under test can raise anything
        is_same = False
    if is_same:
        return recorded, decoded
    return Unreplayable(class_name(type(value)), safe_repr(value)), value


def copy_for_record(value: Any) -> Any:
    """Return the copy of a value for the record; of one that is refused, the repr."""
    try:
        return recorded_form(value)[0]
    except RefusedValueError:
        return Unreplayable(class_name(type(value)), safe_repr(value))


def copy_refused(value: Any) -> Any:
    """Return the copy for the record of a comparison that was refused; replay cannot refuse a class that it does not have."""
    copied = copy_for_record(value)
    try:
        refuse(value, matchers=True)
    except RefusedValueError:
        if is_replayable(encode(copied)):
            return Unreplayable(class_name(type(value)), safe_repr(value))
    return copied
