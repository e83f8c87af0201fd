"""What tables bring: their command, and a section of ``report.json``."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def report_sections() -> Mapping[str, str]:
    """Name the section."""
    return {"fields": "pytest_verdict.tables.fields:derive"}


@hookimpl
def commands() -> Mapping[str, Command]:
    """Name the commands."""
    return {
        "coverage": Command("which criteria ever told good from bad, run by run", "pytest_verdict.tables.coverage"),
        "table": Command("count a run by field, operator or parameter", "pytest_verdict.tables.command"),
    }
