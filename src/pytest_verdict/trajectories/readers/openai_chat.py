"""OpenAI chat completions: assistant messages with ``tool_calls``, results in messages of the role ``tool``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import call, call_in, free_text, has, items, list_of, look, messages_of

_BLOCK: Final = Shape(
    ("type", "text"),
    types="(input_|output_)?(text|image|audio|file)|image_url|video_url|refusal|thinking|reasoning",
    text=True,
)
_CALLS: Final = frozenset({"tool_calls", "function_call", "raw_data"})
_MESSAGE: Final = Shape(("role",), {"content": _BLOCK}, _CALLS, "message")
_ONE: Final = Shape(("role",), {"content": _BLOCK}, _CALLS, "message", one=True)
_CHOICE: Final = Shape(("message", "delta"), {"message": _ONE}, frozenset({"delta"}))

ROOT: Final = Root(_MESSAGE, {"choices": _CHOICE, "messages": _MESSAGE})


def recognises(value: Any) -> bool:
    """Say whether a value is a list of messages, a dict with ``messages`` or a completion with ``choices``."""
    return has(value, "choices") or any(has(message, "role") for message in list_of(value, "messages"))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    for place, message in enumerate(_messages(value)):
        for requested in items(look(message, "tool_calls"), "tool_calls"):
            # In a simulation the user may have tools too.
            if look(requested, "requestor") != "user":
                yield _requested(requested, place)
        legacy = look(message, "function_call")
        if legacy is not None:
            yield call_in(legacy, "arguments", group=place)
        if look(message, "role") == "tool":
            content = look(message, "content")
            yield Result(look(message, "tool_call_id", "id"), content, look(message, "error") is True, content)


def _messages(value: Any) -> Sequence[Any]:
    choices = look(value, "choices")
    if choices is None:
        return messages_of(value)
    messages = [look(choice, "message") for choice in items(choices, "choices")]
    if any(message is None for message in messages):
        raise TrajectoryError("a choice needs its message; put the chunks of a streamed completion together first")
    return messages


def _requested(requested: Any, place: int) -> Event:
    identifier = look(requested, "id")
    custom = look(requested, "custom")
    if custom is not None:
        return call(look(custom, "name"), free_text(custom), id=identifier, group=place)
    function = look(requested, "function")
    source = requested if function is None else function
    return call_in(source, "arguments", "args", id=identifier, group=place)
