"""Slices compared: counts, the first failures, and the lines of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.core.record import AttemptRecords, Counts, count, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.datasets.columns.table import has_column_function
from pytest_verdict.datasets.rows import LONGEST_NAME, RowNames
from pytest_verdict.datasets.slices import Slice
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from pytest_verdict.datasets.columns.groups import GroupedSlice, Judge

SAMPLES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """How every row of a data set is compared, and which test its records belong to; it can be pickled."""

    evaluator: Evaluator
    label: str
    ids: Any = None
    test: str = ""
    attempt: int = 1
    worker: str = ""
    end: str = record_end("", 0)
    """The end of each record, with the file and line of the check."""

    def names(self) -> RowNames:
        """Give the names of rows, none of which has been seen."""
        return RowNames(self.label, self.ids)

    def needed(self, schema: Any) -> list[Any] | None:
        """Name the columns that are needed; None for all, because other rows tell of their whole document."""
        of_mapping = self.evaluator.mapping.columns()
        keys = {*(of_mapping or {}).values(), *(() if self.ids is None else (self.names().key,))}
        is_known = of_mapping is not None and all(key in schema.names and "." not in str(key) for key in keys)
        return [key for key in schema.names if key in keys] if is_known else None


def score_rows(check: RowCheck, rows: Slice, first_ordinal: int) -> tuple[JudgedRows, bytes]:
    """Compare the rows of a slice, and write their records; the first has the ordinal that is given, from 1."""
    judged = judge_rows(check.evaluator, rows, check.names())
    attempt = AttemptRecords(check.test, check.attempt, check.worker)
    attempt.take(first_ordinal - 1)
    return judged, judged.write(attempt, check.end)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """A slice compared, whose records are not written yet; the names of its rows, unless they are called by their place."""

    names: Sequence[str]
    counts: Counts
    samples: Sequence[ComparisonResult]
    unreadable: int
    """How many rows could not be read; they count as errors too."""
    singles: Mapping[int, ComparisonResult]
    """The results of rows that were compared one by one, by their position."""
    found: GroupedSlice | None = None

    def write(self, attempt: AttemptRecords, end: str) -> bytes:
        """Write the records as the next ones of an attempt of a test."""
        if self.found is not None:
            return self.found.write(self.singles, attempt, end)
        first = attempt.take(len(self.singles)) + 1
        members = (result.to_members(SESSION.redaction) for result in self.singles.values())
        return "".join(attempt.line(one, ordinal, end) for ordinal, one in enumerate(members, first)).encode("ascii")


def judge_rows(evaluator: Evaluator, rows: Slice, names: RowNames) -> JudgedRows:
    """Compare the rows of a slice."""
    called = names_of(rows, names)

    def judged(positions: Sequence[int]) -> list[ComparisonResult]:
        results = []
        for position, document in zip(positions, rows.documents(positions), strict=True):
            error, place = rows.errors.get(position), names.place(rows.numbers[position])
            if error is None:
                results.append(evaluator.judge(document, name=called[position] if called else place))
            else:
                reason = f"{place}: {error}"
                results.append(not_compared(reason, instead_of=evaluator.operator_name, name=place))
        return results

    found = _sorted(evaluator, rows, names, called, judged) if len(rows.numbers) > 1 else None
    rest = range(len(rows.numbers)) if found is None else found.singles
    singles = dict(zip(rest, judged(rest), strict=True))
    counts: Counts = {}
    failed = [position for position, result in singles.items() if not result.passed]
    for result in singles.values():
        count(counts, result.operator, result.verdict)
    for kind in () if found is None else found.groups:
        count(counts, kind.result.operator, kind.result.verdict, len(kind.positions))
        failed += [] if kind.result.passed else kind.positions[:SAMPLES].to_pylist()
    shown = sorted(failed)[:SAMPLES]
    samples = [singles[position] if position in singles else judged([position])[0] for position in shown]
    return JudgedRows(called, counts, samples, len(rows.errors), singles, found)


def names_of(rows: Slice, names: RowNames) -> Sequence[str]:
    """Name the rows, if they are called by anything else than their place."""
    if names.ids is None:
        return ()
    found = (rows.texts(names.key) if names.key is not None else None) or [None] * len(rows.numbers)
    others = [position for position, text in enumerate(found) if not text or len(text) > LONGEST_NAME]
    for position, document in zip(others, rows.documents(others), strict=True):
        found[position] = names.name(rows.numbers[position], document)
    called = [text or "" for text in found]
    names.see(rows.numbers, called)
    return called


def _sorted(
    evaluator: Evaluator, rows: Slice, names: RowNames, called: Sequence[str], judge: Judge
) -> GroupedSlice | None:
    """Sort the rows by columns, where mapping, operator and session allow it."""
    operator, inputs = evaluator.operator, evaluator.mapping.columns()
    if operator is None or inputs is None or not has_column_function(operator) or SESSION.redaction is not None:
        return None
    try:
        from pytest_verdict.datasets.columns.groups import build_names, group_slice
    except ImportError:
        # Without pyarrow the kernel compares every row by itself.
        return None
    column = build_names(names.label, rows.numbers, called)
    return None if column is None else group_slice(operator, inputs, rows, column, judge)
