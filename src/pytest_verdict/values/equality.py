"""When two values are equal.

The rules that most tools get wrong, in one place: a bool is never a number, numbers are equal by value, ``None`` is not
``"None"``, text compares by code point, NaN equals nothing unless asked, and a list is not a tuple.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_verdict.values.encoding import EncodedObject, Unreplayable
from pytest_verdict.values.numbers import is_number, same_number


def equal(expected: Any, observed: Any, *, nan_equal: bool = False) -> bool:
    """Say whether two values are equal, with their types.

    Args:
        expected: Any value.
        observed: Any value.
        nan_equal: Whether NaN equals NaN, at any depth.

    Returns:
        True when both have the same kind and the same content.

    Raises:
        RecursionError: A value contains itself.
        Exception: Whatever the ``__eq__`` of a class of the user raises.

    Example:
        >>> equal(1, 1.0), equal(True, 1), equal(None, "None"), equal([1], (1,))
        (True, False, False, False)
    """
    if type(expected) is str and type(observed) is str:
        return expected == observed
    if isinstance(expected, Unreplayable) or isinstance(observed, Unreplayable):
        return False
    if is_number(expected) and is_number(observed):
        return same_number(expected, observed) or (nan_equal and expected != expected and observed != observed)  # noqa: PLR0124
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        return _equal_mappings(expected, observed, nan_equal=nan_equal)
    for kind in (list, tuple):
        if isinstance(expected, kind) and isinstance(observed, kind):
            return _equal_items(expected, observed, nan_equal=nan_equal)
    if isinstance(expected, set | frozenset) and isinstance(observed, set | frozenset):
        return _typed(expected) == _typed(observed)
    return _same_kind(expected, observed) and bool(expected == observed)


def _equal_items(expected: Any, observed: Any, *, nan_equal: bool) -> bool:
    return len(expected) == len(observed) and all(
        equal(left, right, nan_equal=nan_equal) for left, right in zip(expected, observed, strict=True)
    )


def _equal_mappings(expected: Mapping[Any, Any], observed: Mapping[Any, Any], *, nan_equal: bool) -> bool:
    if len(expected) != len(observed):
        return False
    keys = {_key(key): key for key in observed}
    for key, item in expected.items():
        other = keys.get(_key(key), _ABSENT)
        if other is _ABSENT or not equal(item, observed[other], nan_equal=nan_equal):
            return False
    return True


_ABSENT = object()


def _key(key: Any) -> tuple[bool, Any]:
    # Python takes True and 1 for one key; here a bool is never a number.
    return isinstance(key, bool), key


def _typed(items: set[Any] | frozenset[Any]) -> set[tuple[bool, Any]]:
    return {_key(item) for item in items}


def _same_kind(expected: Any, observed: Any) -> bool:
    if isinstance(expected, bool) or isinstance(observed, bool):
        return isinstance(expected, bool) and isinstance(observed, bool)
    if isinstance(expected, EncodedObject) or isinstance(observed, EncodedObject):
        return True
    if expected is None or observed is None:
        return expected is observed
    return all(isinstance(expected, kind) == isinstance(observed, kind) for kind in (str, bytes | bytearray))
