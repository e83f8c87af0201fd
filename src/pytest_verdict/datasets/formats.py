"""The formats of data sets: each function reads a file, row by row where the format allows it."""

import csv
import importlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.datasets.rows import BATCH_ROWS, NeededColumns, Row
from pytest_verdict.errors import ConfigurationError, MissingExtraError, SuiteError

BOM: Final = b"\xef\xbb\xbf"
BATCH_BYTES: Final = 1 << 23
LONGEST_ROW: Final = 1 << 25
"""The longest row, in bytes: its record has several copies of its values, and so has the process that compares it."""
TOO_LONG: Final = f"it has more than {LONGEST_ROW:,} bytes; compare a part of its values, or a digest"
_ENDS_INSIDE_QUOTES: Final = "unexpected end of data"


def read_jsonl(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        yield from parse_lines(1, file)


def parse_lines(first: int, lines: Iterable[bytes]) -> Iterator[Row]:
    """Parse lines of JSONL and skip blank ones; ``first`` is the number of the first line."""
    for number, line in enumerate(lines, first):
        text = line.removeprefix(BOM) if number == 1 else line
        if text.isspace() or not text:
            continue
        if len(line) > LONGEST_ROW:
            yield Row(number, None, TOO_LONG)
            continue
        try:
            yield Row(number, parse_json_with_floats(text.decode("utf-8")))
        except UnicodeDecodeError as error:
            yield Row(number, None, f"it is not UTF-8: {error.reason} at byte {error.start}")
        except json.JSONDecodeError as error:
            # Its own message has a line number, which is not that of the file.
            yield Row(number, None, f"it is not JSON: {error.msg} at character {error.pos}")
        except ValueError as error:
            yield Row(number, None, f"it is not JSON: {error}")


def read_json(path: Path) -> list[Any]:
    try:
        rows = parse_json_with_floats(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise ConfigurationError(f"{path.name}: it is not JSON: {error}") from None
    if not isinstance(rows, list):
        raise ConfigurationError(f"{path.name}: a dataset in JSON is a list of rows; one row on each line is .jsonl")
    return rows


def read_yaml(path: Path) -> Iterator[Row]:
    """Read a YAML file, which is a list of rows, as a whole."""
    # The YAML reader is not loaded for other formats.
    from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError

    try:
        document = YamlDocument.read_exactly(path)
    except YamlTextError as error:
        raise SuiteError(error.at(path.name)) from None
    if not isinstance(document.value, list):
        raise ConfigurationError(f"{path.name}:1: a dataset in YAML is a list of rows")
    yield from map(Row, document.lines_of_items(()), document.value)


def read_csv(path: Path) -> Iterator[Row]:
    """Read CSV, or TSV with tabs. The first row has the names of the columns; every value is text."""
    with path.open("rb") as file, decode_csv(file) as lines:
        yield from parse_csv(lines, path)


def decode_csv(file: BinaryIO) -> TextIOWrapper:
    """Decode a file so that a row that is not UTF-8 does not end the reading."""
    return TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")


def parse_csv(lines: Iterable[str], path: Path, skipped: int = 0) -> Iterator[Row]:
    """Parse CSV; ``skipped`` is the number of lines that are missing below the names of the columns."""
    # The default of the csv module, 131,072 characters, is less than some models write.
    csv.field_size_limit(LONGEST_ROW)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    line = ""

    def keep_line() -> Iterator[str]:
        nonlocal line
        for line in lines:  # noqa: UP028 - the line is kept
            yield line

    reader = csv.reader(keep_line(), delimiter=delimiter, strict=True)
    header = _read_header(reader, path.name)
    while True:
        number = skipped + reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            last = skipped + reader.line_num
            # With an odd number of quotes, the rows below it would be read from inside of a field.
            if last == number and "field limit" in str(error) and not line.count('"') % 2:
                yield Row(number, None, TOO_LONG)
                continue
            if last > number or str(error) == _ENDS_INSIDE_QUOTES or "field limit" in str(error):
                # The quotes may contain any number of rows.
                reason = f"takes the rows up to line {last} with it: {error}"
                place = f"{path.name}:{number}: a quote that opens here"
                raise ConfigurationError(f"{place} is not closed rightly, and {reason}") from None
            yield Row(number, None, f"it is not CSV: {error}")
            continue

        if not fields:
            continue
        if len(fields) != len(header):
            yield Row(number, None, f"it has {len(fields)} fields, and there are {len(header)} columns")
        elif not _are_utf8(fields):
            yield Row(number, None, "it is not UTF-8")
        else:
            yield Row(number, dict(zip(header, fields, strict=True)))


def _read_header(reader: Iterator[list[str]], label: str) -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise ConfigurationError(f"{label}:1: it is not CSV: {error}") from None
    repeated = [name for position, name in enumerate(header) if name in header[:position]]
    if repeated or not header:
        hint = f", and {shown(repeated[0], 80)} is there again" if repeated else ""
        raise ConfigurationError(f"{label}:1: the first row names the columns, each once{hint}")
    if not _are_utf8(header):
        raise ConfigurationError(f"{label}:1: it is not UTF-8; save the file as UTF-8")
    return header


def _are_utf8(fields: list[str]) -> bool:
    joined = "".join(fields)
    return joined.isascii() or not any("\udc80" <= character <= "\udcff" for character in joined)


def read_arrow(path: Path, needed: NeededColumns = lambda _: None) -> Iterator[Row]:
    return rows_of_batches(read_batches(path, needed))


def rows_of_batches(batches: Iterable[Any], number: int = 1) -> Iterator[Row]:
    """Yield the rows of batches of Arrow, numbered from ``number``; a row that is too long is not read."""
    for batch in batches:
        step = max(BATCH_BYTES * batch.num_rows // max(_size_of(batch), 1), 1)
        for start in range(0, batch.num_rows, step):
            part = batch.slice(start, step)
            if _size_of(part) <= LONGEST_ROW:
                for value in part.to_pylist():
                    yield Row(number, value)
                    number += 1
                continue
            for index in range(part.num_rows):
                row = part.slice(index, 1)
                if _size_of(row) > LONGEST_ROW:
                    yield Row(number, None, TOO_LONG)
                else:
                    yield Row(number, row.to_pylist()[0])
                number += 1


def _size_of(batch: Any) -> int:
    """Return the size of the values of a batch, in bytes."""
    return sum(map(_size_of_column, batch.columns))


def _size_of_column(column: Any) -> int:
    compute = _import("pyarrow.compute")
    texts = ("string", "large_string", "string_view", "binary", "large_binary")
    if str(column.type) == "string_view":
        return int(compute.sum(compute.binary_length(column.cast("large_string"))).as_py() or 0)
    if not str(column.type).startswith("dictionary<") or str(column.type.value_type) not in texts:
        return int(column.nbytes)
    # Each slice has the whole dictionary.
    lengths = compute.take(compute.binary_length(column.dictionary), column.indices)
    return int(column.indices.nbytes) + int(compute.sum(lengths).as_py() or 0)


def read_batches(
    path: Path, needed: NeededColumns = lambda _: None, start: int = 0, stop: int | None = None
) -> Iterator[Any]:
    """Read batches of rows from some row groups of a Parquet file, or some batches of an Arrow file."""
    with _readable(path):
        if _is_parquet(path):
            # Buffering in advance would keep a whole row group in memory, beside its decoded values.
            with _import("pyarrow.parquet").ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
                refuse_repeated_columns(file.schema_arrow, path.name)
                size = sum(file.metadata.row_group(index).total_byte_size for index in range(file.num_row_groups))
                fitting = BATCH_BYTES * file.metadata.num_rows // max(size, 1)
                yield from file.iter_batches(
                    batch_size=max(min(BATCH_ROWS, fitting), 1),
                    row_groups=range(file.num_row_groups)[start:stop],
                    columns=needed(file.schema_arrow),
                    use_threads=False,
                )
            return
        for batch in islice(_read_arrow_batches(path), start, stop):
            refuse_repeated_columns(batch.schema, path.name)
            columns = needed(batch.schema)
            rows = batch if columns is None else batch.select(columns)
            for first in range(0, rows.num_rows, BATCH_ROWS):
                yield rows.slice(first, BATCH_ROWS)


def refuse_repeated_columns(columns: Iterable[Any], label: str) -> None:
    """Refuse two columns, or two fields of a struct, with one name: which one a path means is not known."""
    names = set()
    for column in columns:
        if column.name in names:
            raise ConfigurationError(f"{label}: two columns have the name {shown(column.name, 80)}; rename one of them")
        names.add(column.name)
        inner = [column.type.field(index) for index in range(column.type.num_fields)]
        refuse_repeated_columns(inner, label)


def count_rows_of_groups(path: Path) -> list[int]:
    """Return the number of rows in each row group of a Parquet file, or in each batch of an Arrow file."""
    with _readable(path):
        if not _is_parquet(path):
            return [batch.num_rows for batch in _read_arrow_batches(path)]
        with _import("pyarrow.parquet").ParquetFile(path) as file:
            return [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raise a `ConfigurationError` for a damaged file."""
    arrow = _import("pyarrow")
    try:
        yield
    except (arrow.ArrowException, arrow.ArrowIOError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path.name}: it cannot be read: {error}") from None


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _read_arrow_batches(path: Path) -> Iterator[Any]:
    arrow = _import("pyarrow")
    with arrow.memory_map(str(path)) as source:
        # A file begins with this mark; a stream does not.
        if source.read(6) != b"ARROW1":
            source.seek(0)
            yield from map(_validate, arrow.ipc.open_stream(source))
            return
        count = arrow.ipc.open_file(source).num_record_batches
    for index in range(count):
        # A mapping keeps every page that was read in memory, so each batch has its own.
        with arrow.memory_map(str(path)) as source:
            yield _validate(arrow.ipc.open_file(source).get_batch(index))


def _validate(batch: Any) -> Any:
    """Return a batch whose offsets are inside of its buffers: reading one of a damaged file would end the process."""
    batch.validate(full=True)
    return batch


def _import(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError("reading Parquet and Arrow files", "arrow") from None
