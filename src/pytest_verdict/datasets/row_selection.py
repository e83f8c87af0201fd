"""Which rows of a file are taken as tests."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from pytest_verdict.core.values.display import counted
from pytest_verdict.datasets.rows import positions_by_seed
from pytest_verdict.errors import ConfigurationError

NamedRow = tuple[str, str, Any, str | None]


class RowSelection(BaseModel):
    """Which rows of a file are taken."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    expect_rows: Annotated[int, Field(ge=1, description="How many rows the file has.")] | None = None
    limit: Annotated[int, Field(ge=1, description="Only so many of the first rows.")] | None = None
    sample: Annotated[int, Field(ge=1, description="Only so many rows, chosen by the seed.")] | None = None
    seed: int = 0


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
