"""JSONL: one JSON document on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_verdict.suites.json_text import read_json
from pytest_verdict.suites.rows import Row

_BOM: Final = b"\xef\xbb\xbf"


def read(path: Path) -> Iterator[Row]:
    """Read a JSONL file; blank lines are left out."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if text.isspace() or not text:
                continue
            try:
                yield Row(number, read_json(text.decode("utf-8")))
            except UnicodeDecodeError as error:
                yield Row(number, None, f"it is not UTF-8: {error.reason} at byte {error.start}")
            except json.JSONDecodeError as error:
                # Its own text speaks of a line 1, which is not the line of the file.
                yield Row(number, None, f"it is not JSON: {error.msg} at character {error.pos}")
            except ValueError as error:
                yield Row(number, None, f"it is not JSON: {error}")
