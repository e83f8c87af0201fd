"""The comparison of slices: counts, the first failures, and the lines of the records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.core.record import AttemptRecords, Counts, count, record_end
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.datasets.columns.table import has_column_function
from pytest_verdict.datasets.rows import LONGEST_NAME, RowNames, Selection
from pytest_verdict.datasets.slices import RowSlice, Slice, read_slices, single_rows
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import OBSERVED, InputMapping
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from pytest_verdict.datasets.columns.groups import GroupedSlice, Judge, RowGroup

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
        return RowNames(self.label, self.ids)

    def refuse_absent_columns(self, columns: Collection[str]) -> None:
        """Refuse an input, or ids, whose path begins with none of the columns."""
        mapping = self.evaluator.mapping
        keys = {} if self.evaluator.is_by_row else dict(mapping.first_keys)
        if mapping.fails_where_missing:
            keys.pop(OBSERVED, None)
        if self.ids is not None:
            keys |= InputMapping(observed=self.ids).first_keys
            keys["ids"] = keys.pop(OBSERVED)
        for name, key in keys.items():
            if key is not None and key not in columns:
                hint = allowed("column", key, columns)
                raise ConfigurationError(f"{self.label}: {name}: no row has {shown(key, 60)}.{hint}")

    def checked(self, slices: Iterable[Slice]) -> Iterator[Slice]:
        """Yield slices, and refuse an input that no row of the first one has; columns were checked by their names."""
        for number, rows in enumerate(slices):
            if number == 0 and isinstance(rows, RowSlice) and len(rows.values) > 1:
                objects = [value for value in rows.values if isinstance(value, Mapping)]
                if len(objects) + len(rows.errors) == len(rows.values) and objects:
                    self.refuse_absent_columns({str(key) for value in objects for key in value})
            yield rows

    def needed_columns(self, schema: Any) -> list[Any] | None:
        """Return the columns that are needed; None for all, when records contain the whole document."""
        self.refuse_absent_columns(schema.names)
        mapped = self.evaluator.mapping.columns()
        if mapped is None:
            return None
        keys: set[str | None] = {*mapped.values()}
        if self.ids is not None:
            keys.add(self.names().key)
        if all(key in schema.names and "." not in str(key) for key in keys):
            return [name for name in schema.names if name in keys]
        return None

    def positions(self, source: Any, selection: Selection) -> Sequence[int] | None:
        """Return the positions of the selected rows; None for all rows."""
        if selection.sample is None:
            return None if selection.limit is None else range(selection.limit)
        names = self.names()
        slices = read_slices(source, self.needed_columns) or single_rows(source)
        all_names = (name for rows in slices for name in name_rows(rows, names) or map(names.place, rows.numbers))
        return selection.draw(islice(all_names, selection.limit))


def score_rows(check: RowCheck, rows: Slice, first_ordinal: int) -> tuple[JudgedRows, bytes]:
    """Compare the rows of a slice and write their records, which are numbered from ``first_ordinal``."""
    judged = judge_rows(check.evaluator, rows, check.names())
    attempt = AttemptRecords(check.test, check.attempt, check.worker)
    attempt.take(first_ordinal - 1)
    return judged, judged.write(attempt, check.end)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """The comparisons of a slice, before their records are written."""

    names: Sequence[str]
    """Empty when the rows are named by their place."""
    counts: Counts
    samples: Sequence[ComparisonResult]
    """The first results that did not pass."""
    places: Sequence[str]
    """The file and line of each of them."""
    unreadable: int
    singles: Mapping[int, ComparisonResult]
    """The results of the rows that the kernel compared one by one, by their position."""
    grouped: GroupedSlice | None = None
    """The rows that were compared by columns."""

    def write(self, attempt: AttemptRecords, end: str) -> bytes:
        """Write the records as the next ones of an attempt of a test."""
        if self.grouped is not None:
            return self.grouped.write(self.singles, attempt, end)
        first = attempt.take(len(self.singles)) + 1
        members = (result.to_members(SESSION.redaction) for result in self.singles.values())
        return "".join(attempt.line(text, ordinal, end) for ordinal, text in enumerate(members, first)).encode("ascii")


def judge_rows(evaluator: Evaluator, rows: Slice, names: RowNames) -> JudgedRows:
    row_names = name_rows(rows, names)

    def judge(positions: Sequence[int]) -> list[ComparisonResult]:
        results = []
        for position, document in zip(positions, rows.documents(positions), strict=True):
            place = names.place(rows.numbers[position])
            error = rows.errors.get(position)
            if error is None:
                results.append(evaluator.judge(document, name=row_names[position] if row_names else place))
            else:
                reason = f"{place}: {error}"
                results.append(not_compared(reason, instead_of=evaluator.operator_name, name=place))
        return results

    single_positions: Sequence[int] = range(len(rows.numbers))
    groups: Sequence[RowGroup] = ()
    grouped = _group(evaluator, rows, names, row_names, judge) if len(rows.numbers) > 1 else None
    if grouped is not None:
        single_positions = grouped.singles
        groups = grouped.groups
    singles = dict(zip(single_positions, judge(single_positions), strict=True))

    counts: Counts = {}
    failed = [position for position, result in singles.items() if not result.passed]
    for result in singles.values():
        count(counts, result.operator, result.verdict)
    for group in groups:
        count(counts, group.result.operator, group.result.verdict, len(group.positions))
        if not group.result.passed:
            failed += group.positions[:SAMPLES].to_pylist()

    first_failed = sorted(failed)[:SAMPLES]
    samples = [singles[position] if position in singles else judge([position])[0] for position in first_failed]
    places = [names.place(rows.numbers[position]) for position in first_failed]
    return JudgedRows(row_names, counts, samples, places, len(rows.errors), singles, grouped)


def name_rows(rows: Slice, names: RowNames) -> Sequence[str]:
    """Return the names of the rows; empty when they are named by their place."""
    if names.ids is None:
        return ()
    texts = None if names.key is None else rows.texts(names.key)
    row_names = [text or "" for text in texts or [None] * len(rows.numbers)]
    unnamed = [position for position, name in enumerate(row_names) if not name or len(name) > LONGEST_NAME]
    for position, document in zip(unnamed, rows.documents(unnamed), strict=True):
        row_names[position] = names.name(rows.numbers[position], document)
    names.add(rows.numbers, row_names)
    return row_names


def _group(
    evaluator: Evaluator, rows: Slice, names: RowNames, row_names: Sequence[str], judge: Judge
) -> GroupedSlice | None:
    """Compare the rows by columns, where mapping, operator and session allow it."""
    operator = evaluator.operator
    inputs = evaluator.mapping.columns()
    if operator is None or inputs is None or SESSION.redaction is not None or not has_column_function(operator):
        return None
    try:
        from pytest_verdict.datasets.columns.groups import build_names, group_slice
    except ImportError:
        # Without pyarrow the kernel compares every row.
        return None
    name_column = build_names(names.label, rows.numbers, row_names)
    if name_column is None:
        return None
    return group_slice(operator, inputs, rows, name_column, judge)
