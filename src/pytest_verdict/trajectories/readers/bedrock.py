"""Amazon Bedrock Converse: content blocks ``toolUse`` and ``toolResult``; Strands agents write the same."""

from __future__ import annotations

from typing import Any

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.shape import (
    MISSING,
    Calls,
    blocks_of,
    call,
    failure,
    has,
    list_of,
    look,
    objects,
)


def recognises(value: Any) -> bool:
    """Say whether a message of the value has ``toolUse`` or ``toolResult`` blocks."""
    return any(
        has(block, "toolUse", "toolResult") for message in _messages(value) for block in list_of(blocks_of(message))
    )


def read(value: Any) -> list[Event]:
    """Read the calls; the calls of one message are one group."""
    calls = Calls()
    for place, message in enumerate(objects(_messages(value), "messages")):
        for block in objects(blocks_of(message), "content"):
            _read_block(block, calls, place)
    return calls.events()


def _messages(value: Any) -> list[Any]:
    message = look(look(value, "output"), "message")
    return list(list_of(value, "messages")) if message is None else [message]


def _read_block(block: Any, calls: Calls, group: int) -> None:
    made = look(block, "toolUse")
    if made is not None:
        calls.add(
            call(look(made, "name"), look(made, "input", default=MISSING), id=look(made, "toolUseId"), group=group)
        )
    given = look(block, "toolResult")
    if given is not None:
        content = look(given, "content")
        error = failure(content) if look(given, "status") == "error" else None
        calls.finish(look(given, "toolUseId"), content, error)
