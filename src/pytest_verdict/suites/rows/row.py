"""`Row`: one row of a dataset, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pytest_verdict.errors import MappingError
from pytest_verdict.values.display import shortened, shown

_LONGEST_NAME: Final = 200


class Row(NamedTuple):
    """One row of a dataset.

    Args:
        number: The line on which it begins, from 1; the position where the format has no lines.
        value: The row, usually a dict.
        error: Why it cannot be read, or None.
    """

    number: int
    value: Any
    error: str | None = None


def name_of_row(fetch_id: Callable[[Any], Any] | None, value: Any, place: str) -> str:
    """Name a row in reports and node ids.

    Args:
        fetch_id: Finds its name in the row; None when no path was given.
        value: The row.
        place: File and number, for a row without a name of its own.

    Returns:
        The name, at most about 200 characters of it.

    Example:
        >>> name_of_row(lambda row: row["id"], {"id": 7}, "rows.jsonl:3"), name_of_row(None, {}, "rows.jsonl:4")
        ('7', 'rows.jsonl:4')
    """
    if fetch_id is None:
        return place
    try:
        given = fetch_id(value)
    except MappingError:
        return place
    if given is None or given == "":
        return place
    return shortened(given, _LONGEST_NAME) if isinstance(given, str) else shown(given, 60)
