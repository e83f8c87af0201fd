"""`Row`: one row of a dataset, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.display import shortened, shown
from pytest_verdict.errors import MappingError

_LONGEST_NAME: Final = 200


class Row(NamedTuple):
    """One row of a dataset."""

    number: int
    value: Any
    error: str | None = None


def name_of_row(fetch_id: Callable[[Any], Any] | None, value: Any, place: str) -> str:
    """Name a row in reports and node ids."""
    if fetch_id is None:
        return place
    try:
        given = fetch_id(value)
    except MappingError:
        return place
    if given is None or given == "":
        return place
    return shortened(given, _LONGEST_NAME) if isinstance(given, str) else shown(given, 60)
