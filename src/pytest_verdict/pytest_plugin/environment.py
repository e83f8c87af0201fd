"""When and where a session ran: the only part of a report in which two equal runs differ."""

from __future__ import annotations

import datetime
import hashlib
import os
import platform
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

_LOCK_FILES: Final = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "requirements.txt")
_GIT: Final = ("git", "--no-optional-locks", "status", "--porcelain=v2", "--branch")
_GIT_SECONDS: Final = 2.0
_COMMIT: Final = "# branch.oid "
# Options of pytest-split and pytest-shard, variables of GitLab and CircleCI; and the number of the first part.
_SHARDS: Final = (("group", "splits", 1), ("shard_id", "num_shards", 0))
_SHARD_VARIABLES: Final = (("CI_NODE_INDEX", "CI_NODE_TOTAL", 1), ("CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0))


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
        "arguments": [written(str(argument)) for argument in config.invocation_params.args],
        "workers": len(getattr(config.option, "tx", None) or []),
        "plugins": {plugin.project_name: plugin.version for _, plugin in config.pluginmanager.list_plugin_distinfo()},
        **_of_code(config.rootpath),
        **_shard(config),
    }


def _of_code(root: Path) -> dict[str, Any]:
    git = _git(root)
    found: dict[str, Any] = {"git": git} if git else {}
    lock = next((root / name for name in _LOCK_FILES if (root / name).is_file()), None)
    if lock is not None:
        return {**found, "lock": {"path": lock.name, "sha256": hashlib.sha256(lock.read_bytes()).hexdigest()}}
    from importlib.metadata import distributions

    packages = sorted(f"{package.name}=={package.version}" for package in distributions())
    return {**found, "packages": hashlib.sha256("\n".join(packages).encode()).hexdigest()}


def _git(root: Path) -> dict[str, Any] | None:
    try:
        status = subprocess.run(_GIT, cwd=root, capture_output=True, timeout=_GIT_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = status.stdout.decode("utf-8", "replace").splitlines()
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")
    return {"commit": commit, "clean": all(line.startswith("#") for line in lines)} if commit else None


def _shard(config: pytest.Config) -> dict[str, Any]:
    given = [
        (getattr(config.option, index, None), getattr(config.option, of, None), first) for index, of, first in _SHARDS
    ]
    given += [(os.environ.get(index), os.environ.get(of), first) for index, of, first in _SHARD_VARIABLES]
    for index, of, first in given:
        if str(index).isdecimal() and str(of).isdecimal() and int(str(of)) > 1:
            return {"shard": {"index": int(str(index)) + 1 - first, "of": int(str(of))}}
    return {}
