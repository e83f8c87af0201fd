"""Slices compared: counts, the first failures, and the lines of the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pytest_verdict.core.record import AttemptRecords, Counts, count, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.session import SESSION
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.suites.bulk.slices import RowSlice
from pytest_verdict.suites.mapping.evaluator import Evaluator
from pytest_verdict.suites.rows import RowNames

SAMPLES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """How every row of a data set is compared, and which test its records belong to; it can be pickled.

    Args:
        evaluator: What compares a row.
        label: The name of the data set; a row is called ``label:number``.
        ids: A path to the name of a row.
        test: The name of the test.
        attempt: Its attempt, from 1.
        worker: The name of the process, where every process runs all tests.
        place: The file and line of the check.
    """

    evaluator: Evaluator
    label: str
    ids: Any = None
    test: str = ""
    attempt: int = 1
    worker: str = ""
    place: tuple[str, int] = ("", 0)


class ScoredRows(NamedTuple):
    """What came of a slice.

    Args:
        lines: A record for each row, in their order.
        counts: Of each operator how many rows passed, failed, and could not be compared.
        samples: The first results that did not pass, at most five.
        unreadable: How many rows could not be read; they count as errors too.
        names: What the rows are called.
    """

    lines: bytes
    counts: Counts
    samples: Sequence[ComparisonResult]
    unreadable: int
    names: Sequence[str]


def score_rows(check: RowCheck, rows: RowSlice, first_ordinal: int) -> ScoredRows:
    """Compare the rows of a slice; the first record has the ordinal that is given, from 1."""
    judged = judge_rows(check.evaluator, rows, RowNames(check.label, check.ids))
    attempt = AttemptRecords(check.test, check.attempt, check.worker)
    attempt.take(first_ordinal - 1)
    lines = judged.write(attempt, record_end(*check.place))
    return ScoredRows(lines, judged.counts, judged.samples, judged.unreadable, judged.names)


@dataclass(slots=True)
class JudgedRows:
    """A slice compared, whose records are not written yet."""

    names: Sequence[str]
    unreadable: int
    results: list[ComparisonResult]
    counts: Counts = field(default_factory=dict)
    samples: list[ComparisonResult] = field(default_factory=list)

    def __post_init__(self) -> None:
        for result in self.results:
            count(self.counts, result.operator, result.verdict)
        self.samples = [result for result in self.results if not result.passed][:SAMPLES]

    def write(self, attempt: AttemptRecords, end: str) -> bytes:
        """Write the records as the next ones of an attempt of a test."""
        first = attempt.take(len(self.results)) + 1
        return "".join(
            attempt.line(result.to_members(SESSION.redaction), ordinal, end)
            for ordinal, result in enumerate(self.results, first)
        ).encode("ascii")


def judge_rows(evaluator: Evaluator, rows: RowSlice, names: RowNames) -> JudgedRows:
    """Compare the rows of a slice."""
    called = [names.name(number, value) for number, value in zip(rows.numbers, rows.values, strict=True)]
    names.see(rows.numbers, called)
    results = [_judged(evaluator, rows, names, position, name) for position, name in enumerate(called)]
    return JudgedRows(called, len(rows.errors), results)


def _judged(evaluator: Evaluator, rows: RowSlice, names: RowNames, position: int, name: str) -> ComparisonResult:
    error = rows.errors.get(position)
    if error is None:
        return evaluator.judge(rows.values[position], name=name)
    place = names.place(rows.numbers[position])
    return not_compared(f"{place}: {error}", instead_of=evaluator.operator_name, name=place)
