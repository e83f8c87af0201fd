"""What the tests of suites share: sessions in a folder of their own, and datasets as files."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import sys
from pathlib import Path

import pytest

import pytest_verdict

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness

# Sessions inside a test forget the modules that they imported first; what is imported here stays one and the same.
importlib.import_module("pytest_verdict.comparator")
for package in ("core", "operators", "pytest_plugin", "report", "suites", "trajectories"):
    home = importlib.import_module(f"{pytest_verdict.__name__}.{package}")
    for module in pkgutil.walk_packages(home.__path__, f"{home.__name__}."):
        # Some modules need pyarrow, of an extra.
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(module.name)


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
