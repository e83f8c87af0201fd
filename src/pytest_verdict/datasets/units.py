"""Units: pieces of a data set that any process can score. Each becomes parts of the records."""

from __future__ import annotations

import gzip
import hashlib
import json
import pickle
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from io import BufferedReader, BytesIO
from itertools import chain, islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import TypeAdapter

from pytest_verdict.core.merkle import build_subtrees, leaves_of
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import AttemptRecords, Counts, count, merge_counts, parse_record, read_verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.datasets import formats
from pytest_verdict.datasets.remote import ReportTarget, fetch_file
from pytest_verdict.datasets.row_check import SAMPLES, ComparedRows, RowCheck, compare_rows
from pytest_verdict.datasets.rows import (
    NeededColumns,
    Row,
    Selection,
    find_reader,
    ids_error,
    number_rows,
    read_rows,
    rows_at,
)
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
_LINES: Final = (".jsonl", ".ndjson")
_CSV: Final = (".csv", ".tsv")
_GROUPS: Final = (".parquet", ".arrow", ".feather")
# Records repeat themselves, so higher levels save little and take three times as long.
_LEVEL: Final = 1
_KEYS: Final = ".keys"
_KEYS_AT_ONCE: Final = 1 << 19
_KEY_BYTES: Final = 16
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


def plan_pieces(path: Path, most: int = ROWS) -> list[Piece]:
    """Cut a data set into pieces of at most ``most`` rows, or of one row group or batch."""
    find_reader(path)
    header = 0
    extents: list[_Extent] = []
    if path.suffix.lower() in _GROUPS:
        extents = _join_groups(formats.count_rows_of_groups(path), most)
    elif path.suffix.lower() in (*_LINES, *_CSV):
        with path.open("rb") as file:
            if path.suffix.lower() in _LINES:
                mark = len(formats.BOM) if file.read(len(formats.BOM)) == formats.BOM else 0
                file.seek(mark)
                extents = [*_measure(file, most, bytes.isspace, mark)]
            elif _has_one_line_per_row(file):
                header = len(file.readline())
                extents = [*_measure(file, most, {b"\n", b"\r\n"}.__contains__)]

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


def _has_one_line_per_row(file: BufferedReader) -> bool:
    """Return whether each line of a CSV file is a row, and go back to its start."""
    while block := file.readlines(_BLOCK):
        text = b"".join(block)
        # A newline inside quotes does not end a row, and a CR alone ends one in CSV only.
        if b'"' in text or text.count(b"\r") != text.count(b"\r\n"):
            return False
    file.seek(0)
    return True


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


def _join_groups(groups: Iterable[int], most: int) -> list[_Extent]:
    extents: list[_Extent] = []
    for rows in groups:
        if extents and extents[-1].rows + rows <= most:
            last = extents.pop()
            extents.append(_Extent(last.size + 1, last.rows + rows, last.rows + rows))
        else:
            extents.append(_Extent(1, rows, rows))
    return extents


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
        where = check.label, check.test, self.redaction
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
    url: str | None = None,
) -> list[Unit]:
    """Cut the selected rows into units of at most ``most`` rows."""
    pieces = plan_pieces(path.absolute(), most)
    if url is not None and pieces[0].stop and path.suffix.lower() not in _GROUPS:
        with path.open("rb") as file:
            for index, piece in enumerate(pieces):
                file.seek(0)
                content = _read_range(file, piece)
                pieces[index] = piece._replace(digest=hashlib.sha256(content).hexdigest())
    positions = check.positions(path, selection)
    if positions is not None:
        for index, piece in enumerate(pieces):
            inside = positions[bisect_left(positions, piece.before) : bisect_left(positions, piece.before + piece.rows)]
            selected = [position - piece.before for position in inside]
            pieces[index] = piece._replace(rows=len(selected), selected=selected)
    units = []
    before = 0
    # Rows are numbered without those that are not selected. An empty data set has one piece without rows.
    for piece in [piece for piece in pieces if piece.rows] or pieces[:1]:
        units.append(Unit(piece._replace(before=before), check, target, SESSION.redaction, url))
        before += piece.rows
    return units


def read_piece(piece: Piece, needed: NeededColumns = lambda _: None, content: bytes | None = None) -> Iterator[Row]:
    """Read the rows of a piece, with their numbers in the file, whose range was perhaps read from a store."""
    path = Path(piece.path)
    rows: Iterator[Row]
    if not piece.stop:
        rows = number_rows(read_rows(path, needed))
    elif path.suffix.lower() in _GROUPS:
        rows = formats.rows_of_batches(formats.read_batches(path, needed, piece.start, piece.stop), piece.line)
    else:
        if content is None:
            with path.open("rb") as file:
                content = _read_range(file, piece)
        if path.suffix.lower() in _LINES:
            rows = formats.parse_lines(piece.line, BytesIO(content))
        else:
            rows = formats.parse_csv(formats.decode_csv(BytesIO(content)), path, piece.line - 2)
    return rows if piece.selected is None else rows_at(rows, piece.selected)


def _read_range(file: Any, piece: Piece) -> bytes:
    """Read the first line and the lines of a piece of a file."""
    header: bytes = file.read(piece.header)
    file.seek(piece.start)
    lines: bytes = file.read(piece.stop - piece.start)
    return header + lines


def _compare_unit(unit: Unit) -> Iterator[ComparedRows]:
    """Compare the rows of a unit in its process; raise when the file has changed."""
    SESSION.redaction = unit.redaction
    piece = unit.piece
    changed = ConfigurationError(f"{unit.check.label}: the file changed while it was read; score it again")
    content = None
    if unit.url is not None and not Path(piece.path).exists():
        # Another machine has the copy of the file.
        if piece.digest:
            with open_url(unit.url) as (system, remote), system.open(remote) as file:
                content = _read_range(file, piece)
            if hashlib.sha256(content).hexdigest() != piece.digest:
                raise changed
        else:
            piece = piece._replace(path=str(fetch_file(unit.url, piece.sha256)))
    rows = 0
    for compared in compare_rows(unit.check, read_piece(piece, unit.check.needed_columns, content)):
        rows += len(compared.members)
        yield compared
    if rows != piece.rows:
        raise changed


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

    batches = _compare_unit(unit)
    parts = [ScoredRows(piece.before)]
    for first in batches:
        parts.append(_score_part(unit, chain([first], batches), parts[-1].before + parts[-1].rows))
    scored = join_rows(parts)
    # The summary says that they are whole, so it comes last.
    target.upload_parts(_files_of(scored))
    _write(summary, [_SCORED.dump_json(scored)])
    target.upload_parts([summary.name])
    return scored


def _files_of(scored: ScoredRows) -> list[str]:
    return [*(Path(part.file).name for part in scored.parts), *(name for name, _ in scored.keys)]


def _score_part(unit: Unit, batches: Iterator[ComparedRows], before: int) -> ScoredRows:
    """Write the records and keys of rows up to the size of a part."""
    check = unit.check
    attempt = AttemptRecords(check.test, 1)
    attempt.take(before)
    leaves: list[bytes] = []
    counts: Counts = {}
    places: list[str] = []
    keys: list[bytes] = []
    unreadable = 0

    def write_batches() -> Iterator[bytes]:
        nonlocal unreadable
        for compared in batches:
            for ordinal, (identifier, _) in enumerate(compared.names, before + len(leaves) + 1):
                if identifier is not None:
                    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).digest()
                    keys.append(digest[:_KEY_BYTES] + ordinal.to_bytes(8))
            lines = compared.write(attempt, check.end)
            # Records are ASCII without control characters, so splitlines() only finds their ends.
            leaves.extend(leaves_of(lines.splitlines()))
            merge_counts(counts, compared.counts)
            places.extend(compared.places)
            unreadable += compared.unreadable
            yield lines
            if len(leaves) >= ROWS:
                return

    stem = format_stem(before, unit.digest)
    part = write_part(unit.target, f"{stem}{unit.suffix}", before, write_batches(), leaves, counts)
    key_files: list[tuple[str, str]] = []
    if check.ids is not None:
        path = unit.target.parts / f"{stem}{_KEYS}"
        keys.sort()
        key_files.append((path.name, _write(path, keys)))
    return ScoredRows(before, (part,), unreadable, tuple(places[:SAMPLES]), tuple(key_files))


def _are_parts_of(unit: Unit, scored: ScoredRows) -> bool:
    """Return whether rows that were read are those of a unit, and their files are whole."""
    stems = [format_stem(part.before, unit.digest) for part in scored.parts]
    files = [f"{stem}{unit.suffix}" for stem in stems]
    digests = [part.sha256 for part in scored.parts]
    if unit.check.ids is not None:
        files += [f"{stem}{_KEYS}" for stem in stems]
        digests += [sha256 for _, sha256 in scored.keys]
    consecutive = join_rows(
        [ScoredRows(unit.piece.before), *(ScoredRows(part.before, (part,)) for part in scored.parts)]
    )
    return (
        scored.before == unit.piece.before
        and consecutive.rows == unit.piece.rows
        and _files_of(scored) == files
        and [stored_digest(unit.target.part(name)) for name in files] == digests
        and scored.rows == sum(map(sum, scored.counts.values()))
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


def compare_in_processes(path: Path, check: RowCheck, selection: Selection, jobs: int) -> Iterator[ComparedRows]:
    """Compare the rows of a file in several processes, in their order."""
    with TemporaryDirectory() as folder:
        units = plan_units(path, check, selection, ReportTarget(Path(folder)), ROWS)
        for name in in_order(_compare_to_file, units, min(jobs, len(units))):
            with name.open("rb") as file:
                while file.peek(1):
                    yield pickle.load(file)
            name.unlink()


def _compare_to_file(unit: Unit) -> Path:
    path = unit.target.folder / str(unit.piece.before)
    with path.open("xb") as file:
        for compared in _compare_unit(unit):
            pickle.dump(compared, file)
    return path
