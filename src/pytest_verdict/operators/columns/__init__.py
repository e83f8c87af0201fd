"""Operators on Arrow columns; only this folder knows how Arrow computes, and it takes a row only where Python does the same."""

import importlib
from typing import Any

from pytest_verdict.core.columns import Columns


def by_columns(module: str, function: str) -> Any:
    """Make the method ``columns`` of an operator; pyarrow is loaded when it is called."""

    def columns(self: Any, expected: Any, observed: Any) -> Columns | None:
        """Sort rows by what comes out; see `Operator.columns`."""
        found: Columns | None = getattr(importlib.import_module(f"{__name__}.{module}"), function)(
            self, expected, observed
        )
        return found

    return columns
