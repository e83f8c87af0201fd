"""Slices: some rows of a data set, one behind the other, as values or as columns."""

from __future__ import annotations

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
from pytest_verdict.datasets.rows import MOST_AT_ONCE, Row, numbered_rows, reader_of

_BYTES: Final = 1 << 23
_BYTES_OF_LINES: Final = 1 << 19
_KINDS: Final = str, float, int, bool


@dataclass(frozen=True, slots=True)
class RowSlice:
    """Rows as Python values, with their numbers; by their position in the slice, why some could not be read."""

    numbers: Sequence[int]
    values: Sequence[Any]
    errors: Mapping[int, str] = field(default_factory=dict)

    def documents(self, positions: Sequence[int]) -> Sequence[Any]:
        """Give some rows."""
        return [self.values[position] for position in positions]

    def at(self, positions: Sequence[int]) -> RowSlice:
        """Leave only some rows."""
        errors = {place: self.errors[position] for place, position in enumerate(positions) if position in self.errors}
        return RowSlice([self.numbers[position] for position in positions], self.documents(positions), errors)

    def texts(self, key: str) -> list[str | None]:
        """Give the texts of a key, and whole numbers as text; None for what is something else."""
        found = _values_of(key, self.values)
        return [value if type(value) is str else str(value) if type(value) is int else None for value in found]

    def column(self, key: str) -> Any:
        """Give the values of a key as an Arrow array, null where they are of another type than most; None for no plain type."""
        from pytest_verdict.datasets.columns.arrow import TYPES, build_column, keep_plain_floats

        found = _values_of(key, self.values)
        types = {*map(type, found)}
        kind = next((kind for kind in _KINDS if kind in types), None)
        if kind is None:
            return None
        plain = found if len(types) == 1 else [value if type(value) is kind else None for value in found]
        if kind is float:
            return keep_plain_floats(build_column(plain, TYPES[float]))
        try:
            return build_column(plain, TYPES[kind])
        except (UnicodeEncodeError, OverflowError):
            return build_column([value if _fits(value) else None for value in plain], TYPES[kind])


def _values_of(key: str, rows: Sequence[Any]) -> list[Any]:
    if {*map(type, rows)} == {dict}:
        with suppress(KeyError):
            return [*map(itemgetter(key), rows)]
    return [row.get(key, ABSENT) if type(row) is dict else ABSENT for row in rows]


def _fits(value: Any) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return value is not None and -(2**63) <= value < 2**63


@dataclass(frozen=True, slots=True)
class ColumnSlice:
    """Rows as a batch of Arrow."""

    numbers: Sequence[int]
    batch: Any
    errors: Mapping[int, str] = field(default_factory=dict)

    def at(self, positions: Sequence[int]) -> ColumnSlice:
        """Leave only some rows."""
        from pytest_verdict.datasets.columns.arrow import INTEGER, build_column

        rows = self.batch.take(build_column(positions, INTEGER))
        return ColumnSlice([self.numbers[position] for position in positions], rows)

    def documents(self, positions: Sequence[int]) -> Sequence[Any]:
        """Give some rows."""
        return list(self.at(positions).batch.to_pylist())

    def texts(self, key: str) -> list[str | None] | None:
        """Give the texts of a column, or of its whole numbers; None when it has others."""
        column = self.column(key)
        is_name = column is not None and str(column.type) in {"string", "int64"}
        return list(column.cast("string").to_pylist()) if is_name else None

    def column(self, key: str) -> Any:
        """Give a column; None when it is not text, numbers or booleans."""
        from pyarrow import types

        from pytest_verdict.datasets.columns.arrow import FLOAT, INTEGER, TEXT, keep_plain_floats

        if self.batch.schema.get_field_index(key) < 0:
            return None
        found = self.batch.column(key)
        kind = found.type.value_type if types.is_dictionary(found.type) else found.type
        if types.is_boolean(kind):
            return found
        if types.is_float32(kind) or types.is_float64(kind):
            return keep_plain_floats(found.cast(FLOAT))
        is_text = types.is_string(kind) or types.is_large_string(kind)
        if not is_text and (not types.is_integer(kind) or types.is_uint64(kind)):
            return None
        return found.cast(TEXT if is_text else INTEGER)


Slice = RowSlice | ColumnSlice


def slices(source: Any, needed: formats.Needed) -> Iterator[Slice] | None:
    """Cut a data set into slices; None for an iterable, whose rows are to be compared before the next one is made."""
    if hasattr(source, "to_batches"):
        columns = needed(source.schema)
        table = source if columns is None else source.select(columns)
        return slices_of_batches(table.to_batches(max_chunksize=MOST_AT_ONCE))
    if isinstance(source, list | tuple):
        return slices_of_rows(source)
    if not isinstance(source, str | Path):
        return None
    path = Path(source)
    read = reader_of(path)
    if read is formats.read_arrow:
        return slices_of_batches(formats.batches(path, needed))
    if read is formats.read_csv:
        return _of_file(path, lambda file: slices_of_csv(file, path, needed))
    return _of_file(path, slices_of_lines) if read is formats.read_jsonl else slices_of_rows(read(path))


def single_rows(source: Any) -> Iterator[RowSlice]:
    """Give a slice for each row of a data set."""
    for row in numbered_rows(source):
        yield _of_rows([row])


def slices_of_batches(batches: Iterable[Any], position: int = 1) -> Iterator[ColumnSlice]:
    """Number the rows of batches, the first of which has this position, and cut those that are large."""
    for batch in batches:
        most = max(_BYTES * batch.num_rows // max(batch.nbytes, 1), 1)
        for start in range(0, batch.num_rows, most):
            part = batch.slice(start, most)
            yield ColumnSlice(range(position, position + part.num_rows), part)
            position += part.num_rows


def _of_file(path: Path, read: Callable[[BinaryIO], Iterator[Slice]]) -> Iterator[Slice]:
    with path.open("rb") as file:
        yield from read(file)


def slices_of_csv(file: BinaryIO, path: Path, needed: formats.Needed, left_out: int = 0) -> Iterator[Slice]:
    """Read CSV of which so many lines were left out below the names of the columns."""
    number, start, header = left_out + 2, 0, file.readline()
    columns_of = _csv_reader(header, path, needed)
    if columns_of is not None:
        start = len(header)
        while lines := file.readlines(_BYTES_OF_LINES):
            block = b"".join(lines)
            batch = columns_of(block)
            if batch is None or batch.num_rows != len(lines):
                break
            yield ColumnSlice(range(number, number + len(lines)), batch)
            number, start = number + len(lines), start + len(block)
    # From the first block with a quote on, which may be about the next one too, row by row.
    file.seek(start)
    names = [header.decode("utf-8-sig")] if start else []
    with TextIOWrapper(file, "utf-8" if start else "utf-8-sig", formats.UNDECODED, newline="") as rest:
        yield from slices_of_rows(formats.rows_of_csv(chain(names, rest), path, number - 2))


def _csv_reader(header: bytes, path: Path, needed: formats.Needed) -> Callable[[bytes], Any] | None:
    """Read lines of CSV by Arrow; None where it is not there or might read them in another way than Python."""
    try:
        import pyarrow
        from pyarrow import csv

        delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        names = header.decode("utf-8-sig").rstrip("\r\n").split(delimiter)
    except (ImportError, UnicodeDecodeError):
        return None
    if not _is_plain_csv(header.removeprefix(formats.BOM)) or len({*names}) != len(names):
        return None
    kinds = dict.fromkeys(names, pyarrow.string())
    convert = csv.ConvertOptions(column_types=kinds, include_columns=needed(pyarrow.schema(kinds)))
    parse = csv.ParseOptions(delimiter=delimiter, quote_char=False)

    def columns_of(block: bytes) -> Any:
        reading = csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names)
        try:
            # Also of columns that are not needed.
            block.decode("utf-8")
            found = csv.read_csv(pyarrow.BufferReader(block), reading, parse, convert)
        except (UnicodeDecodeError, pyarrow.ArrowInvalid):
            return None
        return found.combine_chunks().to_batches()[0]

    return lambda block: columns_of(block) if _is_plain_csv(block) else None


def _is_plain_csv(block: bytes) -> bool:
    """Say whether each line is a row or the names of the columns, whoever reads it."""
    if block.startswith((b"\n", b"\r", formats.BOM)) or block.count(b"\r") != block.count(b"\r\n"):
        return False
    return not any(mark in block for mark in (b'"', b"\0", b"\n\n", b"\n\r"))


def slices_of_lines(file: BinaryIO, number: int = 1) -> Iterator[RowSlice]:
    """Read lines of JSON, the first of which has this number."""
    while lines := file.readlines(_BYTES_OF_LINES):
        values = _values(lines)
        if values is None:
            yield from slices_of_rows(formats.rows_of_lines(number, lines))
        else:
            yield RowSlice(range(number, number + len(lines)), values)
        number += len(lines)


def _values(lines: Sequence[bytes]) -> list[Any] | None:
    """Read lines as one document; None where they are not one plain object each, whose keys are all different."""
    block = b"".join(lines).removesuffix(b"\n")
    if not (block.startswith(b"{") and block.endswith(b"}")) or block.count(b"}\n{") != len(lines) - 1:
        return None
    try:
        text = block.decode("utf-8")
        values: list[Any] = parse_json_with_floats("[" + text.replace("\n", ",") + "]", refuse_repeated_keys=False)
    except ValueError:
        return None
    is_flat = "[" not in text and text.count("{") == len(lines)
    keys = sum(map(len, values)) if is_flat else _keys(values)
    return values if len(values) == len(lines) and shows_no_more_keys(text, keys) else None


def _keys(values: list[Any]) -> int:
    """Count the keys of all objects, those inside of others too."""
    count, level = 0, values
    while level:
        count += sum(len(value) for value in level if type(value) is dict)
        inside = [value.values() if type(value) is dict else value for value in level]
        level = [inner for items in inside for inner in items if type(inner) is dict or type(inner) is list]
    return count


def slices_of_rows(rows: Iterable[Any]) -> Iterator[RowSlice]:
    """Put rows together; when they cannot be read any more, those before are given first."""
    taken: list[Row] = []
    failure = None
    try:
        for position, row in enumerate(rows, 1):
            taken.append(row if isinstance(row, Row) else Row(position, row))
            if len(taken) == MOST_AT_ONCE:
                yield _of_rows(taken)
                taken = []
    except Exception as error:  # noqa: BLE001 - raised again
        failure = error
    if taken:
        yield _of_rows(taken)
    if failure is not None:
        raise failure


def _of_rows(rows: Sequence[Row]) -> RowSlice:
    numbers, values, errors = zip(*rows, strict=True)
    return RowSlice(numbers, values, {place: error for place, error in enumerate(errors) if error is not None})
