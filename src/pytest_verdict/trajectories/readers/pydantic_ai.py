"""pydantic-ai messages: requests and responses with parts ``tool-call`` and ``builtin-tool-call``, results in ``tool-return``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import MISSING, call, has, list_of, look, messages_of, objects

_CALLS: Final = {"tool-call", "builtin-tool-call"}
_RESULTS: Final = {"tool-return", "builtin-tool-return", "retry-prompt"}

_PART: Final = Shape(
    ("part_kind",),
    read=frozenset({"tool_name", "args", "content"}),
    types="|".join(sorted(_CALLS | _RESULTS))
    + "|system-prompt|user-prompt|text|thinking|file|speech|compaction|retry-feedback|instruction(-delta|-digest|-baseline)?"
    "|(tool-availability|capability-load|model-settings)-delta",
    kind="part_kind",
)
_MESSAGE: Final = Shape(("parts",), {"parts": _PART}, types="request|response", kind="kind")

ROOT: Final = Root(_MESSAGE, {"messages": _MESSAGE})


def recognises(value: Any) -> bool:
    """Say whether a message of the value has parts of pydantic-ai."""
    return any(
        has(part, "part_kind") for message in list_of(value, "messages") for part in list_of(look(message, "parts"))
    )


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one response are one group."""
    for place, message in enumerate(messages_of(value)):
        for part in objects(look(message, "parts"), "parts"):
            kind = look(part, "part_kind")
            if kind in _CALLS:
                arguments = look(part, "args", default=MISSING)
                yield call(look(part, "tool_name"), arguments, id=look(part, "tool_call_id"), group=place)
            elif kind in _RESULTS and has(part, "tool_name"):
                content = look(part, "content")
                failed = kind == "retry-prompt" or look(part, "outcome", default="success") != "success"
                yield Result(look(part, "tool_call_id"), content, failed, content)
