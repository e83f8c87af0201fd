"""What judging brings: kinds of judges that a command line can name."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def judges() -> Mapping[str, str]:
    """Name the kinds of judges, by what stands before the colon."""
    return {"pydantic-ai": "pytest_verdict.judging.pydantic_ai:open_judge"}
