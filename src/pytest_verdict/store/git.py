"""The order of commits, as the git repository of the current folder knows it."""

import subprocess
from collections.abc import Iterable, Mapping
from typing import Final

_SECONDS: Final = 20.0


def is_ancestor(old: str, new: str) -> bool | None:
    """Return whether a commit is another one or comes before it; None if git does not know both."""
    if not old.isalnum() or not new.isalnum():
        return None
    status = _git("merge-base", "--is-ancestor", old, new).returncode
    return {0: True, 1: False}.get(status)


def commit_positions(commits: Iterable[str]) -> Mapping[str, int]:
    """Return the positions of commits, parents before children; commits that git does not know are left out."""
    requested = {commit for commit in commits if commit.isalnum()}
    if not requested:
        return {}
    done = _git("rev-list", "--ignore-missing", "--date-order", "--reverse", *sorted(requested))
    if done.returncode:
        return {}
    return {commit: position for position, commit in enumerate(done.stdout.split()) if commit in requested}


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "--no-optional-locks", *words]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return subprocess.CompletedProcess(command, 128, "", str(error))
