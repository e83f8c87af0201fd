"""When two values are equal.

The rules that most tools get wrong, in one place: a bool is never a number, numbers are equal by value, ``None`` is not
``"None"``, text compares by code point, NaN equals nothing unless asked, a list is not a tuple, an instant is the same in
every time zone, and a dataclass or model equals another of its class with equal fields (its own ``__eq__`` is not asked,
because a replay cannot ask it).
"""

import datetime
from collections.abc import Callable, Hashable, Mapping
from enum import Enum
from typing import Any, Final

from pytest_verdict.core.values.encoding import encode, encode_text, is_replayable, small_json
from pytest_verdict.core.values.numbers import as_exact, is_nan, is_number, same_number, truth_value
from pytest_verdict.core.values.placeholders import EncodedObject, Unreplayable, has_named_fields, named_fields


def equal(expected: Any, observed: Any, *, nan_equal: bool = False) -> bool:
    """Say whether two values are equal, with their types."""
    kind = type(expected)
    if kind is type(observed):
        if kind in _EQUAL_IN_PYTHON:
            return bool(expected == observed)
        of_kind = _BY_KIND.get(kind)
        if of_kind is not None:
            return of_kind(expected, observed, nan_equal=nan_equal)
    if isinstance(expected, Unreplayable) or isinstance(observed, Unreplayable):
        return False
    if is_number(expected) and is_number(observed):
        return same_number(expected, observed) or (nan_equal and is_nan(expected) and is_nan(observed))
    if isinstance(expected, str) and isinstance(observed, str):
        return str.__str__(expected) == str.__str__(observed)
    # These come first: one that is a tuple or a mapping as well is recorded as what it is.
    if _is_object(expected) or _is_object(observed):
        return _equal_objects(expected, observed, nan_equal=nan_equal)
    return _equal_others(expected, observed, nan_equal=nan_equal)


def content_key(value: Any) -> Hashable | None:
    """Return a hashable key; two keys are equal exactly when `equal` says so of their values.

    A value without a recorded form has no key (None), because its class decides what it equals.
    """
    if type(value) is str:
        return value
    has_recorded_form = small_json(value) is not None or is_replayable(encode(value))
    return _key(value, nan_equal=False) if has_recorded_form else None


def _equal_items(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    if len(expected) != len(observed):
        return False
    for left, right in zip(expected, observed, strict=True):  # noqa: SIM110 - all() takes a further frame per level
        if not equal(left, right, nan_equal=nan_equal):
            return False
    return True


def _equal_mappings(expected: Mapping[Any, Any], observed: Mapping[Any, Any], *, nan_equal: bool) -> bool:
    if len(expected) != len(observed):
        return False
    if TEXT.issuperset(map(type, expected)) and TEXT.issuperset(map(type, observed)):
        for key, item in expected.items():
            if key not in observed or not equal(item, observed[key], nan_equal=nan_equal):
                return False
        return True
    keys = {_key(key, nan_equal=nan_equal): key for key in observed}
    for key, item in expected.items():
        other = keys.get(_key(key, nan_equal=nan_equal), _ABSENT)
        if other is _ABSENT or not equal(item, observed[other], nan_equal=nan_equal):
            return False
    return True


_ABSENT = object()
# What nearly all evidence is made of, found without asking for anything else.
TEXT: Final = frozenset({str})
_EQUAL_IN_PYTHON: Final = frozenset({str, int, bool, type(None)})
_BY_KIND: Final[dict[type, Callable[..., bool]]] = {dict: _equal_mappings, list: _equal_items, tuple: _equal_items}


def _keys(items: Any, *, nan_equal: bool) -> set[Any]:
    return {_key(item, nan_equal=nan_equal) for item in items}


def _key(value: Any, *, nan_equal: bool) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    # The exact types come first, because the general checks below are slow.
    cls = type(value)
    if cls is int:
        return "number", value
    if cls is bool:
        return "bool", value
    if cls is dict:
        return _key_of_mapping(value, nan_equal=nan_equal)
    if cls is list:
        return "list", tuple([_key(item, nan_equal=nan_equal) for item in value])
    if is_number(value):
        exact = as_exact(value)
        # Python finds one and the same NaN object in a set, which a record cannot say.
        return ("number", exact) if not exact.is_nan() else ("nan", None if nan_equal else object())
    if _is_member(value):
        return "member", encode_text(value)
    if has_named_fields(value):
        kind, name, fields = named_fields(value)
        return kind, name, _key(fields, nan_equal=nan_equal)
    if isinstance(value, Mapping):
        return _key_of_mapping(value, nan_equal=nan_equal)
    if isinstance(value, list | tuple):
        return "list" if isinstance(value, list) else "tuple", tuple(_key(item, nan_equal=nan_equal) for item in value)
    if isinstance(value, set | frozenset):
        return "set", frozenset(_keys(value, nan_equal=nan_equal))
    return _key_of_leaf(value, nan_equal=nan_equal)


def _key_of_mapping(value: Mapping[Any, Any], *, nan_equal: bool) -> Any:
    items = [(_key(key, nan_equal=nan_equal), _key(item, nan_equal=nan_equal)) for key, item in value.items()]
    return "mapping", frozenset(items)


def _key_of_leaf(value: Any, *, nan_equal: bool) -> Any:
    if isinstance(value, datetime.datetime):
        return "instant", _instant(value)
    if truth_value(value) is not None:
        return "bool", truth_value(value)
    if isinstance(value, complex):
        return "complex", _key(value.real, nan_equal=nan_equal), _key(value.imag, nan_equal=nan_equal)
    return ("bytes", bytes(value)) if isinstance(value, bytes | bytearray) else ("other", value)


def _is_object(value: Any) -> bool:
    return _is_member(value) or has_named_fields(value)


def _is_member(value: Any) -> bool:
    if isinstance(value, EncodedObject):
        return value.kind == "enum"
    return isinstance(value, Enum) and not isinstance(value, str | int | float)


def _equal_objects(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    if _is_member(expected) and _is_member(observed):
        return encode_text(expected) == encode_text(observed)
    if not (has_named_fields(expected) and has_named_fields(observed)):
        return _equal_by_class(expected, observed)
    *left_class, left = named_fields(expected)
    *right_class, right = named_fields(observed)
    return left_class == right_class and _equal_mappings(left, right, nan_equal=nan_equal)


def _equal_others(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        return _equal_mappings(expected, observed, nan_equal=nan_equal)
    for kind in (list, tuple):
        if isinstance(expected, kind) and isinstance(observed, kind):
            return _equal_items(expected, observed, nan_equal=nan_equal)
    if isinstance(expected, set | frozenset) and isinstance(observed, set | frozenset):
        return _keys(expected, nan_equal=nan_equal) == _keys(observed, nan_equal=nan_equal)
    if isinstance(expected, datetime.datetime) and isinstance(observed, datetime.datetime):
        return _instant(expected) == _instant(observed)
    return bool(expected == observed) if _same_kind(expected, observed) else _equal_by_class(expected, observed)


def _instant(value: datetime.datetime) -> tuple[bool, datetime.timedelta]:
    # Python compares two values of one zone by their wall clock, which goes through the same hour twice in autumn.
    since = value.replace(tzinfo=None) - datetime.datetime.min  # noqa: DTZ901 - only the distance counts
    offset = value.utcoffset()
    return (False, since) if offset is None else (True, since - offset)


def _equal_by_class(expected: Any, observed: Any) -> bool:
    # The class of a value that has no recorded form may say that it equals values of other kinds.
    own = not is_replayable(encode(expected)) or not is_replayable(encode(observed))
    return own and bool(expected == observed)


def _same_kind(expected: Any, observed: Any) -> bool:
    if truth_value(expected) is not None or truth_value(observed) is not None:
        return truth_value(expected) is not None and truth_value(observed) is not None
    if is_number(expected) or is_number(observed):
        return False
    if expected is None or observed is None:
        return expected is observed
    return all(isinstance(expected, kind) == isinstance(observed, kind) for kind in (str, bytes | bytearray))
