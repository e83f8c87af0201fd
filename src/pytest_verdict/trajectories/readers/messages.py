"""Messages that hold blocks or parts: Anthropic, Claude Code, Amazon Bedrock Converse and pydantic-ai; and those of MCP."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    Result,
    build_call,
    build_call_from,
    get,
    get_blocks,
    get_objects,
    has,
    read_messages,
    require_objects,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.formats import Format, Shape

# Anthropic: calls in blocks of the type `tool_use` and its variants, results in `tool_result`.
_BLOCK_TYPES: Final = (
    ".*tool_use|.*tool_result|text|thinking|redacted_thinking|image|document|search_result|container_upload|compaction"
)
_BLOCK: Final = Shape("type text", keys="name input content source caller", types=_BLOCK_TYPES, allows_text=True)
# A list may hold blocks without their message.
_MESSAGE: Final = Shape("role content type", {"content": _BLOCK}, _BLOCK.keys, f"message|{_BLOCK_TYPES}")


def _is_block(value: Any) -> bool:
    kind = get(value, "type")
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))


def _get_content(message: Any) -> Any:
    if _is_block(message):
        return [message]
    return get_blocks(message)


@partial(
    Format,
    is_item=lambda message: any(map(_is_block, unwrap_list(_get_content(message)))),
    item=_MESSAGE,
    containers="messages",
    sibling_keys="system",
)
def anthropic(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one message are one group."""
    messages = read_messages(value)
    are_blocks = all(get(message, "role") is None for message in messages)
    for place, message in enumerate(messages):
        for block in require_objects(_get_content(message), "content"):
            kind = str(get(block, "type"))
            if kind.endswith("tool_use"):
                yield build_call_from(block, "input", id=get(block, "id"), group=0 if are_blocks else place)
            elif kind.endswith("tool_result"):
                is_error = get(block, "is_error") is True
                yield Result.from_content(block, get(block, "tool_use_id"), failed=is_error)


# Claude Code: the lines of ``--output-format stream-json`` and of session files, each with an Anthropic message. The other
# keys repeat results and refused calls.
_LINE: Final = Shape(
    "message subtype summary snapshot",
    {"message": replace(_MESSAGE, marks="role content", is_single=True)},
    "tool_use_result toolUseResult permission_denials",
    types="assistant|user|system|result|summary|file-history-snapshot",
)


@partial(Format, is_item=lambda line: get(line, "type") in {"assistant", "user"} and has(line, "message"), item=_LINE)
def claude_code(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one message are one group, even if each has its own line."""
    groups: dict[Any, int] = {}
    for place, line in enumerate(read_messages(value)):
        message = get(line, "message")
        if message is None:
            continue
        group = groups.setdefault(get(message, "id") or ("line", place), len(groups))
        for item in anthropic.read([message]):
            if isinstance(item, Event):
                yield replace(item, group=group)
            else:
                yield item


# Bedrock Converse; Strands agents write the same.
_CONVERSE: Final = Shape(
    "role content",
    {
        "content": Shape(
            "toolUse toolResult text image document video audio guardContent cachePoint reasoningContent citationsContent"
            " searchResult",
            keys="toolUse toolResult",
            allows_text=True,
        )
    },
)


@partial(
    Format,
    is_item=lambda message: any(has(block, "toolUse", "toolResult") for block in unwrap_list(get_blocks(message))),
    item=_CONVERSE,
    containers="messages",
    is_whole=lambda value: has(get(value, "output"), "message"),
    other_containers={"output": Shape("message", {"message": replace(_CONVERSE, is_single=True)}, is_single=True)},
)
def bedrock(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one message are one group."""
    answer = get(get(value, "output"), "message")
    messages: Sequence[Any] = [answer]
    if answer is None:
        messages = unwrap_list(value, "messages")
    for place, message in enumerate(require_objects(messages, "messages")):
        for block in require_objects(get_blocks(message), "content"):
            call = get(block, "toolUse")
            if call is not None:
                yield build_call_from(call, "input", id=get(call, "toolUseId"), group=place)
            result = get(block, "toolResult")
            if result is not None:
                is_error = get(result, "status") == "error"
                yield Result.from_content(result, get(result, "toolUseId"), failed=is_error)


# pydantic-ai
_CALL_KINDS: Final = ("tool-call", "builtin-tool-call")
_RESULT_KINDS: Final = ("tool-return", "builtin-tool-return", "retry-prompt")
_PART: Final = Shape(
    "part_kind",
    keys="tool_name args content",
    types="|".join((*_CALL_KINDS, *_RESULT_KINDS))
    + "|system-prompt|user-prompt|text|thinking|file|speech|compaction|retry-feedback"
    "|instruction(-delta|-digest|-baseline)?|(tool-availability|capability-load|model-settings)-delta",
    type_key="part_kind",
)


@partial(
    Format,
    is_item=lambda message: any(has(part, "part_kind") for part in unwrap_list(get(message, "parts"))),
    item=Shape("parts", {"parts": _PART}, types="request|response", type_key="kind"),
    containers="messages",
)
def pydantic_ai(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one response are one group."""
    for place, message in enumerate(read_messages(value)):
        for part in get_objects(message, "parts"):
            kind = get(part, "part_kind")
            name = get(part, "tool_name")
            identifier = get(part, "tool_call_id")
            if kind in _CALL_KINDS:
                yield build_call(name, get(part, "args", default=MISSING), id=identifier, group=place)
            elif kind in _RESULT_KINDS and name is not None:
                is_error = kind == "retry-prompt" or get(part, "outcome", default="success") != "success"
                yield Result.from_content(part, identifier, failed=is_error)


# MCP: the messages of JSON-RPC
_RPC: Final = Shape(
    "jsonrpc method result error",
    keys="params result error",
    types="tools/(call|list)|initialize|ping"
    "|(notifications|resources|prompts|completion|logging|roots|sampling|elicitation|tasks)/.+",
    type_key="method",
)


@partial(
    Format,
    is_item=lambda message: has(message, "jsonrpc") or get(message, "method") == "tools/call",
    item=_RPC,
    containers="messages",
)
def mcp(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; requests with no response between them are one group."""
    group = 0
    for message in read_messages(value):
        identifier = get(message, "id")
        method = get(message, "method")
        if method == "tools/call":
            params = get(message, "params")
            yield build_call(get(params, "name"), get(params, "arguments"), id=identifier, group=group)
            continue
        if method is not None:
            continue

        group += 1
        # Zero is a valid identifier, so it becomes a text, which is true.
        call_id = None if identifier is None else str(identifier)
        error = get(message, "error")
        if error is not None:
            yield Result(call_id, None, failed=True, reason=get(error, "message"))
            continue
        result = get(message, "result")
        is_error = get(result, "isError", "is_error") is True
        yield Result(call_id, result, is_error, reason=get(result, "content"))
