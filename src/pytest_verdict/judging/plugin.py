"""The hooks of judging: kinds of judges for command lines, and text extractors for documents."""

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def judges() -> Mapping[str, str]:
    return {"pydantic-ai": "pytest_verdict.judging.pydantic_ai:open_judge"}


@hookimpl
def document_texts() -> Mapping[str, str]:
    return {f".{kind}": f"pytest_verdict.judging.documents:extract_{kind}" for kind in ("pdf", "docx", "pptx", "xlsx")}
