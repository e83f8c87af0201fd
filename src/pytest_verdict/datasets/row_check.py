"""The comparison of slices: counts, the first failures, and the lines of the records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pytest_verdict.core.record import (
    AttemptRecords,
    Counts,
    count,
    record_end,
    write_comparison,
)
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.datasets.columns.table import NoColumnsError, has_column_function
from pytest_verdict.datasets.rows import LONGEST_NAME, RowNames, Selection
from pytest_verdict.datasets.slices import RowSlice, Slice, read_slices
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import OBSERVED, InputMapping
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from pytest_verdict.datasets.columns.groups import GroupedSlice, Judge, RowGroup

SAMPLES: Final = 5
# Looking for equal rows ends when fewer than one in so many repeats an earlier one.
_FEWEST_REPEATED: Final = 64


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
        slices = read_slices(source, self.needed_columns)
        all_names = (name for rows in slices for name in name_rows(rows, names) or map(names.place, rows.numbers))
        return selection.draw(islice(all_names, selection.limit))


def score_rows(check: RowCheck, rows: Slice, first_ordinal: int) -> tuple[JudgedRows, bytes]:
    """Compare the rows of a slice and write their records, which are numbered from ``first_ordinal``."""
    judged = judge_rows(check.evaluator, rows, check.names())
    attempt = AttemptRecords(check.test, check.attempt, check.worker)
    attempt.take(first_ordinal - 1)
    return judged, judged.write(attempt, check.end)


class SingleRow(NamedTuple):
    """The result of a row, which equal rows share, and the name of the row."""

    result: ComparisonResult
    name: str


class EqualRows:
    """Compares rows, and those with equal values only once, if the operator always returns the same for them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._results: dict[str | None, ComparisonResult] = {}
        self._repeated = 0
        operator = evaluator.operator
        keys = evaluator.mapping.keys
        self._keys: Sequence[Any] | None = None
        # A model, and a function of the user, may answer differently the next time.
        if operator is not None and operator.is_repeatable and None not in (keys or [None]):
            self._keys = keys

    def judge(self, document: Any, name: str) -> ComparisonResult:
        key = None
        if self._keys is not None and type(document) is dict:
            text = encode_text([document.get(name, ABSENT) for name in self._keys])
            # Values other than JSON may have the same text.
            if f'"{TYPE_KEY}":' not in text:
                key = text
        result = self._results.get(key)
        if result is not None:
            self._repeated += 1
            return result
        result = self._evaluator.judge(document, name=name)
        # An error may show other parts of the document.
        if key is not None and result.error is None and result.operator == self._evaluator.operator_name:
            self._results[key] = result
        if len(self._results) > _FEWEST_REPEATED * (1 + self._repeated):
            # Nearly all rows differ.
            self._keys = None
        return result


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
    singles: Mapping[int, SingleRow]
    """The rows that the kernel compared one by one, by their position."""
    grouped: GroupedSlice | None = None
    """The rows that were compared by columns."""
    reason: str = ""
    """Why no row was compared by columns."""

    def write(self, attempt: AttemptRecords, end: str) -> bytes:
        """Write the records as the next ones of an attempt of a test."""
        redaction = SESSION.redaction
        members = {
            position: write_comparison(result.replace(name=name), redaction)
            for position, (result, name) in self.singles.items()
        }
        if self.grouped is not None:
            return self.grouped.write(members, attempt, end)
        first = attempt.take(len(members)) + 1
        lines = [attempt.line(text, ordinal, end) for ordinal, text in enumerate(members.values(), first)]
        return "".join(lines).encode("ascii")


def judge_rows(evaluator: Evaluator, rows: Slice, names: RowNames) -> JudgedRows:
    row_names = name_rows(rows, names)

    def judge_singles(positions: Sequence[int]) -> Iterator[SingleRow]:
        cache = EqualRows(evaluator)
        for position, document in zip(positions, rows.documents(positions), strict=True):
            place = names.place(rows.numbers[position])
            error = rows.errors.get(position)
            if error is None:
                name = row_names[position] if row_names else place
                yield SingleRow(cache.judge(document, name), name)
            else:
                reason = f"{place}: {error}"
                yield SingleRow(not_compared(reason, instead_of=evaluator.operator_name, name=place), place)

    def judge(positions: Sequence[int]) -> list[ComparisonResult]:
        return [next(judge_singles([position])).result for position in positions]

    single_positions: Sequence[int] = range(len(rows.numbers))
    groups: Sequence[RowGroup] = ()
    grouped = None
    reason = ""
    try:
        grouped = _group(evaluator, rows, names, row_names, judge)
    except NoColumnsError as error:
        reason = str(error)
    else:
        single_positions = grouped.singles
        groups = grouped.groups
    singles = dict(zip(single_positions, judge_singles(single_positions), strict=True))

    counts: Counts = {}
    failed = []
    for position, (result, _) in singles.items():
        verdict = result.verdict
        count(counts, result.operator, verdict)
        if verdict != "pass":
            failed.append(position)
    for group in groups:
        count(counts, group.result.operator, group.result.verdict, len(group.positions))
        if not group.result.passed:
            failed += group.positions[:SAMPLES].to_pylist()

    first_failed = sorted(failed)[:SAMPLES]
    samples = judge(first_failed)
    places = [names.place(rows.numbers[position]) for position in first_failed]
    return JudgedRows(row_names, counts, samples, places, len(rows.errors), singles, grouped, reason)


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


def _group(evaluator: Evaluator, rows: Slice, names: RowNames, row_names: Sequence[str], judge: Judge) -> GroupedSlice:
    """Compare the rows by columns; raise NoColumnsError where mapping, operator, session or values do not allow it."""
    operator = evaluator.operator
    inputs = evaluator.mapping.columns()
    if len(rows.numbers) == 1:
        raise NoColumnsError("there is one row")
    if operator is None:
        raise NoColumnsError("the operator, or one of its settings, comes from the row")
    if inputs is None:
        raise NoColumnsError("the mapping has an input that is not the whole value of a column")
    if SESSION.redaction is not None:
        raise NoColumnsError("the values are redacted")
    if not has_column_function(operator):
        raise NoColumnsError(f"{operator} has no column function")
    try:
        from pytest_verdict.datasets.columns.groups import build_names, group_slice
    except ImportError:
        raise NoColumnsError("pyarrow is not installed; it comes with the extra [arrow]") from None
    name_column = build_names(names.label, rows.numbers, row_names)
    if name_column is None:
        raise NoColumnsError("the id of a row is not UTF-8")
    return group_slice(operator, inputs, rows, name_column, judge)


def explain_plan(check: RowCheck, source: Any) -> list[str]:
    """Describe how the first rows of a data set are compared: by columns or one by one, and why."""
    slices = read_slices(source, check.needed_columns)
    rows = next(iter(slices), None)
    if rows is None:
        return [f"plan: {check.label} has no rows"]
    judged = judge_rows(check.evaluator, rows, check.names())
    singles = len(judged.singles)
    number = len(rows.numbers)
    operator = check.evaluator.operator_name or "the operator of each row"
    if judged.grouped is None:
        return [f"plan: {operator} compares row by row: {judged.reason}"]
    lines = [f"plan: {operator} compares by columns"]
    if singles:
        reason = "null, too long, in a rare group, or in a form that only the kernel reads"
        lines.append(f"plan: {singles:,} of the first {number:,} rows are compared one by one: {reason}")
    return lines
