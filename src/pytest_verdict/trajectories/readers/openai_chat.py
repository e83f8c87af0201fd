"""OpenAI chat completions: assistant messages with ``tool_calls``, results in messages of the role ``tool``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import call, call_in, free_text, has, items, list_of, look, messages_of

CALL_FORM: Final = "tool_calls|function_call"


def recognises(value: Any) -> bool:
    """Say whether a value is a list of messages, a dict with ``messages`` or a completion with ``choices``."""
    return has(value, "choices") or any(has(message, "role") for message in list_of(value, "messages"))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    for place, message in enumerate(_messages(value)):
        for requested in items(look(message, "tool_calls"), "tool_calls"):
            yield _requested(requested, place)
        legacy = look(message, "function_call")
        if legacy is not None:
            yield call_in(legacy, "arguments", group=place)
        if look(message, "role") == "tool":
            yield Result(look(message, "tool_call_id"), look(message, "content"))


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
