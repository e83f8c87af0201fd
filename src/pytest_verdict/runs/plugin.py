"""The commands for several runs, and the sections of ``report.json`` that are derived from records."""

from collections.abc import Mapping
from typing import Final

from pytest_verdict.core.families import Command, hookimpl

_HERE: Final = "pytest_verdict.runs."


@hookimpl
def commands() -> Mapping[str, Command]:
    return {
        "diff": Command("compare two runs, and explain why verdicts changed", f"{_HERE}diff"),
        "merge": Command("merge the shards of a session", f"{_HERE}merge"),
        "numbers": Command("count pass rates, confused labels and equal failures of a run", f"{_HERE}numbers"),
        "table": Command("count a run by field, operator or parameter", f"{_HERE}tables"),
    }


@hookimpl
def report_sections() -> Mapping[str, str]:
    """Return the sections, each with its function."""
    return {
        "gates": f"{_HERE}gates:derive_gates",
        "fields": f"{_HERE}parts:derive_fields",
        "numbers": f"{_HERE}numbers:derive_numbers",
    }
