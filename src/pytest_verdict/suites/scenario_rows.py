"""Rows of a data set as scenarios."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from pytest_verdict.core.validation_messages import problems_in
from pytest_verdict.datasets.row_selection import selected
from pytest_verdict.datasets.rows import named_rows
from pytest_verdict.errors import ConfigurationError
from pytest_verdict.extraction.input_mapping import read_input
from pytest_verdict.suites.suite_model import Dataset, Scenario


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
        except ValidationError as invalid:
            problem = problems_in(invalid)[0]
            key = ".".join(map(str, problem.path))
            raise ConfigurationError(f"{place}: {problem.explain(key, 'key', Scenario.model_fields)}") from None
