"""MCP: JSON-RPC messages with the method ``tools/call``, and their responses."""

from __future__ import annotations

from typing import Any

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.shape import Calls, call, failure, has, list_of, look, objects


def recognises(value: Any) -> bool:
    """Say whether a value holds JSON-RPC messages."""
    return any(
        has(message, "jsonrpc") or look(message, "method") == "tools/call" for message in list_of(value, "messages")
    )


def read(value: Any) -> list[Event]:
    """Read the calls; requests with no response between them are one group."""
    calls = Calls()
    group = 0
    for message in objects(list_of(value, "messages"), "messages"):
        if look(message, "method") == "tools/call":
            params = look(message, "params")
            calls.add(call(look(params, "name"), look(params, "arguments"), id=look(message, "id"), group=group))
        elif look(message, "method") is None:
            _read_response(message, calls)
            group += 1
    return calls.events()


def _read_response(message: Any, calls: Calls) -> None:
    identifier = look(message, "id")
    broken = look(message, "error")
    if broken is not None:
        calls.finish(_text(identifier), None, failure(look(broken, "message")))
        return
    result = look(message, "result")
    error = failure(look(result, "content")) if look(result, "isError", "is_error") is True else None
    calls.finish(_text(identifier), result, error)


def _text(identifier: Any) -> str | None:
    # Zero is a valid identifier of JSON-RPC.
    return None if identifier is None else str(identifier)
