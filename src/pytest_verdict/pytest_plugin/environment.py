"""When and where a session ran: the only part of a report in which two equal runs differ."""

from __future__ import annotations

import datetime
import platform
import time
from collections.abc import Callable
from typing import Any

import pytest

from pytest_verdict.core.values.redaction import without_url_secrets


def now() -> str:
    """Return the time in ISO 8601 and UTC, to the second."""
    return datetime.datetime.fromtimestamp(time.time(), datetime.UTC).isoformat(timespec="seconds")


def describe_environment(config: pytest.Config, redaction: Callable[[str], str] | None) -> dict[str, Any]:
    """Describe what a session runs with; environment variables are left out."""
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
    }
