"""Anthropic messages: content blocks ``tool_use`` and its kin, results in ``tool_result``."""

from __future__ import annotations

from typing import Any

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.shape import MISSING, Calls, blocks_of, call, failure, list_of, look, objects


def recognises(value: Any) -> bool:
    """Say whether a message of the value, or the value itself, has content blocks of tools."""
    return any(_is_block(block) for message in list_of(value, "messages") for block in list_of(_content(message)))


def read(value: Any) -> list[Event]:
    """Read the calls; the calls of one message are one group."""
    calls = Calls()
    messages = objects(list_of(value, "messages"), "messages")
    loose = all(look(message, "role") is None for message in messages)
    for place, message in enumerate(messages):
        for block in objects(_content(message), "content"):
            _read_block(block, calls, 0 if loose else place)
    return calls.events()


def _read_block(block: Any, calls: Calls, group: int) -> None:
    kind = str(look(block, "type"))
    if kind.endswith("tool_use"):
        args = look(block, "input", default=MISSING)
        calls.add(call(look(block, "name"), args, id=look(block, "id"), group=group))
    elif kind.endswith("tool_result"):
        content = look(block, "content")
        error = failure(content) if look(block, "is_error") is True else None
        calls.finish(look(block, "tool_use_id"), content, error)


def _content(message: Any) -> Any:
    if _is_block(message):
        return [message]
    return blocks_of(message)


def _is_block(value: Any) -> bool:
    kind = look(value, "type")
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))
