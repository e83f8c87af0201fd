"""Which operators can compare whole columns, and the functions that do it."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.operator_code import is_ours
from pytest_verdict.core.registry import REGISTRY

Path = tuple[str | int, ...]
"""The path of a value in a record, such as ``("details", "distance")``."""


class NoColumnsError(Exception):
    """The rows cannot be compared by columns; the text says why."""


class GroupedRows(NamedTuple):
    """The rows of two columns, grouped by outcome; the records of a group differ only in the two sides and in the parts."""

    groups: Any
    """A whole number for each row; null for a row that the kernel must compare."""
    parts: Mapping[Path, Any]
    """Columns of text or whole numbers, by the path of their values in the record; a path that it has not is ignored."""


ColumnFunction = Callable[[Any, Any, Any], GroupedRows | None]
"""Takes an operator and the columns of expected, or None, and observed; returns None if the kernel must compare all."""

_TEXTS: Final = "pytest_verdict.datasets.columns.texts"
_NUMBERS: Final = "pytest_verdict.datasets.columns.numbers"


class Entry(NamedTuple):
    """The column function of an operator, and the settings with which every row is compared by the kernel."""

    function: str
    row_by_row: str = ""


_FUNCTIONS: Final = "a function in `normalize`"
_DECAY: Final = "`zero_at`"

TABLE: Final[Mapping[str, Entry]] = {
    "exact": Entry(f"{_TEXTS}:group_by_normalized_equality", _FUNCTIONS),
    "normalized_exact": Entry(f"{_TEXTS}:group_by_normalized_equality", _FUNCTIONS),
    "literal": Entry(f"{_TEXTS}:group_by_equality"),
    "boolean": Entry(f"{_TEXTS}:group_by_boolean"),
    "contains_any": Entry(f"{_TEXTS}:group_by_contained_texts", _FUNCTIONS),
    "contains_all": Entry(f"{_TEXTS}:group_by_contained_texts", _FUNCTIONS),
    "starts_with": Entry(f"{_TEXTS}:group_by_contained_texts", _FUNCTIONS),
    "ends_with": Entry(f"{_TEXTS}:group_by_contained_texts", _FUNCTIONS),
    "not_blank": Entry(f"{_TEXTS}:group_by_visible_text"),
    "not_contains": Entry(f"{_TEXTS}:group_by_contained_texts", _FUNCTIONS),
    "one_of": Entry(
        f"{_TEXTS}:group_by_accepted_value",
        f"no `values`, `values` that are not all text or all whole numbers, {_FUNCTIONS}",
    ),
    "numeric_exact": Entry(f"{_NUMBERS}:group_by_numbers"),
    "numeric_tolerance": Entry(f"{_NUMBERS}:group_by_numbers", f"a `tolerance` of more than 6 decimals, {_DECAY}"),
    "numeric_minimum": Entry(f"{_NUMBERS}:group_by_numbers", _DECAY),
    "numeric_maximum": Entry(f"{_NUMBERS}:group_by_numbers", _DECAY),
    "numeric_range": Entry(f"{_NUMBERS}:group_by_numbers", "no bounds, bounds of more than 6 decimals"),
}
"""Our operators. Other packages bring theirs by the hook ``column_functions``."""


def has_column_function(operator: Operator) -> bool:
    """Return whether a column function makes the same comparison as the operator's `evaluate`."""
    cls = type(operator)
    if FAMILIES.find("column_functions", cls.name) is None:
        return False

    # A subclass inherits the name, and may compare differently.
    return is_ours(cls) or (cls.name in REGISTRY and REGISTRY.find(cls.name) is cls)
