"""What the room of several runs brings: its commands, and sections of ``report.json``."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    """Name the commands."""
    return {
        "coverage": Command(
            "which criteria ever told good from bad, run by run", "pytest_verdict.runs.tables.coverage"
        ),
        "diff": Command("compare two runs, and say why verdicts changed", "pytest_verdict.runs.commands.diff"),
        "merge": Command("put the shards of a session together", "pytest_verdict.runs.commands.merge"),
        "table": Command("count a run by field, operator or parameter", "pytest_verdict.runs.tables.command"),
    }


@hookimpl
def report_sections() -> Mapping[str, str]:
    """Name the sections."""
    return {
        "gates": "pytest_verdict.runs.gates.counting:derive",
        "fields": "pytest_verdict.runs.tables.fields:derive",
    }
