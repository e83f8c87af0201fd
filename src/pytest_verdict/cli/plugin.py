"""The commands that know no family."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.cli."


@hookimpl
def commands() -> Mapping[str, Command]:
    return {
        "report": Command("rebuild the report of a session that was killed", f"{_HERE}report"),
        "replay": Command("derive every verdict of a records.jsonl again", f"{_HERE}replay"),
        "bundle": Command("write a report and its in-toto statements to one file", f"{_HERE}bundle"),
        "verify-bundle": Command("check such a file without the network", f"{_HERE}verify_bundle"),
        "operators": Command("list the operators, or describe one", f"{_HERE}operators"),
        "explain": Command("show one record as a failed test would print it", f"{_HERE}explain"),
    }
