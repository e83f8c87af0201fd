"""What a test is besides its name: its markers and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

_LONGEST: Final = 200
_LARGEST: Final = 1 << 53


def traits_of(item: pytest.Item, written: Callable[[str], str], *, with_markers: bool) -> dict[str, Any] | None:
    """Give the markers of a test where they are wanted, and its plain parameters."""
    traits: dict[str, Any] = {}
    if with_markers:
        traits["markers"] = sorted({written(marker.name) for marker in item.iter_markers()})
    if callspec := getattr(item, "callspec", None):
        traits["parameters"] = _plain(callspec.params, written)
    return {name: trait for name, trait in traits.items() if trait} or None


def _plain(parameters: Mapping[str, object], written: Callable[[str], str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        kind = type(value)
        if kind is str:
            # pytest-xdist sends no halves of characters.
            text = written(str(value)).encode("utf-8", "backslashreplace").decode()
            found[name] = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        elif kind is bool or (kind in {int, float} and abs(value) < _LARGEST):  # type: ignore[arg-type]
            found[name] = value if written(str(value)) == str(value) else written(str(value))
    return found
