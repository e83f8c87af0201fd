"""Slices: some rows of a data set, one behind the other, as values or as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.suites.rows import Row

_MOST_ROWS: Final = 4_096
_KINDS: Final = {str: "string", int: "int64", bool: "bool"}


@dataclass(frozen=True, slots=True)
class RowSlice:
    """Rows as Python values.

    Args:
        numbers: Of each row its line in the file, or its position from 1.
        values: Of each row its value.
        errors: Why rows could not be read, by their position in the slice.
    """

    numbers: Sequence[int]
    values: Sequence[Any]
    errors: Mapping[int, str] = field(default_factory=dict)

    def documents(self, positions: Sequence[int]) -> Sequence[Any]:
        """Give some rows."""
        return [self.values[position] for position in positions]

    def texts(self, key: str) -> list[str | None]:
        """Give the texts of a key, and whole numbers as text; None for what is something else."""
        found = [value.get(key) if type(value) is dict else None for value in self.values]
        return [value if type(value) is str else str(value) if type(value) is int else None for value in found]

    def column(self, key: str) -> Any:
        """Give the values of a key as an Arrow array, null where they are of another type than most; None for no plain type."""
        import pyarrow

        found = [value.get(key, ABSENT) if type(value) is dict else ABSENT for value in self.values]
        kind = next((kind for kind in _KINDS if kind in set(map(type, found))), None)
        if kind is None:
            return None
        plain = [value if type(value) is kind else None for value in found]
        try:
            return pyarrow.array(plain, _KINDS[kind])
        except (UnicodeEncodeError, OverflowError, pyarrow.ArrowInvalid):
            return pyarrow.array([value if _fits(value) else None for value in plain], _KINDS[kind])


def _fits(value: Any) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    return value is not None and -(2**63) <= value < 2**63


@dataclass(frozen=True, slots=True)
class ColumnSlice:
    """Rows as a batch of Arrow."""

    numbers: range
    batch: Any
    errors: Mapping[int, str] = field(default_factory=dict)

    def documents(self, positions: Sequence[int]) -> Sequence[Any]:
        """Give some rows."""
        import pyarrow

        rows = self.batch.take(pyarrow.array(positions, "int64"))
        return list(rows.to_pylist())

    def texts(self, key: str) -> list[str | None] | None:
        """Give the texts of a column, or of its whole numbers; None when it has others."""
        column = self.column(key)
        return None if column is None or str(column.type) == "bool" else list(column.cast("string").to_pylist())

    def column(self, key: str) -> Any:
        """Give a column; None when it is not text, whole numbers or booleans."""
        import pyarrow
        from pyarrow import types

        if self.batch.schema.get_field_index(key) < 0:
            return None
        found = self.batch.column(key)
        kind = found.type.value_type if types.is_dictionary(found.type) else found.type
        if types.is_boolean(kind):
            return found
        is_text = types.is_string(kind) or types.is_large_string(kind)
        if not is_text and (not types.is_integer(kind) or types.is_uint64(kind)):
            return None
        return found.cast(pyarrow.string() if is_text else pyarrow.int64())


Slice = RowSlice | ColumnSlice


def slices_of_rows(rows: Iterable[Any]) -> Iterator[RowSlice]:
    """Put rows together; when they cannot be read any more, those before are given first."""
    position, taken = 0, list[Row]()
    iterator = iter(rows)
    while True:
        try:
            row = next(iterator)
        except StopIteration:
            break
        except BaseException:
            if taken:
                yield _of_rows(taken)
            raise
        position += 1
        taken.append(row if isinstance(row, Row) else Row(position, row))
        if len(taken) == _MOST_ROWS:
            yield _of_rows(taken)
            taken = []
    if taken:
        yield _of_rows(taken)


def _of_rows(rows: Sequence[Row]) -> RowSlice:
    errors = {position: row.error for position, row in enumerate(rows) if row.error is not None}
    return RowSlice([row.number for row in rows], [row.value for row in rows], errors)
