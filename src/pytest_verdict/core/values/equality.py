"""When two values are equal.

A bool is never a number, numbers are equal by value, ``None`` is not ``"None"``, text compares by code point, NaN equals
nothing by default, a list is not a tuple, and an instant is the same in every time zone. A dataclass or model equals another
of its class with equal fields; its own ``__eq__`` is ignored, because a replay does not have it.
"""

import datetime
from collections.abc import Callable, Hashable, Mapping, MutableSequence
from enum import Enum
from types import SimpleNamespace
from typing import Any, Final

from pytest_verdict.core.values.encoding import decode, encode, encode_text, is_replayable
from pytest_verdict.core.values.numbers import as_exact, is_nan, is_number, same_number, truth_value
from pytest_verdict.core.values.placeholders import (
    ABSENT,
    EncodedObject,
    Unreplayable,
    has_named_fields,
    item_names,
    named_fields,
)
from pytest_verdict.core.values.refused import OwnEqualityError, decides_equality, objects_in, package_of


def equal(expected: Any, observed: Any, *, nan_equal: bool = False) -> bool:
    """Return whether two values are equal, with their types."""
    cls = type(expected)
    if cls is type(observed):
        if cls in _EQUAL_IN_PYTHON:
            return bool(expected == observed)
        equal_containers = _CONTAINERS.get(cls)
        if equal_containers is not None:
            return equal_containers(expected, observed, nan_equal=nan_equal)
    if isinstance(expected, Unreplayable) or isinstance(observed, Unreplayable):
        return False
    kind, content = _view(expected)
    other_kind, other = _view(observed)
    if kind != other_kind or kind == "other":
        return _equal_by_class(expected, observed, nan_equal=nan_equal)
    if kind == "number":
        return same_number(expected, observed) or (nan_equal and is_nan(expected) and is_nan(observed))
    if kind in {"list", "tuple"}:
        return _agree(item_names(expected), item_names(observed)) and _equal_items(content, other, nan_equal=nan_equal)
    if kind in {"mapping", "set", "dataclass", "model"}:
        is_same_class = content[0] == other[0]
        return is_same_class and _equal_mappings(content[1], other[1], nan_equal=nan_equal)
    return bool(content == other)


def content_key(value: Any) -> Hashable | None:
    """Return a hashable key, equal for values that are `equal`; None for a value that only its class can compare."""
    if type(value) is str:
        return value
    key: Hashable | None = None
    if type(value) in _EQUAL_IN_PYTHON or is_replayable(encode(value)):
        key = _key(value, nan_equal=False)
    return key


def _view(value: Any) -> tuple[str, Any]:
    """Return the kind of a value, and what decides whether it equals another value of this kind."""
    if isinstance(value, str):
        return "text", str.__str__(value)
    if is_number(value):
        return "number", value
    # Objects come before tuples and mappings, because an object may also be one of these.
    if isinstance(value, Enum) or (isinstance(value, EncodedObject) and value.kind == "enum"):
        return "member", encode_text(value)
    if has_named_fields(value):
        kind, name, fields = named_fields(value)
        return kind, (name, fields)
    if isinstance(value, Mapping):
        return "mapping", ("", value)
    if isinstance(value, list | tuple):
        return "list" if isinstance(value, list) else "tuple", value
    if isinstance(value, set | frozenset):
        # Sets are compared like mappings from their members, which may be named tuples, to nothing.
        return "set", ("", dict.fromkeys(value))
    # NaT of pandas is no moment, and does not equal itself.
    if isinstance(value, datetime.datetime) and value == value:  # noqa: PLR0124
        return "instant", _instant(value)
    truth = truth_value(value)
    if truth is not None:
        return "bool", truth
    if isinstance(value, bytes | bytearray):
        return "bytes", bytes(value)
    return "other", value


def _key(value: Any, *, nan_equal: bool) -> Any:
    kind, content = _view(value)
    if kind == "text":
        return content
    if kind == "number":
        exact = as_exact(value)
        if not exact.is_nan():
            return kind, exact
        # A set would find the same NaN object again, but a record cannot tell two NaN apart.
        return "nan", None if nan_equal else object()
    if kind in {"list", "tuple"}:
        return kind, tuple(_key(item, nan_equal=nan_equal) for item in content)
    if kind == "set":
        return kind, frozenset(_key(item, nan_equal=nan_equal) for item in value)
    if kind in {"mapping", "dataclass", "model"}:
        name, fields = content
        items = [(_key(key, nan_equal=nan_equal), _key(item, nan_equal=nan_equal)) for key, item in fields.items()]
        return kind, name, frozenset(items)
    if isinstance(value, complex):
        return "complex", _key(value.real, nan_equal=nan_equal), _key(value.imag, nan_equal=nan_equal)
    return kind, content


def _equal_items(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    if len(expected) != len(observed):
        return False
    for item, other in zip(expected, observed, strict=True):  # noqa: SIM110 - all() needs another frame for each level
        if not equal(item, other, nan_equal=nan_equal):
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
        other = keys.get(_key(key, nan_equal=nan_equal), ABSENT)
        # The keys of named tuples have no names.
        if other is ABSENT or not equal(key, other, nan_equal=nan_equal):
            return False
        if not equal(item, observed[other], nan_equal=nan_equal):
            return False
    return True


TEXT: Final = frozenset({str})
# The checks of kinds are slow, so the most common classes skip them.
_EQUAL_IN_PYTHON: Final = frozenset({str, int, bool, type(None)})
_TABLE_PACKAGES: Final = frozenset({"pandas", "polars", "pyarrow"})
_CONTAINERS: Final[dict[type, Callable[..., bool]]] = {dict: _equal_mappings, list: _equal_items, tuple: _equal_items}


def _instant(value: datetime.datetime) -> tuple[bool, datetime.timedelta]:
    # Python compares two values of one zone by wall clock time, which repeats an hour in autumn.
    since = value.replace(tzinfo=None) - datetime.datetime.min  # noqa: DTZ901 - only the distance counts
    offset = value.utcoffset()
    if offset is None:
        return (False, since)
    return (True, since - offset)


def _equal_by_class(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    """Compare two values of other classes: as their records give them back, or by their class if they have no record."""
    encoded = encode(expected)
    other = encode(observed)
    if is_replayable(encoded) and is_replayable(other):
        # A subclass may have an __eq__ of its own.
        return _view(expected)[0] == _view(observed)[0] and bool(decode(encoded) == decode(other))
    is_same_class = type(expected) is type(observed)
    if is_same_class and package_of(expected) in _TABLE_PACKAGES and hasattr(expected, "equals"):
        if not expected.equals(observed) or not all(map(_agree, _labels(expected), _labels(observed))):
            return False
        # Polars compares True with 1.
        if _truth_columns(expected) != _truth_columns(observed):
            return False
        # A missing value in a table equals another missing value.
        return equal(objects_in(expected), objects_in(observed), nan_equal=True)
    if is_same_class and hasattr(expected, "dtype") and getattr(expected, "ndim", None):
        return _equal_arrays(expected, observed, nan_equal=nan_equal)
    for value in (expected, observed):
        if not is_same_class and decides_equality(value):
            raise OwnEqualityError(value)
    if is_same_class and not equal(_compared_parts(expected), _compared_parts(observed), nan_equal=nan_equal):
        return False
    return bool(expected == observed)


def _compared_parts(value: Any) -> Any:
    """Return the parts of an object that must be equal by our rules before its class compares the whole."""
    cls = type(value)
    names = getattr(cls, "__struct_fields__", ())
    if hasattr(cls, "__attrs_attrs__"):
        names = [field.name for field in cls.__attrs_attrs__ if field.eq and field.eq_key is None]
    if names:
        return {name: getattr(value, name, None) for name in names}
    if issubclass(cls, SimpleNamespace):
        return vars(value)
    return list(value) if issubclass(cls, MutableSequence) else None


def _equal_arrays(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    # The == of an array is an array, and the numbers in one of moments say nothing without their unit.
    kinds = {getattr(array.dtype, "kind", "") for array in (expected, observed)}
    if expected.shape != observed.shape or (kinds & {"M", "m", "V"} and expected.dtype != observed.dtype):
        return False
    return equal(expected.tolist(), observed.tolist(), nan_equal=nan_equal)


def _truth_columns(table: Any) -> list[bool]:
    kinds = getattr(table, "dtypes", ()) if hasattr(table, "columns") else [getattr(table, "dtype", "")]
    return [str(kind).lower().startswith("bool") for kind in kinds]


def _labels(table: Any) -> list[tuple[Any, ...]]:
    """Return the names of a series, of the columns and of the rows, which ``equals`` of a table ignores."""
    columns = getattr(table, "columns", None)
    axes = [table if columns is None else columns, getattr(table, "index", None)]
    # Asked of the class, because a table may have rows or columns that are called "name".
    labels = [(getattr(axis, "names", None) or [axis.name]) if hasattr(type(axis), "name") else () for axis in axes]
    return [tuple(name for name in names if name is not None) for names in labels]


def _agree(names: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Return whether names are the same; what has none may be called anything."""
    return not names or not others or names == others
