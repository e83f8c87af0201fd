"""Slices compared by columns: rows are grouped by outcome, and the kernel compares the first and last row of each group."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.families import load_brought
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.datasets.columns.arrow import INTEGER, TEXT, Array, build_column, null_unless, scalar
from pytest_verdict.datasets.columns.column_lines import (
    Template,
    build_range,
    build_template,
    join_texts,
    positions_by_group,
)
from pytest_verdict.datasets.columns.table import ColumnFunction, Path
from pytest_verdict.datasets.slices import Slice
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.input_mapping import EXPECTED, LONGEST_DOCUMENT, OBSERVED

Judge = Callable[[Sequence[int]], Sequence[ComparisonResult]]
"""Compares the rows at some positions with the kernel."""

# The kernel is faster for smaller groups.
_FEWEST: Final = 4
_ORDINAL: Final = ("ordinal",)
_PROBE: Final = "a text that is no setting"
_LONGEST_ESCAPE: Final = len("\\u0000")


class RowGroup(NamedTuple):
    """Rows with the same outcome: their positions in the slice, the result of the first, the template of their records."""

    positions: Array
    result: ComparisonResult
    template: Template


@dataclass(frozen=True, slots=True)
class GroupedSlice:
    """A slice as groups of rows, and the positions of the rows that the kernel has to compare."""

    groups: Sequence[RowGroup]
    singles: Sequence[int]
    parts: Mapping[Path, Array]

    def write(self, singles: Mapping[int, ComparisonResult], attempt: AttemptRecords, end: str) -> bytes:
        """Write the records in the order of the rows."""
        count = len(self.parts["name",])
        first = attempt.take(count) + 1
        parts = {**self.parts, _ORDINAL: compute.add(self.parts[_ORDINAL], scalar(first))}

        columns = []
        for group in self.groups:
            positions = group.positions if len(group.positions) < count else None
            line = attempt.line(group.template.members, group.template.placeholder(_ORDINAL), end)
            columns.append(group.template.fill(line, parts, positions))
        single_lines = [
            attempt.line(result.to_members(), first + position, end) for position, result in singles.items()
        ]
        if len(columns) == 1 and not single_lines:
            return join_texts(columns[0])

        lines = pyarrow.concat_arrays([*columns, build_column(single_lines, TEXT)])
        positions = [*(group.positions for group in self.groups), build_column([*singles], pyarrow.uint64())]
        return join_texts(lines.take(compute.sort_indices(pyarrow.concat_arrays(positions))))


def group_slice(
    operator: Operator, inputs: Mapping[str, str], rows: Slice, names: Array, judge: Judge
) -> GroupedSlice | None:
    """Group the rows of a slice; None when the operator cannot compare its columns."""
    columns = {key: rows.column(key) for key in dict.fromkeys(inputs.values())}
    if any(column is None for column in columns.values()):
        return None

    expected = columns[inputs[EXPECTED]] if EXPECTED in inputs else None
    observed = columns[inputs[OBSERVED]]
    compare_columns: ColumnFunction | None = load_brought("column_functions", operator.name)
    if compare_columns is None:
        return None
    grouped = compare_columns(operator, expected, observed)
    if grouped is None:
        return None

    numbers = null_unless(grouped.groups, _fit_into_record(columns))
    all_positions = [*positions_by_group(numbers)]
    singles = compute.indices_nonzero(compute.is_null(numbers)).to_pylist()
    for positions in all_positions:
        if len(positions) < _FEWEST:
            singles += positions.to_pylist()

    parts: dict[Path, Array] = {("sources", "document", key): column for key, column in columns.items()}
    parts[_ORDINAL] = build_range(0, len(names))
    parts["name",] = names
    parts["observed",] = observed
    parts |= grouped.parts
    if expected is not None and operator.effective_expected(_PROBE) is _PROBE:
        parts["expected",] = expected

    groups = [_build_group(operator, parts, some, judge) for some in all_positions if len(some) >= _FEWEST]
    return GroupedSlice(groups, sorted(singles), parts)


def _build_group(operator: Operator, parts: Mapping[Path, Array], positions: Array, judge: Judge) -> RowGroup:
    """Build a group, and refuse it when the kernel disagrees about its first or last row."""
    ends = positions.take(build_column([0, len(positions) - 1], INTEGER))
    results = judge(ends.to_pylist())
    template = build_template(operator, results[0], [*parts])

    attempt = AttemptRecords("", 1)
    line = attempt.line(template.members, template.placeholder(_ORDINAL), "")
    lines = template.fill(line, parts, ends).to_pylist()
    for line, position, result in zip(lines, ends.to_pylist(), results, strict=True):
        if line != attempt.line(result.to_members(), position, ""):
            raise ConfigurationError(
                f"{result.operator}: the column function and evaluate() disagree on {result!r}; correct the column function"
            )
    return RowGroup(positions, results[0], template)


def _fit_into_record(columns: Mapping[str, Array]) -> Array:
    """Return for which rows the record has the whole document; rows with a null are left to the kernel."""
    longest_number = "a number is no longer"
    room = LONGEST_DOCUMENT - len(encode_text(dict.fromkeys(columns, longest_number)))
    sizes = [compute.binary_length(values) for values in columns.values() if values.type == TEXT]
    size = compute.multiply(functools.reduce(compute.add, sizes, scalar(0)), scalar(_LONGEST_ESCAPE))
    fits = compute.less_equal(size, scalar(room))
    return functools.reduce(compute.and_, [values.is_valid() for values in columns.values()], fits)


def build_names(label: str, numbers: Sequence[int], names: Sequence[str]) -> Array | None:
    """Build the column of row names, which are file and line by default; None when Arrow cannot hold a name."""
    if names:
        try:
            return build_column(names, TEXT)
        except UnicodeEncodeError:
            return None
    if isinstance(numbers, range):
        lines = build_range(numbers[0], len(numbers))
    else:
        lines = build_column(numbers, INTEGER)
    return compute.binary_join_element_wise(scalar(f"{label}:"), lines.cast(TEXT), scalar(""))
