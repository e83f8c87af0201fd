"""Adapters: what runs an input and gives the output; one module per kind.

A kind is told by how the adapter is written: ``command:``, ``command-json:``, ``http:``, ``https:``, ``recorded:``, or else the
dotted path of a Python object.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, Final

from pytest_verdict.errors import AdapterError, SuiteError

_KINDS: Final = {
    "command": "command",
    "command-json": "command",
    "http": "http",
    "https": "http",
    "recorded": "recorded",
}


def open_adapter(written: str, folder: Path) -> Any:
    """Make the adapter that a suite or an ini file names."""
    kind, colon, rest = written.partition(":")
    if colon and kind in _KINDS:
        if not rest.strip():
            raise SuiteError(f"the adapter {written!r} needs something after the colon")
        module = importlib.import_module(f"{__name__}.{_KINDS[kind]}")
        return module.open_adapter(written, folder)
    from pytest_verdict.suites.adapters.python import open_adapter as open_python_adapter

    try:
        return open_python_adapter(written)
    except AdapterError:
        raise
    except Exception as error:
        raise AdapterError(f"the adapter {written!r} cannot be made: {type(error).__name__}: {error}") from error
