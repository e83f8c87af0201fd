"""A data set compared by several processes inside a test: the session receives the records in the order of the rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import AttemptRecords, Counts, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.datasets.plan import ROWS
from pytest_verdict.datasets.remote import ReportTarget
from pytest_verdict.datasets.row_check import RowCheck
from pytest_verdict.datasets.selection import Selection
from pytest_verdict.datasets.units import find_duplicate_ids, plan_units, record_files, score_unit
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.session import SESSION


@dataclass(frozen=True, slots=True)
class PartRows:
    """The rows of a unit, compared by another process."""

    counts: Counts
    samples: Sequence[ComparisonResult]
    unreadable: int
    files: Sequence[Path]

    def write(self, _attempt: AttemptRecords, _end: str) -> bytes:
        """Return their records, which the unit wrote as those of this attempt."""
        return b"".join(path.read_bytes() for path in self.files)


def judge_units(path: Path, check: RowCheck, selection: Selection, jobs: int) -> Iterator[PartRows]:
    """Compare the rows of a file in several processes."""
    attempt, end = _next_place()
    check = replace(check, test=attempt.test, attempt=attempt.attempt, worker=attempt.worker, end=end)
    with TemporaryDirectory() as name:
        target = ReportTarget(Path(name))
        units = plan_units(path, check, selection, target, ROWS, attempt.take(0))
        folds = sorted(in_order(score_unit, units, min(jobs, len(units))), key=attrgetter("before", "rows"))
        duplicates = sum(1 for _ in find_duplicate_ids(folds, target))
        if duplicates:
            check.names().warn_of(duplicates, "", 4)
        for fold in folds:
            if attempt.take(fold.rows) != fold.before:
                raise ConfigurationError("jobs=N cannot be combined with other threads that compare")
            rows = PartRows(fold.counts, fold.first_failures(), fold.unreadable, record_files(fold, target))
            SESSION.compared += fold.rows
            if SESSION.rows_observer is not None:
                SESSION.rows_observer(rows)
            yield rows


def _next_place() -> tuple[AttemptRecords, str]:
    place = SESSION.next_place() if SESSION.next_place is not None else None
    if place is None:
        return AttemptRecords("", 1), record_end("", 0)
    return place
