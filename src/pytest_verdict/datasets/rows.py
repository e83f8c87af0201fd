"""Rows of a data set, one at a time: their names, and the selection of some of them."""

import gzip
import shutil
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.families import FAMILIES, load_brought
from pytest_verdict.core.values.display import format_count, shorten, shown
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.errors import ConfigurationError, MappingError, allowed
from pytest_verdict.extraction.input_mapping import read_input

LONGEST_NAME: Final = 200
BATCH_ROWS: Final = 4_096
_COMPRESSED: Final = (".bz2", ".xz", ".zst", ".zip")


NeededColumns = Callable[[Any], Sequence[str] | None]
"""Returns the columns of a schema that are needed; None for all."""


class DatasetWarning(UserWarning):
    """Rows of a data set have the same id.

    Example:
        >>> DatasetWarning("rows.jsonl: 1 row has the id of an earlier one")
        DatasetWarning('rows.jsonl: 1 row has the id of an earlier one')
    """


class Row(NamedTuple):
    """One row of a data set, as a reader of rows yields it. A reader may yield the value alone if a row needs no number.

    Args:
        number: Its line in the file, or its position from 1.
        value: Its value; None when it is unreadable.
        error: Why it is unreadable.

    Example:
        >>> Row(7, None, "it has 2 fields, and there are 3 columns").error
        'it has 2 fields, and there are 3 columns'
    """

    number: int
    value: Any
    error: str | None = None


class NamedRow(NamedTuple):
    """A row with its place, such as ``rows.jsonl:7``, and its name, which is the place by default."""

    place: str
    name: str
    value: Any
    error: str | None


class RowNames:
    """The names of rows: the value at the path ``ids``, or their place. It counts the names that occur twice."""

    def __init__(self, label: str, ids: Any = None) -> None:
        self.label = label
        self.ids = ids
        self.duplicates = 0
        self._rows = 0
        self._has_names = False
        self._first_duplicate = ""
        self._fetch = None if ids is None else read_input("ids", ids)
        # Hashes take less memory than the names.
        self._hashes: set[int] = set()

    def place(self, number: int) -> str:
        return f"{self.label}:{number}"

    def find(self, value: Any) -> str | None:
        """Return the id of a row, if it has one."""
        if self._fetch is None:
            return None
        try:
            name = self._fetch(value)
        except MappingError:
            return None
        if name is None or name == "":
            return None
        if isinstance(name, str):
            return shorten(name, LONGEST_NAME)
        return shown(name, 60)

    def add(self, place: str, identifier: str | None) -> None:
        """Count an id that an earlier row has."""
        if self._fetch is None:
            return
        self._rows += 1
        self._has_names = self._has_names or identifier is not None
        name = identifier or place
        name_hash = hash(name)
        if name_hash in self._hashes:
            self.duplicates += 1
            if not self._first_duplicate:
                self._first_duplicate = f", first {shown(name, 60)} in {place}"
        self._hashes.add(name_hash)

    def warn(self) -> None:
        """Warn of duplicates, in the caller of the function that compares the rows; refuse ids that no row has."""
        if self._rows and not self._has_names:
            raise ids_error(self.label, self.ids)
        if self.duplicates:
            have = "has" if self.duplicates == 1 else "have"
            rows = f"{format_count(self.duplicates, 'row')} {have} the id of an earlier one"
            warnings.warn(DatasetWarning(f"{self.label}: {rows}{self._first_duplicate}"), stacklevel=5)


def ids_error(label: str, ids: Any) -> ConfigurationError:
    ways = "name the path of a value that identifies a row, or leave ids out to use file and line"
    return ConfigurationError(f"{label}: ids: no row has a value at {shown(ids, 60)}; {ways}")


def read_named_rows(source: str | Path | Iterable[Any], ids: Any = None) -> Iterator[NamedRow]:
    """Yield the rows of a data set with their names; ``ids`` is the path of the name in a row."""
    names = RowNames(label_of(source), ids)
    for number, value, error in number_rows(read_rows(source)):
        place = names.place(number)
        identifier = names.find(value)
        names.add(place, identifier)
        yield NamedRow(place, identifier or place, value, error)
    names.warn()


def number_rows(rows: Iterable[Any]) -> Iterator[Row]:
    for position, row in enumerate(rows, 1):
        yield row if isinstance(row, Row) else Row(position, row)


def label_of(source: Any) -> str:
    """Return the name of a data set in records and messages."""
    if isinstance(source, str | Path):
        return Path(source).name
    return "row"


def check_count(name: str, count: Any) -> int | None:
    """Return a count of rows, and refuse any other value."""
    if count is not None and (type(count) is not int or not 1 <= count <= sys.maxsize):
        raise ConfigurationError(f"{name} is a whole number from 1, got {shown(count, 40)}")
    return count


def read_rows(source: Any, needed: NeededColumns = lambda _: None) -> Iterable[Any]:
    """Read the rows of a data set, each as a `Row` or as its value; of Arrow only the needed columns."""
    from pytest_verdict.datasets import formats

    if hasattr(source, "to_batches"):
        formats.refuse_repeated_columns(source.schema, "the table")
        columns = needed(source.schema)
        table = source if columns is None else source.select(columns)
        return formats.rows_of_batches(table.to_batches(max_chunksize=BATCH_ROWS))
    if isinstance(source, bytes | Mapping) or not isinstance(source, str | Path | Iterable):
        raise ConfigurationError(f"a dataset is a path, a table or an iterable of rows, got {shown(source, 80)}")
    if not isinstance(source, str | Path):
        return source
    reader = find_reader(Path(source))
    if reader is formats.read_arrow:
        return formats.read_arrow(Path(source), needed)
    return reader(Path(source))


def find_reader(path: Path) -> Callable[[Path], Iterable[Any]]:
    """Return the function that reads files with the suffix of a path."""
    suffix = path.suffix.lower()
    if suffix == ".gz" and Path(path.stem).suffix.lower() not in {"", ".gz"}:
        return _read_compressed

    reader: Callable[[Path], Iterable[Any]] | None = load_brought("row_readers", suffix)
    if reader is None and suffix in _COMPRESSED:
        raise ConfigurationError(f"{path.name}: a compressed dataset is not read; unpack it first")
    if reader is None:
        hint = allowed("suffix", path.suffix, FAMILIES.all("row_readers"))
        raise ConfigurationError(f"{path.name}: the suffix of a dataset names its format.{hint}")
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such dataset", str(path))
    return reader


def _read_compressed(path: Path) -> Iterator[Any]:
    # Readers need a path, and a damaged file must be refused before a row is compared.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.stem)
        try:
            with gzip.open(path) as packed, copy.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ConfigurationError(f"{path.name}: the compressed file is damaged: {error}") from None
        yield from read_rows(copy)


@dataclass(frozen=True, slots=True)
class Selection:
    """At most ``limit`` rows from the start, and a sample of these."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("limit", self.limit)
        check_count("sample", self.sample)
        if type(self.seed) is not int:
            raise ConfigurationError(f"seed is a whole number, got {shown(self.seed, 40)}")
        if self.seed and self.sample is None:
            raise ConfigurationError("seed has no effect without sample")
        if None not in (self.limit, self.sample) and (self.sample or 0) > (self.limit or 0):
            raise ConfigurationError(f"a sample of {self.sample} of the first {self.limit} rows has no effect")

    def describe(self, number: int) -> str:
        """Describe the rows that were compared, if these are perhaps not all; ``number`` is how many they are."""
        seed = f" with the seed {self.seed}"
        if self.sample is not None and number >= self.sample:
            first = "" if self.limit is None else f" of the first {self.limit:,}"
            return f"a sample of {format_count(self.sample, 'row')}{first}{seed}"
        if self.limit is not None and number >= self.limit:
            return f"the first {format_count(self.limit, 'row')}"
        return ""

    def draw(self, names: Iterable[str]) -> list[int]:
        """Draw a sample by the names of rows, and return its positions; most of it stays when rows are added."""
        keys = (content_digest([self.seed, name]) for name in names)
        drawn = nsmallest(self.sample or 0, enumerate(keys), key=lambda entry: entry[1])
        return sorted(position for position, _ in drawn)


def select_rows(
    rows: Iterable[NamedRow], selection: Selection, expect_rows: int | None = None, min_rows: int = 1
) -> list[NamedRow]:
    """List the selected rows in their order, and refuse a data set with a wrong number of rows."""
    all_rows = list(rows)
    if len(all_rows) < min_rows or expect_rows not in {None, len(all_rows)}:
        is_too_small = expect_rows is None or len(all_rows) < min_rows
        expected = f"at least {min_rows}" if is_too_small else expect_rows
        raise ConfigurationError(f"the dataset has {format_count(len(all_rows), 'row')}, and {expected} are expected")

    first = all_rows[: selection.limit]
    if selection.sample is None:
        return first
    return [first[position] for position in selection.draw(row.name for row in first)]


def rows_at(rows: Iterable[Row], positions: Sequence[int]) -> Iterator[Row]:
    """Yield the rows at some sorted positions, and read nothing after the last one."""
    waiting = iter(positions)
    wanted = next(waiting, None)
    if wanted is None:
        return
    for position, row in enumerate(rows):
        if position == wanted:
            yield row
            wanted = next(waiting, None)
            if wanted is None:
                return
