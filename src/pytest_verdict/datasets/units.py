"""Units: a pure function from a piece of a data set to a part of the records, and to what came of it.

A part is whole or not there, and its name tells all that it is made of. So what is there is not computed again.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from pytest_verdict.core.new_files import replacing
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.datasets.fold import Fold, subtrees_of
from pytest_verdict.datasets.plan import Piece, chosen, plan_pieces, read_piece
from pytest_verdict.datasets.remote import PARTS, Place, local_copy
from pytest_verdict.datasets.scored_rows import RowCheck, score_rows
from pytest_verdict.datasets.selection import Selection
from pytest_verdict.datasets.slices import Slice
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.report.statements import file_digest
from pytest_verdict.session import SESSION

_LINES: Final = ".jsonl"
_KEYS: Final = ".keys"
_KEY: Final = 16
_ENTRY: Final = _KEY + 8
_FOLD: Final = TypeAdapter(Fold)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a data set, how its rows are compared, and the place of its part; it can be pickled."""

    piece: Piece
    check: RowCheck
    place: Place
    redaction: Redaction | None = None
    url: str | None = None

    @property
    def name(self) -> str:
        """The name of its part."""
        check, evaluator = self.check, self.check.evaluator
        how = repr(evaluator.__reduce__()) if evaluator.operator is None else evaluator.operator.identity.members
        what = self.piece._replace(path=""), evaluator.mapping, evaluator.threshold, check.ids
        where = check.label, check.test, check.attempt, check.worker, check.end, self.redaction
        made_of = f"{version('pytest-verdict')} {how} {what} {where}".encode("utf-8", "surrogatepass")
        return f"part-{self.piece.before:012}-{hashlib.sha256(made_of).hexdigest()[:32]}"


Run = Callable[[Callable[[Unit], Fold], Sequence[Unit]], Iterable[Fold]]
"""Calls a function for each unit, in any order and anywhere, as `map` does."""


def plan_units(
    path: Path, check: RowCheck, selection: Selection, place: Place, most: int, before: int = 0, url: str | None = None
) -> list[Unit]:
    """Cut what is taken of a data set into units of at most so many rows, behind records that the test has before."""
    pieces, positions = plan_pieces(path.absolute(), most), selection.positions(path, check)
    pieces = pieces if positions is None else chosen(pieces, positions)
    placed = (piece._replace(before=before + piece.before) for piece in pieces)
    return [Unit(piece, check, place, SESSION.redaction, url) for piece in placed]


def score_unit(unit: Unit) -> Fold:
    """Compare the rows of a unit and write their records, unless they are there."""
    told = unit.place.part(f"{unit.name}.json")
    try:
        fold = _FOLD.validate_json(told.read_bytes(), strict=True)
        if all(file_digest(unit.place.part(part)) == digest for part, digest in fold.parts):
            return fold
    except (OSError, ValidationError):
        # It is not there, or not as it was written.
        pass
    SESSION.redaction = unit.redaction
    fold = _scored(unit)
    _write(told, [_FOLD.dump_json(fold)])
    for part in (*(name for name, _ in fold.parts), told.name):
        unit.place.share(part)
    return fold


def _scored(unit: Unit) -> Fold:
    fold, keys, check, piece = Fold(unit.piece.before), list[bytes](), unit.check, unit.piece
    if unit.url is not None:
        piece = piece._replace(path=str(local_copy(unit.url, piece.sha256)))

    def lines() -> Iterator[bytes]:
        nonlocal fold
        for rows in read_piece(piece, check.needed):
            done = fold.before + fold.rows
            found, lines = score_rows(check, rows, done + 1)
            keys.extend(_keys(check, rows, found.names, done))
            samples = tuple(result.to_text(SESSION.redaction) for result in found.samples)
            subtrees = subtrees_of(done, lines)
            fold += Fold(done, len(rows.numbers), found.counts, found.unreadable, samples, subtrees)
            yield lines

    folder = unit.place.folder / PARTS
    folder.mkdir(parents=True, exist_ok=True)
    parts = [_write(folder / f"{unit.name}{_LINES}", lines())]
    if check.ids is not None:
        parts.append(_write(folder / f"{unit.name}{_KEYS}", sorted(keys)))
    if piece.rows not in {0, fold.rows}:
        raise ConfigurationError(f"{check.label}: the file changed while it was read; score it again")
    return replace(fold, parts=tuple(parts))


def _write(path: Path, pieces: Iterable[bytes]) -> tuple[str, str]:
    digest = hashlib.sha256()
    # Two workers may write the same part when an engine repeats a unit; both files are equal.
    with replacing(path) as new, new.open("xb") as file:
        for piece in pieces:
            file.write(piece)
            digest.update(piece)
    return path.name, digest.hexdigest()


def _keys(check: RowCheck, rows: Slice, names: Sequence[str], done: int) -> Iterator[bytes]:
    """Give 128 bits of each id, and the ordinal of its record."""
    if check.ids is not None:
        for ordinal, (number, name) in enumerate(zip(rows.numbers, names, strict=True), done + 1):
            if name != f"{check.label}:{number}":
                yield hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:_KEY] + ordinal.to_bytes(8)


def files_of(fold: Fold, place: Place) -> list[Path]:
    """Give the files of records, in the order of the rows."""
    return [place.part(part) for part, _ in fold.parts if part.endswith(_LINES)]


def rows_with_one_id(folds: Iterable[Fold], place: Place) -> Iterator[tuple[int, int]]:
    """Give the ordinals of each two rows with one id; the keys of each unit are sorted."""
    keys = [_entries(place.part(part)) for fold in folds for part, _ in fold.parts if part.endswith(_KEYS)]
    for one, other in pairwise(merge(*keys)):
        if one[:_KEY] == other[:_KEY]:
            yield int.from_bytes(one[_KEY:]), int.from_bytes(other[_KEY:])


def _entries(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, _ENTRY), b"")
