"""Which rows of a data set are taken, and rows as scenarios."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.suites.mapping.input_mapping import read_input
from pytest_verdict.suites.rows import named_rows, positions_by_seed
from pytest_verdict.suites.suite_model import Dataset, RowSelection, Scenario

NamedRow = tuple[str, str, Any, str | None]


def selected(rows: Iterable[NamedRow], selection: RowSelection, least: int = 1) -> list[NamedRow]:
    """Take the first rows, or those that a seed chooses by their names, in their order; refuse a wrong number of all."""
    found, expected = list(rows), selection.expect_rows
    if len(found) < least or expected not in {None, len(found)}:
        wanted = f"at least {least}" if expected is None or len(found) < least else expected
        raise ConfigurationError(f"the dataset has {counted(len(found), 'row')}, and {wanted} are expected")
    found = found[: selection.limit]
    if selection.sample is None:
        return found
    names = (name for _, name, _, _ in found)
    return [found[position] for position in positions_by_seed(names, selection.sample, selection.seed)]


def scenarios_of(dataset: Dataset, folder: Path) -> Iterator[tuple[int, Scenario]]:
    """Give the scenarios of a file with their lines."""
    fetch = {key: read_input(key, source) for key, source in dataset.mapping.items()}
    for place, _, value, error in selected(named_rows(folder / dataset.file), dataset):
        if error is not None or not isinstance(value, dict):
            raise ConfigurationError(f"{place}: {error or 'a row is an object with the keys of a scenario'}")
        try:
            given = {key: find(value) for key, find in fetch.items()} or value
            yield int(place.rpartition(":")[2]), Scenario.model_validate({"name": place, **given})
        except LookupError as missing:
            raise ConfigurationError(f"{place}: {missing}") from None
        except ValidationError as wrong:
            problem = wrong.errors(include_url=False)[0]
            key = ".".join(map(str, problem["loc"]))
            raise ConfigurationError(f"{place}: {key}: {problem['msg']}") from None
