"""Messages that hold blocks or parts: Anthropic, Claude Code, Amazon Bedrock Converse and pydantic-ai; and those of MCP."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call, call_in
from pytest_verdict.trajectories.readers.shape import MISSING, blocks_of, has, list_of, look, messages_of, objects

# Content blocks `tool_use` and its kin, results in `tool_result`.
_TYPES: Final = (
    ".*tool_use|.*tool_result|text|thinking|redacted_thinking|image|document|search_result|container_upload|compaction"
)
_BLOCK: Final = Shape("type text", read="name input content source caller", types=_TYPES, text=True)
# A list may hold blocks without their message.
_MESSAGE: Final = Shape("role content type", {"content": _BLOCK}, _BLOCK.read, f"message|{_TYPES}")


def _is_block(value: Any) -> bool:
    kind = look(value, "type")
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))


def _content(message: Any) -> Any:
    return [message] if _is_block(message) else blocks_of(message)


def _holds_blocks(message: Any) -> bool:
    return any(map(_is_block, list_of(_content(message))))


@partial(Format, is_ours=_holds_blocks, item=_MESSAGE, containers="messages", beside="system")
def anthropic(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    messages = messages_of(value)
    loose = all(look(message, "role") is None for message in messages)
    for place, message in enumerate(messages):
        for block in objects(_content(message), "content"):
            kind = str(look(block, "type"))
            if kind.endswith("tool_use"):
                yield call_in(block, "input", id=look(block, "id"), group=0 if loose else place)
            elif kind.endswith("tool_result"):
                yield Result.of_content(block, look(block, "tool_use_id"), failed=look(block, "is_error") is True)


# The lines of ``--output-format stream-json`` and of session files, each with an Anthropic message. What a tool returned and
# which calls were not allowed stand in them once more.
_LINE: Final = Shape(
    "message subtype summary snapshot",
    {"message": replace(_MESSAGE, marks="role content", one=True)},
    "tool_use_result toolUseResult permission_denials",
    types="assistant|user|system|result|summary|file-history-snapshot",
)


@partial(Format, is_ours=lambda line: look(line, "type") in {"assistant", "user"} and has(line, "message"), item=_LINE)
def claude_code(value: Any) -> Iterator[Found]:
    """Read the calls; those of one message are one group, also where each has a line of its own."""
    groups: dict[Any, int] = {}
    for place, line in enumerate(messages_of(value)):
        message = look(line, "message")
        if message is None:
            continue
        group = groups.setdefault(look(message, "id") or ("line", place), len(groups))
        for found in anthropic.read([message]):
            yield replace(found, group=group) if isinstance(found, Event) else found


# Strands agents write the same.
_CONVERSE: Final = Shape(
    "role content",
    {
        "content": Shape(
            "toolUse toolResult text image document video audio guardContent cachePoint reasoningContent citationsContent"
            " searchResult",
            read="toolUse toolResult",
            text=True,
        )
    },
)


@partial(
    Format,
    is_ours=lambda message: any(has(block, "toolUse", "toolResult") for block in list_of(blocks_of(message))),
    item=_CONVERSE,
    containers="messages",
    whole=lambda value: has(look(value, "output"), "message"),
    others={"output": Shape("message", {"message": replace(_CONVERSE, one=True)}, one=True)},
)
def bedrock(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    answer = look(look(value, "output"), "message")
    messages = list_of(value, "messages") if answer is None else [answer]
    for place, message in enumerate(objects(messages, "messages")):
        for block in objects(blocks_of(message), "content"):
            made, given = look(block, "toolUse"), look(block, "toolResult")
            if made is not None:
                yield call_in(made, "input", id=look(made, "toolUseId"), group=place)
            if given is not None:
                yield Result.of_content(given, look(given, "toolUseId"), failed=look(given, "status") == "error")


_CALLS: Final = "tool-call|builtin-tool-call"
_RESULTS: Final = "tool-return|builtin-tool-return|retry-prompt"
_PART: Final = Shape(
    "part_kind",
    read="tool_name args content",
    types=f"{_CALLS}|{_RESULTS}|system-prompt|user-prompt|text|thinking|file|speech|compaction|retry-feedback"
    "|instruction(-delta|-digest|-baseline)?|(tool-availability|capability-load|model-settings)-delta",
    kind="part_kind",
)
_EXCHANGE: Final = Shape("parts", {"parts": _PART}, types="request|response", kind="kind")


def _has_part_kinds(message: Any) -> bool:
    return any(has(part, "part_kind") for part in list_of(look(message, "parts")))


@partial(Format, is_ours=_has_part_kinds, item=_EXCHANGE, containers="messages")
def pydantic_ai(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one response are one group."""
    for place, message in enumerate(messages_of(value)):
        for part in objects(look(message, "parts"), "parts"):
            kind, name, identifier = look(part, "part_kind"), look(part, "tool_name"), look(part, "tool_call_id")
            if kind in _CALLS.split("|"):
                yield call(name, look(part, "args", default=MISSING), id=identifier, group=place)
            elif kind in _RESULTS.split("|") and name is not None:
                failed = kind == "retry-prompt" or look(part, "outcome", default="success") != "success"
                yield Result.of_content(part, identifier, failed=failed)


_RPC: Final = Shape(
    "jsonrpc method result error",
    read="params result error",
    types="tools/(call|list)|initialize|ping|(notifications|resources|prompts|completion|logging|roots|sampling|elicitation|tasks)/.+",
    kind="method",
)


def _is_message(message: Any) -> bool:
    return has(message, "jsonrpc") or look(message, "method") == "tools/call"


@partial(Format, is_ours=_is_message, item=_RPC, containers="messages")
def mcp(value: Any) -> Iterator[Found]:
    """Read the calls; requests with no response between them are one group."""
    group = 0
    for message in messages_of(value):
        if look(message, "method") == "tools/call":
            params = look(message, "params")
            yield call(look(params, "name"), look(params, "arguments"), id=look(message, "id"), group=group)
        elif look(message, "method") is None:
            yield _response(message)
            group += 1


def _response(message: Any) -> Result:
    identifier = look(message, "id")
    # Zero is a valid identifier of JSON-RPC.
    text = None if identifier is None else str(identifier)
    broken = look(message, "error")
    if broken is not None:
        return Result(text, None, failed=True, reason=look(broken, "message"))
    result = look(message, "result")
    return Result(text, result, look(result, "isError", "is_error") is True, look(result, "content"))
