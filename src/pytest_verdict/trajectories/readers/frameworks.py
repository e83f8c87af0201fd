"""LangChain messages, as objects or dicts, LangGraph step lists, and the Vercel AI SDK."""

import re
from collections.abc import Iterator, Sequence, Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    Result,
    build_call,
    build_call_from,
    format_arguments,
    get,
    get_blocks,
    get_list,
    get_objects,
    has,
    read_messages,
    require_list,
    require_objects,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.formats import Format, Shape, find_call, iter_entries
from pytest_verdict.trajectories.readers.plain import is_pair

# LangChain: `tool_calls` and `invalid_tool_calls` of AI messages, results in tool messages.
_MESSAGE_TYPES: Final = {"human", "ai", "tool", "system", "AIMessageChunk"}
_CALL_BLOCKS: Final = "tool_use|tool_call|function_call"
_BLOCK: Final = Shape(
    "type text",
    keys="name input args arguments content",
    types=f"{_CALL_BLOCKS}|tool_call_chunk|input_json_delta|invalid_tool_call|.*tool_result"
    "|(input_|output_)?(text|image|audio|file)|text-plain|text_delta|image_url|video|media|document"
    "|reasoning|reasoning_content|thinking|redacted_thinking|refusal|citation",
    allows_text=True,
)
_FIELDS: Final = Shape(
    children={"content": _BLOCK, "additional_kwargs": Shape(keys="tool_calls function_call", is_single=True)},
    keys="tool_calls invalid_tool_calls tool_call_chunks artifact",
    is_single=True,
)
_MESSAGE: Final = Shape(
    "type role lc tool_calls content",
    {**_FIELDS.children, "kwargs": _FIELDS, "data": _FIELDS},
    _FIELDS.keys,
    "human|ai|tool|system|chat|function|developer|remove|constructor|message|[A-Za-z]+Message(Chunk)?",
)


def _is_message(message: Any) -> bool:
    calls = get(message, "tool_calls")
    if isinstance(calls, list | tuple) and any(has(call, "args") and not has(call, "function") for call in calls):
        return True
    kind = get(message, "type")
    return has(message, "lc") or (isinstance(kind, str) and kind in _MESSAGE_TYPES)


@partial(Format, is_item=_is_message, item=_MESSAGE, containers="messages")
def langchain(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one message are one group."""
    for place, outer in enumerate(read_messages(value)):
        message = _unwrap_message(outer)
        calls = get_list(message, "tool_calls")
        invalid_calls = get_list(message, "invalid_tool_calls")
        for call in (*calls, *_iter_provider_calls(message, (*calls, *invalid_calls))):
            function = get(call, "function")
            source = call if function is None else function
            yield build_call_from(source, "args", "arguments", "input", id=get(call, "call_id", "id"), group=place)
        for call in invalid_calls:
            # The model may have produced no name.
            event = build_call(get(call, "name") or "(invalid tool call)", {}, id=get(call, "id"), group=place)
            yield replace(event, args_note=ARGS_MALFORMED, args_text=format_arguments(get(call, "args")))

        identifier = get(message, "tool_call_id")
        if identifier is not None:
            yield Result.from_content(message, identifier, failed=get(message, "status") == "error")


def _unwrap_message(message: Any) -> Any:
    # dumpd writes {"lc": 1, "kwargs": {...}}, messages_to_dict writes {"type": "ai", "data": {...}}.
    for key in ("kwargs", "data"):
        inner = get(message, key)
        if isinstance(inner, dict):
            return inner
    return message


def _iter_provider_calls(message: Any, calls: Sequence[Any]) -> Iterator[Any]:
    """Yield the calls in the form of the provider that LangChain did not copy into its own lists."""
    identifiers = {get(call, "id") for call in calls}
    raw = get(message, "additional_kwargs")
    legacy_call = get(raw, "function_call")
    if not calls:
        yield from get_list(raw, "tool_calls")
        if legacy_call is not None:
            yield legacy_call

    blocks = get(message, "content")
    if not isinstance(blocks, list | tuple):
        return
    for block in blocks:
        kind = get(block, "type")
        is_call = isinstance(kind, str) and re.fullmatch(_CALL_BLOCKS, kind)
        if is_call and get(block, "call_id", "id") not in identifiers:
            yield block


# LangGraph: for each invocation the names of its nodes, ``[["agent", "tools"], ["agent"]]``, or a dict with such a list.
def _is_list_of_steps(value: Any) -> bool:
    steps = get(value, "steps") or value
    return isinstance(steps, list | tuple) and len(steps) > 0 and all(map(_is_step, steps))


def _is_step(step: Any) -> bool:
    return isinstance(step, list | tuple) and all(isinstance(node, str) for node in step) and not is_pair(step)


@partial(Format, is_whole=_is_list_of_steps)
def langgraph(value: Any) -> Iterator[Event]:
    """Read the nodes as events without recorded arguments; the nodes of one step are one group."""
    if value is None:
        raise TrajectoryError("a list of steps must be a list, got null")
    steps = get(value, "steps")
    if steps is None:
        steps = value
    else:
        for key, item in iter_entries(value):
            # The results are states of the graph, and calls in their messages are no nodes.
            if key not in {"steps", "results"} and find_call(item, set()) is not None:
                raise TrajectoryError(f"the value has a call in the form {key!r}, which is not one of langgraph")

    for place, step in enumerate(require_list(steps, "a list of steps")):
        for node in require_list(step, "a step"):
            if not isinstance(node, str):
                raise TrajectoryError(f"a node of a step is a name, got {shown(node, 80)}")
            yield build_call(node, MISSING, group=place)


# Vercel AI SDK
_RESULT_TYPES: Final = {"tool-result", "tool-error"}
_PART_TYPES: Final = {"tool-call", "tool-approval-request", *_RESULT_TYPES}
_FAILURES: Final = {"error-text", "error-json", "execution-denied"}

_PART_KEYS: Final = "toolName input rawInput args output result error errorText approval toolCall"
_PART: Final = Shape(
    "type",
    keys=_PART_KEYS,
    types="|".join(sorted(_PART_TYPES)) + "|tool-approval-response|text|reasoning|reasoning-file|file|image|source",
    allows_text=True,
)
_UI_PART: Final = Shape(
    "type",
    keys=_PART_KEYS,
    types="tool-.+|dynamic-tool|text|reasoning|reasoning-file|source-(url|document)|file|step-start|data-.+",
)
# The request and the response repeat the calls.
_ITEM: Final = Shape(
    "parts content toolCalls type",
    {"parts": _UI_PART, "content": _PART, "toolCalls": _PART, "toolResults": _PART},
    f"{_PART_KEYS} request response",
    _PART.types,
)


def _is_item(item: Any) -> bool:
    if any(isinstance(get(part, "type"), str) for part in unwrap_list(get(item, "parts"))):
        return True
    content = get(item, "content")
    blocks = content if isinstance(content, list | tuple) else ()
    if any(get(part, "type") in _PART_TYPES and not has(part, "name") for part in (item, *blocks)):
        return True
    if isinstance(content, list | tuple) and has(item, "finishReason"):
        return True
    calls = get(item, "toolCalls")
    return isinstance(calls, list | tuple) and all(has(call, "toolName") for call in calls)


@partial(
    Format,
    is_item=_is_item,
    item=_ITEM,
    containers="steps messages",
    sibling_keys="content toolCalls toolResults request response _output",
)
def vercel(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one step are one group."""
    items = require_objects(unwrap_list(value, "steps", "messages"), "messages")
    if all(has(item, "type") for item in items):
        items = [{"content": items}]

    entries: list[CallOrResult] = []
    group = 0
    for item in items:
        for part in get_objects(item, "parts"):
            if get(part, "type") == "step-start":
                group += 1
            entries += _read_ui_part(part, group)
        entries += _read_content(item, group)
        group += 1
    if has(value, "steps", "messages"):
        # The object around the steps repeats the calls of the last one.
        repeated_calls = {(entry.id, entry.name) for entry in entries if isinstance(entry, Event)}
        entries += _read_content(value, len(entries), repeated_calls)
    return iter(entries)


def _read_content(
    item: Any, group: int, repeated_calls: AbstractSet[tuple[Any, Any]] = frozenset()
) -> Iterator[CallOrResult]:
    parts = [item] if has(item, "type") else require_objects(get_blocks(item), "content")
    sources = (
        [part for part in parts if get(part, "type") == "tool-call"],
        # Lists of calls and requests for approval repeat the parts.
        get_objects(item, "toolCalls"),
        [get(part, "toolCall") for part in parts if has(part, "toolCall")],
    )
    seen = set(repeated_calls)
    calls = []
    for source in sources:
        identities = [(get(call, "toolCallId"), get(call, "toolName")) for call in source]
        calls += [call for call, identity in zip(source, identities, strict=True) if identity not in seen]
        seen.update(identities)
    for call in calls:
        yield _build_part_call(call, get(call, "toolName"), group)

    for part in (*parts, *get_objects(item, "toolResults")):
        if get(part, "type") in _RESULT_TYPES:
            output = get(part, "output", "result")
            is_error = get(part, "type") == "tool-error" or get(output, "type") in _FAILURES
            reason = get(part, "error") or get(output, "value", "reason")
            yield Result(get(part, "toolCallId"), output, is_error or get(part, "isError") is True, reason)


def _read_ui_part(part: Any, group: int) -> Iterator[CallOrResult]:
    kind = str(get(part, "type"))
    if kind != "dynamic-tool" and not kind.startswith("tool-"):
        return
    state = get(part, "state")
    call = _build_part_call(part, get(part, "toolName", default=kind.removeprefix("tool-")), group)
    if state == "input-streaming":
        # The stream ended within the arguments.
        text = format_arguments(call.args)
        call = Event(call.name, id=call.id, group=group, args_note=ARGS_MALFORMED, args_text=text)
    yield call

    if state in {"output-available", "output-error", "output-denied"}:
        reason = get(part, "errorText") or get(get(part, "approval"), "reason")
        yield Result(call.id, get(part, "output"), state != "output-available", reason)


def _build_part_call(part: Any, name: Any, group: int) -> Event:
    args = get(part, "input", "args", "rawInput", default=MISSING)
    return build_call(name, args, id=get(part, "toolCallId"), group=group)
