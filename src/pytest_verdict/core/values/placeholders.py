"""What stands in for evidence that cannot be itself."""

from __future__ import annotations

from typing import Any, Final


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a surface that is the value itself, because ``None`` is a value."""


class EncodedObject:
    """A value of a class that reading a record does not import."""

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
    """Evidence that was kept only as its repr; it equals nothing."""

    __slots__ = ("class_name", "text")

    def __init__(self, class_name: str, text: str) -> None:
        self.class_name = class_name
        self.text = text

    def __repr__(self) -> str:
        return self.text


def class_name(cls: type) -> str:
    """Name a class as ``module:qualified name``."""
    return f"{cls.__module__}:{cls.__qualname__}"
