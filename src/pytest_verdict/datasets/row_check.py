"""The comparison of rows: the members of their records, their counts, and the first that did not pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

from pytest_verdict.core.garbage_collection import pause_garbage_collection
from pytest_verdict.core.kernel import run
from pytest_verdict.core.record import AttemptRecords, Counts, count, record_end, write_comparison
from pytest_verdict.core.record_members import MEMBER, Verdict
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY, encode_text
from pytest_verdict.datasets.rows import BATCH_ROWS, Row, RowNames, Selection, number_rows, read_rows
from pytest_verdict.errors import ConfigurationError, allowed
from pytest_verdict.extraction.evaluator import Evaluator
from pytest_verdict.extraction.input_mapping import EXPECTED, LONGEST_DOCUMENT, OBSERVED, InputMapping
from pytest_verdict.extraction.paths import only_key
from pytest_verdict.operators.synthetic_operators import not_compared
from pytest_verdict.session import SESSION

SAMPLES: Final = 5
# More would take longer to keep than to compare again, if nearly all rows differ.
_MOST_REMEMBERED: Final = 256
_BATCH_TEXT: Final = 1 << 20
_NAME: Final = f",{MEMBER['name'].key}"
_SOURCES: Final = f",{MEMBER['sources'].key}"
_TYPED: Final = f'"{TYPE_KEY}":'


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """How every row of a data set is compared, and which test its records belong to; it can be pickled."""

    evaluator: Evaluator
    label: str
    ids: Any = None
    test: str = ""

    @property
    def end(self) -> str:
        """The end of each record that no test makes, with the file of the data set."""
        return record_end(self.label, 0)

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

    def refuse_absent_keys(self, source: Any) -> None:
        """Refuse an input that none of the first rows has, before a row is compared."""
        keys: set[str] = set()
        objects = 0
        others = 0
        # Whoever compares the rows reports that they cannot be read.
        with suppress(Exception):
            for row in islice(number_rows(read_rows(source)), BATCH_ROWS):
                if isinstance(row.value, Mapping):
                    objects += 1
                    keys.update(map(str, row.value))
                elif row.error is None:
                    others += 1
        if objects > 1 and not others:
            self.refuse_absent_columns(keys)

    def needed_columns(self, schema: Any) -> list[Any] | None:
        """Return the columns that are needed; None for all, when records contain the whole document."""
        self.refuse_absent_columns(schema.names)
        mapped = self.evaluator.mapping.columns()
        if mapped is None:
            return None
        keys: set[str | None] = {*mapped.values()}
        if self.ids is not None:
            keys.add(only_key(self.ids) if isinstance(self.ids, str) else None)
        if all(key in schema.names and "." not in str(key) for key in keys):
            return [name for name in schema.names if name in keys]
        return None

    def positions(self, source: Any, selection: Selection) -> Sequence[int] | None:
        """Return the positions of the selected rows; None for all rows."""
        if selection.sample is None:
            return None if selection.limit is None else range(selection.limit)
        names = self.names()
        rows = number_rows(read_rows(source, self.needed_columns))
        return selection.draw(names.find(row.value) or names.place(row.number) for row in islice(rows, selection.limit))


@dataclass(slots=True)
class ComparedRows:
    """Consecutive rows that were compared."""

    names: list[tuple[str | None, str]] = field(default_factory=list)
    """The id, if it has one, and the place of each."""
    members: list[str] = field(default_factory=list)
    """The members of their records."""
    counts: Counts = field(default_factory=dict)
    samples: list[ComparisonResult] = field(default_factory=list)
    """The first results that did not pass."""
    places: list[str] = field(default_factory=list)
    """The file and line of each of them."""
    unreadable: int = 0

    def write(self, attempt: AttemptRecords, end: str) -> bytes:
        """Write the records as the next ones of an attempt of a test."""
        first = attempt.take(len(self.members)) + 1
        lines = [attempt.line(members, ordinal, end) for ordinal, members in enumerate(self.members, first)]
        return "".join(lines).encode("ascii")


def compare_rows(check: RowCheck, rows: Iterable[Row], most: int = BATCH_ROWS) -> Iterator[ComparedRows]:
    """Compare rows in batches; when reading fails, the rows before the failure come first."""
    rows = iter(rows)
    comparer = _RowComparer(check)
    while True:
        compared, failure = comparer.compare_batch(islice(rows, most))
        if compared.members:
            yield compared
        if failure is not None:
            raise failure
        if not compared.members:
            return


class _ComparedRow(NamedTuple):
    """The result of a row, and the members of its record before and after the name, which equal rows share."""

    result: ComparisonResult
    sources: str | None
    before: str
    after: str


class _RowComparer:
    """Compares rows, and many with equal inputs only once."""

    def __init__(self, check: RowCheck) -> None:
        evaluator = check.evaluator
        mapping = evaluator.mapping
        self._evaluator = evaluator
        self._names = check.names()
        self._equal_rows: dict[tuple[str, ...], _ComparedRow] = {}
        self._keys: Sequence[str | None] | None = None
        if evaluator.operator is not None and SESSION.redaction is None:
            self._keys = mapping.keys
        self._columns = mapping.columns()
        # The document of a record has only the values that are compared.
        keys = [encode_text(key).replace("%", "%%") for key in self._keys or ()]
        document = ",".join(f"{key}:%s" for key in keys)
        self._sources = f'{{{mapping.description.replace("%", "%%")},"document":{{{document}}}}}'

    @pause_garbage_collection()
    def compare_batch(self, rows: Iterable[Row]) -> tuple[ComparedRows, Exception | None]:
        """Compare some rows, and return the error that ended the reading."""
        compared = ComparedRows()
        verdicts = Counter[tuple[str, str]]()
        failure = None
        size = 0
        try:
            for row in rows:
                verdicts[self._compare(row, compared)] += 1
                size += len(compared.members[-1])
                if size > _BATCH_TEXT:
                    break
        except Exception as error:  # noqa: BLE001 - raised again by the caller
            failure = error
        for (operator, verdict), number in verdicts.items():
            count(compared.counts, operator, verdict, number)
        return compared, failure

    def _compare(self, row: Row, compared: ComparedRows) -> tuple[str, Verdict]:
        """Compare a row, and return the name of its operator and the verdict."""
        number, document, error = row
        identifier = self._names.find(document) if error is None else None
        place = self._names.place(number)
        name = identifier or place
        equal = None
        if self._keys is not None and type(document) is dict:
            equal = self._compare_keys(document)

        if equal is not None:
            result = equal.result
            members = f"{equal.before}{encode_text(name)}{equal.after}"
        else:
            if error is None:
                result = self._evaluator.judge(document, name=name)
            else:
                result = not_compared(f"{place}: {error}", instead_of=self._evaluator.operator_name, name=name)
                compared.unreadable += 1
            members = write_comparison(result, SESSION.redaction)
        verdict = result.verdict
        compared.names.append((identifier, place))
        compared.members.append(members)
        if verdict != "pass" and len(compared.samples) < SAMPLES:
            sources = result.sources_text if equal is None else equal.sources
            compared.samples.append(result.replace(name=name, sources=sources))
            compared.places.append(place)
        return result.operator, verdict

    def _compare_keys(self, document: Mapping[Any, Any]) -> _ComparedRow | None:
        """Compare a row by the values of its keys; None if one is missing, or is no plain JSON."""
        try:
            texts = tuple([encode_text(document[key]) for key in self._keys or ()])
        except KeyError:
            return None
        equal = self._equal_rows.get(texts)
        if equal is not None:
            return equal
        # Values other than JSON may have the same text, and may hide fields; of a long document there is a digest.
        sources: str | None = self._sources % texts
        if len(str(sources)) > LONGEST_DOCUMENT or _TYPED in "".join(texts):
            return None

        operator = self._evaluator.operator
        if operator is not None and self._columns is not None:
            expected = document[self._columns[EXPECTED]] if EXPECTED in self._columns else None
            result = run(operator, expected, document[self._columns[OBSERVED]], self._evaluator.threshold)
            after = f"{write_comparison(result)}{_SOURCES}{sources}"
        else:
            result = self._evaluator.judge(document)
            sources = result.sources_text
            after = write_comparison(result)
        verdict, _, after = after.partition(",")
        equal = _ComparedRow(result, sources, f"{verdict}{_NAME}", f",{after}")
        # A model, and a function of the user, may answer differently the next time; what is missing shows other keys.
        is_compared = result.error is None and result.operator == self._evaluator.operator_name
        is_repeatable = operator is not None and operator.is_repeatable and is_compared
        if is_repeatable and len(self._equal_rows) < _MOST_REMEMBERED:
            self._equal_rows[texts] = equal
        return equal
