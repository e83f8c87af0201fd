"""A data set scored without pytest: units planned and folded, and the folder of a report made of their parts."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from functools import reduce
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Self

from pytest_verdict.core.kernel import run
from pytest_verdict.core.record import AttemptRecords, count, record_end, summed
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, build
from pytest_verdict.report.environment import describe_process, now
from pytest_verdict.report.folder import FolderInUseError, ReportFolder, remove_journal
from pytest_verdict.report.journal import ROOT, Journal, TestEntry
from pytest_verdict.report.journal_writer import JournalWriter
from pytest_verdict.report.json_report import MESSAGE_LIMIT
from pytest_verdict.report.junit import Profile
from pytest_verdict.suites.bulk.fold import Fold
from pytest_verdict.suites.bulk.keys import same_key
from pytest_verdict.suites.bulk.parts import KEYS, LINES, paths_of, pieces_of, remove_parts
from pytest_verdict.suites.bulk.plan import ROWS, plan_pieces
from pytest_verdict.suites.bulk.scored_rows import RowCheck
from pytest_verdict.suites.bulk.units import Unit
from pytest_verdict.suites.dataset_check import DatasetCheck, checked_rate
from pytest_verdict.suites.mapping.evaluator import Evaluator

_PROFILE: Final[Profile] = "ci"
_PARTS: Final = "parts"


class Scoring:
    """A data set that is compared by units, by whatever runs a function on many machines.

    Inside of ``with`` it holds the folder of the report and has its ``units``. Each is given to `score_unit`, anywhere that sees
    the file and the folder, and `finish` takes what that returned, in any order. What a killed run left in the folder is not
    computed again.

    Args:
        source: The path of a JSONL, CSV, YAML, Parquet or Arrow file.
        evaluator: What compares a row.
        folder: The folder of the report.
        ids: A path to what tells rows apart; file and line unless given.
        pass_rate: The lowest share of rows that must pass, in (0, 1].
        confidence: The confidence of the interval that is shown, in (0, 1).
        unit_rows: How many rows a unit has, as far as the file can be cut so; fewer where the operator is slow.

    Raises:
        ConfigurationError: Something is written wrongly.
        OSError: The file cannot be read, or the folder cannot be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from pytest_verdict.suites import Evaluator, Scoring, score_unit
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "rows.csv").write_text("want,got\\n1,1\\n2,3\\n")
        >>> same = Evaluator("exact", {"expected": "$.want", "observed": "$.got"})
        >>> with Scoring(folder / "rows.csv", same, folder / "out", pass_rate=0.5) as scoring:
        ...     check = scoring.finish(map(score_unit, scoring.units))
        >>> check.passed, check.total, sorted(path.name for path in (folder / "out").glob("*.*l*"))
        (1, 2, ['junit.xml', 'records.jsonl'])
    """

    def __init__(
        self,
        source: str | Path,
        evaluator: Evaluator,
        folder: str | Path,
        *,
        ids: Any = None,
        pass_rate: float = 1.0,
        confidence: float = 0.95,
        unit_rows: int = ROWS,
    ) -> None:
        self._source, self._target = Path(source).absolute(), Path(folder).absolute()
        self._gate, self._rate = PassRate(confidence=confidence), checked_rate(pass_rate)
        label = self._source.name
        test = f"{label}::{evaluator.operator_name}"
        self._check = RowCheck(evaluator=evaluator, label=label, ids=ids, test=test, place=(label, 0))
        self._unit_rows = unit_rows
        self._facts = {**describe_process(Path.cwd(), sys.argv[1:]), "started": now()}
        self._began = time.monotonic()
        self.units: list[Unit] = []
        self.problems: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._folder = ReportFolder(self._target)
        except FolderInUseError:
            told = f"{self._target}: another run is writing its report there; name another folder"
            raise FolderInUseError(told) from None
        try:
            self._folder.refuse_foreign_files()
            self._folder.set_aside_interrupted()
            pieces = plan_pieces(self._source, self._unit_rows)
            parts = self._target / _PARTS
            parts.mkdir(exist_ok=True)
            self.units = [Unit(number, piece, self._check, str(parts)) for number, piece in enumerate(pieces)]
        except BaseException:
            self._folder.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.release()

    def finish(self, folds: Iterable[Fold]) -> DatasetCheck:
        """Build the report.

        Args:
            folds: What `score_unit` returned for each unit, in any order.

        Returns:
            The counts and the gate, which may not be met.

        Raises:
            ConfigurationError: There are no rows, or two of them have the same id.
        """
        fold = reduce(Fold.__add__, sorted(folds, key=attrgetter("before")), Fold.nothing())
        if not fold.rows:
            raise ConfigurationError(f"{self._check.label}: there are no rows, so nothing was compared")
        parts = self._target / _PARTS
        _refuse_same_ids(parts, fold)
        decided = self._decided(fold)
        self._folder.set_aside_earlier()
        journal = self._journal(parts, fold, decided)
        self.problems = build(journal, self._target, run=journal.run, profile=_PROFILE, consume=True).problems
        remove_journal(self._folder.journal)
        remove_parts(parts)
        self._folder.remove_earlier()
        return decided

    def _decided(self, fold: Fold) -> DatasetCheck:
        passed, failed, broken = summed(fold.counts)
        counts = {"pass": passed, "fail": failed, "error": broken}
        gate = run(self._gate, self._rate, counts, name=f"pass rate of {self._check.label}")
        first = tuple(ComparisonResult.from_record(json.loads(sample)) for sample in fold.samples)
        return DatasetCheck(passed, failed, broken, fold.unreadable, first, gate)

    def _journal(self, parts: Path, fold: Fold, decided: DatasetCheck) -> Journal:
        """Write the journal that a session with one test would have written."""
        header = {"run": self._facts, "profile": _PROFILE, "limit": DEFAULT_INLINE_LIMIT}
        writer = JournalWriter(self._folder.journal, header)
        writer.append_order([self._check.test])
        gate = _gate_line(self._check, fold, decided.gate)
        size = sum(writer.append_records(piece)[1] for piece in chain(pieces_of(parts, fold), [gate]))
        writer.append_test(_entry(self._check, fold, decided, size, time.monotonic() - self._began))
        writer.close({"finished": now(), "exit_status": int(not decided.gate.passed)})
        journal = writer.journal
        journal.footer = {**(journal.footer or {}), ROOT: fold.followed_by(gate).root()}
        return journal


def _gate_line(check: RowCheck, fold: Fold, gate: ComparisonResult) -> bytes:
    attempt = AttemptRecords(check.test, check.attempt, check.worker)
    return attempt.line(gate.to_members(), fold.rows + 1, record_end(*check.place)).encode("ascii")


def _entry(check: RowCheck, fold: Fold, decided: DatasetCheck, size: int, seconds: float) -> TestEntry:
    counts, gate = dict(fold.counts), decided.gate
    count(counts, gate.operator, gate.verdict)
    text = "" if gate.passed else decided.describe()
    return TestEntry(
        check.test,
        outcome="passed" if gate.passed else "failed",
        path=check.place[0],
        line=check.place[1],
        microseconds=round(seconds * 1_000_000),
        message=text.split("\n", 1)[0][:MESSAGE_LIMIT],
        text=text,
        comparisons=counts,
        records=(0, size),
    )


def _refuse_same_ids(parts: Path, fold: Fold) -> None:
    ordinals = same_key(paths_of(parts, fold, KEYS))
    if ordinals is not None:
        one, other = sorted(ordinals)
        lines = (line for path in paths_of(parts, fold, LINES) for line in path.read_bytes().splitlines())
        name = json.loads(next(islice(lines, one - 1, None)))["name"]
        raise ConfigurationError(
            f"rows {one} and {other} have the same id, {shown(name, 60)}; an id tells rows apart, so take another --ids,"
            " or none: then file and line do"
        )
