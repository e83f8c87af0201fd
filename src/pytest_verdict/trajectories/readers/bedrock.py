"""Amazon Bedrock Converse: content blocks ``toolUse`` and ``toolResult``; Strands agents write the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import blocks_of, call_in, has, list_of, look, objects

_BLOCK: Final = Shape(
    (
        "toolUse",
        "toolResult",
        "text",
        "image",
        "document",
        "video",
        "audio",
        "guardContent",
        "cachePoint",
        "reasoningContent",
        "citationsContent",
        "searchResult",
    ),
    read=frozenset({"toolUse", "toolResult"}),
    text=True,
)
_MESSAGE: Final = Shape(("role", "content"), {"content": _BLOCK})
_ONE: Final = Shape(("role", "content"), {"content": _BLOCK}, one=True)

ROOT: Final = Root(_MESSAGE, {"output": Shape(("message",), {"message": _ONE}, one=True), "messages": _MESSAGE})


def recognises(value: Any) -> bool:
    """Say whether a message of the value has ``toolUse`` or ``toolResult`` blocks."""
    return has(look(value, "output"), "message") or any(
        has(block, "toolUse", "toolResult") for message in _messages(value) for block in list_of(blocks_of(message))
    )


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    for place, message in enumerate(objects(_messages(value), "messages")):
        for block in objects(blocks_of(message), "content"):
            yield from _in_block(block, place)


def _messages(value: Any) -> Sequence[Any]:
    message = look(look(value, "output"), "message")
    return list_of(value, "messages") if message is None else [message]


def _in_block(block: Any, group: int) -> Iterator[Found]:
    made = look(block, "toolUse")
    if made is not None:
        yield call_in(made, "input", id=look(made, "toolUseId"), group=group)
    given = look(block, "toolResult")
    if given is not None:
        content = look(given, "content")
        yield Result(look(given, "toolUseId"), content, look(given, "status") == "error", content)
