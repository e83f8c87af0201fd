"""The order of runs: by the ancestry of their commits where git knows it, and otherwise by time."""

from collections.abc import Sequence

from pytest_verdict.store.git import commit_positions
from pytest_verdict.store.index import StoredRun


def in_order(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Sort runs whose commits git knows by commit, in the places that they have by time; the others keep theirs."""
    by_time = sorted(runs, key=lambda stored: stored.name)
    positions = commit_positions({stored.index.commit for stored in runs})
    places = [place for place, stored in enumerate(by_time) if stored.index.commit in positions]
    known = sorted((by_time[place] for place in places), key=lambda stored: positions[stored.index.commit])
    for place, stored in zip(places, known, strict=True):
        by_time[place] = stored
    return by_time


def is_out_of_order(runs: Sequence[StoredRun]) -> set[str]:
    """Return the names of runs that stand before a run that started earlier."""
    late = set()
    earliest = ""
    for stored in reversed(runs):
        if earliest and stored.name > earliest:
            late.add(stored.name)
        earliest = min(earliest or stored.name, stored.name)
    return late
