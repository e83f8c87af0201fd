"""Records as a session would write them, made of results."""

from __future__ import annotations

from pytest_verdict.core.record import AttemptRecords, record_end

TEST = "tests/test_x.py::test_a"


def lines_of(results, test=TEST, attempt=1, line=12, redaction=None):
    records, end = AttemptRecords(test, attempt), record_end("tests/test_x.py", line)
    rows = [(result.envelope(redaction), result.expected, result.observed) for result in results]
    return records.lines([(records, envelope, *envelope.settled(*sides), end) for envelope, *sides in rows])[0]
