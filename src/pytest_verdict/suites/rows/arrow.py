"""Parquet and Arrow files, by pyarrow, one batch of rows at a time."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.errors import ConfigurationError, MissingExtraError
from pytest_verdict.suites.rows.row import Row

_BATCH: Final = 1_000


def read(path: Path) -> Iterator[Row]:
    """Read a Parquet or Arrow file; a row's number is its position, from 1."""
    arrow = _module("pyarrow")
    try:
        number = 0
        for batch in _batches(path):
            for value in batch.to_pylist():
                number += 1
                yield Row(number, value)
    except (arrow.ArrowInvalid, arrow.ArrowIOError) as error:
        raise ConfigurationError(f"{path.name}: it cannot be read: {error}") from None


def _batches(path: Path) -> Iterator[Any]:
    if path.suffix.lower() == ".parquet":
        with _module("pyarrow.parquet").ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=_BATCH)
        return
    arrow = _module("pyarrow")
    with arrow.memory_map(str(path)) as source:
        reader = _opened(arrow, source)
        batches = (
            reader
            if not hasattr(reader, "num_record_batches")
            else map(reader.get_batch, range(reader.num_record_batches))
        )
        for batch in batches:
            for start in range(0, batch.num_rows, _BATCH):
                yield batch.slice(start, _BATCH)


def _opened(arrow: Any, source: Any) -> Any:
    # An Arrow file begins with this; a stream does not.
    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    return arrow.ipc.open_file(source) if is_file else arrow.ipc.open_stream(source)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError("reading Parquet and Arrow files", "arrow") from None
