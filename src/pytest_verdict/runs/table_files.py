"""Tables as CSV, JSON lines, Markdown or Parquet; one function for each suffix."""

import csv
import importlib
import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import visible
from pytest_verdict.errors import ConfigurationError, MissingExtraError, allowed

Rows = Iterable[Mapping[str, Any]]

# A spreadsheet evaluates a cell that begins with one of these as a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA: Final = tuple("=+-@\t\r")
_ROWS_AT_ONCE: Final = 10_000


def write_rows(rows: Rows, path: Path) -> None:
    """Write rows in the format of the suffix."""
    write = _WRITERS.get(path.suffix)
    if write is None:
        raise ConfigurationError(f"{path}: the suffix names no format.{allowed('suffix', path.suffix, _WRITERS)}")
    write(rows, path)


def markdown(rows: Rows) -> str:
    """Format rows as a table in Markdown."""
    lines: list[list[str]] = []
    for row in rows:
        if not lines:
            lines = [list(row), ["---"] * len(row)]
        lines.append([_markdown_cell(cell) for cell in row.values()])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cell(cell: Any) -> str:
    text = visible(_plain(cell)).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "|`*_[]~#" else letter for letter in text)


def _plain(cell: Any) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else json.dumps(cell)


def _write_csv(rows: Rows, path: Path) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, row in enumerate(rows):
            if number == 0:
                writer.writerow(row)
            writer.writerow([_csv_cell(cell) for cell in row.values()])


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, int | float) or cell is None:
        return cell
    text = _plain(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _write_json_lines(rows: Rows, path: Path) -> None:
    with path.open("w", encoding="ascii", newline="") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)


def _write_markdown(rows: Rows, path: Path) -> None:
    path.write_text(markdown(rows), encoding="utf-8", errors="backslashreplace", newline="")


def _write_parquet(rows: Rows, path: Path) -> None:
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("a Parquet file", "arrow") from None
    source = iter(rows)
    writer = None
    while batch := list(itertools.islice(source, _ROWS_AT_ONCE)):
        if writer is None:
            schema = arrow.schema([(name, _arrow_type(arrow, name, cell)) for name, cell in batch[0].items()])
            writer = parquet.ParquetWriter(path, schema, compression="zstd")
        encoded = [{name: _parquet_cell(name, cell) for name, cell in row.items()} for row in batch]
        writer.write_table(arrow.Table.from_pylist(encoded, schema))
    if writer is None:
        raise ConfigurationError(f"{path}: there is no row to write")
    writer.close()


_COUNTS: Final = ("attempt", "ordinal", "line", "operator_version", "comparisons", "pass", "fail")
_SHARES: Final = ("score", "threshold", "rate", "low", "high")
_TYPES: Final = {**dict.fromkeys(_COUNTS, "int64"), **dict.fromkeys(_SHARES, "float64")}


def _arrow_type(arrow: Any, name: str, cell: Any) -> Any:
    if name in _TYPES:
        return getattr(arrow, _TYPES[name])()
    return arrow.list_(arrow.string()) if isinstance(cell, list) else arrow.string()


def _parquet_cell(name: str, cell: Any) -> Any:
    if isinstance(cell, list):
        return [_parquet_cell("", item) for item in cell]
    if cell is None or name in _TYPES:
        return cell
    # Texts of Arrow are UTF-8, which has no lone surrogates.
    return _plain(cell).encode("utf-8", "backslashreplace").decode("utf-8")


_WRITERS: Final[dict[str, Callable[[Rows, Path], None]]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".md": _write_markdown,
    ".parquet": _write_parquet,
}
