"""Adapters: what runs an input and gives the output; one module per kind.

A kind stands before a colon, as in ``recorded: outputs.jsonl``; whatever has none is the dotted path of a Python object.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_verdict.core.families import FAMILIES
from pytest_verdict.errors import AdapterError, SuiteError, allowed
from pytest_verdict.suites.loading import load_brought


def open_adapter(written: str, folder: Path) -> Any:
    """Make the adapter that a suite or an ini file names."""
    kind, colon, rest = written.partition(":")
    if not colon:
        return _python_adapter(written)
    opened = load_brought("adapters", kind)
    if opened is None:
        kinds = allowed("kind", kind, FAMILIES.all("adapters"))
        return _python_adapter(written, hint=f". Nor is there a kind of adapter {kind!r}.{kinds}")
    if not rest.strip():
        raise SuiteError(f"the adapter {written!r} needs something after the colon")
    return opened(written, folder)


def _python_adapter(path: str, hint: str = "") -> Any:
    from pytest_verdict.suites.adapters.python import PythonAdapter

    try:
        return PythonAdapter(path, hint)
    except AdapterError:
        raise
    except Exception as error:
        raise AdapterError(f"the adapter {path!r} cannot be made: {type(error).__name__}: {error}") from error
