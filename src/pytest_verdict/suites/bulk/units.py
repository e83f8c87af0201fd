"""Units: a pure function from a piece of a data set to a part of the records, and to what came of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from pytest_verdict.core.merkle import leaf
from pytest_verdict.core.session import SESSION
from pytest_verdict.core.values.redaction import Redaction
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.bulk.fold import Fold, subtrees_of
from pytest_verdict.suites.bulk.keys import key_entry
from pytest_verdict.suites.bulk.parts import KEYS, LINES, part_name, read_fold, write_fold, write_part
from pytest_verdict.suites.bulk.plan import Piece, read_piece
from pytest_verdict.suites.bulk.scored_rows import RowCheck, ScoredRows, columns_needed, score_rows
from pytest_verdict.suites.bulk.slices import Slice
from pytest_verdict.suites.rows import RowNames


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a data set, how its rows are compared, and where its part of the records is written; it can be pickled.

    Args:
        number: The number of the unit in the plan, from 0.
        piece: The piece.
        check: How a row is compared, and which test the records belong to.
        folder: The folder of the parts, which every process sees.
        before: How many records the test has before the first row of the data set.
        redaction: What replaces what must not be written down.
    """

    number: int
    piece: Piece
    check: RowCheck
    folder: str
    before: int = 0
    redaction: Redaction | None = None

    @property
    def name(self) -> str:
        """What its parts are called, which stands for all that they are made of."""
        check, evaluator = self.check, self.check.evaluator
        operator = evaluator.operator
        how = repr(evaluator.__reduce__()) if operator is None else operator.identity.members
        what = self.piece._replace(path=""), evaluator.mapping, evaluator.threshold, check.ids
        where = check.label, check.test, check.attempt, check.worker, check.place, self.before, self.redaction
        return part_name(self.number, f"{version('pytest-verdict')} {how} {what} {where}")


def score_unit(unit: Unit) -> Fold:
    """Compare the rows of a unit and write their records; what is there already is not computed again.

    Args:
        unit: One of the units of a `Scoring`.

    Returns:
        What came of the rows, for `Scoring.finish`: counts, the first failures, and the Merkle root of the records.

    Raises:
        ConfigurationError: The file cannot be read, or is another one than when the units were planned.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pytest_verdict.suites import Evaluator, Scoring, score_unit
        >>> path = Path(tempfile.mkdtemp(), "rows.csv")
        >>> _ = path.write_text("want,got\\n1,1\\n2,3\\n")
        >>> same = Evaluator("exact", {"expected": "$.want", "observed": "$.got"})
        >>> with Scoring(path, same, path.with_name("out")) as scoring:
        ...     score_unit(scoring.units[0]).counts
        {'exact': (1, 1, 0)}
    """
    folder, name = Path(unit.folder), unit.name
    fold = read_fold(folder, name)
    if fold is None:
        SESSION.redaction = unit.redaction
        fold = _scored(unit, folder, name)
        write_fold(folder, name, fold)
    return fold


def _scored(unit: Unit, folder: Path, name: str) -> Fold:
    fold = Fold.nothing(unit.before + unit.piece.before)
    keys: list[bytes] = []
    names = RowNames(unit.check.label, unit.check.ids)
    needed = functools.partial(columns_needed, unit.check.evaluator, names)

    def lines() -> Iterator[bytes]:
        nonlocal fold
        for rows in read_piece(unit.piece, needed):
            done = fold.before + fold.rows
            found = score_rows(unit.check, rows, done + 1)
            keys.extend(_keys(unit.check, rows, found, done))
            fold += _fold_of(found, done)
            yield found.lines

    parts = [write_part(folder, f"{name}{LINES}", lines())]
    if unit.check.ids is not None:
        parts.append(write_part(folder, f"{name}{KEYS}", sorted(keys)))
    if unit.piece.rows not in {0, fold.rows}:
        raise ConfigurationError(f"{unit.check.label}: the file changed while it was read; score it again")
    return replace(fold, parts=tuple(parts))


def _keys(check: RowCheck, rows: Slice, found: ScoredRows, done: int) -> Iterator[bytes]:
    """Give the keys of the rows that have an id."""
    if check.ids is not None:
        for ordinal, (number, name) in enumerate(zip(rows.numbers, found.names, strict=True), done + 1):
            if name != f"{check.label}:{number}":
                yield key_entry(name, ordinal)


def _fold_of(found: ScoredRows, done: int) -> Fold:
    leaves = [leaf(line) for line in found.lines.splitlines(keepends=True)]
    samples = tuple(result.to_text(SESSION.redaction) for result in found.samples)
    return Fold(done, len(leaves), found.counts, found.unreadable, samples, subtrees_of(done, leaves), ())
