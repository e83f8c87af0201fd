"""LangChain messages, as objects or dicts: ``tool_calls`` and ``invalid_tool_calls`` of AI messages, ``ToolMessage`` results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found, Result
from pytest_verdict.trajectories.readers.shape import as_text, call, call_in, items, list_of, look, messages_of

_TYPES: Final = {"human", "ai", "tool", "system", "AIMessageChunk"}


_COPIES: Final = "tool_use|tool_call|function_call"
_BLOCK: Final = Shape(
    ("type", "text"),
    read=frozenset({"name", "input", "args", "arguments", "content"}),
    types=f"{_COPIES}|tool_call_chunk|input_json_delta|invalid_tool_call|.*tool_result|(input_|output_)?(text|image|audio|file)"
    "|text-plain|text_delta|image_url|video|media|document|reasoning|reasoning_content|thinking|redacted_thinking|refusal|citation",
    text=True,
)
_OF_PROVIDER: Final = Shape(read=frozenset({"tool_calls", "function_call"}), one=True)
_FIELDS: Final = Shape(
    inside={"content": _BLOCK, "additional_kwargs": _OF_PROVIDER},
    read=frozenset({"tool_calls", "invalid_tool_calls", "tool_call_chunks", "artifact"}),
    one=True,
)
_MESSAGE: Final = Shape(
    ("type", "role", "lc", "tool_calls", "content"),
    {**_FIELDS.inside, "kwargs": _FIELDS, "data": _FIELDS},
    _FIELDS.read,
    "human|ai|tool|system|chat|function|developer|remove|constructor|message|[A-Za-z]+Message(Chunk)?",
)

ROOT: Final = Root(_MESSAGE, {"messages": _MESSAGE})


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
        identifiers = {look(one, "id") for one in (*made, *broken)}
        for one in (*made, *_of_provider(message, identifiers, copied=bool(made or broken))):
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


def _of_provider(message: Any, known: set[Any], *, copied: bool) -> Iterator[Any]:
    # What the provider wrote is a second copy, unless LangChain took no calls from it.
    raw = look(message, "additional_kwargs")
    legacy = look(raw, "function_call")
    if not copied:
        yield from items(look(raw, "tool_calls"), "tool_calls")
        yield from () if legacy is None else (legacy,)
    blocks = look(message, "content")
    for block in blocks if isinstance(blocks, list | tuple) else ():
        kind = look(block, "type")
        if isinstance(kind, str) and re.fullmatch(_COPIES, kind) and look(block, "call_id", "id") not in known:
            yield block


def _made(made: Any, place: int) -> Event:
    function = look(made, "function")
    source = made if function is None else function
    return call_in(source, "args", "arguments", "input", id=look(made, "call_id", "id"), group=place)


def _invalid(broken: Any, place: int) -> Event:
    # LangChain gives a call without a name, too, when the model produced none.
    name = look(broken, "name") or "(invalid tool call)"
    found = call(name, {}, id=look(broken, "id"), group=place)
    return replace(found, args_note=ARGS_MALFORMED, args_text=as_text(look(broken, "args")))
