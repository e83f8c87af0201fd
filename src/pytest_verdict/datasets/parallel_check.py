"""Units inside a test: what they leave is handed to the session, in the order of the rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_verdict.core.parallel import in_order
from pytest_verdict.core.record import AttemptRecords, Counts, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.datasets.plan import ROWS
from pytest_verdict.datasets.remote import Place
from pytest_verdict.datasets.scored_rows import RowCheck
from pytest_verdict.datasets.selection import Selection
from pytest_verdict.datasets.units import files_of, plan_units, rows_with_one_id, score_unit
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.session import SESSION


@dataclass(frozen=True, slots=True)
class PartRows:
    """Rows that a unit compared."""

    counts: Counts
    samples: Sequence[ComparisonResult]
    unreadable: int
    files: Sequence[Path]

    def write(self, _attempt: AttemptRecords, _end: str) -> bytes:
        """Give their records, which the unit wrote as those of this attempt."""
        return b"".join(path.read_bytes() for path in self.files)


def judged_by_units(path: Path, check: RowCheck, selection: Selection, jobs: int) -> Iterator[PartRows]:
    """Compare the rows of a file in several processes."""
    attempt, end = _next_place()
    check = replace(check, test=attempt.test, attempt=attempt.attempt, worker=attempt.worker, end=end)
    with TemporaryDirectory() as name:
        place = Place(Path(name))
        units = plan_units(path, check, selection, place, ROWS, attempt.take(0))
        folds = sorted(in_order(score_unit, units, min(jobs, len(units))), key=attrgetter("before", "rows"))
        if again := sum(1 for _ in rows_with_one_id(folds, place)):
            check.names().warn_of(again, "", 4)
        for fold in folds:
            if attempt.take(fold.rows) != fold.before:
                raise ConfigurationError("with jobs, no other thread of the test compares at the same time")
            rows = PartRows(fold.counts, fold.first(), fold.unreadable, files_of(fold, place))
            SESSION.compared += fold.rows
            if SESSION.rows_observer is not None:
                SESSION.rows_observer(rows)
            yield rows


def _next_place() -> tuple[AttemptRecords, str]:
    place = SESSION.next_place() if SESSION.next_place is not None else None
    if place is None:
        return AttemptRecords("", 1), record_end("", 0)
    return place
