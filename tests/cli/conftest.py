"""Fixtures of the tests of commands: files of records as a session would write them."""

from __future__ import annotations

import pytest

from written_records import lines_of


@pytest.fixture
def records(tmp_path):
    """Write results as records, and give the file."""

    def write(*results):
        path = tmp_path / "records.jsonl"
        path.write_bytes(lines_of(results))
        return path

    return write
