"""The commands for several runs, and the sections of ``report.json`` that are derived from records."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    """Return the commands."""
    return {
        "coverage": Command(
            "show which criteria tell good from bad, run by run", "pytest_verdict.runs.commands.coverage"
        ),
        "diff": Command("compare two runs, and explain why verdicts changed", "pytest_verdict.runs.commands.diff"),
        "merge": Command("merge the shards of a session", "pytest_verdict.runs.commands.merge"),
        "table": Command("count a run by field, operator or parameter", "pytest_verdict.runs.commands.table"),
    }


@hookimpl
def report_sections() -> Mapping[str, str]:
    """Return the sections, each with its function."""
    return {
        "gates": "pytest_verdict.runs.gates:derive_gates",
        "fields": "pytest_verdict.runs.parts:derive_fields",
    }
