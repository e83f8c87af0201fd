"""Dataclasses and pydantic models: a class name and fields."""

from __future__ import annotations

import dataclasses
from typing import Any


def has_fields(value: object) -> bool:
    """Say whether a value is a dataclass instance or a pydantic model: a class name and fields."""
    cls = type(value)
    return hasattr(cls, "__dataclass_fields__") or hasattr(cls, "__pydantic_validator__")


def kind_of(value: Any) -> str:
    """Name what kind of record a value is."""
    return "dataclass" if hasattr(type(value), "__dataclass_fields__") else "model"


def fields_of(value: Any) -> dict[str, Any]:
    """Give the fields of a dataclass instance or pydantic model that take part in comparisons."""
    if kind_of(value) == "model":
        return {**value.__dict__, **(value.__pydantic_extra__ or {})}
    return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value) if field.compare}


def hidden_fields(cls: Any) -> frozenset[str]:
    """Name the fields of a pydantic model that its repr or its dump leaves out."""
    fields = getattr(cls, "__pydantic_fields__", {})
    return frozenset(name for name, field in fields.items() if field.exclude or not field.repr)
