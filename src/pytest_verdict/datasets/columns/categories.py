"""Columns of categories: booleans and accepted values."""

from collections.abc import Sequence
from typing import Any

from pyarrow import compute

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.datasets.columns.arrow import BOOLEAN, INTEGER, TEXT, Array, build_column, null_unless
from pytest_verdict.datasets.columns.table import GroupedRows, Path
from pytest_verdict.datasets.columns.texts import (
    are_utf8,
    group_by_equality,
    list_steps,
    normalize_column,
    number_groups,
)

_LARGEST = 2**63 - 1


def group_by_boolean(operator: Any, expected: Array | None, observed: Array) -> GroupedRows | None:
    """Group rows by the equality of two booleans."""
    if observed.type != BOOLEAN:
        return None
    return group_by_equality(operator, expected, observed)


def group_by_accepted_value(operator: Any, _: Array | None, observed: Array) -> GroupedRows | None:
    """Group rows by whether observed is one of the accepted values."""
    values = operator.values
    steps = list_steps(operator)
    right = normalize_column(observed, steps)
    if right is None or values is None or not _fit_type(values, observed.type):
        return None

    indexes: dict[Any, int] = {}
    for index, value in enumerate(values):
        indexes.setdefault(normalize(value, steps) if observed.type == TEXT else value, index)

    position = compute.index_in(right.column, build_column([*indexes], observed.type), skip_nulls=True)
    matched_index = compute.take(build_column([*indexes.values()], INTEGER), position)
    passed = null_unless(compute.is_valid(matched_index), compute.is_valid(right.column))
    parts: dict[Path, Array] = {
        ("details", "matched_index"): matched_index,
        ("details", "matched"): compute.take(build_column(values, observed.type), matched_index),
        ("observed_surface", 0): right.column,
    }
    return GroupedRows(number_groups([passed], right), parts)


def _fit_type(values: Sequence[Any], arrow_type: Any) -> bool:
    if arrow_type == TEXT:
        return all(type(value) is str for value in values) and are_utf8(values)
    return arrow_type == INTEGER and all(type(value) is int and abs(value) <= _LARGEST for value in values)
