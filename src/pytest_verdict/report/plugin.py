"""The report writers: files derived from the records of a session."""

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def report_writers() -> Mapping[str, str]:
    return {
        "junit.xml": "pytest_verdict.report.junit:write",
        # Last, because it contains the digest of the other file.
        "report.json": "pytest_verdict.report.json_report:write",
    }
