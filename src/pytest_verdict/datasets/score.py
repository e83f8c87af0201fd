"""A data set scored without pytest: its units are planned and scored, and their parts become a report."""

import hashlib
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core import kernel
from pytest_verdict.core.merkle import leaves_of
from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import AttemptRecords, Counts, count, parse_record
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.datasets.check import DatasetCheck, check_pass_rate, conclude
from pytest_verdict.datasets.remote import ReportTarget, local_file
from pytest_verdict.datasets.row_check import SAMPLES, ComparedRows, RowCheck
from pytest_verdict.datasets.rows import Selection
from pytest_verdict.datasets.units import (
    LAYOUTS,
    PACKED,
    ROWS,
    Executor,
    Layout,
    ScoredRows,
    Unit,
    find_repeated_ids,
    format_stem,
    join_rows,
    plan_units,
    read_first_failures,
    read_part,
    score_unit,
    write_part,
)
from pytest_verdict.errors import ConfigurationError, RecordError, allowed
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import InputMapping
from pytest_verdict.operators.pass_rate import PassRate
from pytest_verdict.report.building import DEFAULT_INLINE_LIMIT, describe_collected, select_inline, write_report
from pytest_verdict.report.compression import MANIFEST, stored_digest
from pytest_verdict.report.environment import describe_process, now
from pytest_verdict.report.folder import FolderInUseError, ReportFolder, list_parts
from pytest_verdict.report.journal import RECORDS, TestEntry
from pytest_verdict.report.json_report import MESSAGE_LIMIT
from pytest_verdict.report.manifest import Manifest, build_manifest, read_check, write_manifest
from pytest_verdict.report.summary import Contents, TestSummary, fold
from pytest_verdict.report.urls import file_name

_MOST_IN_FILE: Final = 4_000_000
"""The most rows whose records are joined to one file by default."""
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
    layout: Layout | None = None,
    run: Executor = map,
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
        layout: ``file`` for all records in one file, ``parts`` for a manifest and the files that the units wrote (default:
            ``parts`` above four million rows).
        run: Takes a function and the units, calls it for each, and returns the results in any order. `map` is one.
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
    if layout not in {None, *LAYOUTS}:
        raise ConfigurationError(f"layout: there is no {shown(layout, 40)}.{allowed('layout', str(layout), LAYOUTS)}")
    label = file_name(source)
    target = ReportTarget.parse(folder)
    test = f"{label}::{evaluator.operator_name}"
    check = RowCheck(evaluator=evaluator, label=label, ids=ids, test=test)
    target.refuse_foreign_files()
    with local_file(source) as (path, url):
        # Planned before the folder is made, so a file that cannot be read leaves none.
        units = plan_units(path, check, selection, target, unit_rows, url)
        check.refuse_absent_keys(path)
        if layout == "parts" or (layout is None and sum(unit.piece.rows for unit in units) > _MOST_IN_FILE):
            units = [replace(unit, suffix=PACKED) for unit in units]
        try:
            report = ReportFolder(target.folder)
        except FolderInUseError:
            reason = "another run is writing its report there; name another folder"
            raise FolderInUseError(f"{target.folder}: {reason}") from None
        try:
            outcome = _score_units(report, run, units, gate, pass_rate, selection)
            target.upload_report()
        finally:
            report.release()
    return outcome


def _score_units(
    report: ReportFolder,
    run: Executor,
    units: Sequence[Unit],
    gate: PassRate,
    pass_rate: float,
    selection: Selection,
) -> DatasetCheck:
    facts = {**describe_process(Path.cwd(), sys.argv[1:]), "started": now()}
    started = time.monotonic()
    report.refuse_foreign_files(MANIFEST)
    report.set_aside_interrupted()

    pieces = sorted(run(score_unit, units), key=attrgetter("before", "rows"))
    check = units[0].check
    target = units[0].target
    if len(pieces) != len(units):
        results = f"{len(pieces)} results for {format_count(len(units), 'unit')}"
        raise ConfigurationError(f"run returned {results}; it must return one for each")
    scored = join_rows(pieces)
    if not scored.rows:
        raise ConfigurationError(f"{check.label}: there are no rows, so nothing was compared")
    if repeated := find_repeated_ids(run, scored, target, check).first:
        part = next(part for part in scored.parts if repeated[0] <= part.before + part.records)
        line = next(islice(read_part(target, part), repeated[0] - part.before - 1, None))
        raise ConfigurationError(
            f"{check.label}: rows {repeated[0]} and {repeated[1]} have the same id,"
            f" {shown(parse_record(line)['name'], 60)}; name a path to unique ids, or none, to use file and line"
        )

    samples = read_first_failures(target, scored.parts)
    rows = ComparedRows([], [], scored.counts, samples, [*scored.places], scored.unreadable)
    outcome = conclude(check.label, [rows], gate, pass_rate, kernel.run, selection)
    manifest = _conclude_manifest(units[0], scored, outcome)
    report.set_aside_earlier()
    problems = _write_report(report.path, units[0], manifest, outcome, facts, time.monotonic() - started)
    report.remove_earlier()
    listed = list_parts(report.path)
    for path in target.parts.glob("part-*"):
        if path.name not in listed:
            path.unlink(missing_ok=True)
    with suppress(OSError):
        # Files of others stay, and their folder with them.
        target.parts.rmdir()
    if problems:
        raise RecordError("; ".join(problems))
    return outcome


def _conclude_manifest(unit: Unit, scored: ScoredRows, outcome: DatasetCheck) -> Manifest:
    """Write the record of the gate as the last part, and derive the manifest."""
    check = unit.check
    attempt = AttemptRecords(check.test, 1)
    line = attempt.line(outcome.gate.to_members(), scored.rows + 1, check.end).encode("ascii")
    name = format_stem(scored.rows, hashlib.sha256(line).hexdigest()[:32]) + unit.suffix
    counts: Counts = {}
    count(counts, outcome.gate.operator, outcome.gate.verdict)
    gate = write_part(unit.target, name, scored.rows, [line], leaves_of([line]), counts)
    unit.target.upload_parts([name])
    identity: dict[str, Any] = {}
    if not check.evaluator.is_by_row:
        identity = read_check(chain.from_iterable(read_part(unit.target, part) for part in scored.parts))
    return build_manifest({"name": check.label, "sha256": unit.piece.sha256}, [*scored.parts, gate], identity, line)


def _write_report(
    folder: Path,
    unit: Unit,
    manifest: Manifest,
    outcome: DatasetCheck,
    facts: Mapping[str, Any],
    seconds: float,
) -> list[str]:
    """Write the report of a session with one test; return the problems of files of plugins."""
    test = unit.check.test
    entry = TestEntry(test, 1, "passed", unit.check.label, 0, round(seconds * 1_000_000))
    if not outcome.gate.passed:
        entry.outcome = "failed"
        entry.text = outcome.describe()
        entry.message = entry.text.split("\n", 1)[0][:MESSAGE_LIMIT]
    entry.comparisons = manifest.counts
    summary = fold([TestSummary([entry])], 0, finished=True)
    run = {**facts, "finished": now(), "exit_status": int(not outcome.gate.passed)}

    is_in_parts = unit.suffix == PACKED
    lines = ((part.counts, read_part(unit.target, part)) for part in manifest.parts)
    inline = select_inline(lines, sum(summary.comparisons[1:]), SAMPLES if is_in_parts else DEFAULT_INLINE_LIMIT)
    new = NewFiles(folder)
    try:
        name = MANIFEST if is_in_parts else RECORDS
        if is_in_parts:
            path = new.write(MANIFEST, write_manifest(manifest))
        else:
            path = new.path(RECORDS)
            with path.open("xb") as file:
                for part in manifest.parts:
                    with unit.target.local(part).open("rb") as source:
                        shutil.copyfileobj(source, file, _BLOCK)
        contents = Contents(
            summary=summary,
            run={**run, "collected": describe_collected([test])},
            records={"path": name, "count": manifest.records, "sha256": stored_digest(path), "root": manifest.root},
            inline=inline,
            omitted=manifest.records - len(inline),
            profile="ci",
            roots=[manifest.root],
        )
        return write_report(contents, folder, new)
    finally:
        new.remove()
