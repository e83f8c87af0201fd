"""YAML: a list of rows; read as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.rows.row import Row
from pytest_verdict.suites.yaml_document import read_yaml


def read(path: Path) -> Iterator[Row]:
    """Read a YAML file."""
    document = read_yaml(path, path.name)
    if not isinstance(document.value, list):
        raise ConfigurationError(f"{path.name}:1: a dataset in YAML is a list of rows")
    for line, value in zip(document.lines_of_items(()), document.value, strict=True):
        yield Row(line, value)
