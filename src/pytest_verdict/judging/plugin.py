"""The hook of judging: kinds of judges for command lines."""

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def judges() -> Mapping[str, str]:
    return {"pydantic-ai": "pytest_verdict.judging.pydantic_ai:open_judge"}
