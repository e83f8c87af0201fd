"""What judging brings: kinds of judges that a command line can name, and the text of documents."""

from collections.abc import Mapping

from pytest_verdict.core.families import hookimpl


@hookimpl
def judges() -> Mapping[str, str]:
    """Name the kinds of judges, by what stands before the colon."""
    return {"pydantic-ai": "pytest_verdict.judging.pydantic_ai:open_judge"}


@hookimpl
def document_texts() -> Mapping[str, str]:
    """Name the documents whose text can be extracted, by suffix."""
    return {f".{kind}": f"pytest_verdict.judging.documents:{kind}_text" for kind in ("pdf", "docx", "pptx", "xlsx")}
