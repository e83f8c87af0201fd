"""The command that writes summaries."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    return {"summary": Command("write a report in the format of a CI", "pytest_verdict.summaries.command")}
