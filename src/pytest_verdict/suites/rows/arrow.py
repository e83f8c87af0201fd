"""Parquet and Arrow files, by pyarrow, one batch of rows at a time."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_verdict.errors import ConfigurationError, MissingExtraError

_BATCH: Final = 1_000


def read(path: Path) -> Iterator[Any]:
    """Read a Parquet or Arrow file."""
    arrow = _module("pyarrow")
    try:
        for batch in _of_parquet(path) if path.suffix.lower() == ".parquet" else _of_arrow(path, arrow):
            yield from batch.to_pylist()
    except (arrow.ArrowInvalid, arrow.ArrowIOError) as error:
        raise ConfigurationError(f"{path.name}: it cannot be read: {error}") from None


def _of_parquet(path: Path) -> Iterator[Any]:
    with _module("pyarrow.parquet").ParquetFile(path) as file:
        yield from file.iter_batches(batch_size=_BATCH)


def _of_arrow(path: Path, arrow: Any) -> Iterator[Any]:
    with arrow.memory_map(str(path)) as source:
        # An Arrow file begins with this; a stream does not.
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        reader = arrow.ipc.open_file(source) if is_file else arrow.ipc.open_stream(source)
        for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
            yield from (batch.slice(start, _BATCH) for start in range(0, batch.num_rows, _BATCH))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError("reading Parquet and Arrow files", "arrow") from None
