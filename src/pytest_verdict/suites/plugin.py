"""The hooks of suites: scorers, adapters, commands, and tests without Python."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.suites."


@hookimpl
def adapters() -> Mapping[str, str]:
    return {
        **dict.fromkeys(("command", "command-json"), f"{_HERE}adapters.command:CommandAdapter"),
        **dict.fromkeys(("http", "https"), f"{_HERE}adapters.http:HttpAdapter"),
        "recorded": f"{_HERE}adapters.recorded:RecordedAdapter",
    }


@hookimpl
def scorers() -> Mapping[str, str]:
    return {
        "exact": f"{_HERE}scorer:EXACT",
        "passfail": f"{_HERE}scorer:PASSFAIL",
        "regex": f"{_HERE}scorer:REGEX",
        "similarity": f"{_HERE}scorer:SIMILARITY",
    }


@hookimpl
def derivations() -> Mapping[str, str]:
    return {"scenario": f"{_HERE}scorer:derive"}


@hookimpl
def commands() -> Mapping[str, Command]:
    return {
        "init": Command("write a small suite that works, with its adapter", f"{_HERE}commands.init"),
        "import": Command("write a file of another tool as a suite or a test module", f"{_HERE}commands.import_"),
        "check": Command("check suite files without running them", f"{_HERE}commands.check"),
    }


@hookimpl
def pytest_items() -> Mapping[str, str]:
    return {"verdict_suite_files": f"{_HERE}pytest_items:SuiteFile"}
