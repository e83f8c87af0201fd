"""Slices: consecutive rows of a data set, as Python values or as Arrow columns."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.rows import BATCH_ROWS, Row, find_reader, number_rows, positions_between, read_rows

_SLICE_BYTES: Final = 1 << 19
_COLUMN_TYPES: Final = str, float, int, bool
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class RowSlice:
    """Rows as Python values with their numbers, and the reasons of those that could not be read, by position."""

    numbers: Sequence[int]
    values: Sequence[Any]
    errors: Mapping[int, str] = field(default_factory=dict)

    def documents(self, positions: Sequence[int]) -> Sequence[Any]:
        return [self.values[position] for position in positions]

    def at(self, positions: Sequence[int]) -> RowSlice:
        numbers = [self.numbers[position] for position in positions]
        errors = {index: self.errors[position] for index, position in enumerate(positions) if position in self.errors}
        return RowSlice(numbers, self.documents(positions), errors)

    def texts(self, key: str) -> list[str | None]:
        """Return the texts of a key, and integers as text; None for other values."""
        values = _values_of(key, self.values)
        return [str(value) if type(value) is str or type(value) is int else None for value in values]

    def column(self, key: str) -> Any:
        """Return the values of a key as an Arrow array of one type, in which others are null; None if no type fits."""
        from pytest_verdict.datasets.columns.arrow import TYPES, build_column, keep_plain_floats

        values = _values_of(key, self.values)
        types = {*map(type, values)}
        column_type = next((candidate for candidate in _COLUMN_TYPES if candidate in types), None)
        if column_type is None:
            return None
        if len(types) > 1:
            values = [value if type(value) is column_type else None for value in values]
        if column_type is float:
            return keep_plain_floats(build_column(values, TYPES[float]))
        try:
            return build_column(values, TYPES[column_type])
        except UnicodeEncodeError:
            fitting = [None if value is None or _SURROGATES.search(value) else value for value in values]
        except OverflowError:
            fitting = [None if value is None or not -(2**63) <= value < 2**63 else value for value in values]
        return build_column(fitting, TYPES[column_type])


def _values_of(key: str, rows: Sequence[Any]) -> list[Any]:
    if {*map(type, rows)} == {dict}:
        with suppress(KeyError):
            return [*map(itemgetter(key), rows)]
    return [row.get(key, ABSENT) if type(row) is dict else ABSENT for row in rows]


@dataclass(frozen=True, slots=True)
class ColumnSlice:
    """Rows as an Arrow batch."""

    numbers: Sequence[int]
    batch: Any
    errors: Mapping[int, str] = field(default_factory=dict)

    def documents(self, positions: Sequence[int]) -> Sequence[Any]:
        if self.errors.keys() >= set(positions):
            # The values of a row that is refused may be very long.
            return [None] * len(positions)
        return list(self.at(positions).batch.to_pylist())

    def at(self, positions: Sequence[int]) -> ColumnSlice:
        from pytest_verdict.datasets.columns.arrow import INTEGER, build_column

        rows = self.batch.take(build_column(positions, INTEGER))
        errors = {index: self.errors[position] for index, position in enumerate(positions) if position in self.errors}
        return ColumnSlice([self.numbers[position] for position in positions], rows, errors)

    def texts(self, key: str) -> list[str | None] | None:
        """Return the texts of a column, or its integers as text; None for columns of other types."""
        column = self.column(key)
        if column is None or str(column.type) not in {"string", "int64"}:
            return None
        return list(column.cast("string").to_pylist())

    def column(self, key: str) -> Any:
        """Return a column; None when it is not text, numbers or booleans."""
        from pyarrow import types

        from pytest_verdict.datasets.columns.arrow import FLOAT, INTEGER, TEXT, keep_plain_floats

        if self.batch.schema.get_field_index(key) < 0:
            return None
        column = self.batch.column(key)
        value_type = column.type.value_type if types.is_dictionary(column.type) else column.type
        if types.is_boolean(value_type):
            return column
        if types.is_float32(value_type) or types.is_float64(value_type):
            return keep_plain_floats(column.cast(FLOAT))
        if types.is_string(value_type) or types.is_large_string(value_type):
            return column.cast(TEXT)
        if types.is_integer(value_type) and not types.is_uint64(value_type):
            return column.cast(INTEGER)
        return None


Slice = RowSlice | ColumnSlice


def read_slices(source: Any, needed: formats.NeededColumns) -> Iterator[Slice]:
    """Read a data set in slices; one row each of an iterator, which may produce a row after the check of the last one."""
    if hasattr(source, "to_batches"):
        formats.refuse_repeated_columns(source.schema, "the table")
        columns = needed(source.schema)
        if columns is not None:
            source = source.select(columns)
        return slice_batches(source.to_batches(max_chunksize=BATCH_ROWS))
    if not isinstance(source, str | Path):
        if isinstance(source, list | tuple):
            return slice_rows(source)
        return (_build_slice([row]) for row in number_rows(read_rows(source)))

    path = Path(source)
    reader = find_reader(path)
    if reader is formats.read_arrow:
        return slice_batches(formats.read_batches(path, needed))
    return slice_rows(reader(path))


def slices_at(slices: Iterable[Slice], positions: Sequence[int]) -> Iterator[Slice]:
    """Yield the rows at some positions, and read nothing after the last one."""
    start = 0
    for rows in slices:
        stop = start + len(rows.numbers)
        inside = positions_between(positions, start, stop)
        if len(inside) == len(rows.numbers):
            yield rows
        elif inside:
            yield rows.at([position - start for position in inside])
        start = stop
        if not positions or start > positions[-1]:
            return


def slice_batches(batches: Iterable[Any], position: int = 1) -> Iterator[ColumnSlice]:
    """Yield slices of batches, whose rows are numbered from ``position``; large batches are cut."""
    for batch in map(_without_views, batches):
        size = max(formats.BATCH_BYTES * batch.num_rows // max(_size_of(batch), 1), 1)
        for start in range(0, batch.num_rows, size):
            part = batch.slice(start, size)
            numbers = range(position, position + part.num_rows)
            position += part.num_rows
            if _size_of(part) <= formats.LONGEST_ROW:
                yield ColumnSlice(numbers, part)
                continue
            for index, number in enumerate(numbers):
                row = part.slice(index, 1)
                errors = {0: formats.TOO_LONG} if _size_of(row) > formats.LONGEST_ROW else {}
                yield ColumnSlice([number], row, errors)


def _size_of(batch: Any) -> int:
    """Return the size of the values of a batch, in bytes."""
    return sum(map(_size_of_column, batch.columns))


def _size_of_column(column: Any) -> int:
    from pyarrow import compute, types

    texts = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
    if not types.is_dictionary(column.type) or not any(is_type(column.type.value_type) for is_type in texts):
        return int(column.nbytes)
    # Each slice has the whole dictionary.
    lengths = compute.take(compute.binary_length(column.dictionary), column.indices)
    return int(column.indices.nbytes) + int(compute.sum(lengths).as_py() or 0)


def _without_views(batch: Any) -> Any:
    """Return a batch whose string views are texts, because few functions of Arrow take views."""
    from pyarrow import string, types

    for index, (name, column) in enumerate(zip(batch.schema.names, batch.columns, strict=True)):
        if types.is_string_view(column.type):
            batch = batch.set_column(index, name, column.cast(string()))
    return batch


def slice_rows(rows: Iterable[Any]) -> Iterator[RowSlice]:
    """Yield slices of rows; when reading fails, the rows before the failure come first."""
    pending: list[Row] = []
    failure = None
    byte_count = 0
    try:
        for row in number_rows(rows):
            pending.append(row)
            # Rows that cannot be marshalled come from a source that is in memory as a whole.
            with suppress(ValueError):
                byte_count += len(marshal.dumps(row.value))
            if len(pending) == BATCH_ROWS or byte_count > _SLICE_BYTES:
                yield _build_slice(pending)
                pending = []
                byte_count = 0
    except Exception as error:  # noqa: BLE001 - raised again
        failure = error
    if pending:
        yield _build_slice(pending)
    if failure is not None:
        raise failure


def _build_slice(rows: Sequence[Row]) -> RowSlice:
    numbers, values, errors = zip(*rows, strict=True)
    return RowSlice(numbers, values, {index: error for index, error in enumerate(errors) if error is not None})
