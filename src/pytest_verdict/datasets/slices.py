"""Slices: consecutive rows of a data set, as Python values or as Arrow columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Final

from pytest_verdict.core.values.jsontext import parse_json_with_floats, shows_no_more_keys
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.rows import BATCH_ROWS, Row, find_reader, positions_between, read_numbered_rows

_BLOCK_BYTES: Final = 1 << 19
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


def read_slices(source: Any, needed: formats.NeededColumns) -> Iterator[Slice] | None:
    """Read a data set in slices; None for an iterator, because it may produce a row after the check of the last one."""
    if hasattr(source, "to_batches"):
        formats.refuse_repeated_columns(source.schema, "the table")
        columns = needed(source.schema)
        if columns is not None:
            source = source.select(columns)
        return slice_batches(source.to_batches(max_chunksize=BATCH_ROWS))
    if isinstance(source, list | tuple):
        return slice_rows(source)
    if not isinstance(source, str | Path):
        return None

    path = Path(source)
    reader = find_reader(path)
    if reader is formats.read_arrow:
        return slice_batches(formats.read_batches(path, needed))
    if reader is formats.read_csv:
        return _read_file(path, lambda file: slice_csv(file, path, needed))
    if reader is formats.read_jsonl:
        return _read_file(path, slice_lines)
    return slice_rows(reader(path))


def single_rows(source: Any) -> Iterator[RowSlice]:
    """Yield a slice for each row of a data set."""
    for row in read_numbered_rows(source):
        yield _build_slice([row])


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


def _read_file(path: Path, read: Callable[[BinaryIO], Iterator[Slice]]) -> Iterator[Slice]:
    with path.open("rb") as file:
        yield from read(file)


def slice_csv(file: BinaryIO, path: Path, needed: formats.NeededColumns, skipped: int = 0) -> Iterator[Slice]:
    """Yield slices of CSV; ``skipped`` is the number of lines that are missing below the names of the columns."""
    header = file.readline()
    number = skipped + 2
    offset = 0
    parse_block = _csv_block_parser(header, path, needed)
    if parse_block is not None:
        offset = len(header)
        while lines := file.readlines(_BLOCK_BYTES):
            block = b"".join(lines)
            batch = parse_block(block)
            if batch is None or batch.num_rows != len(lines):
                break
            yield ColumnSlice(range(number, number + len(lines)), batch)
            number += len(lines)
            offset += len(block)

    # A quote may open in one block and close in the next, so the rest is read row by row.
    file.seek(offset)
    names: list[str] = []
    encoding = "utf-8-sig"
    if offset:
        names = [header.decode("utf-8-sig")]
        encoding = "utf-8"
    with TextIOWrapper(file, encoding, formats.UNDECODABLE, newline="") as rest:
        yield from slice_rows(formats.parse_csv(chain(names, rest), path, number - 2))


def _csv_block_parser(header: bytes, path: Path, needed: formats.NeededColumns) -> Callable[[bytes], Any] | None:
    """Return a function that parses lines with Arrow; both return None where Arrow may differ from Python."""
    try:
        import pyarrow
        from pyarrow import csv

        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        names = header.decode("utf-8-sig").rstrip("\r\n").split(delimiter)
    except (ImportError, UnicodeDecodeError):
        return None
    if not _is_plain_csv(header.removeprefix(formats.BOM)) or len({*names}) != len(names) or names == [""]:
        return None

    types = dict.fromkeys(names, pyarrow.string())
    convert = csv.ConvertOptions(column_types=types, include_columns=needed(pyarrow.schema(types)))
    parse = csv.ParseOptions(delimiter=delimiter, quote_char=False)

    def parse_block(block: bytes) -> Any:
        if len(block) > formats.LONGEST_ROW or not _is_plain_csv(block):
            return None
        reading = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names)
        try:
            # Columns that are not needed must be UTF-8 as well.
            block.decode("utf-8")
            table = csv.read_csv(pyarrow.BufferReader(block), reading, parse, convert)
        except (UnicodeDecodeError, pyarrow.ArrowInvalid):
            return None
        return table.combine_chunks().to_batches()[0]

    return parse_block


def _is_plain_csv(block: bytes) -> bool:
    """Return whether each line is one row for every parser of CSV."""
    if block.startswith((b"\n", b"\r", formats.BOM)) or block.count(b"\r") != block.count(b"\r\n"):
        return False
    return not any(mark in block for mark in (b'"', b"\0", b"\n\n", b"\n\r"))


def slice_lines(file: BinaryIO, number: int = 1) -> Iterator[RowSlice]:
    """Yield slices of JSONL; ``number`` is that of the first line."""
    while lines := file.readlines(_BLOCK_BYTES):
        values = _parse_together(lines)
        if values is None:
            yield from slice_rows(formats.parse_lines(number, lines))
        else:
            yield RowSlice(range(number, number + len(lines)), values)
        number += len(lines)


def _parse_together(lines: Sequence[bytes]) -> list[Any] | None:
    """Parse lines as one document; None unless each line is an object in which no key occurs twice."""
    if max(map(len, lines)) > formats.LONGEST_ROW:
        return None
    block = b"".join(lines).removesuffix(b"\n")
    if not (block.startswith(b"{") and block.endswith(b"}")) or block.count(b"}\n{") != len(lines) - 1:
        return None
    try:
        text = block.decode("utf-8")
        values: list[Any] = parse_json_with_floats("[" + text.replace("\n", ",") + "]", refuse_repeated_keys=False)
    except ValueError:
        return None
    if len(values) != len(lines):
        return None

    keys = 0
    is_flat = "[" not in text and text.count("{") == len(lines)
    level = values
    while level:
        keys += sum(len(value) for value in level if type(value) is dict)
        if is_flat:
            break
        inside = [value.values() if type(value) is dict else value for value in level]
        level = [inner for items in inside for inner in items if type(inner) is dict or type(inner) is list]
    return values if shows_no_more_keys(text, keys) else None


def slice_rows(rows: Iterable[Any]) -> Iterator[RowSlice]:
    """Yield slices of rows; when reading fails, the rows before the failure come first."""
    pending: list[Row] = []
    failure = None
    try:
        for position, row in enumerate(rows, 1):
            pending.append(row if isinstance(row, Row) else Row(position, row))
            if len(pending) == BATCH_ROWS:
                yield _build_slice(pending)
                pending = []
    except Exception as error:  # noqa: BLE001 - raised again
        failure = error
    if pending:
        yield _build_slice(pending)
    if failure is not None:
        raise failure


def _build_slice(rows: Sequence[Row]) -> RowSlice:
    numbers, values, errors = zip(*rows, strict=True)
    return RowSlice(numbers, values, {index: error for index, error in enumerate(errors) if error is not None})
