"""When and where a session ran: the only part of a report in which two equal runs differ."""

from __future__ import annotations

import datetime
import hashlib
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_verdict.core.values.redaction import without_url_secrets
from pytest_verdict.pytest_plugin.shards import shard_of

_GIT: Final = ("git", "--no-optional-locks", "status", "--porcelain=v2", "--branch")
_GIT_SECONDS: Final = 2.0
_COMMIT: Final = "# branch.oid "


def now() -> str:
    """Return the time in ISO 8601 and UTC, to the second."""
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC).isoformat(timespec="seconds")


def describe_environment(config: pytest.Config, redaction: Callable[[str], str] | None) -> dict[str, Any]:
    """Describe what a session runs with; of environment variables only the number of a shard is told."""
    from importlib.metadata import version

    written = redaction or str
    return {
        "pytest_verdict": version("pytest-verdict"),
        "pytest": pytest.__version__,
        "python": platform.python_version(),
        # Not platform.platform(), which reads the interpreter's file to find its C library.
        "platform": f"{platform.system()}-{platform.release()}-{platform.machine()}",
        "arguments": [written(without_url_secrets(str(argument))) for argument in config.invocation_params.args],
        "workers": len(getattr(config.option, "tx", None) or []),
        "plugins": {plugin.project_name: plugin.version for _, plugin in config.pluginmanager.list_plugin_distinfo()},
        "packages": _packages(),
        **_git(config.rootpath),
        **({"shard": shard} if (shard := shard_of(config)) else {}),
    }


def _packages() -> str:
    # Folders are called by name and version; reading their metadata takes a hundred times longer.
    found = {path.name for entry in sys.path for path in Path(entry).glob("*.dist-info")}
    return hashlib.sha256("\n".join(sorted(found)).encode("utf-8", "surrogatepass")).hexdigest()


def _git(root: Path) -> dict[str, Any]:
    try:
        status = subprocess.run(_GIT, cwd=root, capture_output=True, timeout=_GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    lines = status.stdout.decode("utf-8", "replace").splitlines()
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")
    # Before the first commit git says "(initial)".
    is_clean = all(line.startswith("#") for line in lines)
    return {"git": {"commit": commit, "clean": is_clean}} if commit.isalnum() else {}
