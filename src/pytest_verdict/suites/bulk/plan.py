"""The plan of a data set: pieces that can be read alone, each with the place of its first row; the file is read once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from io import BufferedReader
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.suites.bulk.slices import ColumnSlice, Slice, slices_of_rows
from pytest_verdict.suites.rows import Row, reader_of
from pytest_verdict.suites.rows.formats import (
    BOM,
    UNDECODED,
    read_batches,
    rows_of_csv,
    rows_of_groups,
    rows_of_json,
)

ROWS: Final = 100_000
"""How many rows a piece has, as far as the file can be cut so."""
_BYTES: Final = 1 << 26
_BLOCK: Final = 1 << 20
_BLANK_IN_CSV: Final = frozenset({b"\n", b"\r\n"})


class Piece(NamedTuple):
    """A part of a file: from ``start`` to ``stop`` in bytes, row groups or batches; the whole where ``stop`` is 0.

    Its first row stands on ``line``, or has this position, and there are ``before`` rows before it. ``rows`` is 0 where only
    reading tells how many they are. The names of the columns of a CSV file take ``header`` bytes.
    """

    path: str
    sha256: str
    start: int = 0
    stop: int = 0
    line: int = 1
    before: int = 0
    rows: int = 0
    header: int = 0


class _Extent(NamedTuple):
    """Sizes of a piece: in bytes, row groups or batches, in lines, and in rows."""

    size: int
    lines: int
    rows: int


def plan_pieces(path: Path, most: int = ROWS) -> list[Piece]:
    """Cut a data set into pieces of at most so many rows, or of one row group or batch."""
    reader_of(path)
    digest = hashlib.sha256()
    plan = _PLANS.get(path.suffix.lower())
    if plan is not None:
        pieces, header = plan(path, most, digest.update)
        if pieces:
            return _placed(path, digest.hexdigest(), pieces, header)
    with path.open("rb") as file:
        return [Piece(str(path), hashlib.file_digest(file, "sha256").hexdigest())]


def _placed(path: Path, sha256: str, pieces: list[_Extent], header: int) -> list[Piece]:
    starts = accumulate((piece.size for piece in pieces), initial=header)
    lines = accumulate((piece.lines for piece in pieces), initial=2 if header else 1)
    before = accumulate((piece.rows for piece in pieces), initial=0)
    return [
        Piece(str(path), sha256, start, start + piece.size, line, rows, piece.rows, header)
        for piece, start, line, rows in zip(pieces, starts, lines, before, strict=False)
    ]


_Watch = Callable[[bytes], object]
_Planned = tuple[list[_Extent], int]


def _plan_lines(path: Path, most: int, watch: _Watch) -> _Planned:
    with path.open("rb") as file:
        begun = len(BOM) if file.peek(len(BOM)).startswith(BOM) else 0
        watch(file.read(begun))
        return list(_pieces(file, most, watch, bytes.isspace, begun)), 0


def _plan_csv(path: Path, most: int, watch: _Watch) -> _Planned:
    hidden = 0

    def look(text: bytes) -> None:
        nonlocal hidden
        watch(text)
        # Between quotes a line end is none, and a CR alone is one for CSV only.
        hidden += text.count(b'"') + text.count(b"\r") - text.count(b"\r\n")

    with path.open("rb") as file:
        look(header := file.readline())
        pieces = list(_pieces(file, most, look, _BLANK_IN_CSV.__contains__))
    return ([] if hidden else pieces), len(header)


def _pieces(
    file: BufferedReader, most: int, watch: _Watch, is_blank: Callable[[bytes], bool], size: int = 0
) -> Iterator[_Extent]:
    lines = blank = 0
    while block := file.readlines(_BLOCK):
        watch(b"".join(block))
        while block:
            taken, block = block[: most - lines], block[most - lines :]
            size, lines, blank = size + sum(map(len, taken)), lines + len(taken), blank + sum(map(is_blank, taken))
            if lines == most or size > _BYTES:
                yield _Extent(size, lines, lines - blank)
                size = lines = blank = 0
    if lines:
        yield _Extent(size, lines, lines - blank)


def _plan_groups(path: Path, most: int, watch: _Watch) -> _Planned:
    pieces: list[_Extent] = []
    for rows in rows_of_groups(path):
        if pieces and pieces[-1].rows + rows <= most:
            joined = pieces.pop()
            pieces.append(_Extent(joined.size + 1, joined.rows + rows, joined.rows + rows))
        else:
            pieces.append(_Extent(1, rows, rows))
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            watch(block)
    return pieces, 0


_PLANS: Final[Mapping[str, Callable[[Path, int, _Watch], _Planned]]] = {
    **dict.fromkeys((".jsonl", ".ndjson"), _plan_lines),
    **dict.fromkeys((".csv", ".tsv"), _plan_csv),
    **dict.fromkeys((".parquet", ".arrow", ".feather"), _plan_groups),
}


def read_piece(piece: Piece, keys: Collection[str] | None = None) -> Iterator[Slice]:
    """Read the rows of a piece, each with its number in the file; of columns that Arrow has, some where they are named."""
    path = Path(piece.path)
    plan = _PLANS.get(path.suffix.lower())
    if plan is not _plan_groups:
        return slices_of_rows(_rows(path, piece) if piece.stop else reader_of(path)(path))
    return _slices_of_batches(read_batches(path, piece.start, piece.stop or None, keys), piece.line)


def _slices_of_batches(batches: Iterable[Any], number: int) -> Iterator[Slice]:
    for batch in batches:
        yield ColumnSlice(range(number, number + batch.num_rows), batch)
        number += batch.num_rows


def _rows(path: Path, piece: Piece) -> Iterable[Row]:
    if not piece.header:
        return rows_of_json(_lines(path, piece), piece.line)
    texts = (line.decode("utf-8", UNDECODED) for line in _lines(path, piece))
    return rows_of_csv(chain([_header(path, piece)], texts), path, piece.line - 2)


def _header(path: Path, piece: Piece) -> str:
    with path.open("rb") as file:
        return file.read(piece.header).decode("utf-8-sig", UNDECODED)


def _lines(path: Path, piece: Piece) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(piece.start)
        left = piece.stop - piece.start
        while left > 0 and (line := file.readline()):
            left -= len(line)
            yield line
