"""Units: pieces of a data set that any process can score.

Scoring a unit writes its records to a part, and returns a `Fold` of them. A part is written whole or not at all, and its name
is a digest of everything it depends on, so a unit whose part exists is not scored again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import merge
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from pytest_verdict.core.merkle import leaves_of, parents_of, root_of
from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.record import Counts, merge_counts
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.datasets.plan import Piece, plan_pieces, read_piece, select_from_pieces
from pytest_verdict.datasets.remote import PARTS, ReportTarget, fetch_file
from pytest_verdict.datasets.row_check import SAMPLES, RowCheck, score_rows
from pytest_verdict.datasets.selection import Selection
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
    """Aggregate of consecutive rows.

    Args:
        before: The number of records before them.
        rows: The number of rows.
        counts: How many of them passed, failed and could not be compared.
        unreadable: How many could not be read.
        samples: The first records that did not pass.
        subtrees: The Merkle subtrees over the records.
        parts: The name and the digest of each file of a part.
    """

    before: int = 0
    rows: int = 0
    counts: Counts = field(default_factory=dict)
    unreadable: int = 0
    samples: tuple[str, ...] = ()
    subtrees: tuple[Subtree, ...] = ()
    parts: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Fold) -> Fold:
        if self.before + self.rows != other.before:
            raise ValueError(f"rows up to {self.before + self.rows} are followed by those from {other.before + 1}")
        counts = dict(self.counts)
        merge_counts(counts, other.counts)
        return Fold(
            self.before,
            self.rows + other.rows,
            counts,
            self.unreadable + other.unreadable,
            (*self.samples, *other.samples)[:SAMPLES],
            join_subtrees(self.subtrees, other.subtrees),
            (*self.parts, *other.parts),
        )

    def first_failures(self) -> list[ComparisonResult]:
        """Return the first results that did not pass."""
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
    left: list[Subtree] = []
    right: list[Subtree] = []
    while nodes:
        if before // size % 2:
            left.append((before, size, nodes.pop(0).hex()))
            before += size
        if len(nodes) % 2:
            right.append((before + size * (len(nodes) - 1), size, nodes[-1].hex()))
        nodes = parents_of(nodes)
        size *= 2
    return (*left, *reversed(right))


def join_subtrees(before: tuple[Subtree, ...], after: tuple[Subtree, ...]) -> tuple[Subtree, ...]:
    """Join the subtrees of consecutive records; two halves become the larger subtree."""
    subtrees = list(before)
    for subtree in after:
        subtrees.append(subtree)
        while len(subtrees) > 1:
            (first, size, left), (_, last_size, right) = subtrees[-2:]
            if size != last_size or first % (2 * size) != 0:
                break
            (parent,) = parents_of([bytes.fromhex(left), bytes.fromhex(right)])
            subtrees[-2:] = [(first, 2 * size, parent.hex())]
    return tuple(subtrees)


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
        """The name of its part."""
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
    """Cut the selected rows of a data set into units of at most ``most`` rows.

    Args:
        path: The file.
        check: How its rows are compared.
        selection: Which rows are compared.
        target: Where the parts are written.
        most: The number of rows in a unit, as far as the file can be cut there.
        before: The number of records that the test has already.
        url: The URL of the file, if it has one.
    """
    pieces = plan_pieces(path.absolute(), most)
    positions = check.positions(path, selection)
    if positions is not None:
        pieces = select_from_pieces(pieces, positions)
    placed = [piece._replace(before=before + piece.before) for piece in pieces]
    return [Unit(piece, check, target, SESSION.redaction, url) for piece in placed]


def score_unit(unit: Unit) -> Fold:
    """Compare the rows of a unit and write their records, unless its part exists."""
    summary = unit.target.part(f"{unit.name}.json")
    fold = _read_fold(unit, summary)
    if fold is not None:
        return fold

    SESSION.redaction = unit.redaction
    fold = _score(unit)
    _write(summary, [_FOLD.dump_json(fold)])
    for name, _ in fold.parts:
        unit.target.upload_part(name)
    unit.target.upload_part(summary.name)
    return fold


def _read_fold(unit: Unit, summary: Path) -> Fold | None:
    try:
        fold = _FOLD.validate_json(summary.read_bytes(), strict=True)
        is_whole = all(file_digest(unit.target.part(name)) == digest for name, digest in fold.parts)
    except (OSError, ValidationError):
        return None
    return fold if is_whole else None


def _score(unit: Unit) -> Fold:
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

    folder = unit.target.folder / PARTS
    folder.mkdir(parents=True, exist_ok=True)
    parts = [_write(folder / f"{unit.name}{_RECORDS}", score_slices())]
    if check.ids is not None:
        parts.append(_write(folder / f"{unit.name}{_KEYS}", sorted(keys)))
    if piece.rows not in {0, fold.rows}:
        raise ConfigurationError(f"{check.label}: the file changed while it was read; score it again")
    return replace(fold, parts=tuple(parts))


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
    """Return the files of records, in the order of the rows."""
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
