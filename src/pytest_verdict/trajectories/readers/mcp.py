"""MCP: JSON-RPC messages with the method ``tools/call``, and their responses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call
from pytest_verdict.trajectories.readers.shape import has, look, messages_of

_MESSAGE: Final = Shape(
    "jsonrpc method result error",
    read="params result error",
    types="tools/(call|list)|initialize|ping|(notifications|resources|prompts|completion|logging|roots|sampling|elicitation|tasks)/.+",
    kind="method",
)


def _is_message(message: Any) -> bool:
    return has(message, "jsonrpc") or look(message, "method") == "tools/call"


@partial(Format, is_ours=_is_message, item=_MESSAGE, containers="messages")
def mcp(value: Any) -> Iterator[Found]:
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
