"""What stands in for evidence that cannot be itself: values of classes that are not imported, and texts of what has no form."""

from __future__ import annotations

import re
from typing import Any, Final

_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]+")


class EncodedObject:
    """A value of a class that reading a record does not import.

    Args:
        kind: ``enum``, ``dataclass`` or ``model``.
        class_name: The class as ``module:qualified name``.
        value: The value of the member, or the fields by name.
        member: The name of the member, for an Enum.
    """

    __slots__ = ("class_name", "kind", "member", "value")

    def __init__(self, kind: str, class_name: str, value: Any, member: str | None = None) -> None:
        self.kind = kind
        self.class_name = class_name
        self.value = value
        self.member = member

    def __eq__(self, other: object) -> bool:
        from pytest_verdict.values.encoding import encode_text

        return encode_text(self) == encode_text(other)

    def __hash__(self) -> int:
        return hash((self.kind, self.class_name, self.member))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.class_name} {self.member or self.value!r}>"


class Unreplayable:
    """Evidence that was kept only as its repr; it equals nothing.

    Args:
        class_name: The class as ``module:qualified name``.
        text: The repr as it was recorded.
    """

    __slots__ = ("class_name", "text")

    def __init__(self, class_name: str, text: str) -> None:
        self.class_name = class_name
        self.text = text

    def __repr__(self) -> str:
        return self.text


def class_name(cls: type) -> str:
    """Name a class as ``module:qualified name``.

    Args:
        cls: Any class.

    Returns:
        The name, the same in every process.
    """
    return f"{cls.__module__}:{cls.__qualname__}"


def safe_repr(value: object) -> str:
    """Write the repr of a value, whatever its class does, without memory addresses.

    Args:
        value: Any value.

    Returns:
        The repr, or a placeholder that names the error when the class cannot produce one.
    """
    if type(value) is str:
        return repr(value)
    try:
        return without_addresses(repr(value))
    except Exception as error:  # noqa: BLE001 - the class under test decides what it raises
        return f"<unprintable {class_name(type(value))}: {type(error).__name__}>"


def without_addresses(text: str) -> str:
    """Replace the memory addresses that differ from process to process.

    Args:
        text: A repr or the message of an exception.

    Returns:
        The text with every ``at 0x7f...`` as ``at 0x...``.
    """
    return _ADDRESS.sub("at 0x...", text)


def plain_scalar(value: Any) -> bool | int | float | complex | None:
    """Give the Python number or bool behind a NumPy scalar.

    Args:
        value: Any value.

    Returns:
        The bool or number; a float of fewer bits by its own shortest decimal form, so that the 32-bit 0.1 is 0.1. None
        when the value is not such a scalar.
    """
    if getattr(value, "ndim", None) != 0 or not hasattr(value, "dtype") or not hasattr(value, "item"):
        return None
    item = value.item()
    if isinstance(item, bool | int | complex):
        return item if str(value.dtype)[:1] in "buic" else None
    if str(value.dtype).startswith(("float", "bfloat")):
        return float(str(value))
    return None


def truth_value(value: Any) -> bool | None:
    """Give the bool that a value is.

    Args:
        value: Any value.

    Returns:
        The bool, of a NumPy scalar too; None when the value is no truth value, as 1 and ``"true"`` are none.

    Example:
        >>> truth_value(True), truth_value(1)
        (True, None)
    """
    scalar = value if isinstance(value, bool) else plain_scalar(value)
    return scalar if isinstance(scalar, bool) else None
