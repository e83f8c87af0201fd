"""What the room of several runs brings: its commands."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    """Name the commands."""
    return {
        "diff": Command("compare two runs, and say why verdicts changed", "pytest_verdict.runs.commands.diff"),
        "merge": Command("put the shards of a session together", "pytest_verdict.runs.commands.merge"),
    }
