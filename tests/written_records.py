"""Records as a session would write them, made of results."""

from __future__ import annotations

from pytest_verdict.core.record import AttemptRecords, record_end

TEST = "tests/test_x.py::test_a"


def lines_of(results, test=TEST, attempt=1, line=12, redaction=None):
    """Write results as the records of one test."""
    records, end = AttemptRecords(test, attempt), record_end("tests/test_x.py", line)
    lines = (records.line(result.to_members(redaction), number, end) for number, result in enumerate(results, 1))
    return "".join(lines).encode("ascii")


def line_of(result, test=TEST, redaction=None):
    return lines_of([result], test, redaction=redaction)
