"""Rows of a dataset, one at a time; one module per format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.values.display import shortened, shown
from pytest_verdict.errors import ConfigurationError, MappingError, allowed
from pytest_verdict.suites.loading import load_brought
from pytest_verdict.suites.mapping.input_mapping import read_input

_LONGEST_NAME: Final = 200


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


def read_rows(source: str | Path | Iterable[Any]) -> Iterator[Row]:
    """Read the rows of a dataset."""
    return (row if isinstance(row, Row) else Row(number, row) for number, row in enumerate(_read(source), 1))


def named_rows(source: str | Path | Iterable[Any], ids: Any = None) -> Iterator[tuple[str, str, Any, str | None]]:
    """Give place, name, value and error of each row; ``ids`` says where in a row its name is."""
    label = Path(source).name if isinstance(source, str | Path) else "row"
    fetch_id = None if ids is None else read_input("ids", ids)
    for position, row in enumerate(_read(source), 1):
        number, value, error = row if isinstance(row, Row) else (position, row, None)
        place = f"{label}:{number}"
        yield place, place if fetch_id is None else _name(fetch_id, value, place), value, error


def _read(source: Any) -> Iterable[Any]:
    if isinstance(source, bytes | Mapping) or not isinstance(source, str | Path | Iterable):
        raise ConfigurationError(f"a dataset is a path or an iterable of rows, got {shown(source, 80)}")
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    read = load_brought("row_readers", path.suffix.lower())
    if read is None:
        known = allowed("suffix", path.suffix, FAMILIES.all("row_readers"))
        raise ConfigurationError(f"{path.name}: the format of a dataset is told by its suffix.{known}")
    if not path.is_file():
        raise FileNotFoundError(2, "there is no such dataset", str(path))
    rows: Iterable[Any] = read(path)
    return rows


def _name(fetch_id: Callable[[Any], Any], value: Any, place: str) -> str:
    try:
        given = fetch_id(value)
    except MappingError:
        return place
    if given is None or given == "":
        return place
    return shortened(given, _LONGEST_NAME) if isinstance(given, str) else shown(given, 60)
