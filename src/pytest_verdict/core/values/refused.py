"""Values that our operators do not compare: what hides its content, and what decides for itself what it equals."""

from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from collections.abc import Iterable, Mapping, MutableSequence, Set as AbstractSet
from functools import partial
from itertools import chain
from types import BuiltinFunctionType, FunctionType, GeneratorType, MappingProxyType, MethodType
from typing import Any, Final

from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.encoding import encode, encode_text, is_replayable
from pytest_verdict.core.values.placeholders import (
    PLAIN,
    Accepted,
    attributes,
    class_name,
    has_fields,
    has_named_fields,
    named_fields,
)

_ORDERED: Final = (list, tuple)
_CONTAINERS: Final = (*_ORDERED, dict, set, frozenset)
_HONEST: Final = frozenset({*_CONTAINERS, OrderedDict, defaultdict, Counter})
_MAPPINGS: Final = (ChainMap, MappingProxyType, UserDict)
_FUNCTIONS: Final = (FunctionType, MethodType, BuiltinFunctionType, partial)
_TEXT_AND_BYTES: Final = (str, bytes, bytearray)
ARRAY_PACKAGES: Final = frozenset({"numpy", "pandas", "polars", "pyarrow"})
_MATCHER_MODULES: Final = ("_pytest.approx.", "_pytest.python_api.", "dirty_equals.")
_ANYTHING: Final = object()
# The purpose of the matchers of a package.
_INSTEAD: Final = {
    "_pytest": "use numeric_tolerance",
    **dict.fromkeys(("numpy", "pandas", "polars"), "compare its items: to_list() or tolist()"),
    "dirty_equals": "use is_type, regex, numeric_range or json_schema",
    "unittest": "use not_blank or is_type, or leave the part out with json_subset",
}


class RefusedValueError(TypeError):
    """A value that is not compared."""


class FalseContentError(RefusedValueError):
    """A value whose class hides what is in it."""


class OwnEqualityError(RefusedValueError):
    """A value whose class decides what it equals, so that the comparison would decide nothing."""

    def __init__(self, value: Any, reason: str = "its class {} decides what it equals") -> None:
        hint = _INSTEAD.get(package_of(value), "compare its parts, or its text")
        super().__init__(f"{safe_repr(value)[:80]}: {reason.format(class_name(type(value)))}; {hint}")


class UnfinishedValueError(RefusedValueError):
    """The value is a coroutine, function or generator that nobody awaited, called or read."""


def package_of(value: Any) -> str:
    """Return the top-level package of the class of a value."""
    return type(value).__module__.partition(".")[0]


def refuse(value: Any, *, matchers: bool = False) -> None:
    """Refuse containers at any depth that hide their content, and values that equal everything."""
    # Also keeps what is made here alive, so that no id is used twice.
    visited: dict[int, Any] = {}
    # A stack, because a value may be nested more deeply than functions can be.
    remaining = [(value, False)]
    while remaining:
        part, is_field = remaining.pop()
        if type(part) in PLAIN or id(part) in visited:
            continue
        visited[id(part)] = part
        if type(part) is Accepted:
            raise FalseContentError(
                "accepted() is the whole expected value of compare and expect, and no part of another"
            )
        parts: Iterable[Any] = ()
        try:
            # Not isinstance, which would believe a class that claims to be another one.
            base: Any = next((base for base in _CONTAINERS if issubclass(type(part), base)), None)
            if base is not None:
                parts = _items_of(part, base)
            elif not issubclass(type(part), _TEXT_AND_BYTES):
                # An object may keep its own task or generator in a field.
                if not is_field:
                    _refuse_unfinished(part)
                if matchers:
                    _refuse_matcher(part)
                parts = _parts_of(part)
                is_field = True
        except RefusedValueError:
            raise
        except Exception:  # noqa: BLE001 - a class under test can raise anything
            parts = ()
        remaining += [(item, is_field) for item in parts]


def _items_of(container: Any, base: Any) -> list[Any]:
    """Return all items, keys and values of a container; refuse a class that hides some of them."""
    content = [*base.__iter__(container)]
    items = content
    if base is dict:
        content = [(key, base.__getitem__(container, key)) for key in items]
        items = [*chain.from_iterable(content)]
    if type(container) not in _HONEST:
        try:
            is_honest = _shows(container, base, content) and _has_in_fields(container, items)
        except Exception:  # noqa: BLE001 - a class under test can raise anything
            is_honest = False
        if not is_honest:
            raise FalseContentError(f"the class {class_name(type(container))} hides what is in the {base.__name__}")
    return items


def _shows(container: Any, base: Any, content: list[Any]) -> bool:
    """Return whether a container shows this content, however it is read."""
    reads = [[*container]]
    if base is dict:
        reads = [
            [*container.items()],
            [(key, container[key]) for key in container],
            [(key, container.get(key)) for key in container],
        ]
    # As texts, because a class may wrap its items each time; only lists and tuples have an order.
    order = list if base in _ORDERED else sorted
    texts = order(map(encode_text, content))
    return len(container) == len(content) and all(order(map(encode_text, items)) == texts for items in reads)


def _has_in_fields(container: Any, content: list[Any]) -> bool:
    """Return whether the fields of a container, which are all that is compared, have its items."""
    if not has_fields(container):
        return True
    fields = named_fields(container)[2]
    in_fields = {*map(id, fields.values())}
    return all(id(item) in in_fields or (type(item) is str and item in fields) for item in content)


def _refuse_unfinished(value: Any) -> None:
    """Refuse coroutines, futures and generators: their value is not there yet."""
    kind = type(value)
    if hasattr(kind, "__await__"):
        raise UnfinishedValueError(f"{safe_repr(value)[:80]} is not awaited; write await before it")
    if kind.__module__.startswith("concurrent.futures"):
        raise UnfinishedValueError(f"{safe_repr(value)[:80]} is a future; compare its result()")
    if hasattr(kind, "__anext__"):
        raise UnfinishedValueError(f"{safe_repr(value)[:80]} is not read; write [item async for item in ...]")
    if kind is GeneratorType:
        raise UnfinishedValueError(f"{safe_repr(value)[:80]} is not read; write list(...)")


def refuse_uncalled(expected: Any, observed: Any) -> None:
    """Refuse a function in place of its result, unless functions are expected."""
    if not isinstance(observed, _FUNCTIONS):
        return
    parts = expected if isinstance(expected, _CONTAINERS) else [expected]
    if not any(map(callable, parts)):
        raise UnfinishedValueError(f"{safe_repr(observed)[:80]} is not called; write () behind it")


def _parts_of(value: Any) -> Iterable[Any]:
    """Return what is in a value that is no container of Python itself, as far as a comparison may look at it."""
    if has_named_fields(value):
        return [*named_fields(value)[2].values()]
    # Other mappings may be readable only once, and are compared by what was read for the record.
    if issubclass(type(value), _MAPPINGS):
        return [*value, *value.values()]
    if issubclass(type(value), MutableSequence | AbstractSet):
        return [*value]
    if package_of(value) in ARRAY_PACKAGES:
        return objects_in(value)
    # A mock has as many attributes as somebody asks for.
    if package_of(value) != "unittest" and decides_equality(value):
        return [*attributes(value).values()]
    return ()


def objects_in(array: Any) -> list[Any]:
    """Return the elements of an array, or of the columns of a table, that may hold any Python object."""
    if str(getattr(array, "dtype", "")).lower() == "object":
        return list(array.tolist() if hasattr(array, "tolist") else array.to_list())
    names = getattr(array, "columns", ()) if hasattr(array, "dtypes") else ()
    return [item for name in names for item in objects_in(array[name])]


def items_of_array(array: Any) -> list[Any] | None:
    """Return the items of an array of one dimension; None for a table, a scalar or an array of more dimensions."""
    if getattr(array, "ndim", 1) != 1 or hasattr(array, "columns"):
        return None
    for name in ("to_list", "tolist", "to_pylist"):
        if hasattr(array, name):
            return list(getattr(array, name)())
    return None


def _refuse_matcher(value: Any) -> None:
    if package_of(value) in ARRAY_PACKAGES:
        return
    if package_of(value) == "unittest" and value.__class__ is not type(value):
        raise OwnEqualityError(value, "its class {} claims to be another one")
    if has_fields(value):
        hidden = attributes(value) or getattr(value, "__pydantic_private__", None)
        if hidden and not named_fields(value)[2]:
            raise OwnEqualityError(value, "no field of its class {} is compared")
    elif decides_equality(value):
        module = f"{type(value).__module__}."
        if module.startswith(_MATCHER_MODULES) or _equals(value, _ANYTHING):
            raise OwnEqualityError(value)
        if package_of(value) != "unittest" and attributes(value) and _equals_blank(value):
            raise OwnEqualityError(value, "its class {} compares none of its attributes")


def _equals(value: Any, other: Any) -> bool:
    try:
        return (value == other) is True
    except Exception:  # noqa: BLE001 - a class under test can raise anything
        return False


def _equals_blank(value: Any) -> bool:
    """Return whether a value equals an object of its class that has no attributes."""
    try:
        blank = object.__new__(type(value))
    except TypeError:
        return False
    return _equals(value, blank)


def decides_equality(value: Any) -> bool:
    """Return whether a value is no container, has no recorded form, and has an ``__eq__`` of its own."""
    has_default_equality = getattr(type(value), "__eq__", None) is object.__eq__
    # Not isinstance, which would believe a mock that claims to be another class.
    if has_default_equality or issubclass(type(value), (Mapping, *_CONTAINERS)) or has_named_fields(value):
        return False
    return not is_replayable(encode(value))
