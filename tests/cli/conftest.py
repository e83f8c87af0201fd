"""Fixtures of the tests of commands: files of records as a session would write them."""

from __future__ import annotations

import pytest

from pytest_verdict.core.record import AttemptRecords, record_end

TEST = "tests/test_x.py::test_a"


def lines_of(*results) -> bytes:
    records, end = AttemptRecords(TEST, 1), record_end("tests/test_x.py", 12)
    rows = [(result.envelope(), result.expected, result.observed) for result in results]
    lines, _, _ = records.lines([(records, envelope, *envelope.settled(*sides), end) for envelope, *sides in rows])
    return lines


@pytest.fixture
def records(tmp_path):
    """Write results as records, and give the file."""

    def write(*results):
        path = tmp_path / "records.jsonl"
        path.write_bytes(lines_of(*results))
        return path

    return write
