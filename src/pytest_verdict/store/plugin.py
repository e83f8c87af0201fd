"""The commands of a store, and the addresses of its runs."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.store."


@hookimpl
def commands() -> Mapping[str, Command]:
    return {
        "push": Command("store the report of a session", f"{_HERE}push_command"),
        "bless": Command("make a stored run a baseline", f"{_HERE}bless_command"),
        "runs": Command("list the runs of a store", f"{_HERE}runs_command"),
    }


@hookimpl
def run_addresses() -> Mapping[str, str]:
    return {"store": f"{_HERE}baselines:fetch_run"}
