"""Some rows of a data set: the first ones, or those that a seed chooses by their names."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pytest_verdict.core.values.display import shown
from pytest_verdict.datasets.rows import checked_size, positions_by_seed
from pytest_verdict.datasets.scored_rows import RowCheck, names_of
from pytest_verdict.datasets.slices import Slice, single_rows, slices
from pytest_verdict.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Selection:
    """Only so many of the first rows, and of these only so many, chosen by the seed."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        checked_size("limit", self.limit)
        checked_size("sample", self.sample)
        if type(self.seed) is not int:
            raise ConfigurationError(f"seed is a whole number, got {shown(self.seed, 40)}")

    def positions(self, source: Any, check: RowCheck) -> Sequence[int] | None:
        """Give the positions of the rows that are taken; None for all."""
        if self.sample is None:
            return None if self.limit is None else range(self.limit)
        names = check.names()
        read = slices(source, check.needed) or single_rows(source)
        called = (name for rows in read for name in names_of(rows, names) or map(names.place, rows.numbers))
        return positions_by_seed(islice(called, self.limit), self.sample, self.seed)


def taken(slices: Iterable[Slice], positions: Sequence[int]) -> Iterator[Slice]:
    """Leave of slices the rows at these positions; behind the last one nothing is read."""
    before = 0
    for rows in slices:
        wanted = within(positions, before, len(rows.numbers))
        if wanted:
            yield rows.at([position - before for position in wanted]) if len(wanted) < len(rows.numbers) else rows
        before += len(rows.numbers)
        if not positions or before > positions[-1]:
            return


def within(positions: Sequence[int], before: int, count: int) -> Sequence[int]:
    """Give the positions that stand among so many rows."""
    return positions[bisect_left(positions, before) : bisect_left(positions, before + count)]
