"""CSV, and TSV with tabs: the first row names the columns; every value is text."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.rows import Row

# The default of the csv module, 131,072 characters, is less than some models write.
_LONGEST_FIELD: Final = 2**31 - 1


def read(path: Path) -> Iterator[Row]:
    """Read a CSV or TSV file."""
    csv.field_size_limit(_LONGEST_FIELD)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    # What is not UTF-8 must not end the reading; it is found row by row.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        header = _header(reader, path.name)
        while True:
            number = reader.line_num + 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Row(number, None, f"it is not CSV: {error}")
                continue
            if fields:
                yield _row(number, header, fields)


def _header(reader: Iterator[list[str]], label: str) -> list[str]:
    try:
        header = next(reader, [])
    except csv.Error as error:
        raise ConfigurationError(f"{label}:1: it is not CSV: {error}") from None
    if not header or len(set(header)) != len(header):
        raise ConfigurationError(f"{label}:1: the first row names the columns, each once")
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
    return not any("\udc80" <= character <= "\udcff" for field in fields if not field.isascii() for character in field)
