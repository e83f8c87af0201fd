"""Anthropic messages: content blocks ``tool_use`` and its kin, results in ``tool_result``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import blocks_of, call_in, list_of, look, messages_of, objects

_TYPES: Final = (
    ".*tool_use|.*tool_result|text|thinking|redacted_thinking|image|document|search_result|container_upload|compaction"
)
_BLOCK: Final = Shape(
    ("type", "text"), read=frozenset({"name", "input", "content", "source", "caller"}), types=_TYPES, text=True
)
# A list may hold blocks without their message.
_MESSAGE: Final = Shape(("role", "content", "type"), {"content": _BLOCK}, _BLOCK.read, f"message|{_TYPES}")

ROOT: Final = Root(_MESSAGE, {"messages": _MESSAGE}, frozenset({"system"}))


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
        yield call_in(block, "input", id=look(block, "id"), group=group)
    elif kind.endswith("tool_result"):
        content = look(block, "content")
        yield Result(look(block, "tool_use_id"), content, look(block, "is_error") is True, content)


def _content(message: Any) -> Any:
    return [message] if _is_block(message) else blocks_of(message)


def _is_block(value: Any) -> bool:
    kind = look(value, "type")
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))
