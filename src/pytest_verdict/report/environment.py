"""Times and environment of a run: the only part of a report in which two equal runs differ."""

import datetime
import hashlib
import platform
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from pytest_verdict.core.values.redaction import Redaction, without_url_secrets

_GIT: Final = ("git", "--no-optional-locks", "status", "--porcelain=v2", "--branch")
_GIT_SECONDS: Final = 2.0
_COMMIT: Final = "# branch.oid "


def now() -> str:
    """Return the time in ISO 8601 and UTC, to the second."""
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC).isoformat(timespec="seconds")


def describe_process(root: Path, arguments: Iterable[object], redaction: Redaction | None = None) -> dict[str, Any]:
    """Describe the programs of a run and its arguments; environment variables are left out."""
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
        **_git(root),
    }


def _git(root: Path) -> dict[str, Any]:
    try:
        status = subprocess.run(_GIT, cwd=root, capture_output=True, timeout=_GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    lines = status.stdout.decode("utf-8", "replace").splitlines()
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")
    # A repository without commits has "(initial)".
    if not commit.isalnum():
        return {}
    return {"git": {"commit": commit, "clean": all(line.startswith("#") for line in lines)}}
