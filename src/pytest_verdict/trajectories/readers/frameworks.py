"""LangChain messages, as objects or dicts, LangGraph step lists, and the Vercel AI SDK."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape, call_within, entries
from pytest_verdict.trajectories.readers.calls import Found, Result, as_text, call, call_in
from pytest_verdict.trajectories.readers.plain import is_pair
from pytest_verdict.trajectories.readers.shape import (
    MISSING,
    blocks_of,
    has,
    items,
    list_of,
    look,
    messages_of,
    objects,
)

# `tool_calls` and `invalid_tool_calls` of AI messages, results in tool messages.
_TYPES: Final = {"human", "ai", "tool", "system", "AIMessageChunk"}
_COPIES: Final = "tool_use|tool_call|function_call"
_BLOCK: Final = Shape(
    "type text",
    read="name input args arguments content",
    types=f"{_COPIES}|tool_call_chunk|input_json_delta|invalid_tool_call|.*tool_result|(input_|output_)?(text|image|audio|file)"
    "|text-plain|text_delta|image_url|video|media|document|reasoning|reasoning_content|thinking|redacted_thinking|refusal|citation",
    text=True,
)
_FIELDS: Final = Shape(
    inside={"content": _BLOCK, "additional_kwargs": Shape(read="tool_calls function_call", one=True)},
    read="tool_calls invalid_tool_calls tool_call_chunks artifact",
    one=True,
)
_MESSAGE: Final = Shape(
    "type role lc tool_calls content",
    {**_FIELDS.inside, "kwargs": _FIELDS, "data": _FIELDS},
    _FIELDS.read,
    "human|ai|tool|system|chat|function|developer|remove|constructor|message|[A-Za-z]+Message(Chunk)?",
)


def _is_message(message: Any) -> bool:
    kind, made = look(message, "type"), look(message, "tool_calls")
    flat = isinstance(made, list | tuple) and any(
        look(one, "args") is not None and look(one, "function") is None for one in made
    )
    return flat or has(message, "lc") or (isinstance(kind, str) and kind in _TYPES)


@partial(Format, is_ours=_is_message, item=_MESSAGE, containers="messages")
def langchain(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    for place, wrapped in enumerate(messages_of(value)):
        message = _unwrapped(wrapped)
        made = items(look(message, "tool_calls"), "tool_calls")
        broken = items(look(message, "invalid_tool_calls"), "invalid_tool_calls")
        identifiers = {look(one, "id") for one in (*made, *broken)}
        for one in (*made, *_of_provider(message, identifiers, copied=bool(made or broken))):
            yield _made(one, place)
        for one in broken:
            # LangChain gives a call without a name, too, when the model produced none.
            found = call(look(one, "name") or "(invalid tool call)", {}, id=look(one, "id"), group=place)
            yield replace(found, args_note=ARGS_MALFORMED, args_text=as_text(look(one, "args")))
        identifier = look(message, "tool_call_id")
        if identifier is not None:
            yield Result.of_content(message, identifier, failed=look(message, "status") == "error")


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


# For each invocation of a graph the names of its nodes: ``[["agent", "tools"], ["agent"]]``, or a dict with them.
def _is_list_of_steps(value: Any) -> bool:
    steps = look(value, "steps") or value
    return isinstance(steps, list | tuple) and len(steps) > 0 and all(map(_is_step, steps))


def _is_step(step: Any) -> bool:
    return isinstance(step, list | tuple) and all(isinstance(node, str) for node in step) and not is_pair(step)


@partial(Format, whole=_is_list_of_steps)
def langgraph(value: Any) -> Iterator[Event]:
    """Read the nodes as events without recorded arguments; the nodes of one step are one group."""
    if value is None:
        raise TrajectoryError("a list of steps must be a list, got null")
    steps = look(value, "steps")
    for key, item in entries(value) if steps is not None else ():
        # The states of the graph hold messages, whose calls are not its nodes.
        if key not in {"steps", "results"} and call_within(item, set()) is not None:
            raise TrajectoryError(f"the value has a call in the form {key!r}, which is not one of langgraph")
    for place, step in enumerate(items(value if steps is None else steps, "a list of steps")):
        for node in items(step, "a step"):
            if not isinstance(node, str):
                raise TrajectoryError(f"a node of a step is a name, got {shown(node, 80)}")
            yield call(node, MISSING, group=place)


_RESULTS: Final = {"tool-result", "tool-error"}
_KINDS: Final = {"tool-call", "tool-approval-request", *_RESULTS}
_FAILURES: Final = {"error-text", "error-json", "execution-denied"}

_READ: Final = "toolName input rawInput args output result error errorText approval toolCall"
_PART: Final = Shape(
    "type",
    read=_READ,
    types="|".join(sorted(_KINDS)) + "|tool-approval-response|text|reasoning|reasoning-file|file|image|source",
    text=True,
)
_UI_PART: Final = Shape(
    "type",
    read=_READ,
    types="tool-.+|dynamic-tool|text|reasoning|reasoning-file|source-(url|document)|file|step-start|data-.+",
)
# What was sent to the provider and what it answered repeat the calls.
_ITEM: Final = Shape(
    "parts content toolCalls type",
    {"parts": _UI_PART, "content": _PART, "toolCalls": _PART, "toolResults": _PART},
    f"{_READ} request response",
    _PART.types,
)


def _is_item(item: Any) -> bool:
    content, made = look(item, "content"), look(item, "toolCalls")
    listed = isinstance(content, list | tuple)
    return (
        any(isinstance(look(part, "type"), str) for part in list_of(look(item, "parts")))
        or any(look(part, "type") in _KINDS and not has(part, "name") for part in (item, *(content if listed else ())))
        or (listed and has(item, "finishReason"))
        or (isinstance(made, list | tuple) and all(has(one, "toolName") for one in made))
    )


@partial(
    Format,
    is_ours=_is_item,
    item=_ITEM,
    containers="steps messages",
    beside="content toolCalls toolResults request response _output",
)
def vercel(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one step are one group."""
    found = list(_in_items(objects(list_of(value, "steps", "messages"), "messages")))
    yield from found
    if has(value, "steps", "messages"):
        # A result has the calls of its last step once more.
        known = frozenset((one.id, one.name) for one in found if isinstance(one, Event))
        yield from _in_content(value, len(found), known)


def _in_items(items: Sequence[Any]) -> Iterator[Found]:
    loose = all(has(item, "type") for item in items)
    group = 0
    for item in [{"content": items}] if loose else items:
        for part in objects(look(item, "parts"), "parts"):
            group += look(part, "type") == "step-start"
            yield from _in_ui_part(part, group)
        yield from _in_content(item, group, frozenset())
        group += 1


def _in_content(item: Any, group: int, known: frozenset[tuple[Any, Any]]) -> Iterator[Found]:
    parts = [item] if has(item, "type") else objects(blocks_of(item), "content")
    made: list[Any] = []
    # Calls are listed, and wait for approval, beside the parts that they are.
    for source in (
        [part for part in parts if look(part, "type") == "tool-call"],
        objects(look(item, "toolCalls"), "toolCalls"),
        [look(part, "toolCall") for part in parts if has(part, "toolCall")],
    ):
        before = known.union(map(_identity, made))
        made += [one for one in source if _identity(one) not in before]
    for one in made:
        yield _called(one, look(one, "toolName"), group)
    for part in (*parts, *objects(look(item, "toolResults"), "toolResults")):
        if look(part, "type") in _RESULTS:
            output = look(part, "output", "result")
            failed = look(part, "type") == "tool-error" or look(output, "type") in _FAILURES
            reason = look(part, "error") or look(output, "value", "reason")
            yield Result(look(part, "toolCallId"), output, failed or look(part, "isError") is True, reason)


def _identity(made: Any) -> tuple[Any, Any]:
    return look(made, "toolCallId"), look(made, "toolName")


def _in_ui_part(part: Any, group: int) -> Iterator[Found]:
    kind, state = str(look(part, "type")), look(part, "state")
    if kind != "dynamic-tool" and not kind.startswith("tool-"):
        return
    made = _called(part, look(part, "toolName", default=kind.removeprefix("tool-")), group)
    if state == "input-streaming":
        # The stream ended within the arguments.
        made = Event(made.name, id=made.id, group=group, args_note=ARGS_MALFORMED, args_text=as_text(made.args))
    yield made
    if state in {"output-available", "output-error", "output-denied"}:
        reason = look(part, "errorText") or look(look(part, "approval"), "reason")
        yield Result(made.id, look(part, "output"), state != "output-available", reason)


def _called(part: Any, name: Any, group: int) -> Event:
    arguments = look(part, "input", "args", "rawInput", default=MISSING)
    return call(name, arguments, id=look(part, "toolCallId"), group=group)
