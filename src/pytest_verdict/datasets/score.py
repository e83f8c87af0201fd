"""A data set scored without pytest: units planned, run and folded, and the folder of a report made of their parts."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core import kernel
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords, count, record_end
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.datasets.check import DatasetCheck, checked_rate, concluded
from pytest_verdict.datasets.fold import Fold, subtrees_of
from pytest_verdict.datasets.parallel_check import PartRows
from pytest_verdict.datasets.plan import ROWS
from pytest_verdict.datasets.remote import PARTS, Place, brought, file_name
from pytest_verdict.datasets.scored_rows import RowCheck
from pytest_verdict.datasets.selection import Selection
from pytest_verdict.datasets.units import Run, Unit, files_of, plan_units, rows_with_one_id, score_unit
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, build
from pytest_verdict.report.environment import describe_process, now
from pytest_verdict.report.folder import FolderInUseError, ReportFolder, remove_journal
from pytest_verdict.report.journal import JOURNAL, ROOT, ByteRange, Journal, TestEntry
from pytest_verdict.report.journal_writer import JournalWriter
from pytest_verdict.report.json_report import MESSAGE_LIMIT
from pytest_verdict.report.junit import Profile

_PROFILE: Final[Profile] = "ci"
_BLOCK: Final = 1 << 20


def score_dataset(
    source: str | Path,
    operator: str | Operator,
    mapping: InputMapping | Mapping[str, Any],
    folder: str | Path,
    *,
    threshold: float | None = None,
    pass_rate: float = 1.0,
    confident: bool = False,
    confidence: float = 0.95,
    ids: Any = None,
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    unit_rows: int = ROWS,
    run: Run = map,
    **settings: Any,
) -> DatasetCheck:
    """Compare every row of a dataset without pytest, and write the report of a session with one test.

    The data set is cut into units. Each is compared by a function that can be pickled, wherever its file and the folder are
    seen; what a killed run left in the folder is not computed again.

    Args:
        source: The path of a JSONL, CSV, YAML, Parquet or Arrow file, or its URL, which needs the extra ``[remote]``.
        operator: The name of a registered operator, or an operator.
        mapping: Where its inputs come from, as `InputMapping` or a dict; ``$`` is the row.
        folder: The folder of the report, or the URL of one.
        threshold: The lowest score with which a row passes; the default unless given.
        pass_rate: The lowest share of rows that must pass, in (0, 1].
        confident: Whether the whole confidence interval of the true share must lie at or above ``pass_rate``.
        confidence: The confidence of the interval, in (0, 1).
        ids: A path to what tells rows apart; file and line unless given.
        limit: Only so many of the first rows are compared.
        sample: Only so many rows, or of these, chosen by the seed and their names.
        seed: Chooses the sample.
        unit_rows: How many rows a unit has, as far as the file can be cut so; fewer where the operator is slow.
        run: Takes a function and the units, calls it for each, and gives what it returned, in any order. `map` is one.
        **settings: The operator's settings, when it is given by name.

    Returns:
        The counts and the gate, which may not be met.

    Raises:
        ConfigurationError: Something is written wrongly, there are no rows, or two of them have the same id.
        OSError: The file cannot be read, or the folder cannot be written.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "rows.csv").write_text("want,got\\n1,1\\n2,3\\n")
        >>> mapping = {"expected": "$.want", "observed": "$.got"}
        >>> check = score_dataset(folder / "rows.csv", "exact", mapping, folder / "out", pass_rate=0.5)
        >>> check.passed, check.total, sorted(path.name for path in (folder / "out").glob("*.*l*"))
        (1, 2, ['junit.xml', 'records.jsonl'])
    """
    evaluator = Evaluator(operator, mapping, threshold, **settings)
    gate, pass_rate = PassRate(confident=confident, confidence=confidence), checked_rate(pass_rate)
    label, place = file_name(source), Place.of(folder)
    test = f"{label}::{evaluator.operator_name}"
    check = RowCheck(evaluator=evaluator, label=label, ids=ids, test=test, end=record_end(label, 0))
    # Before there is a folder, so that a file that cannot be read leaves none.
    place.refuse_foreign_files()
    with brought(source) as (path, url):
        units = plan_units(path, check, Selection(limit, sample, seed), place, unit_rows, url=url)
        held = _held(place.folder)
        try:
            decided = _reported(held, run, units, check, gate, pass_rate)
            place.take_report()
        finally:
            held.release()
    return decided


def _reported(
    held: ReportFolder, run: Run, units: Sequence[Unit], check: RowCheck, gate: PassRate, pass_rate: float
) -> DatasetCheck:
    facts, began = {**describe_process(Path.cwd(), sys.argv[1:]), "started": now()}, time.monotonic()
    held.refuse_foreign_files()
    held.set_aside_interrupted()
    fold = _folded(run, units, check)
    whole = PartRows(fold.counts, fold.first(), fold.unreadable, ())
    decided = concluded(check.label, [whole], gate, pass_rate, kernel.run)
    held.set_aside_earlier()
    journal = _journal(units[0].place, check, fold, decided, facts, time.monotonic() - began)
    built = build(journal, held.path, run=journal.run, profile=_PROFILE, consume=True)
    remove_journal(held.journal)
    held.remove_earlier()
    _remove(held.path / PARTS)
    if built.problems:
        raise RecordError("; ".join(built.problems))
    return decided


def _held(target: Path) -> ReportFolder:
    try:
        return ReportFolder(target)
    except FolderInUseError:
        raise FolderInUseError(f"{target}: another run is writing its report there; name another folder") from None


def _folded(run: Run, units: Sequence[Unit], check: RowCheck) -> Fold:
    folds = sorted(run(score_unit, units), key=attrgetter("before", "rows"))
    if len(folds) != len(units):
        raise ConfigurationError(
            f"run gave {len(folds)} results for {counted(len(units), 'unit')}; it gives one for each"
        )
    fold = reduce(Fold.__add__, folds, Fold())
    _refuse(fold, units[0].place, check.label)
    return fold


def _refuse(fold: Fold, place: Place, label: str) -> None:
    if not fold.rows:
        raise ConfigurationError(f"{label}: there are no rows, so nothing was compared")
    for one, other in islice(rows_with_one_id([fold], place), 1):
        lines = (line for path in files_of(fold, place) for line in path.read_bytes().splitlines())
        name = shown(json.loads(next(islice(lines, one - 1, None)))["name"], 60)
        raise ConfigurationError(
            f"{label}: rows {one} and {other} have the same id, {name}; an id tells rows apart, so name another path to"
            " ids, or none: then file and line do"
        )


def _journal(
    place: Place, check: RowCheck, fold: Fold, decided: DatasetCheck, facts: Mapping[str, Any], seconds: float
) -> Journal:
    """Write the journal that a session with one test would have written."""
    writer = JournalWriter(place.folder / JOURNAL, {"run": facts, "profile": _PROFILE, "limit": DEFAULT_INLINE_LIMIT})
    writer.append_order([check.test])
    gate, text = decided.gate, "" if decided.gate.passed else decided.describe()
    attempt = AttemptRecords(check.test, check.attempt)
    last = attempt.line(gate.to_members(), fold.rows + 1, check.end).encode("ascii")
    size = sum(writer.append_records(piece).length for piece in chain(_pieces(fold, place), [last]))
    count(counts := dict(fold.counts), gate.operator, gate.verdict)
    entry = TestEntry(check.test, 1, "failed" if text else "passed", check.label, 0, round(seconds * 1_000_000))
    entry.message, entry.text = text.split("\n", 1)[0][:MESSAGE_LIMIT], text
    entry.comparisons, entry.records = counts, (ByteRange(0, size),)
    writer.append_test(entry)
    writer.close({"finished": now(), "exit_status": int(not gate.passed)})
    journal = writer.journal
    whole = fold + Fold(fold.rows, 1, subtrees=subtrees_of(fold.rows, last))
    journal.footer = {**(journal.footer or {}), ROOT: whole.root()}
    return journal


def _pieces(fold: Fold, place: Place) -> Iterator[bytes]:
    for path in files_of(fold, place):
        with path.open("rb") as file:
            while piece := file.read(_BLOCK):
                yield piece


def _remove(parts: Path) -> None:
    """Remove parts and nothing else."""
    for path in parts.glob("part-*"):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        parts.rmdir()
