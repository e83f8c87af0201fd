"""Some rows of a data set: the first ones, or a sample that a seed draws by their names."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.datasets.rows import NamedRow, check_count
from pytest_verdict.errors import ConfigurationError


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
        raise ConfigurationError(f"the dataset has {counted(len(all_rows), 'row')}, and {expected} are expected")

    first = all_rows[: selection.limit]
    if selection.sample is None:
        return first
    return [first[position] for position in selection.draw(row.name for row in first)]


def positions_between(positions: Sequence[int], start: int, stop: int) -> Sequence[int]:
    """Return the sorted positions from ``start`` up to, but not including, ``stop``."""
    return positions[bisect_left(positions, start) : bisect_left(positions, stop)]
