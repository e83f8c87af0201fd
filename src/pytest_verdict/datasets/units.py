"""Units: pieces of a data set that any process can score. Each becomes a part of the records and a `Fold`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import merge
from importlib.metadata import version
from io import BufferedReader, BytesIO
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from pydantic import TypeAdapter

from pytest_verdict.core.merkle import leaves_of, parents_of, root_of
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import AttemptRecords, Counts, merge_counts, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.remote import PARTS, ReportTarget, fetch_file
from pytest_verdict.datasets.row_check import SAMPLES, RowCheck, score_rows
from pytest_verdict.datasets.rows import Selection, find_reader, ids_error, positions_between
from pytest_verdict.datasets.slices import Slice, read_slices, slice_batches, slice_csv, slice_lines, slices_at
from pytest_verdict.errors import ConfigurationError, VerdictError
from pytest_verdict.report.compression import file_digest
from pytest_verdict.session import SESSION

ROWS: Final = 100_000
"""The number of rows in a piece, as far as the file can be cut there."""
_PIECE_BYTES: Final = 1 << 26
_BLOCK: Final = 1 << 20
_BLANK_IN_CSV: Final = frozenset({b"\n", b"\r\n"})
_RECORDS: Final = ".jsonl"
_KEYS: Final = ".keys"
_KEY_BYTES: Final = 16
# The first row of a file with and without a header.
_FIRST_LINES: Final = 2
_ENTRY_BYTES: Final = _KEY_BYTES + 8

Subtree = tuple[int, int, str]
"""A complete Merkle subtree: its first leaf, the number of its leaves, which is a power of two, and its root."""


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


_Cut = tuple[list[_Extent], int]
"""The pieces of a file, and the size of its header. A file that cannot be cut has no pieces."""


def plan_pieces(path: Path, most: int = ROWS) -> list[Piece]:
    """Cut a data set into pieces of at most ``most`` rows, or of one row group or batch."""
    find_reader(path)
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    cut = _CUTTERS.get(path.suffix.lower())
    extents, start = cut(path, most) if cut is not None else ([], 0)
    if not extents:
        return [Piece(str(path), sha256)]

    header = start
    line = 2 if header else 1
    before = 0
    pieces = []
    for extent in extents:
        stop = start + extent.size
        pieces.append(Piece(str(path), sha256, start, stop, line, before, extent.rows, header))
        start = stop
        line += extent.lines
        before += extent.rows
    return pieces


def _cut_lines(path: Path, most: int) -> _Cut:
    with path.open("rb") as file:
        bom = len(formats.BOM) if file.peek(len(formats.BOM)).startswith(formats.BOM) else 0
        file.seek(bom)
        return list(_measure(file, most, bytes.isspace, bom)), 0


def _cut_csv(path: Path, most: int) -> _Cut:
    with path.open("rb") as file:
        while block := file.readlines(_BLOCK):
            text = b"".join(block)
            # A newline inside quotes does not end a row, and a CR alone ends one in CSV only.
            if b'"' in text or text.count(b"\r") != text.count(b"\r\n"):
                return [], 0
        file.seek(0)
        header = len(file.readline())
        return list(_measure(file, most, _BLANK_IN_CSV.__contains__)), header


def _measure(file: BufferedReader, most: int, is_blank: Callable[[bytes], bool], size: int = 0) -> Iterator[_Extent]:
    lines = 0
    blank = 0
    while block := file.readlines(_BLOCK):
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


def _cut_groups(path: Path, most: int) -> _Cut:
    extents: list[_Extent] = []
    for rows in formats.count_rows_of_groups(path):
        if extents and extents[-1].rows + rows <= most:
            last = extents.pop()
            extents.append(_Extent(last.size + 1, last.rows + rows, last.rows + rows))
        else:
            extents.append(_Extent(1, rows, rows))
    return extents, 0


_CUTTERS: Final[Mapping[str, Callable[[Path, int], _Cut]]] = {
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


@dataclass(frozen=True, slots=True)
class Fold:
    """Aggregate of consecutive rows."""

    before: int = 0
    """The number of records before them."""
    rows: int = 0
    counts: Counts = field(default_factory=dict)
    unreadable: int = 0
    samples: tuple[str, ...] = ()
    """The first records that did not pass."""
    places: tuple[str, ...] = ()
    """The file and line of each of them."""
    subtrees: tuple[Subtree, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    """The name and the digest of each file of records and keys."""

    def __add__(self, other: Fold) -> Fold:
        if self.before + self.rows != other.before:
            raise ValueError(f"rows up to {self.before + self.rows} are followed by those from {other.before + 1}")
        counts = dict(self.counts)
        merge_counts(counts, other.counts)
        subtrees = list(self.subtrees)
        for subtree in other.subtrees:
            subtrees.append(subtree)
            # Two halves become the larger subtree.
            while len(subtrees) > 1:
                (first, size, root), (_, last_size, last_root) = subtrees[-2:]
                if size != last_size or first % (2 * size) != 0:
                    break
                (parent,) = parents_of([bytes.fromhex(root), bytes.fromhex(last_root)])
                subtrees[-2:] = [(first, 2 * size, parent.hex())]
        return Fold(
            self.before,
            self.rows + other.rows,
            counts,
            self.unreadable + other.unreadable,
            (*self.samples, *other.samples)[:SAMPLES],
            (*self.places, *other.places)[:SAMPLES],
            tuple(subtrees),
            (*self.parts, *other.parts),
        )

    def first_failures(self) -> list[ComparisonResult]:
        return [ComparisonResult.from_record(json.loads(sample)) for sample in self.samples]

    def root(self) -> str:
        """Return the Merkle root of the records, if they are the first of a file."""
        return root_of(bytes.fromhex(root) for _, _, root in reversed(self.subtrees))


_FOLD: Final = TypeAdapter(Fold)


def build_subtrees(before: int, lines: bytes) -> tuple[Subtree, ...]:
    """Build the largest complete subtrees over records that follow a number of others."""
    # Records are ASCII without control characters, so splitlines() only finds their ends.
    nodes = leaves_of(lines.splitlines())
    size = 1
    first: list[Subtree] = []
    last: list[Subtree] = []
    while nodes:
        if before // size % 2:
            first.append((before, size, nodes.pop(0).hex()))
            before += size
        if len(nodes) % 2:
            last.append((before + size * (len(nodes) - 1), size, nodes[-1].hex()))
        nodes = parents_of(nodes)
        size *= 2
    return (*first, *reversed(last))


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a data set, how its rows are compared, and where its part is written; it can be pickled."""

    piece: Piece
    check: RowCheck
    target: ReportTarget
    redaction: Redaction | None = None
    url: str | None = None

    @property
    def name(self) -> str:
        """The name of its part: a digest of everything that its records depend on."""
        check = self.check
        operator = check.evaluator.operator
        how = repr(check.evaluator.__reduce__()) if operator is None else operator.identity.members
        what = self.piece._replace(path=""), check.evaluator.mapping, check.evaluator.threshold, check.ids
        where = check.label, check.test, check.attempt, check.worker, check.end, self.redaction
        dependencies = f"{version('pytest-verdict')} {how} {what} {where}".encode("utf-8", "surrogatepass")
        return f"part-{self.piece.before:012}-{hashlib.sha256(dependencies).hexdigest()[:32]}"


Executor = Callable[[Callable[[Unit], Fold], Sequence[Unit]], Iterable[Fold]]
"""Calls a function for each unit, in any order and on any machine, as `map` does."""


def plan_units(
    path: Path,
    check: RowCheck,
    selection: Selection,
    target: ReportTarget,
    most: int,
    before: int = 0,
    url: str | None = None,
) -> list[Unit]:
    """Cut the selected rows into units of at most ``most`` rows; the test has a number of records ``before`` them."""
    pieces = plan_pieces(path.absolute(), most)
    positions = check.positions(path, selection)
    if positions is not None and not pieces[0].stop:
        # The whole file, whose number of rows is not known yet.
        pieces = [pieces[0]._replace(selected=positions)]
    elif positions is not None:
        # Rows are numbered without those that are not selected.
        selected_pieces = []
        selected_before = 0
        for piece in pieces:
            inside = positions_between(positions, piece.before, piece.before + piece.rows)
            if inside:
                selected = [position - piece.before for position in inside] if piece.before else inside
                selected_pieces.append(piece._replace(before=selected_before, rows=len(inside), selected=selected))
                selected_before += len(inside)
        # An empty data set has one piece without rows.
        pieces = selected_pieces or pieces
    placed = [piece._replace(before=before + piece.before) for piece in pieces]
    return [Unit(piece, check, target, SESSION.redaction, url) for piece in placed]


def score_unit(unit: Unit) -> Fold:
    """Compare the rows of a unit and write their records, unless its part exists and is whole."""
    target = unit.target
    summary = target.part(f"{unit.name}.json")
    with suppress(OSError, ValueError, VerdictError):
        fold = _FOLD.validate_json(summary.read_bytes(), strict=True)
        if _is_part_of(unit, fold):
            return fold

    SESSION.redaction = unit.redaction
    check = unit.check
    piece = unit.piece
    if unit.url is not None:
        piece = piece._replace(path=str(fetch_file(unit.url, piece.sha256)))
    fold = Fold(piece.before)
    keys: list[bytes] = []

    def score_slices() -> Iterator[bytes]:
        nonlocal fold
        slices = read_piece(piece, check.needed_columns)
        for rows in check.checked(slices) if piece.line <= _FIRST_LINES else slices:
            before = fold.before + fold.rows
            judged, lines = score_rows(check, rows, before + 1)
            keys.extend(_build_keys(check, rows, judged.names, before))
            samples = tuple(result.to_text(SESSION.redaction) for result in judged.samples)
            subtrees = build_subtrees(before, lines)
            places = tuple(judged.places)
            fold += Fold(before, len(rows.numbers), judged.counts, judged.unreadable, samples, places, subtrees)
            yield lines

    folder = target.folder / PARTS
    folder.mkdir(parents=True, exist_ok=True)
    parts = [_write(folder / f"{unit.name}{_RECORDS}", score_slices())]
    if check.ids is not None:
        parts.append(_write(folder / f"{unit.name}{_KEYS}", sorted(keys)))
    if piece.rows not in {0, fold.rows}:
        raise ConfigurationError(f"{check.label}: the file changed while it was read; score it again")
    fold = replace(fold, parts=tuple(parts))
    _write(summary, [_FOLD.dump_json(fold)])
    for name, _ in fold.parts:
        target.upload_part(name)
    target.upload_part(summary.name)
    return fold


def _is_part_of(unit: Unit, fold: Fold) -> bool:
    """Return whether a fold that was read is that of a unit, and its files are whole."""
    endings = [_RECORDS] if unit.check.ids is None else [_RECORDS, _KEYS]
    return (
        fold.before == unit.piece.before
        and fold.rows == sum(map(sum, fold.counts.values()))
        and all(result.verdict != "pass" for result in fold.first_failures())
        and [name for name, _ in fold.parts] == [f"{unit.name}{ending}" for ending in endings]
        and all(file_digest(unit.target.part(name)) == digest for name, digest in fold.parts)
    )


def _write(path: Path, pieces: Iterable[bytes]) -> tuple[str, str]:
    """Write a file, and return its name and digest."""
    digest = hashlib.sha256()
    # Two workers may write the same part when an engine repeats a unit; both files are equal.
    with replacing(path) as new, new.open("xb") as file:
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
    return path.name, digest.hexdigest()


def _build_keys(check: RowCheck, rows: Slice, names: Sequence[str], before: int) -> Iterator[bytes]:
    """Yield 128 bits of the digest of each id, and the ordinal of its record."""
    if check.ids is None:
        return
    for ordinal, (number, name) in enumerate(zip(rows.numbers, names, strict=True), before + 1):
        if name != f"{check.label}:{number}":
            yield hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES] + ordinal.to_bytes(8)


def record_files(fold: Fold, target: ReportTarget) -> list[Path]:
    return [target.part(name) for name, _ in fold.parts if name.endswith(_RECORDS)]


def find_duplicate_ids(folds: Iterable[Fold], target: ReportTarget, check: RowCheck) -> Iterator[tuple[int, int]]:
    """Yield the ordinals of each two rows with one id; the keys of each unit are sorted."""
    files = [target.part(name) for fold in folds for name, _ in fold.parts if name.endswith(_KEYS)]
    if files and not any(file.stat().st_size for file in files):
        raise ids_error(check.label, check.ids)
    for one, other in pairwise(merge(*map(_read_keys, files))):
        if one[:_KEY_BYTES] == other[:_KEY_BYTES]:
            yield int.from_bytes(one[_KEY_BYTES:]), int.from_bytes(other[_KEY_BYTES:])


def _read_keys(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, _ENTRY_BYTES), b"")


@dataclass(frozen=True, slots=True)
class PartRows:
    """The rows of a unit, compared by another process."""

    counts: Counts
    samples: Sequence[ComparisonResult]
    places: Sequence[str]
    unreadable: int
    files: Sequence[Path]

    def write(self, _attempt: AttemptRecords, _end: str) -> bytes:
        """Return their records, which the unit wrote as those of this attempt."""
        return b"".join(path.read_bytes() for path in self.files)


def judge_units(path: Path, check: RowCheck, selection: Selection, jobs: int) -> Iterator[PartRows]:
    """Compare the rows of a file in several processes, inside a test; their records follow those of the test."""
    place = SESSION.next_place() if SESSION.next_place is not None else None
    attempt, end = place or (AttemptRecords("", 1), record_end("", 0))
    check = replace(check, test=attempt.test, attempt=attempt.attempt, worker=attempt.worker, end=end)
    with TemporaryDirectory() as name:
        target = ReportTarget(Path(name))
        units = plan_units(path, check, selection, target, ROWS, attempt.take(0))
        folds = sorted(in_order(score_unit, units, min(jobs, len(units))), key=attrgetter("before", "rows"))
        names = check.names()
        names.duplicates = sum(1 for _ in find_duplicate_ids(folds, target, check))
        names.warn()
        for fold in folds:
            if attempt.take(fold.rows) != fold.before:
                raise ConfigurationError("jobs=N cannot be combined with other threads that compare")
            rows = PartRows(
                fold.counts, fold.first_failures(), fold.places, fold.unreadable, record_files(fold, target)
            )
            SESSION.compared += fold.rows
            if SESSION.rows_observer is not None:
                SESSION.rows_observer(rows)
            yield rows
