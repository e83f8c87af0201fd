"""`Row`: one row of a dataset, or why there is none."""

from __future__ import annotations

from typing import Any, NamedTuple


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
