"""What gates bring: a section of ``report.json``."""

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def report_sections() -> Mapping[str, str]:
    """Name the section."""
    return {"gates": "pytest_verdict.gates.counting:derive"}
