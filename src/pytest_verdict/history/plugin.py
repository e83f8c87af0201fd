"""The commands that show runs over time."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.history."


@hookimpl
def commands() -> Mapping[str, Command]:
    return {
        "history": Command("show how tests went over the runs of a store", f"{_HERE}terminal"),
        "trends": Command("write the history of a store as a static site", f"{_HERE}site"),
    }
