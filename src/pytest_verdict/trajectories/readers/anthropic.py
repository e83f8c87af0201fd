"""Anthropic messages: content blocks ``tool_use`` and its kin, results in ``tool_result``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_verdict.trajectories.readers.shape import (
    MISSING,
    Found,
    Result,
    blocks_of,
    call,
    failure,
    list_of,
    look,
    messages_of,
    objects,
)


def recognises(value: Any) -> bool:
    """Say whether a message of the value, or the value itself, has content blocks of tools."""
    return any(_is_block(block) for message in list_of(value, "messages") for block in list_of(_content(message)))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    messages = messages_of(value)
    loose = all(look(message, "role") is None for message in messages)
    for place, message in enumerate(messages):
        for block in objects(_content(message), "content"):
            yield from _in_block(block, 0 if loose else place)


def _in_block(block: Any, group: int) -> Iterator[Found]:
    kind = str(look(block, "type"))
    if kind.endswith("tool_use"):
        yield call(look(block, "name"), look(block, "input", default=MISSING), id=look(block, "id"), group=group)
    elif kind.endswith("tool_result"):
        content = look(block, "content")
        error = failure(content) if look(block, "is_error") is True else None
        yield Result(look(block, "tool_use_id"), content, error)


def _content(message: Any) -> Any:
    if _is_block(message):
        return [message]
    return blocks_of(message)


def _is_block(value: Any) -> bool:
    kind = look(value, "type")
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))
