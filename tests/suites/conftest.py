"""Fixtures of the tests of suites: sessions in a folder of their own, and suites as files."""

from __future__ import annotations

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
    """Write a file and return its path."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return write_file
