"""When and where a session ran; the only part of a report that differs between two equal runs."""

from __future__ import annotations

import datetime
import platform
import time
from collections.abc import Callable
from typing import Any

import pytest


class Clock:
    """The session's times; no verdict and no record ever sees them."""

    def __init__(self) -> None:
        self.started = self.now()

    def now(self) -> str:
        """Give the time in ISO 8601 and UTC, to the second."""
        return datetime.datetime.fromtimestamp(time.time(), datetime.UTC).isoformat(timespec="seconds")


def describe_environment(config: pytest.Config, redaction: Callable[[str], str] | None) -> dict[str, Any]:
    """Say with what a session runs; nothing of the environment variables."""
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
    }
