"""Rows as a file of a spreadsheet, a frame or a document; one function for each suffix."""

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

# What a spreadsheet takes for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA: Final = tuple("=+-@\t\r")
_ROWS_AT_ONCE: Final = 10_000


def write_rows(rows: Rows, path: Path) -> None:
    """Write rows in the format that the suffix tells."""
    write = _WRITERS.get(path.suffix)
    if write is None:
        raise ConfigurationError(f"{path}: the format is told by the suffix.{allowed('suffix', path.suffix, _WRITERS)}")
    write(rows, path)


def markdown(rows: Rows) -> str:
    """Lay out rows as a table in Markdown."""
    found = list(rows)
    lines = [list(found[0]), ["---"] * len(found[0])] if found else []
    lines += [[_in_markdown(cell) for cell in row.values()] for row in found]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _in_markdown(cell: Any) -> str:
    text = visible(_plain(cell)).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{letter}" if letter in "|`*_[]~#" else letter for letter in text)


def _plain(cell: Any) -> str:
    return "" if cell is None else cell if isinstance(cell, str) else json.dumps(cell)


def _write_csv(rows: Rows, path: Path) -> None:
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for number, row in enumerate(rows):
            if not number:
                writer.writerow(row)
            writer.writerow([_in_csv(cell) for cell in row.values()])


def _in_csv(cell: Any) -> Any:
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
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("a Parquet file", "arrow") from None
    source, writer = iter(rows), None
    while batch := list(itertools.islice(source, _ROWS_AT_ONCE)):
        if writer is None:
            schema = arrow.schema([(name, _arrow_type(arrow, name, batch)) for name in batch[0]])
            writer = parquet.ParquetWriter(path, schema, compression="zstd")
        encoded = [{name: _in_utf8(name, cell) for name, cell in row.items()} for row in batch]
        writer.write_table(arrow.Table.from_pylist(encoded, schema))
    if writer is None:
        raise ConfigurationError(f"{path}: there is no row to write")
    writer.close()


def _arrow_type(arrow: Any, name: str, batch: list[Mapping[str, Any]]) -> Any:
    if name in _TYPES:
        return getattr(arrow, _TYPES[name])()
    return arrow.list_(arrow.string()) if isinstance(batch[0][name], list) else arrow.string()


_COUNTS: Final = ("attempt", "ordinal", "line", "operator_version", "comparisons", "pass", "fail")
_SHARES: Final = ("score", "threshold", "rate", "low", "high")
_TYPES: Final = {**dict.fromkeys(_COUNTS, "int64"), **dict.fromkeys(_SHARES, "float64")}


def _in_utf8(name: str, cell: Any) -> Any:
    # Arrow's texts are UTF-8, which has no lone surrogates.
    if cell is None or name in _TYPES or isinstance(cell, list):
        return [_in_utf8("", item) for item in cell] if isinstance(cell, list) else cell
    return _plain(cell).encode("utf-8", "backslashreplace").decode("utf-8")


_WRITERS: Final[dict[str, Callable[[Rows, Path], None]]] = {
    ".csv": _write_csv,
    ".jsonl": _write_json_lines,
    ".md": _write_markdown,
    ".parquet": _write_parquet,
}
