"""The order of runs: by the ancestry of their commits where git knows it, and otherwise by time."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_verdict.report.environment import run_git
from pytest_verdict.store.index import StoredRun

_SECONDS: Final = 20.0


def is_ancestor(old: str, new: str) -> bool | None:
    """Return whether a commit is another one or comes before it; None if git does not know both."""
    if not (old.isalnum() and new.isalnum()):
        return None
    lines = run_git(Path.cwd(), "rev-list", "--max-count=1", old, f"^{new}", seconds=_SECONDS)
    return None if lines is None else not lines


def in_order(runs: Sequence[StoredRun]) -> list[StoredRun]:
    """Sort runs whose commits git knows by commit, in the places that they have by time; the others keep theirs."""
    by_time = sorted(runs, key=lambda stored: stored.name)
    commits = sorted({stored.index.commit for stored in runs if stored.index.commit.isalnum()})
    if not commits:
        return by_time
    words = ("rev-list", "--ignore-missing", "--date-order", "--reverse", *commits)
    lines = run_git(Path.cwd(), *words, seconds=_SECONDS) or []
    positions = {commit: position for position, commit in enumerate(lines)}
    places = [place for place, stored in enumerate(by_time) if stored.index.commit in positions]
    by_commit = sorted((by_time[place] for place in places), key=lambda stored: positions[stored.index.commit])
    for place, stored in zip(places, by_commit, strict=True):
        by_time[place] = stored
    return by_time


def started_too_late(runs: Sequence[StoredRun]) -> set[str]:
    """Return the names of runs that precede a run that started earlier."""
    names = [stored.name for stored in runs]
    return {name for position, name in enumerate(names) if name > min(names[position:])}
