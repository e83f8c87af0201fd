"""Slices compared by columns: rows are grouped by outcome, and the kernel compares the first and last row of each group.

The records of a group are written from a template of their common text.
"""

import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import pyarrow
from pyarrow import compute

from pytest_verdict.core.families import load_brought
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY, dump_json, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets.columns.arrow import FLOAT, INTEGER, TEXT, Array, build_column, null_unless, scalar
from pytest_verdict.datasets.columns.table import TABLE, GroupedRows, NoColumnsError, Path
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
_SURFACES: Final = ("expected_surface", "observed_surface")
_PLAIN: Final = bytes(code for code in range(0x20, 0x7F) if code not in b'"\\')
_NOT_PLAIN: Final = r"[^ !#-\[\]-~]"


@dataclass(frozen=True, slots=True)
class Template:
    """A record with placeholders where the other records of its group have other values."""

    members: str
    mark: str
    paths: Sequence[Path]

    def fill(
        self, attempt: AttemptRecords, end: str, parts: Mapping[Path, Array], positions: Array | None = None
    ) -> Array:
        """Write the records of the rows at some positions, or of all rows."""
        line = attempt.line(self.members, f'"{self.mark}{self.paths.index(_ORDINAL)}"', end)
        columns = [parts[path] for path in self.paths]
        json_of: dict[int, Array] = {}

        def as_json(column: Array) -> Array:
            if id(column) not in json_of:
                json_of[id(column)] = _to_json(column if positions is None else column.take(positions))
            return json_of[id(column)]

        before, *rest = line.split(f'"{self.mark}')
        pieces: list[Any] = []
        for part in rest:
            number, _, after = part.partition('"')
            values = as_json(columns[int(number)])
            # Quotes belong to the pieces in between, which all rows share.
            quote = '"' if columns[int(number)].type == TEXT else ""
            pieces += scalar(before + quote), values
            before = quote + after
        return compute.binary_join_element_wise(*pieces, scalar(before), scalar(""))


def _replace_at(value: Any, path: Path, placeholder: str) -> Any:
    """Return a copy with a placeholder at a path, or the same value if it has no such path."""
    if not path:
        return value if value is ABSENT else placeholder
    first, rest = path[0], path[1:]
    if isinstance(value, Mapping) and first in value:
        return {**value, first: _replace_at(value[first], rest, placeholder)}
    if isinstance(value, list) and isinstance(first, int) and first < len(value):
        return [*value[:first], _replace_at(value[first], rest, placeholder), *value[first + 1 :]]
    return value


class RowGroup(NamedTuple):
    positions: Array
    result: ComparisonResult
    template: Template


@dataclass(frozen=True, slots=True)
class GroupedSlice:
    """A slice as groups of rows, and the positions of the rows that the kernel has to compare."""

    groups: Sequence[RowGroup]
    singles: Sequence[int]
    parts: Mapping[Path, Array]

    def write(self, singles: Mapping[int, str], attempt: AttemptRecords, end: str) -> bytes:
        """Write the records in the order of the rows; the members of single rows are given by their position."""
        count = len(self.parts["name",])
        first = attempt.take(count) + 1
        parts = {**self.parts, _ORDINAL: compute.add(self.parts[_ORDINAL], scalar(first))}

        columns = []
        for group in self.groups:
            positions = group.positions if len(group.positions) < count else None
            columns.append(group.template.fill(attempt, end, parts, positions))
        single_lines = [attempt.line(members, first + position, end) for position, members in singles.items()]
        if len(columns) == 1 and not single_lines:
            return join_texts(columns[0])

        lines = pyarrow.concat_arrays([*columns, build_column(single_lines, TEXT)])
        positions = [*(group.positions for group in self.groups), build_column([*singles], pyarrow.uint64())]
        return join_texts(lines.take(compute.sort_indices(pyarrow.concat_arrays(positions))))


def group_slice(operator: Operator, inputs: Mapping[str, str], rows: Slice, names: Array, judge: Judge) -> GroupedSlice:
    """Group the rows of a slice; raise NoColumnsError when the operator cannot compare its columns."""
    columns = {key: rows.column(key) for key in dict.fromkeys(inputs.values())}
    for key, column in columns.items():
        if column is None:
            raise NoColumnsError(f"{shown(key, 60)} has no text, numbers or booleans, or not in each row")
    # Typed JSON has another form for an object with this key.
    if TYPE_KEY in columns:
        raise NoColumnsError(f"a column has the name {TYPE_KEY}")

    expected = columns[inputs[EXPECTED]] if EXPECTED in inputs else None
    observed = columns[inputs[OBSERVED]]
    compare_columns: Any = load_brought("column_functions", operator.name)
    grouped: GroupedRows | None = compare_columns(operator, expected, observed)
    if grouped is None:
        types = " and ".join(f"{shown(key, 60)} ({column.type})" for key, column in columns.items())
        row_by_row = TABLE[operator.name].row_by_row if operator.name in TABLE else ""
        settings = f", or with {row_by_row}" if row_by_row else ""
        raise NoColumnsError(f"{operator} takes no columns of the types of {types}{settings}")

    # The kernel compares rows with a null, and rows whose documents might be too long for a record.
    longest_number = "a number is no longer"
    room = LONGEST_DOCUMENT - len(encode_text(dict.fromkeys(columns, longest_number)))
    sizes = [compute.binary_length(column) for column in columns.values() if column.type == TEXT]
    size = compute.multiply(functools.reduce(compute.add, sizes, scalar(0)), scalar(_LONGEST_ESCAPE))
    fits = compute.less_equal(size, scalar(room))
    fits = functools.reduce(compute.and_, [column.is_valid() for column in columns.values()], fits)
    numbers = null_unless(grouped.groups, fits)
    all_positions = [
        compute.indices_nonzero(compute.equal(numbers, number)) for number in compute.unique(numbers.drop_null())
    ]
    singles = compute.indices_nonzero(compute.is_null(numbers)).to_pylist()
    for positions in all_positions:
        if len(positions) < _FEWEST:
            singles += positions.to_pylist()

    parts: dict[Path, Array] = {("sources", "document", key): column for key, column in columns.items()}
    parts[_ORDINAL] = build_column(range(len(names)), INTEGER)
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
    result = results[0]

    # No text contains its own digest.
    mark = hashlib.sha256(result.to_members().encode("ascii")).hexdigest()
    outcome = result.outcome
    record: dict[str, Any] = {name: getattr(outcome, name) for name in (*_SURFACES, "details")}
    record |= {"name": result.name, "expected": result.recorded_expected, "observed": result.recorded_observed}
    record["sources"] = json.loads(result.sources_text or "null")
    for number, path in enumerate(parts):
        record = _replace_at(record, path, f"{mark}{number}")
    marked = result.replace(
        identity=operator.identity,
        expected=record.pop("expected"),
        observed=record.pop("observed"),
        name=record.pop("name"),
        sources=dump_json(record.pop("sources")),
        outcome=outcome.replace(**record),
    )
    template = Template(marked.to_members(), mark, [*parts])

    attempt = AttemptRecords("", 1)
    lines = template.fill(attempt, "", parts, ends).to_pylist()
    for line, position, one in zip(lines, ends.to_pylist(), results, strict=True):
        if line != attempt.line(one.to_members(), position, ""):
            raise ConfigurationError(
                f"{one.operator}: the column function and evaluate() disagree on {one!r}; correct the column function"
            )
    return RowGroup(positions, result, template)


def build_names(label: str, numbers: Sequence[int], names: Sequence[str]) -> Array | None:
    """Build the column of row names, which are file and line by default; None when Arrow cannot hold a name."""
    if names:
        try:
            return build_column(names, TEXT)
        except UnicodeEncodeError:
            return None
    lines = build_column(numbers, INTEGER)
    return compute.binary_join_element_wise(scalar(f"{label}:"), lines.cast(TEXT), scalar(""))


def _to_json(column: Array) -> Array:
    """Write texts, without their quotes, numbers or booleans as JSON."""
    if column.type == FLOAT:
        text = column.cast(TEXT)
        point = compute.if_else(compute.match_substring(text, "."), scalar(""), scalar(".0"))
        return compute.binary_join_element_wise(text, point, scalar(""))
    if column.type != TEXT:
        return column.cast(TEXT)
    if not join_texts(column).translate(None, _PLAIN):
        return column

    needs_escapes = compute.match_substring_regex(column, _NOT_PLAIN)
    escaped = [encode_text(text)[1:-1] for text in column.filter(needs_escapes).to_pylist()]
    return compute.replace_with_mask(column, needs_escapes, build_column(escaped, TEXT))


def join_texts(column: Array) -> bytes:
    _, offsets, content = column.buffers()
    if content is None:
        return b""
    ends = memoryview(offsets).cast("i")
    start = ends[column.offset]
    end = ends[column.offset + len(column)]
    joined: bytes = content.slice(start, end - start).to_pybytes()
    return joined
