"""Placeholders for values that a record cannot hold, and the class name and fields of objects."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

PLAIN: Final = frozenset({str, int, float, bool, type(None)})
"""Classes whose values need no copy and no check."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""The placeholder for a missing value, because ``None`` is a value."""


class EncodedObject:
    """An object that was read from a record, whose class is not imported."""

    __slots__ = ("class_name", "kind", "member", "value")

    def __init__(self, kind: str, class_name: str, value: Any, member: str | None = None) -> None:
        self.kind = kind
        self.class_name = class_name
        self.value = value
        self.member = member

    def __eq__(self, other: object) -> bool:
        from pytest_verdict.core.values.encoding import encode_text

        return encode_text(self) == encode_text(other)

    def __hash__(self) -> int:
        return hash((self.kind, self.class_name, self.member))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.class_name} {self.member or self.value!r}>"


class Unreplayable:
    """A value that was recorded only as its repr; it equals nothing."""

    __slots__ = ("class_name", "text")

    def __init__(self, class_name: str, text: str) -> None:
        self.class_name = class_name
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Accepted:
    """The whole expected value of a comparison, which stands in a file beside the test; see `pytest_verdict.accepted`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "accepted()"


def class_name(cls: type) -> str:
    """Return the name of a class as ``module:qualified name``."""
    return f"{cls.__module__}:{cls.__qualname__}"


class NamedItems(tuple[Any, ...]):  # noqa: SLOT001 - the names are no item
    """A named tuple that was read from a record."""

    _fields: tuple[str, ...]

    def __new__(cls, items: Iterable[Any], fields: Iterable[str] = ()) -> Self:
        """Build the tuple of these items and the names of its fields."""
        built = super().__new__(cls, items)
        built._fields = tuple(fields)
        return built

    def __repr__(self) -> str:
        return f"({', '.join(f'{name}={item!r}' for name, item in zip(self._fields, self, strict=False))})"


def item_names(value: Any) -> tuple[str, ...]:
    """Return the names of the items of a named tuple; none for any other value."""
    names = getattr(value, "_fields", ()) if isinstance(value, tuple) else ()
    return tuple(names) if isinstance(names, tuple | list) and len(names) == len(value) else ()


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes of an object, without those of its class."""
    names = [*getattr(value, "__dict__", ())]
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return {name: getattr(value, name) for name in names if not name.startswith("__") and hasattr(value, name)}


def has_fields(value: object) -> bool:
    """Return whether a value is a dataclass instance or a pydantic model."""
    cls = type(value)
    return hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__pydantic_validator__")


def has_named_fields(value: Any) -> bool:
    """Return whether a value is a dataclass instance or a model, or was one before it was recorded."""
    return has_fields(value) or (isinstance(value, EncodedObject) and value.kind != "enum")


def named_fields(value: Any) -> tuple[str, str, Mapping[str, Any]]:
    """Return the kind, the class and the compared fields of a value with named fields."""
    if isinstance(value, EncodedObject):
        return value.kind, value.class_name, value.value
    if not hasattr(type(value), "__dataclass_fields__"):
        return "model", class_name(type(value)), {**value.__dict__, **(value.__pydantic_extra__ or {})}
    compared = [field.name for field in dataclasses.fields(value) if field.compare]
    return "dataclass", class_name(type(value)), {name: getattr(value, name, None) for name in compared}


def hidden_fields(cls: Any) -> frozenset[str]:
    """Return the names of the fields of a pydantic model that its repr or its dump omits."""
    fields = getattr(cls, "__pydantic_fields__", {})
    return frozenset(name for name, field in fields.items() if field.exclude or not field.repr)
