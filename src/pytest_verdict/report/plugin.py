"""What the report brings: files made of the records of a session."""

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def report_writers() -> Mapping[str, str]:
    """Name the files."""
    return {
        "junit.xml": "pytest_verdict.report.junit:write",
        # The last, because it holds the digest of the other.
        "report.json": "pytest_verdict.report.json_report:write",
    }
