"""The cases of all operators: one table, one row for each case.

A new operator needs one row here. `test_case_tables.py` runs the rows, laws are checked with their settings, and the
conformance corpus holds a record of each. A module of this folder holds the rows of one kind of operators.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Any

from pytest_verdict import ComparisonResult, compare


@dataclass(frozen=True, eq=False)
class Case:
    operator: str
    expected: Any
    observed: Any
    result: str | float
    notes: list[str]
    settings: dict[str, Any]

    def compare(self, operator: Any = None, **arguments: Any) -> ComparisonResult:
        """Compare by name with the settings of the row, or by another operator that has settings of its own."""
        if operator is not None:
            return compare(operator, self.expected, self.observed, **arguments)
        return compare(self.operator, self.expected, self.observed, **self.settings, **arguments)


def case(operator: str, expected: Any, observed: Any, result: str | float, *notes: str, **settings: Any) -> Case:
    """Build a row.

    Args:
        operator: The registered name.
        expected: The expected value.
        observed: The observed value.
        result: A verdict; ``pass`` has the score 1.0, and ``fail`` and ``error`` have 0.0. Any other score is a number here.
        notes: The notes of the record, all of them and in order.
        settings: The settings of the operator.
    """
    return Case(operator, expected, observed, result, list(notes), settings)


def _all_cases() -> list[Case]:
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [row for name in modules for row in importlib.import_module(f"{__name__}.{name}").CASES]


CASES = _all_cases()
