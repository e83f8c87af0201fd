"""Times and environment of a run: the only part of a report in which two equal runs differ."""

import datetime
import hashlib
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.redaction import without_url_secrets

_GIT: Final = ("git", "--no-optional-locks", "status", "--porcelain=v2", "--branch")
_GIT_SECONDS: Final = 2.0
_COMMIT: Final = "# branch.oid "


def now() -> str:
    """Return the time in ISO 8601 and UTC, to the second."""
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC).isoformat(timespec="seconds")


def describe_process(
    root: Path, arguments: Iterable[object], redaction: Callable[[str], str] | None = None
) -> dict[str, Any]:
    """Describe the programs of a run and its arguments; environment variables are left out."""
    from importlib.metadata import version

    written = redaction or str
    return {
        "pytest_verdict": version("pytest-verdict"),
        "python": platform.python_version(),
        # Not platform.platform(), which reads the interpreter's file to find its C library.
        "platform": f"{platform.system()}-{platform.release()}-{platform.machine()}",
        "arguments": [written(without_url_secrets(str(argument))) for argument in arguments],
        "packages": _packages(),
        **_git(root),
    }


def _packages() -> str:
    # The names of these folders have name and version, so no metadata has to be read.
    names = {path.name for entry in sys.path for path in Path(entry).glob("*.dist-info")}
    return hashlib.sha256("\n".join(sorted(names)).encode("utf-8", "surrogatepass")).hexdigest()


def _git(root: Path) -> dict[str, Any]:
    try:
        status = subprocess.run(_GIT, cwd=root, capture_output=True, timeout=_GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    lines = status.stdout.decode("utf-8", "replace").splitlines()
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")
    is_clean = all(line.startswith("#") for line in lines)
    # Before the first commit, the name of the commit is "(initial)".
    return {"git": {"commit": commit, "clean": is_clean}} if commit.isalnum() else {}
