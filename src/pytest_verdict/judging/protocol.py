"""`Judge`: whatever answers a request, and what it may answer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel

from pytest_verdict.core.values.display import shown

Reply = Mapping[str, Any] | BaseModel | str
"""What a judge answers: values by name, as a mapping or a pydantic object, or the text of a JSON object."""

Request_contra = TypeVar("Request_contra", contravariant=True)


@runtime_checkable
class Judge(Protocol[Request_contra]):
    """Answers a request. It does not know what is correct or who made an output, and it does not decide.

    Any callable of one `JudgeRequest` is a judge. It may be async. It answers with a mapping, a pydantic object, of which
    fields that are None are left out, or JSON text as a model wrote it.

    A judge that opens the files of a `BlindRequest` itself, as a person or an agent does, has an attribute ``sees_files`` that
    is True. Any other sees text alone, and gets no outputs in which a file has none.

    Example:
        >>> def judge(request):
        ...     return {"pair_count": 23}
        >>> isinstance(judge, Judge)
        True
    """

    def __call__(self, request: Request_contra, /) -> Reply | Awaitable[Reply]:
        """Answer a request."""
        ...


def sees_files(judge: Any) -> bool:
    """Say whether a judge opens files itself."""
    return getattr(judge, "sees_files", False) is True


def reply_text(reply: Any) -> str:
    """Write a reply as the text of a JSON object."""
    if isinstance(reply, str):
        return reply
    if isinstance(reply, BaseModel):
        return reply.model_dump_json(exclude_none=True)
    if isinstance(reply, Mapping):
        return json.dumps(reply, default=_plain, ensure_ascii=False, allow_nan=False)
    raise TypeError(f"a judge answers with a mapping, JSON text or a pydantic object, got {shown(reply, 80)}")


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{shown(value, 80)} is no JSON value")
