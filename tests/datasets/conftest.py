"""Fixtures of the tests of data sets: sessions in a folder of their own, and data sets as files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness, import_for_good

import_for_good("core", "operators", "pytest_plugin", "report", "datasets", "extraction", "suites")


@pytest.fixture
def harness(pytester, monkeypatch):
    return Harness(pytester, monkeypatch)


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write_file


@pytest.fixture
def quick_processes(monkeypatch):
    """Hide pandas from the processes that a test starts: pyarrow imports it, which takes most of their time."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "without_pandas"), prepend=os.pathsep)
