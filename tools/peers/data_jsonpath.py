"""The compliance suite of JSONPath (RFC 9535), read as docs/how-to/mapping.md teaches: with its dialect, and without one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.peers.case import REFUSED, Here, Some

_UNCLEAR = "jsonpath-ng reads this path in another way: it is refused until `dialect` says which one is meant"


def read_standard(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    return _read(folder, {"dialect": "rfc9535"}, None)


def read_default(folder: Path) -> Iterator[tuple[str, Any, Any]]:
    return _read(folder, {}, _UNCLEAR)


def _read(folder: Path, dialect: dict[str, str], reason: str | None) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name of each case, what the suite demands, and the comparison here."""
    for case in json.loads((folder / "jsonpath" / "cts.json").read_text())["tests"]:
        path = {"path": case["selector"], "many": "list", **dialect}
        if case.get("invalid_selector"):
            yield case["name"], REFUSED, Here("is_type", "array", [], {"extract": path})
            continue
        document = case["document"]
        results = case.get("results", [case.get("result")])
        if results == [[]]:
            # Nothing is matched, so there is no list.
            settings = {"extract": {**path, "on_missing": "fail"}}
            yield case["name"], False, Here("is_type", "array", document, settings, reason=reason, reason_for="error")
            continue
        parts = [
            Here("exact", each, document, {"extract": path}, reason=reason, reason_for="error") for each in results
        ]
        yield case["name"], True, parts[0] if len(parts) == 1 else Some(parts)
