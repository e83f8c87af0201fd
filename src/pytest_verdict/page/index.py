"""What a page holds: an index for the list and the filters, and the records in compressed pieces, opened when they are needed."""

from __future__ import annotations

import gzip
import json
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.report.summary import VERDICTS

# Larger files do not get much smaller beyond this, and take twice as long.
COMPRESSION: Final = 5
_MOST_ROWS: Final = 500
_MOST_BYTES: Final = 1 << 20


class Entry(NamedTuple):
    """What the list and the filters show of a row: numbers, then texts."""

    attempt: int
    ordinal: int
    score: float
    threshold: float
    verdict: str
    operator: str
    test: tuple[str, str]
    name: str
    notes: tuple[str, ...]
    parts: tuple[str, ...]
    change: str
    causes: tuple[str, ...]


_NUMBERS: Final = {"attempt": "I", "ordinal": "I", "score": "f", "threshold": "f"}
_TEXTS: Final = (*Entry._fields[len(_NUMBERS) :], "headline")


class Index:
    """What the list and the filters need of all rows."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[Hashable, int]] = {name: {} for name in _TEXTS}
        self._texts["verdict"] = {verdict: code for code, verdict in enumerate(VERDICTS)}
        self._columns: dict[str, array[Any]] = {name: array(kind) for name, kind in _NUMBERS.items()}
        self._columns |= {name: array("I") for name in _TEXTS}
        self._appending = [
            _coding(column, self._texts[name]) if name in self._texts else column.append
            for name, column in self._columns.items()
        ]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._columns["verdict"])

    def add(self, entry: Entry, headline: str) -> None:
        """Add a row."""
        for append, value in zip(self._appending, (*entry, headline), strict=True):
            append(value)

    def counts(self) -> dict[str, int]:
        """Count the rows by verdict."""
        found = Counter(self._columns["verdict"])
        return {verdict: found[code] for code, verdict in enumerate(VERDICTS)}

    def scores(self) -> Counter[tuple[float, float, int]]:
        """Count the rows by score, threshold and the number of the verdict."""
        return Counter(zip(*(self._columns[name] for name in ("score", "threshold", "verdict")), strict=True))

    def packed(self, about: Mapping[str, Any], chunks: Mapping[str, Sequence[int]]) -> bytes:
        """Write the index: the length of a JSON head, the head, and the columns as little-endian numbers of 32 bits."""
        head = {
            "about": about,
            "chunks": chunks,
            "rows": self.rows,
            "texts": {name: list(known) for name, known in self._texts.items()},
            "columns": [[name, column.typecode] for name, column in self._columns.items()],
        }
        text = json.dumps(head, separators=(",", ":")).encode("ascii")
        text += b" " * (-len(text) % 4)
        return compressed([len(text).to_bytes(4, "little"), text, *map(_little_endian, self._columns.values())])


def _coding(column: array[Any], known: dict[Hashable, int]) -> Callable[[Any], None]:
    find, append = known.get, column.append

    def add(value: Hashable) -> None:
        code = find(value)
        if code is None:
            code = known[value] = len(known)
        append(code)

    return add


def compressed(pieces: Iterable[bytes]) -> bytes:
    """Compress, without the time of day."""
    return gzip.compress(b"".join(pieces), COMPRESSION, mtime=0)


def _little_endian(column: array[Any]) -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


class Bodies:
    """Pieces of some hundred rows each."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._bytes = 0
        self.starts: list[int] = []
        self.pieces: list[bytes] = []
        self.size = 0
        self.rows = 0
        self.is_open = True

    def add(self, body: bytes) -> None:
        """Add the body of the next row."""
        self._waiting.append(body)
        self._bytes += len(body)
        if len(self._waiting) >= _MOST_ROWS or self._bytes > _MOST_BYTES:
            self.finish()

    def finish(self) -> None:
        """Compress what is waiting."""
        if self._waiting:
            self.starts.append(self.rows)
            self.rows += len(self._waiting)
            self.pieces.append(compressed(self._waiting))
            # The page has it as base64.
            self.size += len(self.pieces[-1]) * 4 // 3
            self._waiting, self._bytes = [], 0

    def close(self, *, empty: bool = False) -> None:
        """Take no more rows, and keep none if they are to be left out as a whole."""
        if empty:
            self._waiting = []
            self.starts, self.pieces, self.rows, self.size = [], [], 0, 0
        self.finish()
        self.is_open = False

    def described(self) -> dict[str, object]:
        """Say which rows are in which piece."""
        return {"starts": self.starts, "rows": self.rows}
