"""Fixtures of the tests of data sets: sessions in a folder of their own, and data sets as files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from session_fixtures import harness, import_for_good, write

__all__ = ["harness", "write"]

import_for_good("core", "operators", "pytest_plugin", "report", "datasets", "extraction", "suites")


@pytest.fixture
def quick_processes(monkeypatch):
    """Hide pandas from the processes that a test starts: pyarrow imports it, which takes most of their time."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "without_pandas"), prepend=os.pathsep)
