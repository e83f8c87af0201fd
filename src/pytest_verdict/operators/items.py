"""Lists as evidence: reading them, and normalizing the texts among their items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_verdict.core.normalizers import SynonymMap
from pytest_verdict.core.values.encoding import encode, encode_text
from pytest_verdict.operators.surfaces import Surfaces, surfaces

NOT_A_LIST: Final = "not_a_list"
MOST_ITEMS: Final = 100
"""The most items that details list of one kind; a further key ends in ``_omitted`` and counts the rest."""


def as_list(value: Any) -> list[Any] | None:
    """Read a value as a list of items."""
    if isinstance(value, list | tuple):
        return list(value)
    return sorted(value, key=encode_text) if isinstance(value, set | frozenset) else None


def item_surfaces(expected: Sequence[Any], observed: Sequence[Any], steps: Sequence[str | SynonymMap]) -> Surfaces:
    """Normalize the items that are text; the others stay as they are."""
    if not steps:
        return Surfaces(list(expected), list(observed))
    found = surfaces(_texts(expected), _texts(observed), steps)
    return found._replace(expected=_put_back(expected, found.expected), observed=_put_back(observed, found.observed))


def _texts(items: Sequence[Any]) -> list[str]:
    return [item for item in items if isinstance(item, str)]


def _put_back(items: Sequence[Any], texts: list[str]) -> list[Any]:
    following: Iterator[str] = iter(texts)
    return [next(following) if isinstance(item, str) else item for item in items]


def listed(name: str, items: Sequence[Any]) -> dict[str, Any]:
    """Write items for the details of an outcome."""
    found: dict[str, Any] = {name: [encode(item) for item in items[:MOST_ITEMS]]}
    if len(items) > MOST_ITEMS:
        found[f"{name}_omitted"] = len(items) - MOST_ITEMS
    return found
