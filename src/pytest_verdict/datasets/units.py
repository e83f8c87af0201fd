"""Units: pieces of a data set that any process can score. Each becomes parts of the records."""

from __future__ import annotations

import gzip
import hashlib
import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from io import BufferedReader, BytesIO
from itertools import chain, islice, pairwise
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import TypeAdapter

from pytest_verdict.core.merkle import build_subtrees, leaves_of
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import (
    AttemptRecords,
    Counts,
    count,
    merge_counts,
    parse_record,
    read_verdict,
    record_end,
)
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.remote import ReportTarget, fetch_file
from pytest_verdict.datasets.row_check import SAMPLES, RowCheck, score_rows
from pytest_verdict.datasets.rows import Selection, find_reader, ids_error, positions_between, read_rows
from pytest_verdict.datasets.slices import Slice, read_slices, slice_batches, slice_rows, slices_at
from pytest_verdict.errors import ConfigurationError, RecordError, VerdictError
from pytest_verdict.report.compression import open_records, stored_digest
from pytest_verdict.report.folder import PARTS
from pytest_verdict.report.manifest import Part
from pytest_verdict.report.records_file import map_file
from pytest_verdict.report.urls import open_url
from pytest_verdict.session import SESSION

ROWS: Final = 1 << 17
"""The number of rows in a piece, as far as the file can be cut there; the most in a part, roughly.

Pieces of a power of two are complete Merkle subtrees.
"""
Layout = Literal["file", "parts"]
LAYOUTS: Final = get_args(Layout)
PLAIN: Final = ".jsonl"
PACKED: Final = ".jsonl.gz"
"""The suffixes of parts that are joined to one file, and of those that stay."""
_PIECE_BYTES: Final = 1 << 26
_BLOCK: Final = 1 << 20
_BLANK_IN_CSV: Final = frozenset({b"\n", b"\r\n"})
# Records repeat themselves, so higher levels save little and take three times as long.
_LEVEL: Final = 1
_KEYS: Final = ".keys"
_KEYS_AT_ONCE: Final = 1 << 19
_KEY_BYTES: Final = 16
# The first row of a file with and without a header.
_FIRST_LINES: Final = 2
_ENTRY_BYTES: Final = _KEY_BYTES + 8


class Piece(NamedTuple):
    """A part of a file, from ``start`` to ``stop`` in bytes, row groups or batches; the whole file has the stop 0."""

    path: str
    sha256: str
    """The digest of the whole file."""
    digest: str = ""
    """The digest of its lines and the first one, if another machine may read them from a store."""
    start: int = 0
    stop: int = 0
    line: int = 1
    """The number of the first row."""
    before: int = 0
    rows: int = 0
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
    cut = _CUTTERS.get(path.suffix.lower())
    extents, header = cut(path, most) if cut is not None else ([], 0)
    # The rows of a file that cannot be cut are counted, because a unit that has fewer of them is not whole.
    whole = Piece(str(path), stored_digest(path), rows=0 if extents else sum(1 for _ in read_rows(path)))
    pieces = []
    start = header
    line = 2 if header else 1
    before = 0
    for extent in extents:
        stop = start + extent.size
        pieces.append(whole._replace(start=start, stop=stop, line=line, before=before, rows=extent.rows, header=header))
        start = stop
        line += extent.lines
        before += extent.rows
    return pieces or [whole]


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


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """The parts of consecutive rows, and what their records do not have."""

    before: int = 0
    """The number of records before them."""
    parts: tuple[Part, ...] = ()
    unreadable: int = 0
    places: tuple[str, ...] = ()
    """The file and line of the first rows that did not pass."""
    keys: tuple[tuple[str, str], ...] = ()
    """The name and the digest of each file of keys."""

    @property
    def rows(self) -> int:
        return sum(part.records for part in self.parts)

    @property
    def counts(self) -> Counts:
        counts: Counts = {}
        for part in self.parts:
            merge_counts(counts, part.counts)
        return counts


_SCORED: Final = TypeAdapter(ScoredRows)


def join_rows(pieces: Sequence[ScoredRows]) -> ScoredRows:
    """Join consecutive rows."""
    for one, following in pairwise(pieces):
        if one.before + one.rows != following.before:
            raise ValueError(f"rows up to {one.before + one.rows} are followed by those from {following.before + 1}")
    return ScoredRows(
        before=pieces[0].before,
        parts=tuple(part for piece in pieces for part in piece.parts),
        unreadable=sum(piece.unreadable for piece in pieces),
        places=tuple(place for piece in pieces for place in piece.places)[:SAMPLES],
        keys=tuple(key for piece in pieces for key in piece.keys),
    )


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a data set, how its rows are compared, and where its part is written; it can be pickled."""

    piece: Piece
    check: RowCheck
    target: ReportTarget
    redaction: Redaction | None = None
    url: str | None = None
    suffix: str = PLAIN

    @property
    def digest(self) -> str:
        """A digest of everything that its records depend on, in the names of its parts."""
        check = self.check
        how = check.evaluator.describe()
        what = self.piece._replace(path="", digest=""), check.ids
        where = check.label, check.test, check.attempt, check.worker, check.end, self.redaction
        dependencies = f"{version('pytest-verdict')} {how} {what} {where}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(dependencies).hexdigest()[:32]


Executor = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Calls a function for each of some values, such as units, in any order and on any machine, as `map` does."""


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
    if url is not None and _CUTTERS.get(path.suffix.lower()) in {_cut_lines, _cut_csv} and pieces[0].stop:
        with path.open("rb") as file:
            for index, piece in enumerate(pieces):
                file.seek(0)
                content = _read_range(file, piece)
                pieces[index] = piece._replace(digest=hashlib.sha256(content).hexdigest())
    positions = check.positions(path, selection)
    if positions is not None:
        selections = [positions_between(positions, piece.before, piece.before + piece.rows) for piece in pieces]
        pieces = [
            piece._replace(rows=len(inside), selected=[position - piece.before for position in inside])
            for piece, inside in zip(pieces, selections, strict=True)
        ]
    units = []
    # Rows are numbered without those that are not selected. An empty data set has one piece without rows.
    for piece in [piece for piece in pieces if piece.rows] or pieces[:1]:
        units.append(Unit(piece._replace(before=before), check, target, SESSION.redaction, url))
        before += piece.rows
    return units


def read_piece(piece: Piece, needed: formats.NeededColumns, content: bytes | None = None) -> Iterable[Slice]:
    """Read the rows of a piece, with their numbers in the file, whose range was perhaps read from a store."""
    path = Path(piece.path)
    cut = _CUTTERS.get(path.suffix.lower())
    slices: Iterable[Slice]
    if not piece.stop:
        slices = read_slices(path, needed)
    elif cut is _cut_groups:
        slices = slice_batches(formats.read_batches(path, needed, piece.start, piece.stop), piece.line)
    else:
        if content is None:
            with path.open("rb") as file:
                content = _read_range(file, piece)
        if cut is _cut_lines:
            slices = slice_rows(formats.parse_lines(piece.line, BytesIO(content)))
        else:
            slices = slice_rows(formats.parse_csv(formats.decode_csv(BytesIO(content)), path, piece.line - 2))

    if piece.selected is None:
        return slices
    return slices_at(slices, piece.selected)


def _read_range(file: Any, piece: Piece) -> bytes:
    """Read the first line and the lines of a piece of a file."""
    header: bytes = file.read(piece.header)
    file.seek(piece.start)
    lines: bytes = file.read(piece.stop - piece.start)
    return header + lines


def score_unit(unit: Unit) -> ScoredRows:
    """Compare the rows of a unit and write their records, unless its parts exist and are whole."""
    target = unit.target
    piece = unit.piece
    summary = target.part(f"{format_stem(piece.before, unit.digest)}{unit.suffix}.json")
    with suppress(OSError, ValueError, VerdictError):
        scored = _SCORED.validate_json(summary.read_bytes(), strict=True)
        if _are_parts_of(unit, scored):
            # The run may have been killed before it uploaded them, and a later one may have removed them.
            target.upload_parts([*_files_of(scored), summary.name], only_missing=True)
            return scored

    SESSION.redaction = unit.redaction
    check = unit.check
    content = None
    if unit.url is not None and not Path(piece.path).exists():
        # Another machine has the copy of the file.
        if piece.digest:
            with open_url(unit.url) as (system, remote), system.open(remote) as file:
                content = _read_range(file, piece)
            if hashlib.sha256(content).hexdigest() != piece.digest:
                raise ConfigurationError(f"{check.label}: the file changed while it was read; score it again")
        else:
            piece = piece._replace(path=str(fetch_file(unit.url, piece.sha256)))
    slices = iter(read_piece(piece, check.needed_columns, content))
    if piece.line <= _FIRST_LINES:
        slices = check.checked(slices)
    parts = [ScoredRows(piece.before)]
    before = piece.before
    for first in slices:
        parts.append(_score_part(unit, chain([first], slices), before))
        before += parts[-1].rows
    if piece.rows != before - piece.before:
        raise ConfigurationError(f"{check.label}: the file changed while it was read; score it again")

    scored = join_rows(parts)
    # The summary says that they are whole, so it comes last.
    target.upload_parts(_files_of(scored))
    _write(summary, [_SCORED.dump_json(scored)])
    target.upload_parts([summary.name])
    return scored


def _files_of(scored: ScoredRows) -> list[str]:
    return [*(Path(part.file).name for part in scored.parts), *(name for name, _ in scored.keys)]


def _score_part(unit: Unit, slices: Iterator[Slice], before: int) -> ScoredRows:
    """Compare rows up to the size of a part, and write their records and keys."""
    check = unit.check
    leaves: list[bytes] = []
    counts: Counts = {}
    places: list[str] = []
    keys: list[bytes] = []
    unreadable = 0

    def score_slices() -> Iterator[bytes]:
        nonlocal unreadable
        for rows in slices:
            first = before + len(leaves)
            judged, lines = score_rows(check, rows, first + 1)
            keys.extend(_build_keys(check, rows, judged.names, first))
            # Records are ASCII without control characters, so splitlines() only finds their ends.
            leaves.extend(leaves_of(lines.splitlines()))
            merge_counts(counts, judged.counts)
            places.extend(judged.places)
            unreadable += judged.unreadable
            yield lines
            if len(leaves) >= ROWS:
                return

    stem = format_stem(before, unit.digest)
    part = write_part(unit.target, f"{stem}{unit.suffix}", before, score_slices(), leaves, counts)
    key_files: list[tuple[str, str]] = []
    if check.ids is not None:
        path = unit.target.parts / f"{stem}{_KEYS}"
        keys.sort()
        key_files.append((path.name, _write(path, keys)))
    return ScoredRows(before, (part,), unreadable, tuple(places[:SAMPLES]), tuple(key_files))


def _are_parts_of(unit: Unit, scored: ScoredRows) -> bool:
    """Return whether rows that were read are those of a unit, and their files are whole."""
    stems = [format_stem(part.before, unit.digest) for part in scored.parts]
    keys = [f"{stem}{_KEYS}" for stem in stems if unit.check.ids is not None]
    files = [(unit.target.local(part), part.sha256) for part in scored.parts]
    files += [(unit.target.part(name), sha256) for name, sha256 in scored.keys]
    return (
        join_rows([ScoredRows(unit.piece.before), *(ScoredRows(part.before, (part,)) for part in scored.parts)]).rows
        == sum(map(sum, scored.counts.values()))
        and scored.before == unit.piece.before
        and scored.rows == unit.piece.rows
        and [part.file for part in scored.parts] == [f"{PARTS}/{stem}{unit.suffix}" for stem in stems]
        and [name for name, _ in scored.keys] == keys
        and all(stored_digest(path) == sha256 for path, sha256 in files)
        and all(_count_records(unit.target.local(part)) == part.counts for part in scored.parts)
    )


def _count_records(path: Path) -> Counts:
    counts: Counts = {}
    with open_records(path) as lines:
        for line in lines:
            record = parse_record(line)
            count(counts, record["operator"], record["verdict"])
    return counts


def format_stem(before: int, digest: str) -> str:
    """Return the beginning of the names of the files with the records that follow a number of others."""
    return f"part-{before:012}-{digest}"


def write_part(
    target: ReportTarget, name: str, before: int, lines: Iterable[bytes], leaves: list[bytes], counts: Counts
) -> Part:
    """Write a part; ``lines`` fills the leaves and the counts while it is consumed."""
    sha256 = _write(target.parts / name, lines)
    subtrees = tuple(root.hex() for root in build_subtrees(before, leaves))
    return Part(f"{PARTS}/{name}", sha256, before, len(leaves), counts, subtrees)


def _write(path: Path, pieces: Iterable[bytes]) -> str:
    """Write a file, compressed if its suffix says so, and return its digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two workers may write the same part when an engine repeats a unit; both files are equal.
    with replacing(path) as new:
        with new.open("xb") as file:
            if path.suffix == ".gz":
                # Without name and time, equal records are equal files.
                with gzip.GzipFile("", "wb", _LEVEL, file, 0) as packed:
                    packed.writelines(pieces)
            else:
                file.writelines(pieces)
        return stored_digest(new)


def _build_keys(check: RowCheck, rows: Slice, names: Sequence[str], before: int) -> Iterator[bytes]:
    """Yield 128 bits of the digest of each id, and the ordinal of its record."""
    if check.ids is None:
        return
    row_names = check.names()
    # An id may be equal to the place of its row.
    places = [index for index, number in enumerate(rows.numbers) if names[index] == row_names.place(number)]
    documents = rows.documents(places)
    unnamed = {index for index, row in zip(places, documents, strict=True) if row_names.find(row) is None}
    for index, name in enumerate(names):
        if index not in unnamed:
            ordinal = before + index + 1
            yield hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES] + ordinal.to_bytes(8)


@dataclass(frozen=True, slots=True)
class KeyRange:
    """The keys between two bounds, in the files of all units; it can be pickled."""

    target: ReportTarget
    files: str
    """The file with the names and the digests of all files of keys."""
    start: bytes
    stop: bytes
    """The keys up to this one, which is no longer in the range; empty for all that follow."""


class RepeatedIds(NamedTuple):
    """The number of keys in a range, of those that occur twice, and the ordinals of the first two rows with one id."""

    keys: int
    repeated: int
    first: tuple[int, int] | None


def find_repeated_ids(run: Executor, scored: ScoredRows, target: ReportTarget, check: RowCheck) -> RepeatedIds:
    """Find ids that occur twice: each call of ``run`` reads one range of the keys of all units, so no process has all."""
    if not scored.keys:
        return RepeatedIds(0, 0, None)
    # One file names the others, because very many units have very many names.
    listed = json.dumps(scored.keys).encode("ascii")
    # Another machine may have those of an earlier run.
    files = f"part-keys-{hashlib.sha256(listed).hexdigest()[:32]}.json"
    _write(target.parts / files, [listed])
    target.upload_parts([files])
    number = -(-scored.rows // _KEYS_AT_ONCE)
    bounds = [(index * 2**32 // number).to_bytes(4) for index in range(number)]
    ranges = [KeyRange(target, files, *pair) for pair in pairwise([*bounds, b""])]
    found = list(run(count_repeated_ids, ranges))
    if not sum(one.keys for one in found):
        raise ids_error(check.label, check.ids)
    firsts = [one.first for one in found if one.first is not None]
    return RepeatedIds(sum(one.keys for one in found), sum(one.repeated for one in found), min(firsts, default=None))


def count_repeated_ids(keys: KeyRange) -> RepeatedIds:
    """Count the ids that occur twice among the keys of a range."""
    entries: list[bytes] = []
    for name, sha256 in json.loads(keys.target.part(keys.files).read_bytes()):
        path = keys.target.part(name)
        if not _has_digest(path, path.stat().st_mtime_ns, sha256):
            raise RecordError(f"{path}: the keys were changed; remove the file, and score the data set again")
        content = map_file(path)
        offsets = range(0, len(content), _ENTRY_BYTES)
        start = bisect_left(offsets, keys.start, key=lambda offset: content[offset : offset + _KEY_BYTES])
        for offset in offsets[start:]:
            entry = content[offset : offset + _ENTRY_BYTES]
            if keys.stop and entry >= keys.stop:
                break
            entries.append(entry)
    entries.sort()
    pairs = [
        (int.from_bytes(one[_KEY_BYTES:]), int.from_bytes(other[_KEY_BYTES:]))
        for one, other in pairwise(entries)
        if one[:_KEY_BYTES] == other[:_KEY_BYTES]
    ]
    return RepeatedIds(len(entries), len(pairs), min(pairs, default=None))


@cache
def _has_digest(path: Path, _modified: int, sha256: str) -> bool:
    """Return whether a file is whole; cached, because each range reads a bit of each file."""
    return stored_digest(path) == sha256


def read_part(target: ReportTarget, part: Part) -> Iterator[bytes]:
    """Yield the records of a part."""
    with open_records(target.local(part)) as file:
        yield from file


def read_first_failures(target: ReportTarget, parts: Iterable[Part], most: int = SAMPLES) -> list[ComparisonResult]:
    """Return the first results that did not pass, from the parts that have some."""
    lines = (line for part in parts if part.has_failures for line in read_part(target, part))
    failed = islice((line for line in lines if read_verdict(line) != "pass"), most)
    return [ComparisonResult.from_record(parse_record(line)) for line in failed]


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
        pieces = sorted(in_order(score_unit, units, min(jobs, len(units))), key=attrgetter("before", "rows"))
        names = check.names()
        names.duplicates = find_repeated_ids(map, join_rows(pieces), target, check).repeated
        names.warn()
        missing = SAMPLES
        for piece in pieces:
            if attempt.take(piece.rows) != piece.before:
                raise ConfigurationError("jobs=N cannot be combined with other threads that compare")
            samples = read_first_failures(target, piece.parts, missing)
            missing -= len(samples)
            files = [target.local(part) for part in piece.parts]
            rows = PartRows(piece.counts, samples, piece.places, piece.unreadable, files)
            SESSION.compared += piece.rows
            if SESSION.rows_observer is not None:
                SESSION.rows_observer(rows)
            yield rows
