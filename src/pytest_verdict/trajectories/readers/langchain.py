"""LangChain messages, as objects or dicts: ``tool_calls`` and ``invalid_tool_calls`` of AI messages, ``ToolMessage`` results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import as_text, call, call_in, items, list_of, look, messages_of

_TYPES: Final = {"human", "ai", "tool", "system", "AIMessageChunk"}


def recognises(value: Any) -> bool:
    """Say whether a value holds LangChain messages, or messages with LangChain's flat calls."""
    return any(_is_message(message) for message in list_of(value, "messages"))


def _is_message(message: Any) -> bool:
    kind = look(message, "type")
    flat = any(
        look(made, "function") is None and look(made, "args") is not None
        for made in look(message, "tool_calls") or ()
        if isinstance(look(message, "tool_calls"), list | tuple)
    )
    return flat or look(message, "lc") is not None or (isinstance(kind, str) and kind in _TYPES)


def read(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    for place, wrapped in enumerate(messages_of(value)):
        message = _unwrapped(wrapped)
        made = items(look(message, "tool_calls"), "tool_calls")
        broken = items(look(message, "invalid_tool_calls"), "invalid_tool_calls")
        # What the provider wrote is a second copy, unless LangChain took no calls from it.
        for one in made if made or broken else _of_provider(message):
            yield _made(one, place)
        for one in broken:
            yield _invalid(one, place)
        if look(message, "tool_call_id") is not None:
            content = look(message, "content")
            yield Result(look(message, "tool_call_id"), content, look(message, "status") == "error", content)


def _unwrapped(message: Any) -> Any:
    # dumpd writes {"lc": 1, "kwargs": {...}}, messages_to_dict writes {"type": "ai", "data": {...}}.
    for key in ("kwargs", "data"):
        inner = look(message, key)
        if isinstance(inner, dict):
            return inner
    return message


def _of_provider(message: Any) -> list[Any]:
    raw = look(message, "additional_kwargs")
    legacy = look(raw, "function_call")
    blocks = look(message, "content")
    return [
        *items(look(raw, "tool_calls"), "tool_calls"),
        *([] if legacy is None else [legacy]),
        *(block for block in (blocks if isinstance(blocks, list | tuple) else ()) if look(block, "type") == "tool_use"),
    ]


def _made(made: Any, place: int) -> Event:
    function = look(made, "function")
    source = made if function is None else function
    return call_in(source, "args", "arguments", "input", id=look(made, "id"), group=place)


def _invalid(broken: Any, place: int) -> Event:
    # LangChain gives a call without a name, too, when the model produced none.
    name = look(broken, "name") or "(invalid tool call)"
    found = call(name, {}, id=look(broken, "id"), group=place)
    return replace(found, args_note=ARGS_MALFORMED, args_text=as_text(look(broken, "args")))
