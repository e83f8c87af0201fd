"""The command that writes accepted values."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    return {"accept": Command("accept observed values as expected ones", "pytest_verdict.accepting.command")}
