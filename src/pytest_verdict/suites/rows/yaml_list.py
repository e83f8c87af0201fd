"""YAML: a list of rows; read as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import ConfigurationError, SuiteError
from pytest_verdict.suites.rows import Row


def read(path: Path) -> Iterator[Row]:
    """Read a YAML file."""
    try:
        document = YamlDocument.read(path)
    except YamlTextError as error:
        raise SuiteError(error.at(path.name)) from None
    if not isinstance(document.value, list):
        raise ConfigurationError(f"{path.name}:1: a dataset in YAML is a list of rows")
    for line, value in zip(document.lines_of_items(()), document.value, strict=True):
        yield Row(line, value)
