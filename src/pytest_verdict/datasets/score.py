"""A data set scored without pytest: its units are planned, scored and folded, and their parts become a report."""

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import reduce
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core import kernel
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords, count, record_end
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.datasets.check import DatasetCheck, check_pass_rate, conclude
from pytest_verdict.datasets.remote import PARTS, ReportTarget, local_file
from pytest_verdict.datasets.row_check import RowCheck, explain_plan
from pytest_verdict.datasets.rows import Selection
from pytest_verdict.datasets.units import (
    ROWS,
    Executor,
    Fold,
    PartRows,
    Unit,
    build_subtrees,
    find_duplicate_ids,
    plan_units,
    record_files,
    score_unit,
)
from pytest_verdict.errors import ConfigurationError, RecordError
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, build
from pytest_verdict.report.environment import describe_process, now
from pytest_verdict.report.folder import FolderInUseError, ReportFolder, remove_journal
from pytest_verdict.report.journal import JOURNAL, ROOT, ByteRange, Journal, JournalWriter, TestEntry
from pytest_verdict.report.json_report import MESSAGE_LIMIT
from pytest_verdict.report.junit import Profile
from pytest_verdict.report.urls import file_name

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
    run: Executor = map,
    explain: Callable[[str], Any] | None = None,
    **settings: Any,
) -> DatasetCheck:
    """Compare every row of a data set without pytest, and write the report of a session with one test.

    The data set is cut into units, which any machine with access to the file and the folder can score. Units that a killed run
    has finished are not scored again.

    Args:
        source: The path of a JSONL, CSV, YAML, Parquet or Arrow file, or its URL, which needs the extra ``[remote]``.
        operator: The name of a registered operator, or an operator.
        mapping: Where the inputs come from, as `InputMapping` or a dict; ``$`` is the row.
        folder: The folder of the report, or its URL.
        threshold: The lowest score with which a row passes (default: that of the operator).
        pass_rate: The lowest share of rows that must pass, in (0, 1].
        confident: Whether the whole confidence interval of the true share must be at or above ``pass_rate``.
        confidence: The confidence of the interval, in (0, 1).
        ids: A path to the id of a row (default: file and line).
        limit: Compare at most this number of rows, from the start.
        sample: Compare a sample of this size, drawn by the seed and the names of the rows.
        seed: The seed of the sample.
        unit_rows: How many rows a unit has, as far as the file can be cut there. Use fewer for slow operators.
        run: Takes a function and the units, calls it for each, and returns the results in any order. `map` is one.
        explain: Takes each line that says whether columns or single rows are compared, and why (default: not said).
        **settings: The operator's settings, if the operator is a name.

    Returns:
        The counts and the gate, which may have failed.

    Raises:
        ConfigurationError: An argument is wrong, there are no rows, or two of them have the same id.
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
    if evaluator.operator is not None:
        evaluator.operator.check_configured_threshold(threshold)
    gate = PassRate(confident=confident, confidence=confidence)
    pass_rate = check_pass_rate(pass_rate)
    selection = Selection(limit, sample, seed)
    label = file_name(source)
    target = ReportTarget.parse(folder)
    test = f"{label}::{evaluator.operator_name}"
    check = RowCheck(evaluator=evaluator, label=label, ids=ids, test=test, end=record_end(label, 0))
    target.refuse_foreign_files()
    with local_file(source) as (path, url):
        # Planned before the folder is made, so a file that cannot be read leaves none.
        units = plan_units(path, check, selection, target, unit_rows, url=url)
        if explain is not None:
            for line in explain_plan(check, path):
                explain(line)
        try:
            report = ReportFolder(target.folder)
        except FolderInUseError:
            reason = "another run is writing its report there; name another folder"
            raise FolderInUseError(f"{target.folder}: {reason}") from None
        try:
            outcome = _score_units(report, run, units, check, gate, pass_rate, selection)
            target.upload_report()
        finally:
            report.release()
    return outcome


def _score_units(
    report: ReportFolder,
    run: Executor,
    units: Sequence[Unit],
    check: RowCheck,
    gate: PassRate,
    pass_rate: float,
    selection: Selection,
) -> DatasetCheck:
    facts = {**describe_process(Path.cwd(), sys.argv[1:]), "started": now()}
    started = time.monotonic()
    report.refuse_foreign_files()
    report.set_aside_interrupted()

    folds = sorted(run(score_unit, units), key=attrgetter("before", "rows"))
    if len(folds) != len(units):
        results = f"{len(folds)} results for {format_count(len(units), 'unit')}"
        raise ConfigurationError(f"run returned {results}; it must return one for each")
    fold = reduce(Fold.__add__, folds, Fold())
    if not fold.rows:
        raise ConfigurationError(f"{check.label}: there are no rows, so nothing was compared")
    target = units[0].target
    for one, other in find_duplicate_ids([fold], target, check):
        lines = (line for path in record_files(fold, target) for line in path.read_bytes().splitlines())
        name = shown(json.loads(next(islice(lines, one - 1, None)))["name"], 60)
        raise ConfigurationError(
            f"{check.label}: rows {one} and {other} have the same id, {name}; name a path to unique ids, or none, to use"
            " file and line"
        )

    rows = PartRows(fold.counts, fold.first_failures(), fold.places, fold.unreadable, ())
    outcome = conclude(check.label, [rows], gate, pass_rate, kernel.run, selection)

    report.set_aside_earlier()
    journal = _write_journal(target, check, fold, outcome, facts, time.monotonic() - started)
    built = build(journal, report.path, run=journal.run, profile=_PROFILE, consume=True)
    remove_journal(report.journal)
    report.remove_earlier()
    parts = report.path / PARTS
    for path in parts.glob("part-*"):
        path.unlink(missing_ok=True)
    with suppress(OSError):
        # Files of others stay, and their folder with them.
        parts.rmdir()
    if built.problems:
        raise RecordError("; ".join(built.problems))
    return outcome


def _write_journal(
    target: ReportTarget,
    check: RowCheck,
    fold: Fold,
    outcome: DatasetCheck,
    facts: Mapping[str, Any],
    seconds: float,
) -> Journal:
    """Write the journal of a session with one test."""
    writer = JournalWriter(target.folder / JOURNAL, {"run": facts, "profile": _PROFILE, "limit": DEFAULT_INLINE_LIMIT})
    writer.append_order([check.test])
    gate = outcome.gate
    attempt = AttemptRecords(check.test, check.attempt)
    gate_line = attempt.line(gate.to_members(), fold.rows + 1, check.end).encode("ascii")
    size = 0
    for path in record_files(fold, target):
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                size += writer.append_records(block).length
    size += writer.append_records(gate_line).length
    counts = dict(fold.counts)
    count(counts, gate.operator, gate.verdict)

    entry = TestEntry(check.test, 1, "passed", check.label, 0, round(seconds * 1_000_000))
    if not gate.passed:
        entry.outcome = "failed"
        entry.text = outcome.describe()
        entry.message = entry.text.split("\n", 1)[0][:MESSAGE_LIMIT]
    entry.comparisons = counts
    entry.records = (ByteRange(0, size),)
    writer.append_test(entry)
    writer.close({"finished": now(), "exit_status": int(not gate.passed)})

    journal = writer.journal
    whole = fold + Fold(fold.rows, 1, subtrees=build_subtrees(fold.rows, gate_line))
    journal.footer = {**(journal.footer or {}), ROOT: whole.root()}
    return journal
