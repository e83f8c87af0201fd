"""The plan of a data set: pieces that can be read alone, each with the place of its first row; the file is read once."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BufferedReader, BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

from pytest_verdict.datasets import formats
from pytest_verdict.datasets.rows import reader_of
from pytest_verdict.datasets.selection import taken, within
from pytest_verdict.datasets.slices import Slice, slices, slices_of_batches, slices_of_csv, slices_of_lines

ROWS: Final = 100_000
"""How many rows a piece has, as far as the file can be cut so."""
_BYTES: Final = 1 << 26
_BLOCK: Final = 1 << 20
_BLANK_IN_CSV: Final = frozenset({b"\n", b"\r\n"})


class Piece(NamedTuple):
    """A part of a file: from ``start`` to ``stop`` in bytes, row groups or batches; the whole where ``stop`` is 0.

    Its first row stands on ``line``, or has this position, and there are ``before`` rows before it. ``rows`` is 0 where only
    reading tells how many they are. The names of the columns of a CSV file take ``header`` bytes. Where not all rows are
    ``taken``, their positions in the piece are told.
    """

    path: str
    sha256: str
    start: int = 0
    stop: int = 0
    line: int = 1
    before: int = 0
    rows: int = 0
    header: int = 0
    taken: Sequence[int] | None = None


def chosen(pieces: list[Piece], positions: Sequence[int]) -> list[Piece]:
    """Leave the rows at some positions of the file, of which each piece has those behind the ones before."""
    found, before = list[Piece](), 0
    for piece in pieces:
        wanted = within(positions, piece.before, piece.rows) if piece.stop else positions
        places = [position - piece.before for position in wanted] if piece.before else wanted
        if wanted:
            found.append(piece._replace(before=before, rows=len(wanted) if piece.stop else 0, taken=places))
        before += len(wanted)
    # Of no rows none can be taken.
    return found or pieces


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
        begun = len(formats.BOM) if file.peek(len(formats.BOM)).startswith(formats.BOM) else 0
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
    for rows in formats.sizes_of_groups(path):
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


def read_piece(piece: Piece, needed: formats.Needed) -> Iterable[Slice]:
    """Read the rows of a piece, each with its number in the file."""
    found = _slices_of(piece, needed)
    return found if piece.taken is None else taken(found, piece.taken)


def _slices_of(piece: Piece, needed: formats.Needed) -> Iterable[Slice]:
    path = Path(piece.path)
    if not piece.stop:
        return slices(path, needed) or ()
    plan = _PLANS[path.suffix.lower()]
    if plan is _plan_groups:
        return slices_of_batches(formats.batches(path, needed, piece.start, piece.stop), piece.line)
    with path.open("rb") as file:
        header = file.read(piece.header)
        file.seek(piece.start)
        content = BytesIO(header + file.read(piece.stop - piece.start))
    if plan is _plan_lines:
        return slices_of_lines(content, piece.line)
    return slices_of_csv(content, path, needed, piece.line - 2)
