"""Rows of a dataset, one at a time."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.values.display import counted, shortened, shown
from pytest_verdict.errors import ConfigurationError, MappingError, allowed
from pytest_verdict.suites.loading import load_brought
from pytest_verdict.suites.mapping.input_mapping import read_input

_LONGEST_NAME: Final = 200
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


def named_rows(
    source: str | Path | Iterable[Any], ids: Any = None, label: str = "row"
) -> Iterator[tuple[str, str, Any, str | None]]:
    """Give place, name, value and error of each row; ``ids`` says where in a row its name is."""
    label = Path(source).name if isinstance(source, str | Path) else label
    fetch_id = None if ids is None else read_input("ids", ids)
    seen: set[int] = set()
    first, count = "", 0
    for position, row in enumerate(_read(source), 1):
        number, value, error = row if isinstance(row, Row) else (position, row, None)
        place = f"{label}:{number}"
        name = place if fetch_id is None else _name(fetch_id, value, place)
        if name != place:
            # Of a name only its hash is kept.
            known = hash(name)
            if known in seen:
                first, count = first or f"{shown(name, 60)} in {place}", count + 1
            seen.add(known)
        yield place, name, value, error
    if count:
        verb = "has" if count == 1 else "have"
        text = f"{label}: {counted(count, 'row')} {verb} the id of an earlier one, first {first}"
        warnings.warn(DatasetWarning(text), stacklevel=4)


def checked_size(name: str, given: Any) -> int | None:
    """Refuse a number of rows that is none."""
    if given is not None and (type(given) is not int or given < 1):
        raise ConfigurationError(f"{name} is a whole number from 1, got {shown(given, 40)}")
    return given


def _read(source: Any) -> Iterable[Any]:
    if isinstance(source, bytes | Mapping) or not isinstance(source, str | Path | Iterable):
        raise ConfigurationError(f"a dataset is a path or an iterable of rows, got {shown(source, 80)}")
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    rows: Iterable[Any] = reader_of(path)(path)
    return rows


def reader_of(path: Path) -> Callable[[Path], Iterable[Any]]:
    """Find what reads the rows of a file, and refuse one that is not there or that nothing reads."""
    read = load_brought("row_readers", path.suffix.lower())
    if path.suffix.lower() == ".gz" and Path(path.stem).suffix.lower() not in {"", ".gz"}:
        read = _unpacked
    if read is None and path.suffix.lower() in _COMPRESSED:
        raise ConfigurationError(f"{path.name}: a compressed dataset is not read; unpack it first")
    if read is None:
        known = allowed("suffix", path.suffix, FAMILIES.all("row_readers"))
        raise ConfigurationError(f"{path.name}: the format of a dataset is told by its suffix.{known}")
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such dataset", str(path))
    found: Callable[[Path], Iterable[Any]] = read
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
        yield from _read(copy)


def _name(fetch_id: Callable[[Any], Any], value: Any, place: str) -> str:
    try:
        given = fetch_id(value)
    except MappingError:
        return place
    if given is None or given == "":
        return place
    return shortened(given, _LONGEST_NAME) if isinstance(given, str) else shown(given, 60)
