"""Times and environment of a run: the only part of a report in which two equal runs differ."""

import datetime
import hashlib
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.redaction import Redaction, without_url_secrets

STATUS: Final = ("status", "--porcelain=v2", "--branch")
_GIT_SECONDS: Final = 2.0
_COMMIT: Final = "# branch.oid "
_BRANCH: Final = "# branch.head "
_DETACHED: Final = "(detached)"
# CI checks out a commit and names the branch in a variable: that of a pull request first.
_BRANCH_VARIABLES: Final = (
    "GITHUB_HEAD_REF",
    "GITHUB_REF_NAME",
    "CI_COMMIT_REF_NAME",
    "BUILDKITE_BRANCH",
    "CIRCLE_BRANCH",
)


def now() -> str:
    """Return the time in ISO 8601 and UTC, to the second."""
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC).isoformat(timespec="seconds")


def describe_process(root: Path, arguments: Iterable[object], redaction: Redaction | None = None) -> dict[str, Any]:
    """Describe the programs of a run and its arguments; of the environment variables, only the branch in CI."""
    from importlib.metadata import version

    # The names of these folders have name and version, so no metadata has to be read.
    packages = {path.name for entry in sys.path for path in Path(entry).glob("*.dist-info")}
    hidden = redaction or str
    return {
        "pytest_verdict": version("pytest-verdict"),
        "python": platform.python_version(),
        # Not platform.platform(), which reads the interpreter's file to find its C library.
        "platform": f"{platform.system()}-{platform.release()}-{platform.machine()}",
        "arguments": [hidden(without_url_secrets(str(argument))) for argument in arguments],
        "packages": hashlib.sha256("\n".join(sorted(packages)).encode("utf-8", "surrogatepass")).hexdigest(),
        **_git(root, hidden),
    }


def run_git(folder: Path, *words: str, seconds: float = _GIT_SECONDS) -> list[str] | None:
    """Return the lines that a command of git prints in a folder; None if it fails or takes too long."""
    command = ("git", "--no-optional-locks", *words)
    try:
        process = subprocess.run(command, cwd=folder, capture_output=True, timeout=seconds, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout.decode("utf-8", "replace").splitlines()


def find_commit(lines: Iterable[str]) -> str:
    """Return the commit that the lines of the status name; empty if there is none."""
    return next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")


def _git(root: Path, hidden: Callable[[str], str]) -> dict[str, Any]:
    lines = run_git(root, *STATUS) or []
    commit = find_commit(lines)
    branch = next((line.removeprefix(_BRANCH) for line in lines if line.startswith(_BRANCH)), _DETACHED)
    if branch == _DETACHED:
        branch = next((os.environ[name] for name in _BRANCH_VARIABLES if os.environ.get(name)), "")
    # A repository without commits has "(initial)".
    if not commit.isalnum():
        return {}
    git = {"commit": commit, "clean": all(line.startswith("#") for line in lines)}
    return {"git": {**git, **({"branch": hidden(branch)} if branch else {})}}
