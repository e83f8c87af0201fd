"""Units: pieces of a data set that any process can score, each of which becomes a part of the records and a `Fold`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import merge
from importlib.metadata import version
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from pydantic import TypeAdapter, ValidationError

from pytest_verdict.core.merkle import leaves_of, parents_of, root_of
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import AttemptRecords, Counts, merge_counts, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.datasets.plan import ROWS, Piece, plan_pieces, read_piece, select_from_pieces
from pytest_verdict.datasets.remote import PARTS, ReportTarget, fetch_file
from pytest_verdict.datasets.row_check import SAMPLES, RowCheck, score_rows
from pytest_verdict.datasets.rows import Selection
from pytest_verdict.datasets.slices import Slice
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.statements import file_digest
from pytest_verdict.session import SESSION

_RECORDS: Final = ".jsonl"
_KEYS: Final = ".keys"
_KEY_BYTES: Final = 16
_ENTRY_BYTES: Final = _KEY_BYTES + 8

Subtree = tuple[int, int, str]
"""A complete Merkle subtree: its first leaf, the number of its leaves, which is a power of two, and its root."""


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
                (first, size, left), (_, last_size, right) = subtrees[-2:]
                if size != last_size or first % (2 * size) != 0:
                    break
                (parent,) = parents_of([bytes.fromhex(left), bytes.fromhex(right)])
                subtrees[-2:] = [(first, 2 * size, parent.hex())]
        return Fold(
            self.before,
            self.rows + other.rows,
            counts,
            self.unreadable + other.unreadable,
            (*self.samples, *other.samples)[:SAMPLES],
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
    if positions is not None:
        pieces = select_from_pieces(pieces, positions)
    placed = [piece._replace(before=before + piece.before) for piece in pieces]
    return [Unit(piece, check, target, SESSION.redaction, url) for piece in placed]


def score_unit(unit: Unit) -> Fold:
    """Compare the rows of a unit and write their records, unless its part exists and is whole."""
    target = unit.target
    summary = target.part(f"{unit.name}.json")
    with suppress(OSError, ValidationError):
        fold = _FOLD.validate_json(summary.read_bytes(), strict=True)
        if all(file_digest(target.part(name)) == digest for name, digest in fold.parts):
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
        for rows in read_piece(piece, check.needed_columns):
            before = fold.before + fold.rows
            judged, lines = score_rows(check, rows, before + 1)
            keys.extend(_build_keys(check, rows, judged.names, before))
            samples = tuple(result.to_text(SESSION.redaction) for result in judged.samples)
            subtrees = build_subtrees(before, lines)
            fold += Fold(before, len(rows.numbers), judged.counts, judged.unreadable, samples, subtrees)
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


def find_duplicate_ids(folds: Iterable[Fold], target: ReportTarget) -> Iterator[tuple[int, int]]:
    """Yield the ordinals of each two rows with one id; the keys of each unit are sorted."""
    files = [target.part(name) for fold in folds for name, _ in fold.parts if name.endswith(_KEYS)]
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
        names.duplicates = sum(1 for _ in find_duplicate_ids(folds, target))
        names.warn()
        for fold in folds:
            if attempt.take(fold.rows) != fold.before:
                raise ConfigurationError("jobs=N cannot be combined with other threads that compare")
            rows = PartRows(fold.counts, fold.first_failures(), fold.unreadable, record_files(fold, target))
            SESSION.compared += fold.rows
            if SESSION.rows_observer is not None:
                SESSION.rows_observer(rows)
            yield rows
