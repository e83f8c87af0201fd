"""Rows of a dataset, one at a time."""

import gzip
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.families import FAMILIES, load_brought
from pytest_verdict.core.values.display import counted, shortened, shown
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.errors import ConfigurationError, MappingError, allowed
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.extraction.paths import only_key

LONGEST_NAME: Final = 200
MOST_AT_ONCE: Final = 4_096
_COMPRESSED: Final = (".bz2", ".xz", ".zst", ".zip")


class DatasetWarning(UserWarning):
    """Rows of a data set have the same id.

    Example:
        >>> DatasetWarning("rows.jsonl: 1 row has the id of an earlier one")
        DatasetWarning('rows.jsonl: 1 row has the id of an earlier one')
    """


class Row(NamedTuple):
    """One row of a dataset, as a reader of rows gives it; a row that needs no number may be given as its value alone.

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


class RowNames:
    """What the rows of a data set are called: by what ``ids`` finds in them, or by their place."""

    def __init__(self, label: str, ids: Any = None) -> None:
        self.label = label
        self.ids = ids
        self._fetch = None if ids is None else read_input("ids", ids)
        # Of a name only its hash is kept.
        self._seen: set[int] = set()
        self._first, self._again = "", 0

    @property
    def key(self) -> str | None:
        """The key of a row that its name is; None when it is found in another way."""
        return only_key(self.ids) if isinstance(self.ids, str) else None

    def place(self, number: int) -> str:
        """Give the place of a row."""
        return f"{self.label}:{number}"

    def name(self, number: int, value: Any) -> str:
        """Name a row."""
        try:
            given = None if self._fetch is None else self._fetch(value)
        except MappingError:
            given = None
        if given is None or given == "":
            return self.place(number)
        return shortened(given, LONGEST_NAME) if isinstance(given, str) else shown(given, 60)

    def warn_of(self, again: int, first: str, stacklevel: int) -> None:
        """Warn of so many names that an earlier row has."""
        text = (
            f"{self.label}: {counted(again, 'row')} {'has' if again == 1 else 'have'} the id of an earlier one{first}"
        )
        warnings.warn(DatasetWarning(text), stacklevel=stacklevel + 1)

    def see(self, numbers: Sequence[int], names: Sequence[str]) -> None:
        """Count the names that an earlier row has."""
        if self._fetch is None:
            return
        hashes = [*map(hash, names)]
        fresh = set(hashes)
        if len(fresh) == len(hashes) and fresh.isdisjoint(self._seen):
            self._seen |= fresh
            return
        for number, name, known in zip(numbers, names, hashes, strict=True):
            if known in self._seen:
                self._first, self._again = self._first or f"{shown(name, 60)} in {self.place(number)}", self._again + 1
            self._seen.add(known)

    def warn(self, stacklevel: int) -> None:
        """Warn of the names that several rows have."""
        if self._again:
            self.warn_of(self._again, f", first {self._first}", stacklevel + 1)


def named_rows(source: str | Path | Iterable[Any], ids: Any = None) -> Iterator[tuple[str, str, Any, str | None]]:
    """Give place, name, value and error of each row; ``ids`` says where in a row its name is."""
    names = RowNames(label_of(source), ids)
    for number, value, error in numbered_rows(source):
        name = names.name(number, value)
        names.see((number,), (name,))
        yield names.place(number), name, value, error
    names.warn(4)


def numbered_rows(source: Any) -> Iterator[Row]:
    """Give the rows of a data set with their numbers."""
    return (row if isinstance(row, Row) else Row(position, row) for position, row in enumerate(read(source), 1))


def label_of(source: Any) -> str:
    """Name a data set."""
    return Path(source).name if isinstance(source, str | Path) else "row"


def checked_size(name: str, given: Any) -> int | None:
    """Refuse a number of rows that is none."""
    if given is not None and (type(given) is not int or given < 1):
        raise ConfigurationError(f"{name} is a whole number from 1, got {shown(given, 40)}")
    return given


def positions_by_seed(names: Iterable[str], sample: int, seed: int) -> list[int]:
    """Choose so many rows by their names; most of them stay when rows are added."""
    drawn = nsmallest(sample, enumerate(names), key=lambda named: content_digest([seed, named[1]]))
    return sorted(position for position, _ in drawn)


def read(source: Any) -> Iterable[Any]:
    """Read the rows of a data set, each as a `Row` or as its value."""
    if hasattr(source, "to_batches"):
        return (row for batch in source.to_batches(MOST_AT_ONCE) for row in batch.to_pylist())
    if isinstance(source, bytes | Mapping) or not isinstance(source, str | Path | Iterable):
        raise ConfigurationError(f"a dataset is a path, a table or an iterable of rows, got {shown(source, 80)}")
    return reader_of(Path(source))(Path(source)) if isinstance(source, str | Path) else source


def reader_of(path: Path) -> Callable[[Path], Iterable[Any]]:
    """Give the function that reads a file, told by its suffix."""
    if path.suffix.lower() == ".gz" and Path(path.stem).suffix.lower() not in {"", ".gz"}:
        return _unpacked
    found: Callable[[Path], Iterable[Any]] | None = load_brought("row_readers", path.suffix.lower())
    if found is None and path.suffix.lower() in _COMPRESSED:
        raise ConfigurationError(f"{path.name}: a compressed dataset is not read; unpack it first")
    if found is None:
        known = allowed("suffix", path.suffix, FAMILIES.all("row_readers"))
        raise ConfigurationError(f"{path.name}: the format of a dataset is told by its suffix.{known}")
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such dataset", str(path))
    return found


def _unpacked(path: Path) -> Iterator[Any]:
    # Readers take files that they can open by themselves. And what is damaged is found before a row is compared.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.stem)
        try:
            with gzip.open(path) as packed, copy.open("wb") as plain:
                shutil.copyfileobj(packed, plain)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ConfigurationError(f"{path.name}: the compressed file is damaged: {error}") from None
        yield from read(copy)
