"""The command that shows the page."""

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    return {"view": Command("open a report in a browser", "pytest_verdict.page.view")}
