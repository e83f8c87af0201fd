"""Rows of a dataset: JSONL, CSV, YAML, Parquet and Arrow, one row at a time; one module per format."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.suites.rows.row import Row

_FORMATS: Final = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv_text",
    ".tsv": "csv_text",
    ".yaml": "yaml_list",
    ".yml": "yaml_list",
    ".parquet": "arrow",
    ".arrow": "arrow",
    ".feather": "arrow",
}


def read_rows(source: str | Path | Iterable[Any]) -> Iterator[Row]:
    """Read the rows of a dataset."""
    if isinstance(source, bytes | Mapping) or not isinstance(source, str | Path | Iterable):
        raise ConfigurationError(f"a dataset is a path or an iterable of rows, got {shown(source, 80)}")
    if not isinstance(source, str | Path):
        return (Row(number, value) for number, value in enumerate(source, 1))
    path = Path(source)
    if path.suffix.lower() not in _FORMATS:
        raise ConfigurationError(
            f"{path.name}: the format of a dataset is told by its suffix.{allowed('suffix', path.suffix, _FORMATS)}"
        )
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such dataset", str(path))
    module = importlib.import_module(f"{__name__}.{_FORMATS[path.suffix.lower()]}")
    rows: Iterator[Row] = module.read(path)
    return rows
