"""What tables bring: their command."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_verdict.core.families import Command, hookimpl


@hookimpl
def commands() -> Mapping[str, Command]:
    """Name the commands."""
    return {"table": Command("count a run by field, operator or parameter", "pytest_verdict.tables.command")}
