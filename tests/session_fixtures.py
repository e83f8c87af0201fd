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


def observe_rows(results):
    """Return an observer of rows that appends the result of each to a list, as its record holds it."""
    from pytest_verdict.core.record import AttemptRecords, parse_record, record_end
    from pytest_verdict.core.result import ComparisonResult

    def observe(rows):
        lines = rows.write(AttemptRecords("", 1), record_end("", 0)).splitlines()
        results.extend(ComparisonResult.from_record(parse_record(line)) for line in lines)

    return observe
