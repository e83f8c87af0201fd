"""What an operator says of two columns: which rows have the same outcome, and in what parts they differ."""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

Path = tuple[str | int, ...]


class Columns(NamedTuple):
    """The rows of two Arrow columns, sorted by what comes out.

    Rows of one kind have records that differ in nothing but the two sides and the parts. The kernel compares one row of each
    kind, and what it says is written for the others.

    Args:
        kinds: A whole number for each row; null for a row that the operator does not take, which the kernel compares by itself.
        parts: By the place in the record, such as ``("details", "distance")``, the values of all rows: text or whole numbers.
            Where the record of a kind does not have that place, they are not looked at.
    """

    kinds: Any
    parts: Mapping[Path, Any]


def by_columns(module: str, function: str) -> Any:
    """Make the method ``columns`` of an operator; pyarrow is loaded when it is called."""

    def columns(self: Any, expected: Any, observed: Any) -> Columns | None:
        """Sort rows by what comes out; see `Operator.columns`."""
        found: Columns | None = getattr(importlib.import_module(f"pytest_verdict.datasets.columns.{module}"), function)(
            self, expected, observed
        )
        return found

    return columns
