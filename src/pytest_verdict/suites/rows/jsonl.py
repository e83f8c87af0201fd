"""JSONL: one JSON document on each line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

from pytest_verdict.suites.rows.row import Row

_BOM: Final = b"\xef\xbb\xbf"


def read(path: Path) -> Iterator[Row]:
    """Read a JSONL file; blank lines are left out."""
    decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse).decode
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(_BOM) if number == 1 else line
            if text.isspace() or not text:
                continue
            try:
                yield Row(number, decode(text.decode("utf-8")))
            except UnicodeDecodeError as error:
                yield Row(number, None, f"it is not UTF-8: {error.reason} at byte {error.start}")
            except json.JSONDecodeError as error:
                # Its own text speaks of a line 1, which is not the line of the file.
                yield Row(number, None, f"it is not JSON: {error.msg} at character {error.pos}")
            except (ValueError, RecursionError) as error:
                yield Row(number, None, f"it is not JSON: {error or 'nested too deeply'}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
