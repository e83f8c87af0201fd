"""MCP: JSON-RPC messages with the method ``tools/call``, and their responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import call, has, list_of, look, messages_of

_MESSAGE: Final = Shape(
    ("jsonrpc", "method", "result", "error"),
    read=frozenset({"params", "result", "error"}),
    types="tools/(call|list)|initialize|ping|(notifications|resources|prompts|completion|logging|roots|sampling|elicitation|tasks)/.+",
    kind="method",
)

ROOT: Final = Root(_MESSAGE, {"messages": _MESSAGE})


def recognises(value: Any) -> bool:
    """Say whether a value holds JSON-RPC messages."""
    return any(
        has(message, "jsonrpc") or look(message, "method") == "tools/call" for message in list_of(value, "messages")
    )


def read(value: Any) -> Iterator[Found]:
    """Read the calls; requests with no response between them are one group."""
    group = 0
    for message in messages_of(value):
        if look(message, "method") == "tools/call":
            params = look(message, "params")
            yield call(look(params, "name"), look(params, "arguments"), id=look(message, "id"), group=group)
        elif look(message, "method") is None:
            yield _response(message)
            group += 1


def _response(message: Any) -> Result:
    identifier = look(message, "id")
    # Zero is a valid identifier of JSON-RPC.
    text = None if identifier is None else str(identifier)
    broken = look(message, "error")
    if broken is not None:
        return Result(text, None, failed=True, reason=look(broken, "message"))
    result = look(message, "result")
    return Result(text, result, look(result, "isError", "is_error") is True, look(result, "content"))
