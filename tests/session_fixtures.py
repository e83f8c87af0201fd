"""Fixtures that several folders of tests share: sessions in a folder of their own, and files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "plugin"))

from harness import Harness, import_for_good

__all__ = ["harness", "import_for_good", "write"]


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
