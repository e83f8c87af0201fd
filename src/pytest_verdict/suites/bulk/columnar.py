"""Slices compared by columns: the operator sorts the rows, and the kernel compares one row of each kind."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Path
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.bulk.lines import Array, bytes_of, numbers_from, written
from pytest_verdict.suites.bulk.slices import Slice
from pytest_verdict.suites.mapping.input_mapping import EXPECTED, LONGEST_DOCUMENT, OBSERVED

# Of fewer rows the kernel is faster than a kind.
_FEWEST: Final = 4
_PROBE: Final = "a text that is no setting"
_LONGEST_ESCAPE: Final = len("\\u0000")


@dataclass(frozen=True, slots=True)
class SortedRows:
    """Where rows with the same outcome stand in a slice, and those that are compared one by one; what differs in the records."""

    operator: Operator
    kinds: Sequence[Array]
    rest: Sequence[int]
    parts: Mapping[Path, Array]


def sorted_rows(operator: Operator, inputs: Mapping[str, str], rows: Slice, names: Array) -> SortedRows | None:
    """Sort the rows of a slice; None when the operator does not take its columns."""
    columns = {key: rows.column(key) for key in dict.fromkeys(inputs.values())}
    if any(column is None for column in columns.values()):
        return None
    expected = columns[inputs[EXPECTED]] if EXPECTED in inputs else None
    found = operator.columns(expected, columns[inputs[OBSERVED]])
    if found is None:
        return None
    kinds = compute.if_else(_fits(columns), found.kinds, None)
    positions = [compute.indices_nonzero(compute.equal(kinds, kind)) for kind in compute.unique(kinds.drop_null())]
    large = [where for where in positions if len(where) >= _FEWEST]
    rest = compute.indices_nonzero(compute.is_null(kinds)).to_pylist()
    rest += [position for where in positions if len(where) < _FEWEST for position in where.to_pylist()]
    parts: dict[Path, Array] = {("sources", "document", key): column for key, column in columns.items()}
    parts["name",] = names
    parts["observed",] = columns[inputs[OBSERVED]]
    if expected is not None and operator.effective_expected(_PROBE) is _PROBE:
        parts["expected",] = expected
    parts |= found.parts
    return SortedRows(operator, large, sorted(rest), parts)


def _fits(columns: Mapping[str, Array]) -> Array:
    """Say of which rows the record has the whole document, whatever must be escaped; not of those with a null."""
    room = LONGEST_DOCUMENT - len(encode_text(dict.fromkeys(columns, "a number is no longer")))
    size = pyarrow.scalar(0)
    for column in columns.values():
        is_text = column.type == pyarrow.string()
        size = compute.add(size, compute.binary_length(column) if is_text else 0)
    fits = compute.less_equal(compute.multiply(size, _LONGEST_ESCAPE), room)
    return functools.reduce(compute.and_, [column.is_valid() for column in columns.values()], fits)


def named(label: str, numbers: Sequence[int], called: Sequence[str]) -> Array | None:
    """Give the names of rows as a column, their places where they have none; None when Arrow cannot hold a name."""
    if called:
        try:
            return pyarrow.array(called, pyarrow.string())
        except UnicodeEncodeError:
            return None
    is_range = isinstance(numbers, range)
    places = numbers_from(numbers[0], len(numbers)) if is_range else pyarrow.array(numbers, pyarrow.int64())
    return compute.binary_join_element_wise(f"{label}:", places.cast(pyarrow.string()), "")


Results = tuple[ComparisonResult, ComparisonResult]
"""Of the first and of the last row of a kind."""


def joined(
    rows: SortedRows,
    results: Sequence[Results],
    singles: Mapping[int, ComparisonResult],
    attempt: AttemptRecords,
    end: str,
) -> bytes:
    """Write the records of a slice in the order of its rows."""
    count = len(rows.parts["name",])
    first = attempt.take(count) + 1
    parts = {**rows.parts, ("ordinal",): numbers_from(first, count)}
    columns = [
        _checked(written(rows.operator, of_kind[0], parts, attempt, end, where), where, of_kind, first, attempt, end)
        for where, of_kind in zip(rows.kinds, results, strict=True)
    ]
    others = [attempt.line(result.to_members(), first + position, end) for position, result in singles.items()]
    if len(columns) == 1 and not others:
        return bytes_of(columns[0])
    lines = pyarrow.concat_arrays([*columns, pyarrow.array(others, pyarrow.string())])
    order = [*(where.cast(pyarrow.int64()) for where in rows.kinds), pyarrow.array([*singles], pyarrow.int64())]
    return bytes_of(lines.take(compute.sort_indices(pyarrow.concat_arrays(order))))


def _checked(lines: Array, where: Array, results: Results, first: int, attempt: AttemptRecords, end: str) -> Array:
    """Refuse what an operator said of a column when the kernel says something else of the first or the last row."""
    for at, result in zip((0, len(where) - 1), results, strict=True):
        if lines[at].as_py() != attempt.line(result.to_members(), first + where[at].as_py(), end):
            raise ConfigurationError(
                f"{result.operator}: columns() and evaluate() disagree on {result!r}; correct columns()"
            )
    return lines
