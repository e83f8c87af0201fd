"""The formats of datasets: each function reads a file, row by row where the format allows it."""

import csv
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.datasets.rows import MOST_AT_ONCE, Row
from pytest_verdict.errors import ConfigurationError, MissingExtraError, SuiteError

BOM: Final = b"\xef\xbb\xbf"


def read_jsonl(path: Path) -> Iterator[Row]:
    """Read a JSONL file; blank lines are left out."""
    with path.open("rb") as file:
        yield from rows_of_lines(1, file)


def rows_of_lines(first: int, lines: Iterable[bytes]) -> Iterator[Row]:
    """Read lines of a JSONL file; the first has a number in the file."""
    for number, line in enumerate(lines, first):
        text = line.removeprefix(BOM) if number == 1 else line
        if text.isspace() or not text:
            continue
        try:
            yield Row(number, parse_json_with_floats(text.decode("utf-8")))
        except UnicodeDecodeError as error:
            yield Row(number, None, f"it is not UTF-8: {error.reason} at byte {error.start}")
        except json.JSONDecodeError as error:
            # Its own text speaks of a line 1, which is not the line of the file.
            yield Row(number, None, f"it is not JSON: {error.msg} at character {error.pos}")
        except ValueError as error:
            yield Row(number, None, f"it is not JSON: {error}")


def read_list(path: Path) -> list[Any]:
    """Read a JSON file: a list of rows; as a whole."""
    try:
        rows = parse_json_with_floats(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise ConfigurationError(f"{path.name}: it is not JSON: {error}") from None
    if not isinstance(rows, list):
        raise ConfigurationError(f"{path.name}: a dataset in JSON is a list of rows; one row on each line is .jsonl")
    return rows


def read_yaml(path: Path) -> Iterator[Row]:
    """Read a YAML file: a list of rows; as a whole."""
    # The reader of YAML is not loaded for other formats.
    from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError

    try:
        document = YamlDocument.read(path)
    except YamlTextError as error:
        raise SuiteError(error.at(path.name)) from None
    if not isinstance(document.value, list):
        raise ConfigurationError(f"{path.name}:1: a dataset in YAML is a list of rows")
    yield from map(Row, document.lines_of_items(()), document.value)


# The default of the csv module, 131,072 characters, is less than some models write.
_LONGEST_FIELD: Final = 2**31 - 1
_ENDS_INSIDE_QUOTES: Final = "unexpected end of data"
UNDECODED: Final = "surrogateescape"


def read_csv(path: Path) -> Iterator[Row]:
    """Read CSV, or TSV with tabs: the first row names the columns; every value is text."""
    # What is not UTF-8 must not end the reading; it is found row by row.
    with path.open(encoding="utf-8-sig", errors=UNDECODED, newline="") as file:
        yield from rows_of_csv(file, path)


def rows_of_csv(lines: Iterable[str], path: Path, left_out: int = 0) -> Iterator[Row]:
    """Read CSV of which so many lines were left out below the names of the columns."""
    csv.field_size_limit(_LONGEST_FIELD)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header = _header(reader, path.name)
    while True:
        number = left_out + reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            last = left_out + reader.line_num
            if last > number or str(error) == _ENDS_INSIDE_QUOTES:
                # What lies between the quotes may be any number of rows, so the others would not stand for the whole.
                reason = f"takes the rows up to line {last} with it: {error}"
                place = f"{path.name}:{number}: a quote that opens here"
                raise ConfigurationError(f"{place} is not closed rightly, and {reason}") from None
            yield Row(number, None, f"it is not CSV: {error}")
            continue
        if fields:
            yield _row(number, header, fields)


def _header(reader: Iterator[list[str]], label: str) -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise ConfigurationError(f"{label}:1: it is not CSV: {error}") from None
    again = next((name for at, name in enumerate(header) if name in header[:at]), None)
    if not header or again is not None:
        twice = "" if again is None else f", and {shown(again, 80)} is there again"
        raise ConfigurationError(f"{label}:1: the first row names the columns, each once{twice}")
    if not _is_utf8(header):
        raise ConfigurationError(f"{label}:1: it is not UTF-8; save the file as UTF-8")
    return header


def _row(number: int, header: list[str], fields: list[str]) -> Row:
    if len(fields) != len(header):
        return Row(number, None, f"it has {len(fields)} fields, and there are {len(header)} columns")
    if not _is_utf8(fields):
        return Row(number, None, "it is not UTF-8")
    return Row(number, dict(zip(header, fields, strict=True)))


def _is_utf8(fields: list[str]) -> bool:
    return "".join(fields).isascii() or not any(
        "\udc80" <= character <= "\udcff" for field in fields for character in field
    )


# Of a batch in memory, roughly.
_BYTES: Final = 1 << 23


def read_arrow(path: Path) -> Iterator[Any]:
    """Read a Parquet or Arrow file by pyarrow, one batch of rows at a time."""
    for batch in batches(path):
        yield from batch.to_pylist()


Needed = Callable[[Any], Sequence[str] | None]
"""From the schema of a file to the columns that are needed, None for all."""


def batches(path: Path, needed: Needed = lambda _: None, start: int = 0, stop: int | None = None) -> Iterator[Any]:
    """Read batches of rows; of some row groups of Parquet, or batches of Arrow, where they are named."""
    with _errors_told(path):
        yield from (_of_parquet if _is_parquet(path) else _of_arrow)(path, needed, start, stop)


def sizes_of_groups(path: Path) -> list[int]:
    """Say how many rows each row group of a Parquet file has, or each batch of an Arrow file."""
    with _errors_told(path):
        if not _is_parquet(path):
            return [batch.num_rows for batch in _batches_of_arrow(path)]
        with _module("pyarrow.parquet").ParquetFile(path) as file:
            return [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]


@contextmanager
def _errors_told(path: Path) -> Iterator[None]:
    arrow = _module("pyarrow")
    try:
        yield
    except (arrow.ArrowInvalid, arrow.ArrowIOError) as error:
        raise ConfigurationError(f"{path.name}: it cannot be read: {error}") from None


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _of_parquet(path: Path, needed: Needed, start: int, stop: int | None) -> Iterator[Any]:
    with _module("pyarrow.parquet").ParquetFile(path) as file:
        groups = [file.metadata.row_group(index).total_byte_size for index in range(file.num_row_groups)]
        fitting = max(min(MOST_AT_ONCE, _BYTES * file.metadata.num_rows // max(sum(groups), 1)), 1)
        wanted, columns = range(file.num_row_groups)[start:stop], needed(file.schema_arrow)
        yield from file.iter_batches(batch_size=fitting, row_groups=wanted, columns=columns)


def _of_arrow(path: Path, needed: Needed, start: int, stop: int | None) -> Iterator[Any]:
    for batch in islice(_batches_of_arrow(path), start, stop):
        columns = needed(batch.schema)
        rows = batch if columns is None else batch.select(columns)
        yield from (rows.slice(first, MOST_AT_ONCE) for first in range(0, rows.num_rows, MOST_AT_ONCE))


def _batches_of_arrow(path: Path) -> Iterator[Any]:
    arrow = _module("pyarrow")
    with arrow.memory_map(str(path)) as source:
        # An Arrow file begins with this; a stream does not.
        if source.read(6) != b"ARROW1":
            source.seek(0)
            yield from arrow.ipc.open_stream(source)
            return
        count = arrow.ipc.open_file(source).num_record_batches
    for index in range(count):
        # What was read of the file stays in memory for as long as it is mapped.
        with arrow.memory_map(str(path)) as source:
            yield arrow.ipc.open_file(source).get_batch(index)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError("reading Parquet and Arrow files", "arrow") from None
