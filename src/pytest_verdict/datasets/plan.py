"""The plan of a data set: pieces that can be read on their own. Making it reads the file once."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import Final, NamedTuple

from pytest_verdict.datasets import formats
from pytest_verdict.datasets.rows import find_reader, positions_between
from pytest_verdict.datasets.slices import Slice, read_slices, slice_batches, slice_csv, slice_lines, slices_at

ROWS: Final = 100_000
"""The number of rows in a piece, as far as the file can be cut there."""
_PIECE_BYTES: Final = 1 << 26
_BLOCK: Final = 1 << 20
_BLANK_IN_CSV: Final = frozenset({b"\n", b"\r\n"})


class Piece(NamedTuple):
    """A part of a file, from ``start`` to ``stop`` in bytes, row groups or batches; the whole file has the stop 0."""

    path: str
    sha256: str
    """The digest of the whole file."""
    start: int = 0
    stop: int = 0
    line: int = 1
    """The number of the first row."""
    before: int = 0
    rows: int = 0
    """The number of rows; 0 if only reading the file shows it."""
    header: int = 0
    """The size of the first line of a CSV file."""
    selected: Sequence[int] | None = None
    """The positions of the selected rows in the piece; None for all rows."""


class _Extent(NamedTuple):
    size: int
    lines: int
    rows: int


_Update = Callable[[bytes], object]
_Cut = tuple[list[_Extent], int]
"""The pieces of a file, and the size of its header. A file that cannot be cut has no pieces."""


def plan_pieces(path: Path, most: int = ROWS) -> list[Piece]:
    """Cut a data set into pieces of at most ``most`` rows, or of one row group or batch."""
    find_reader(path)
    digest = hashlib.sha256()
    cut = _CUTTERS.get(path.suffix.lower())
    extents: list[_Extent] = []
    header = 0
    if cut is not None:
        extents, header = cut(path, most, digest.update)
    if not extents:
        with path.open("rb") as file:
            return [Piece(str(path), hashlib.file_digest(file, "sha256").hexdigest())]

    start = header
    line = 2 if header else 1
    before = 0
    pieces = []
    for extent in extents:
        stop = start + extent.size
        pieces.append(Piece(str(path), digest.hexdigest(), start, stop, line, before, extent.rows, header))
        start = stop
        line += extent.lines
        before += extent.rows
    return pieces


def select_from_pieces(pieces: list[Piece], positions: Sequence[int]) -> list[Piece]:
    """Return the pieces with the rows at some positions of the file, numbered without the rows between them."""
    selected_pieces = []
    before = 0
    for piece in pieces:
        if not piece.stop:
            # The whole file, whose number of rows is not known yet.
            return [piece._replace(selected=positions)]
        inside = positions_between(positions, piece.before, piece.before + piece.rows)
        if inside:
            selected = [position - piece.before for position in inside] if piece.before else inside
            selected_pieces.append(piece._replace(before=before, rows=len(inside), selected=selected))
            before += len(inside)
    # An empty data set has one piece without rows.
    return selected_pieces or pieces


def _cut_lines(path: Path, most: int, update: _Update) -> _Cut:
    with path.open("rb") as file:
        skipped = len(formats.BOM) if file.peek(len(formats.BOM)).startswith(formats.BOM) else 0
        update(file.read(skipped))
        return list(_measure(file, most, update, bytes.isspace, skipped)), 0


def _cut_csv(path: Path, most: int, update: _Update) -> _Cut:
    ambiguous = 0

    def update_and_look(text: bytes) -> None:
        nonlocal ambiguous
        update(text)
        # A newline inside quotes does not end a row, and a CR alone ends one in CSV only.
        ambiguous += text.count(b'"') + text.count(b"\r") - text.count(b"\r\n")

    with path.open("rb") as file:
        header = file.readline()
        update_and_look(header)
        extents = list(_measure(file, most, update_and_look, _BLANK_IN_CSV.__contains__))
    if ambiguous:
        return [], 0
    return extents, len(header)


def _measure(
    file: BufferedReader, most: int, update: _Update, is_blank: Callable[[bytes], bool], size: int = 0
) -> Iterator[_Extent]:
    lines = 0
    blank = 0
    while block := file.readlines(_BLOCK):
        update(b"".join(block))
        while block:
            part = block[: most - lines]
            block = block[most - lines :]
            size += sum(map(len, part))
            lines += len(part)
            blank += sum(map(is_blank, part))
            if lines == most or size > _PIECE_BYTES:
                yield _Extent(size, lines, lines - blank)
                size = lines = blank = 0
    if lines:
        yield _Extent(size, lines, lines - blank)


def _cut_groups(path: Path, most: int, update: _Update) -> _Cut:
    extents: list[_Extent] = []
    for rows in formats.count_rows_of_groups(path):
        if extents and extents[-1].rows + rows <= most:
            last = extents.pop()
            extents.append(_Extent(last.size + 1, last.rows + rows, last.rows + rows))
        else:
            extents.append(_Extent(1, rows, rows))
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            update(block)
    return extents, 0


_CUTTERS: Final[Mapping[str, Callable[[Path, int, _Update], _Cut]]] = {
    **dict.fromkeys((".jsonl", ".ndjson"), _cut_lines),
    **dict.fromkeys((".csv", ".tsv"), _cut_csv),
    **dict.fromkeys((".parquet", ".arrow", ".feather"), _cut_groups),
}


def read_piece(piece: Piece, needed: formats.NeededColumns) -> Iterable[Slice]:
    """Read the rows of a piece, with their numbers in the file."""
    path = Path(piece.path)
    cut = _CUTTERS.get(path.suffix.lower())
    slices: Iterable[Slice]
    if not piece.stop:
        slices = read_slices(path, needed) or ()
    elif cut is _cut_groups:
        slices = slice_batches(formats.read_batches(path, needed, piece.start, piece.stop), piece.line)
    else:
        with path.open("rb") as file:
            header = file.read(piece.header)
            file.seek(piece.start)
            content = BytesIO(header + file.read(piece.stop - piece.start))
        if cut is _cut_lines:
            slices = slice_lines(content, piece.line)
        else:
            slices = slice_csv(content, path, needed, piece.line - 2)

    if piece.selected is None:
        return slices
    return slices_at(slices, piece.selected)
