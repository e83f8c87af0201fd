"""`Row`: one row of a dataset, or why there is none."""

from __future__ import annotations

from typing import Any, NamedTuple


class Row(NamedTuple):
    """One row of a dataset, as a reader of rows gives it; a row that needs no number may be given as its value alone.

    Args:
        number: Its line in the file, or its position from 1.
        value: Its value; None when it is unreadable.
        error: Why it is unreadable.

    Example:
        >>> Row(7, None, "it has 2 fields, and there are 3 columns").error
        'it has 2 fields, and there are 3 columns'
    """

    number: int
    value: Any
    error: str | None = None
