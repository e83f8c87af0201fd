"""Columns of categories, sorted by which of the accepted values they are."""

from collections.abc import Sequence
from typing import Any

from pyarrow import compute

from pytest_verdict.core.columns import Columns, Path
from pytest_verdict.core.normalizers import normalize
from pytest_verdict.datasets.columns.arrow import TEXT, TRUTH, WHOLE, Array, column, taken
from pytest_verdict.datasets.columns.texts import are_utf8, equal, kinds, normalized, steps_of

_LARGEST = 2**63 - 1


def same_truth(operator: Any, expected: Array | None, observed: Array) -> Columns | None:
    """Sort truth values by equality."""
    return equal(operator, expected, observed) if observed.type == TRUTH else None


def accepted(operator: Any, _: Array | None, observed: Array) -> Columns | None:
    """Sort rows by the accepted value that they are."""
    values, steps = operator.values, steps_of(operator)
    right = normalized(observed, steps)
    if right is None or values is None or not _are_of(observed.type, values):
        return None
    places: dict[Any, int] = {}
    for place, value in enumerate(values):
        places.setdefault(normalize(value, steps) if observed.type == TEXT else value, place)
    place = compute.index_in(right.column, column([*places], observed.type), skip_nulls=True)
    matched = compute.take(column([*places.values()], WHOLE), place)
    passed = taken(compute.is_valid(matched), compute.is_valid(right.column))
    parts: dict[Path, Array] = {
        ("details", "matched_index"): matched,
        ("details", "matched"): compute.take(column(values, observed.type), matched),
        ("observed_surface", 0): right.column,
    }
    return Columns(kinds([passed], right), parts)


def _are_of(kind: Any, values: Sequence[Any]) -> bool:
    if kind == TEXT:
        return all(type(value) is str for value in values) and are_utf8(values)
    return kind == WHOLE and all(type(value) is int and abs(value) <= _LARGEST for value in values)
