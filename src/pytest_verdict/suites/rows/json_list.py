"""JSON: a list of rows; read as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.json_text import read_json


def read(path: Path) -> list[Any]:
    """Read a JSON file."""
    try:
        rows = read_json(path.read_text("utf-8-sig"))
    except ValueError as error:
        raise ConfigurationError(f"{path.name}: it is not JSON: {error}") from None
    if not isinstance(rows, list):
        raise ConfigurationError(f"{path.name}: a dataset in JSON is a list of rows; one row on each line is .jsonl")
    return rows
