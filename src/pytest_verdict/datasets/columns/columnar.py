"""Slices compared by columns: the operator sorts the rows, and the kernel compares one row of each kind."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.columns import Path
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.datasets.columns.arrow import TEXT, WHOLE, Array, column, literal, taken
from pytest_verdict.datasets.columns.column_lines import Template, bytes_of, numbers_from, positions_of, template_of
from pytest_verdict.datasets.slices import Slice
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.input_mapping import EXPECTED, LONGEST_DOCUMENT, OBSERVED

Judge = Callable[[Sequence[int]], Sequence[ComparisonResult]]
"""Compares the rows at some positions by the kernel."""

# Of fewer rows the kernel is faster than a kind.
_FEWEST: Final = 4
_ORDINAL: Final = ("ordinal",)
_PROBE: Final = "a text that is no setting"
_LONGEST_ESCAPE: Final = len("\\u0000")


class Kind(NamedTuple):
    """Rows with the same outcome: where they stand in the slice, the result of the first, and the records of all."""

    positions: Array
    result: ComparisonResult
    template: Template


@dataclass(frozen=True, slots=True)
class SortedRows:
    """A slice as kinds of rows, and the positions of those that are compared one by one."""

    kinds: Sequence[Kind]
    rest: Sequence[int]
    parts: Mapping[Path, Array]

    def write(self, singles: Mapping[int, ComparisonResult], attempt: AttemptRecords, end: str) -> bytes:
        """Write the records in the order of the rows."""
        count = len(self.parts["name",])
        first = attempt.take(count) + 1
        parts = {**self.parts, _ORDINAL: compute.add(self.parts[_ORDINAL], literal(first))}
        rows = [kind.positions if len(kind.positions) < count else None for kind in self.kinds]
        kinds = zip(self.kinds, rows, strict=True)
        columns = [_lines(kind.template, parts, where, attempt, end) for kind, where in kinds]
        others = [attempt.line(result.to_members(), first + position, end) for position, result in singles.items()]
        if len(columns) == 1 and not others:
            return bytes_of(columns[0])
        lines = pyarrow.concat_arrays([*columns, column(others, TEXT)])
        places = [*(kind.positions for kind in self.kinds), column([*singles], pyarrow.uint64())]
        return bytes_of(lines.take(compute.sort_indices(pyarrow.concat_arrays(places))))


def _lines(
    template: Template, parts: Mapping[Path, Array], where: Array | None, attempt: AttemptRecords, end: str
) -> Array:
    return template.lines(attempt.line(template.members, template.mark_of(_ORDINAL), end), parts, where)


def sorted_rows(
    operator: Operator, inputs: Mapping[str, str], rows: Slice, names: Array, judge: Judge
) -> SortedRows | None:
    """Sort the rows of a slice; None when the operator does not take its columns."""
    columns = {key: rows.column(key) for key in dict.fromkeys(inputs.values())}
    if any(column is None for column in columns.values()):
        return None
    expected = columns[inputs[EXPECTED]] if EXPECTED in inputs else None
    found = operator.columns(expected, columns[inputs[OBSERVED]])
    if found is None:
        return None
    kinds = taken(found.kinds, _fits(columns))
    positions = [*positions_of(kinds)]
    rest = compute.indices_nonzero(compute.is_null(kinds)).to_pylist()
    rest += [position for where in positions if len(where) < _FEWEST for position in where.to_pylist()]
    parts: dict[Path, Array] = {("sources", "document", key): column for key, column in columns.items()}
    parts |= {
        _ORDINAL: numbers_from(0, len(names)),
        ("name",): names,
        ("observed",): columns[inputs[OBSERVED]],
        **found.parts,
    }
    if expected is not None and operator.effective_expected(_PROBE) is _PROBE:
        parts["expected",] = expected
    large = [where for where in positions if len(where) >= _FEWEST]
    return SortedRows([_kind(operator, parts, where, judge) for where in large], sorted(rest), parts)


def _kind(operator: Operator, parts: Mapping[Path, Array], where: Array, judge: Judge) -> Kind:
    """Make a kind; refuse what an operator said of a column when the kernel says something else of its first or last row."""
    ends = where.take(column([0, len(where) - 1], WHOLE))
    results = judge(ends.to_pylist())
    template = template_of(operator, results[0], [*parts])
    nowhere = AttemptRecords("", 1)
    lines = _lines(template, parts, ends, nowhere, "")
    for line, position, result in zip(lines.to_pylist(), ends.to_pylist(), results, strict=True):
        if line != nowhere.line(result.to_members(), position, ""):
            disagreement = f"columns() and evaluate() disagree on {result!r}"
            raise ConfigurationError(f"{result.operator}: {disagreement}; correct columns()")
    return Kind(where, results[0], template)


def _fits(columns: Mapping[str, Array]) -> Array:
    """Say of which rows the record has the whole document, whatever must be escaped; not of those with a null."""
    room = LONGEST_DOCUMENT - len(encode_text(dict.fromkeys(columns, "a number is no longer")))
    sizes = [compute.binary_length(values) for values in columns.values() if values.type == TEXT]
    size = compute.multiply(functools.reduce(compute.add, sizes, literal(0)), literal(_LONGEST_ESCAPE))
    fits = compute.less_equal(size, literal(room))
    return functools.reduce(compute.and_, [values.is_valid() for values in columns.values()], fits)


def named(label: str, numbers: Sequence[int], called: Sequence[str]) -> Array | None:
    """Give the names of rows as a column, their places where they have none; None when Arrow cannot hold a name."""
    if called:
        try:
            return column(called, TEXT)
        except UnicodeEncodeError:
            return None
    is_range = isinstance(numbers, range)
    places = numbers_from(numbers[0], len(numbers)) if is_range else column(numbers, WHOLE)
    return compute.binary_join_element_wise(literal(f"{label}:"), places.cast(TEXT), literal(""))
