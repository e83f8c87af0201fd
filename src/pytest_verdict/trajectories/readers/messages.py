"""Messages: OpenAI, tau2-bench, Anthropic, Claude Code, Bedrock, pydantic-ai, MCP, LangChain, LangGraph, Vercel and Google."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    CallOrResult,
    Result,
    build_call,
    build_malformed_call,
    format_failure,
    get,
    get_blocks,
    get_objects,
    has,
    omit_keys,
    parse_if_json,
    read_block,
    read_call,
    read_messages,
    read_result,
    require_list,
    require_objects,
    require_one,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.plain import is_pair, plain
from pytest_verdict.trajectories.readers.unread import Format, require_one_answer


# Chat completions: calls in the `tool_calls` of assistant messages, results in messages of the role `tool`.
@partial(
    Format,
    is_item=lambda message: has(message, "role"),
    marks="role",
    containers="messages",
    is_whole=lambda value: has(value, "choices"),
    ignored="raw_data turn_taking_action",
)
def openai_chat(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one message are one group."""
    choices = get(value, "choices")
    if choices is None:
        messages = read_messages(value)
    else:
        messages = [get(choice, "message") for choice in require_list(choices, "choices")]
        require_one_answer(messages, "choices")
        if any(message is None for message in messages):
            raise TrajectoryError("a choice needs its message; put the chunks of a streamed completion together first")

    for place, message in enumerate(messages):
        # Inspect AI marks what its author wrote, and tau2-bench the tools of its simulated user.
        if get(message, "source") == "input" or get(message, "requestor") == "user":
            continue
        for call in get_objects(message, "tool_calls"):
            if get(call, "requestor") == "user":
                yield CallLike(get(call, "name"), get(call, "id"))
            elif isinstance(get(call, "function"), str):
                yield _read_inspect_call(call, place)
            else:
                yield read_call(call, group=place)
        if has(message, "function_call"):
            yield read_call(get(message, "function_call"), group=place)
        if get(message, "role") in {"tool", "function"}:
            yield read_result(message)


def _read_inspect_call(call: Any, group: int) -> Event:
    # Beside the reason why arguments are no JSON there is an empty object.
    if has(call, "parse_error"):
        return build_malformed_call(get(call, "function"), get(call, "parse_error"), id=get(call, "id"), group=group)
    if "'attachment://" in repr(get(call, "arguments")):
        raise TrajectoryError("arguments are attachments: read the log with resolve_attachments")
    return read_call(call, group=group)


# Tools that OpenAI runs itself have an item type instead of a name, and no object of arguments.
_HOSTED_TYPES: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "computer_call", "image_generation_call"}
    | {"local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"}
)
_ITEM_TYPES: Final = _HOSTED_TYPES | {"function_call", "custom_tool_call", "mcp_call", "reasoning", "item_reference"}


def _is_response(value: Any) -> bool:
    return bool(get(value, "object") == "response")


def _is_item(item: Any) -> bool:
    # The type may be of any class in another format, and not hashable.
    kind = get(item, "type")
    return isinstance(kind, str) and (kind in _ITEM_TYPES or kind.endswith("_call_output"))


@partial(
    Format,
    is_item=_is_item,
    marks="type role",
    containers="output items",
    is_whole=_is_response,
    # The input of a response has the calls of earlier ones.
    list_parts=lambda value: [omit_keys(value, "input") if _is_response(value) else value],
)
def openai_responses(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; calls with nothing but other calls and reasoning between them are one group."""
    items = get(value, "output") if _is_response(value) else unwrap_list(value, "output", "items")
    group = 0
    for item in require_objects(items, "output"):
        kind = str(get(item, "type"))
        if kind in _HOSTED_TYPES:
            identifier = get(item, "call_id", "id")
            yield build_call(kind.removesuffix("_call"), MISSING, id=identifier, group=group)
        elif kind in {"function_call", "custom_tool_call", "mcp_call"}:
            yield read_call(item, group=group, result=get(item, "output"), error=get(item, "error"))
        elif kind.endswith("_call_output"):
            yield Result(get(item, "call_id", "id"), get(item, "output"))
            group += 1
        elif kind == "item_reference" and not str(get(item, "id")).startswith(("msg_", "rs_")):
            raise TrajectoryError(f"the item {shown(get(item, 'id'), 80)} is a reference, and may be a call")
        elif kind != "reasoning":
            group += 1


# tau2-bench: simulations and tasks. The calls of the simulated user are not the agent's.
@partial(
    Format,
    is_item=lambda item: has(item, "evaluation_criteria") or (has(item, "task_id") and has(item, "messages")),
    marks="messages evaluation_criteria",
    containers="simulations",
    is_whole=lambda value: has(value, "simulations"),
    # Expected calls, calls that prepared the environment, and copies of those that are read.
    ignored="info tasks reward_info initial_state env_assertions turn_taking_action raw_data",
)
def tau2(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one message are one group, those of a task are not grouped."""
    run = require_one(unwrap_list(value, "simulations"), "simulations")
    messages = require_objects(get(run, "messages"), "messages", "role")
    actions = get(get(run, "evaluation_criteria"), "actions")
    if not messages and actions is None:
        raise TrajectoryError("there are no messages or expected actions, so nothing was recorded")
    yield from openai_chat.read(messages) if messages else plain.read(require_list(actions, "actions"))


# Anthropic, Bedrock Converse, Strands and pydantic-ai: blocks or parts of messages are calls and results.
def _is_anthropic_block(value: Any) -> bool:
    kind = get(value, "type")
    return isinstance(kind, str) and kind.endswith(("tool_use", "tool_result"))


def _get_anthropic_blocks(message: Any) -> Any:
    if _is_anthropic_block(message):
        return [message]
    return get_blocks(message)


def _read_blocks(messages: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one message are one group, and so are those of blocks alone."""
    are_blocks = all(get(message, "role", "parts") is None for message in messages)
    for place, message in enumerate(require_objects(messages, "messages")):
        for block in require_objects(get(message, "parts", default=_get_anthropic_blocks(message)), "content"):
            yield from read_block(block, group=0 if are_blocks else place)


@partial(
    Format,
    is_item=lambda message: any(map(_is_anthropic_block, unwrap_list(_get_anthropic_blocks(message)))),
    marks="role content type",
    containers="messages",
)
def anthropic(value: Any) -> Iterator[CallOrResult]:
    return _read_blocks(read_messages(value))


# Claude Code: the lines of ``--output-format stream-json`` and of session files, each with an Anthropic message. The other
# keys repeat results and refused calls.
@partial(
    Format,
    is_item=lambda line: get(line, "type") in {"assistant", "user"} and has(line, "message"),
    marks="message subtype summary snapshot",
)
def claude_code(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one message are one group, even if each has its own line."""
    groups: dict[Any, int] = {}
    for place, line in enumerate(read_messages(value)):
        message = get(line, "message")
        group = groups.setdefault(get(message, "id") or ("line", place), len(groups))
        for block in require_objects(get_blocks(message), "content"):
            yield from read_block(block, group=group)


@partial(
    Format,
    is_item=lambda message: any(has(block, "toolUse", "toolResult") for block in unwrap_list(get_blocks(message))),
    marks="role content",
    containers="messages",
    is_whole=lambda value: has(get(value, "output"), "message"),
)
def bedrock(value: Any) -> Iterator[CallOrResult]:
    answer = get(get(value, "output"), "message")
    return _read_blocks(unwrap_list(value, "messages") if answer is None else [answer])


@partial(
    Format,
    is_item=lambda message: any(has(part, "part_kind") for part in unwrap_list(get(message, "parts"))),
    marks="parts",
    containers="messages",
)
def pydantic_ai(value: Any) -> Iterator[CallOrResult]:
    return _read_blocks(read_messages(value))


# MCP: the messages of JSON-RPC
def _list_parts(value: Any) -> Iterator[Any]:
    messages = read_messages(value)
    requests = {get(message, "id") for message in messages if get(message, "method") == "tools/call"}
    for message in messages:
        method = get(message, "method")
        if method is None:
            yield {} if get(message, "id") in requests else message
        elif method == "tools/call" or method.startswith("sampling/"):
            yield message
        else:
            # A prompt has a name and arguments, too.
            yield omit_keys(message, "params")


@partial(
    Format,
    is_item=lambda message: has(message, "jsonrpc") or get(message, "method") == "tools/call",
    marks="jsonrpc method result error",
    containers="messages",
    list_parts=_list_parts,
)
def mcp(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; requests with no response between them are one group."""
    group = 0
    other_requests = set()
    for message in read_messages(value):
        # Zero is a valid identifier, so it becomes a text, which is true.
        identifier = get(message, "id")
        identifier = None if identifier is None else str(identifier)
        if get(message, "method") == "tools/call":
            params = get(message, "params")
            yield build_call(get(params, "name"), get(params, "arguments"), identifier, group=group)
        elif has(message, "method"):
            other_requests.add(identifier)
        else:
            group += 1
            result = get(message, "result")
            if identifier in other_requests or not (has(message, "error") or has(result, "content")):
                continue
            failure = read_result(message if has(message, "error") else result).error
            yield Result(identifier, result, failure)


# LangChain: `tool_calls` and `invalid_tool_calls` of AI messages, results in tool messages.
_LANGCHAIN_CALLS: Final = ("tool_use", "tool_call", "function_call")
_MESSAGE_TYPES: Final = {"human", "ai", "tool", "system", "AIMessageChunk"}


def _is_langchain_message(message: Any) -> bool:
    calls = get(message, "tool_calls")
    if isinstance(calls, list | tuple) and any(has(call, "args") and not has(call, "function") for call in calls):
        return True
    kind = get(message, "type")
    return has(message, "lc") or (isinstance(kind, str) and kind in _MESSAGE_TYPES)


@partial(Format, is_item=_is_langchain_message, marks="type role lc tool_calls content", containers="messages")
def langchain(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one message are one group."""
    for place, outer in enumerate(read_messages(value)):
        if get(outer, "type") == "not_implemented":
            raise TrajectoryError("an object of LangChain was dumped as a text only; dump its messages instead")
        message = outer
        # dumpd writes {"lc": 1, "kwargs": {...}}, messages_to_dict writes {"type": "ai", "data": {...}}.
        for key in ("data", "kwargs"):
            if isinstance(get(outer, key), dict):
                message = get(outer, key)
        calls = [*get_objects(message, "tool_calls")]
        invalid_calls = get_objects(message, "invalid_tool_calls")
        identifiers = {get(call, "id") for call in (*calls, *invalid_calls)}
        raw = get(message, "additional_kwargs")
        if not calls and not invalid_calls:
            # The provider's form, which LangChain did not copy into its own lists.
            calls += get_objects(raw, "tool_calls")
            calls += unwrap_list(get(raw, "function_call", default=()))
        for block in get_blocks(message) or ():
            if get(block, "type") in _LANGCHAIN_CALLS and get(block, "call_id", "id") not in identifiers:
                calls.append(block)
        yield from (read_call(call, group=place) for call in calls)
        for call in invalid_calls:
            # The model may have produced no name.
            name = get(call, "name") or "(invalid tool call)"
            yield build_malformed_call(name, get(call, "args"), id=get(call, "id"), group=place)
        if has(message, "tool_call_id"):
            yield read_result(message)


# LangGraph: for each invocation the names of its nodes, ``[["agent", "tools"], ["agent"]]``, or a dict with such a list.
def _is_list_of_steps(value: Any) -> bool:
    steps = get(value, "steps") or value
    if not isinstance(steps, list | tuple) or not any(steps):
        return False
    return all(
        isinstance(step, list | tuple) and all(isinstance(node, str) for node in step) and not is_pair(step)
        for step in steps
    )


# The results are states of the graph, and calls in their messages are no nodes.
@partial(Format, is_whole=_is_list_of_steps, ignored="results")
def langgraph(value: Any) -> Iterator[Event]:
    """Read the nodes as events without recorded arguments; the nodes of one step are one group."""
    steps = get(value, "steps", default=value)
    if steps is None:
        raise TrajectoryError("a list of steps must be a list, got null")
    for place, step in enumerate(require_list(steps, "a list of steps")):
        yield from (build_call(node, MISSING, group=place) for node in require_list(step, "a step"))


# Vercel AI SDK: parts of messages, of steps and of UI messages are calls and results.
_RESULT_PARTS: Final = {"tool-result", "tool-error"}
_PARTS: Final = {"tool-call", "tool-approval-request", *_RESULT_PARTS}
_FAILURES: Final = {"error-text", "error-json", "execution-denied"}


def _is_vercel_item(item: Any) -> bool:
    if any(isinstance(get(part, "type"), str) for part in unwrap_list(get(item, "parts"))):
        return True
    content = get(item, "content")
    blocks = content if isinstance(content, list | tuple) else ()
    if any(get(part, "type") in _PARTS and not has(part, "name") for part in (item, *blocks)):
        return True
    calls = get(item, "toolCalls")
    is_step = isinstance(content, list | tuple) and has(item, "finishReason")
    return is_step or (isinstance(calls, list | tuple) and all(has(call, "toolName") for call in calls))


@partial(
    Format,
    is_item=_is_vercel_item,
    marks="parts content toolCalls type",
    containers="steps messages",
    ignored="request",
)
def vercel(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one step are one group."""
    items = require_objects(unwrap_list(value, "steps", "messages"), "messages") or [value]
    if all(has(item, "type") for item in items):
        items = [{"content": items}]
    group = 0
    for item in items:
        for part in get_objects(item, "parts"):
            group += get(part, "type") == "step-start"
            yield from _read_ui_part(part, group)
        parts = require_objects(get_blocks(item), "content")
        # Lists of calls and requests for approval repeat the parts.
        calls = [part for part in parts if get(part, "type") == "tool-call"] or get_objects(item, "toolCalls")
        calls = calls or [get(part, "toolCall") for part in parts if has(part, "toolCall")]
        yield from (read_call(call, group=group) for call in calls)
        for part in (*parts, *get_objects(item, "toolResults")):
            if get(part, "type") in _RESULT_PARTS:
                is_failed = get(part, "type") == "tool-error" or get(get(part, "output", "result"), "type") in _FAILURES
                yield _read_part_result(part, is_failed=is_failed)
        group += 1


def _read_ui_part(part: Any, group: int) -> Iterator[CallOrResult]:
    kind = str(get(part, "type"))
    if kind != "dynamic-tool" and not kind.startswith("tool-"):
        return
    call = read_call({"toolName": kind.removeprefix("tool-"), **omit_keys(part)}, group=group)
    state = get(part, "state")
    if state == "input-streaming":
        # The stream ended within the arguments.
        call = build_malformed_call(call.name, call.args, id=call.id, group=group)
    yield call
    if state in {"output-available", "output-error", "output-denied"}:
        yield _read_part_result(part, is_failed=state != "output-available")


def _read_part_result(part: Any, *, is_failed: bool) -> Result:
    result = read_result(part)
    if not is_failed:
        return result
    reason = (
        get(part, "error", "errorText") or get(result.value, "value", "reason") or get(get(part, "approval"), "reason")
    )
    return result._replace(error=format_failure(reason))


# Google: Gemini contents and ADK invocations in camelCase and in snake_case.
_INTERMEDIATE: Final = ("intermediate_data", "intermediateData")
_TOOL_USES: Final = ("tool_uses", "toolUses")
_EVENTS: Final = ("invocation_events", "invocationEvents")
_CALL: Final = ("function_call", "functionCall")
_RESPONSE: Final = ("function_response", "functionResponse")
_CONTAINERS: Final = "conversation invocations contents candidates events"
_MARKS: Final = (
    "content parts text thought finish_reason finishReason user_content userContent"
    f" {' '.join((*_INTERMEDIATE, *_TOOL_USES, *_EVENTS, *_CALL, *_RESPONSE))}"
)
# The details of an app list the tools of its agents.
_APP: Final = "app_details appDetails"


def _is_gemini_item(item: Any) -> bool:
    if has(item, *_INTERMEDIATE, "user_content", "userContent", "parts") or has(get(item, "content"), "parts"):
        return True
    # An OpenAI message may have a function_call too, but always next to a role.
    return has(item, *_CALL, *_RESPONSE) and not has(item, "role", "messages")


@partial(
    Format,
    is_item=_is_gemini_item,
    marks=_MARKS,
    containers=_CONTAINERS,
    is_whole=lambda value: has(value, *_TOOL_USES, *_EVENTS),
    ignored=_APP,
)
def gemini(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; the calls of one content are one group, and so are those of one list of tool uses."""
    require_one_answer(get(value, "candidates"), "candidates")
    items = require_objects(unwrap_list(value, *_CONTAINERS.split()), "contents")
    are_parts = all(has(item, *_CALL, *_RESPONSE, "text", "thought") for item in items)
    contents = (content for item in items for content in _iter_contents(item))
    for place, (parts, author) in enumerate(contents):
        for part in parts:
            call = get(part, *_CALL)
            if get(call, "partial_args", "partialArgs"):
                name = shown(get(call, "name"), 80)
                raise TrajectoryError(f"the arguments of {name} came in pieces (partial_args); join them")
            if call is not None:
                group = 0 if are_parts else place
                yield build_call(get(call, "name"), get(call, "args"), get(call, "id"), group=group, agent=author)
            result = get(part, *_RESPONSE)
            if result is not None:
                response = get(result, "response")
                failure = format_failure(get(response, "error")) if has(response, "error") else None
                yield Result(get(result, "id"), response, failure, get(result, "name"))


def _iter_contents(item: Any) -> Iterator[tuple[Sequence[Any], str | None]]:
    """Yield the parts of each content of an item, and its author."""
    if get(item, "partial") is True:
        raise TrajectoryError("partial events are pieces of a stream: leave them out, the whole events follow them")
    source = get(item, *_INTERMEDIATE, default=item)
    if isinstance(source, str | bool | int | float | list | tuple):
        raise TrajectoryError(f"intermediate_data must be an object, got {shown(source, 80)}")
    events = get(source, *_EVENTS)
    uses = get(source, *_TOOL_USES)
    if events and uses:
        raise TrajectoryError(
            "invocation_events and tool_uses are two ways to say the same, and here both have something"
        )
    if events:
        for event in require_objects(events, "invocation_events"):
            yield from _iter_contents(event)
    elif uses is not None:
        parts = [{"function_call": use} for use in require_objects(uses, "tool_uses")]
        responses = get_objects(source, "tool_responses", "toolResponses")
        yield parts + [{"function_response": response} for response in responses], None
    else:
        parts = get(get(item, "content", default=item), "parts")
        if parts is None and has(item, *_CALL, *_RESPONSE):
            parts = [item]
        author = get(item, "author")
        yield require_objects(parts, "parts"), author if isinstance(author, str) else None


# ADK: an EvalSet with one eval case, and the events of a session or a run. The other keys hold the state of a session, its
# changes, and the output of a workflow's node.
_CASES: Final = ("eval_cases", "evalCases")
_EVENT_KEYS: Final = ("invocation_id", "invocationId", "actions", "partial")


def _list_events(value: Any) -> Sequence[Any]:
    source = require_one(get(value, *_CASES), "eval_cases") if has(value, *_CASES) else value
    marks = (*_MARKS.split(), *_EVENT_KEYS)
    events = require_objects(unwrap_list(source, "conversation", "events"), "conversation", *marks)
    if not events:
        raise TrajectoryError("conversation is empty, so nothing was recorded")
    return events


def _list_adk_parts(value: Any) -> Iterator[Any]:
    events = _list_events(value)
    yield events
    for source in (value, *get_objects(value, *_CASES)):
        yield {key: item for key, item in omit_keys(source, *_CASES).items() if item is not events}


@partial(
    Format,
    is_item=lambda item: has(item, "author") and has(item, *_EVENT_KEYS),
    containers="events",
    is_whole=lambda value: has(value, *_CASES),
    ignored=f"{_APP} actions state session_input sessionInput final_session_state finalSessionState output",
    list_parts=_list_adk_parts,
)
def adk(value: Any) -> Iterable[CallOrResult]:
    """Read the calls; the calls of one event are one group, and so are those of one list of tool uses."""
    return gemini.read(_list_events(value))


# Rows of Vertex AI hold lists of tool_name and tool_input, and so do the first evaluation files of ADK.
_COLUMNS: Final = ("predicted_trajectory", "reference_trajectory", "expected_tool_use")


@partial(
    Format,
    is_item=lambda item: has(item, "tool_name", "toolName") and has(item, "tool_input", "toolInput"),
    marks="tool_name toolName",
    is_whole=lambda value: has(value, *_COLUMNS),
    ignored=" ".join(_COLUMNS[1:]),
)
def vertex(value: Any) -> Iterator[Event]:
    """Read the calls; a row does not say which were made together."""
    column = next((get(value, name) for name in _COLUMNS if get(value, name, default=MISSING) is not MISSING), None)
    calls = unwrap_list(value) if column is None else require_list(parse_if_json(column), "a trajectory column")
    for call in calls:
        yield build_call(get(call, "tool_name", "toolName"), get(call, "tool_input", "toolInput", default=MISSING))
