"""A data set scored without pytest: units planned, run and folded, and the folder of a report made of their parts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.kernel import run
from pytest_verdict.core.record import AttemptRecords, count, record_end, summed
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, Built, build
from pytest_verdict.report.environment import now
from pytest_verdict.report.folder import FolderInUseError, ReportFolder, remove_journal
from pytest_verdict.report.journal import ROOT, TestEntry
from pytest_verdict.report.journal_writer import JournalWriter
from pytest_verdict.report.json_report import MESSAGE_LIMIT
from pytest_verdict.report.junit import Profile
from pytest_verdict.suites.bulk.fold import Fold
from pytest_verdict.suites.bulk.keys import same_key
from pytest_verdict.suites.bulk.parts import KEYS, LINES, paths_of, pieces_of, remove_parts
from pytest_verdict.suites.bulk.plan import ROWS, plan_pieces
from pytest_verdict.suites.bulk.scored_rows import RowCheck
from pytest_verdict.suites.bulk.units import Unit
from pytest_verdict.suites.dataset_check import DatasetCheck
from pytest_verdict.suites.mapping.evaluator import Evaluator

_PROFILE: Final[Profile] = "ci"
PARTS: Final = "parts"
"""Where parts lie in the folder of a report until it is built."""


def decide(fold: Fold, label: str, gate: PassRate, pass_rate: float) -> DatasetCheck:
    """Say what came of a data set."""
    passed, failed, broken = summed(fold.counts)
    counts = {"pass": passed, "fail": failed, "error": broken}
    decided = run(gate, pass_rate, counts, name=f"pass rate of {label}")
    first = tuple(ComparisonResult.from_record(json.loads(sample)) for sample in fold.samples)
    return DatasetCheck(passed, failed, broken, fold.unreadable, first, decided)


def row_check(path: Path, evaluator: Evaluator, ids: Any = None) -> RowCheck:
    """Say how the rows of a file are compared, in a test that is named after the file and the operator."""
    test = f"{path.name}::{evaluator.operator_name}"
    return RowCheck(evaluator=evaluator, label=path.name, ids=ids, test=test, place=(path.name, 0))


def plan_units(path: Path, check: RowCheck, folder: Path, rows: int = ROWS) -> list[Unit]:
    """Cut a data set into units, whose parts go into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return [
        Unit(number, piece, check, str(folder.absolute()))
        for number, piece in enumerate(plan_pieces(path.absolute(), rows))
    ]


def folded(folds: Iterator[Fold]) -> Fold:
    """Add up what came of units, in whatever order it comes."""
    return reduce(Fold.__add__, sorted(folds, key=attrgetter("before")))


@contextmanager
def report_folder(target: Path) -> Iterator[ReportFolder]:
    """Hold the folder of a report."""
    try:
        folder = ReportFolder(target)
    except FolderInUseError:
        raise FolderInUseError(f"{target}: another run is writing its report there; name another folder") from None
    try:
        folder.refuse_foreign_files()
        folder.set_aside_interrupted()
        yield folder
    finally:
        folder.release()


def write_report(
    folder: ReportFolder, check: RowCheck, fold: Fold, decided: DatasetCheck, facts: Mapping[str, Any], seconds: float
) -> Built:
    """Build the report of a data set from its parts: that of a session with one test."""
    parts = folder.path / PARTS
    if not fold.rows:
        raise ConfigurationError(f"{check.label}: there are no rows, so nothing was compared")
    _refuse_same_ids(parts, fold)
    folder.set_aside_earlier()
    journal = JournalWriter(folder.journal, {"run": facts, "profile": _PROFILE, "limit": DEFAULT_INLINE_LIMIT})
    journal.append_order([check.test])
    gate = _gate_line(check, fold, decided.gate)
    size = sum(journal.append_records(piece)[1] for piece in chain(pieces_of(parts, fold), [gate]))
    journal.append_test(_entry(check, fold, decided, size, seconds))
    journal.close({"finished": now(), "exit_status": int(not decided.gate.passed)})
    whole = journal.journal
    whole.footer = {**(whole.footer or {}), ROOT: fold.followed_by(gate).root()}
    built = build(whole, folder.path, run=whole.run, profile=_PROFILE, consume=True)
    remove_journal(folder.journal)
    remove_parts(parts)
    folder.remove_earlier()
    return built


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
