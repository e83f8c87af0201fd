"""The command that writes summaries."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    return {"summary": Command("tell a report to a CI", "pytest_verdict.summaries.command")}
