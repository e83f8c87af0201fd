"""What the tests of suites share: sessions in a folder of their own, and datasets as files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness, import_for_good

import_for_good("core", "operators", "pytest_plugin", "report", "datasets", "extraction", "suites", "trajectories")


@pytest.fixture
def harness(pytester, monkeypatch):
    return Harness(pytester, monkeypatch)


@pytest.fixture
def write(tmp_path):
    """Write a file, and give its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return written


@pytest.fixture
def quick_processes(monkeypatch):
    """Processes that are started are without pandas: pyarrow imports it where it is there, which takes most of their time."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent / "without_pandas"), prepend=os.pathsep)
