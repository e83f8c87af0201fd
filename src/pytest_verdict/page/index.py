"""The data of a page: an index for the list and the filters, and the records in compressed chunks that open on demand."""

from __future__ import annotations

import gzip
import json
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.report.summary import VERDICTS

# Higher levels take twice as long and save little.
COMPRESSION: Final = 5
_MOST_ROWS: Final = 500
_MOST_BYTES: Final = 1 << 20


class Entry(NamedTuple):
    """The columns of a row for the list and the filters: numbers, then texts."""

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
    """The columns of all rows."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[Hashable, int]] = {name: {} for name in _TEXTS}
        self._texts["verdict"] = {verdict: code for code, verdict in enumerate(VERDICTS)}
        self._columns: dict[str, array[Any]] = {name: array(kind) for name, kind in _NUMBERS.items()}
        self._columns |= {name: array("I") for name in _TEXTS}
        self._append = [
            _append_code(column, self._texts[name]) if name in self._texts else column.append
            for name, column in self._columns.items()
        ]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._columns["verdict"])

    def add(self, entry: Entry, headline: str) -> None:
        """Add a row."""
        for append, value in zip(self._append, (*entry, headline), strict=True):
            append(value)

    def counts(self) -> dict[str, int]:
        """Count the rows by verdict."""
        codes = Counter(self._columns["verdict"])
        return {verdict: codes[code] for code, verdict in enumerate(VERDICTS)}

    def scores(self) -> Counter[tuple[float, float, int]]:
        """Count the rows by score, threshold and the number of the verdict."""
        return Counter(zip(*(self._columns[name] for name in ("score", "threshold", "verdict")), strict=True))

    def pack(self, about: Mapping[str, Any], chunks: Mapping[str, Sequence[int]]) -> bytes:
        """Build the bytes of the index: the length of a JSON head, the head, and the columns as little-endian 32-bit numbers."""
        head = {
            "about": about,
            "chunks": chunks,
            "rows": self.rows,
            "texts": {name: list(codes) for name, codes in self._texts.items()},
            "columns": [[name, column.typecode] for name, column in self._columns.items()],
        }
        text = json.dumps(head, separators=(",", ":")).encode("ascii")
        text += b" " * (-len(text) % 4)
        return compress([len(text).to_bytes(4, "little"), text, *map(_little_endian, self._columns.values())])


def _append_code(column: array[Any], codes: dict[Hashable, int]) -> Callable[[Any], None]:
    """Return a function that appends the code of a text; a new text gets the next code."""

    def append(value: Hashable) -> None:
        code = codes.get(value)
        if code is None:
            code = codes[value] = len(codes)
        column.append(code)

    return append


def compress(pieces: Iterable[bytes]) -> bytes:
    """Compress pieces with gzip, without a timestamp, so equal pages are equal files."""
    return gzip.compress(b"".join(pieces), COMPRESSION, mtime=0)


def _little_endian(column: array[Any]) -> bytes:
    if sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return column.tobytes()


class Bodies:
    """The bodies of rows, in compressed chunks of some hundred rows."""

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
        """Compress the rows that are in no chunk yet."""
        if self._waiting:
            self.starts.append(self.rows)
            self.rows += len(self._waiting)
            self.pieces.append(compress(self._waiting))
            # The page contains it as base64.
            self.size += len(self.pieces[-1]) * 4 // 3
            self._waiting = []
            self._bytes = 0

    def close(self, *, empty: bool = False) -> None:
        """Accept no more rows; ``empty`` also removes all rows."""
        if empty:
            self._waiting = []
            self.starts = []
            self.pieces = []
            self.rows = 0
            self.size = 0
        self.finish()
        self.is_open = False

    def describe(self) -> dict[str, object]:
        """Return the first row of each chunk, and the number of rows."""
        return {"starts": self.starts, "rows": self.rows}
