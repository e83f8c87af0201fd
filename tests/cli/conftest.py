"""What the tests of the commands share: files of records as a session would write them."""

from __future__ import annotations

import pytest

from pytest_verdict.report.record import AttemptRecords

TEST = "tests/test_x.py::test_a"


def line_of(result, ordinal=1) -> bytes:
    members = result.to_members()
    return AttemptRecords(TEST, 1).line(members, ordinal=ordinal, path='"tests/test_x.py"', line=12).encode("ascii")


@pytest.fixture
def records(tmp_path):
    """Write results as records, and give the file."""

    def write(*results):
        path = tmp_path / "records.jsonl"
        path.write_bytes(b"".join(line_of(result, ordinal) for ordinal, result in enumerate(results, 1)))
        return path

    return write


@pytest.fixture
def command(capsys):
    """Run a command, and give its exit code, what it wrote, and what it complained about."""
    from pytest_verdict.cli import main

    def run(*words):
        capsys.readouterr()
        status = main([str(word) for word in words])
        written = capsys.readouterr()
        return status, written.out, written.err

    return run
