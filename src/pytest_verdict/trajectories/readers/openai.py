"""OpenAI chat completions and Responses, and the messages of tau2-bench, which are alike."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    LeftOut,
    Result,
    build_call,
    build_call_from,
    get,
    get_list,
    get_objects,
    has,
    omit_keys,
    read_messages,
    require_list,
    require_objects,
    require_one,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.plain import plain
from pytest_verdict.trajectories.readers.unread import Format, require_one_answer


# Chat completions: calls in the `tool_calls` of assistant messages, results in messages of the role `tool`.
@partial(
    Format,
    is_item=lambda message: has(message, "role"),
    marks="role",
    containers="messages",
    is_whole=lambda value: has(value, "choices"),
    ignored="raw_data",
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
        for call in get_list(message, "tool_calls"):
            # The user of a simulation may call tools, too.
            identifier = get(call, "id")
            if get(call, "requestor") == "user":
                yield LeftOut(get(call, "name"), identifier)
                continue
            if has(call, "custom"):
                yield _build_custom_call(get(call, "custom"), identifier, place)
                continue
            source = get(call, "function") or call
            yield build_call_from(source, "arguments", "args", id=identifier, group=place)
        if has(message, "function_call"):
            yield build_call_from(get(message, "function_call"), "arguments", group=place)
        if get(message, "role") in {"tool", "function"}:
            is_error = get(message, "error") is True
            result = Result.from_content(message, get(message, "tool_call_id", "id"), failed=is_error)
            yield result._replace(name=get(message, "name"))


def _build_custom_call(source: Any, identifier: Any, group: int) -> Event:
    # A custom tool takes a text instead of an object.
    args = get(source, "input", default=MISSING)
    if args is not MISSING:
        args = {"input": args}
    return build_call(get(source, "name"), args, id=identifier, group=group)


# Responses
_CALL_TYPES: Final = {"function_call", "custom_tool_call", "mcp_call"}
# Tools that OpenAI runs itself have an item type instead of a name, and no object of arguments.
_HOSTED_TYPES: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "computer_call", "image_generation_call"}
    | {"local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"}
)


def _is_response(value: Any) -> bool:
    return bool(get(value, "object") == "response")


def _is_item(item: Any) -> bool:
    # The type may be of any class in another format, and not hashable.
    kind = get(item, "type")
    return isinstance(kind, str) and (
        kind in _CALL_TYPES | _HOSTED_TYPES | {"reasoning", "item_reference"} or kind.endswith("_call_output")
    )


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
    items = unwrap_list(value, "output", "items")
    if _is_response(value):
        items = get(value, "output")
    group = 0
    for item in require_objects(items, "output"):
        kind = get(item, "type")
        identifier = get(item, "call_id", "id")
        if kind in _HOSTED_TYPES:
            yield build_call(kind.removesuffix("_call"), MISSING, id=identifier, group=group)
        elif kind == "custom_tool_call":
            yield _build_custom_call(item, identifier, group)
        elif kind in _CALL_TYPES:
            fields = {"id": identifier, "result": get(item, "output"), "error": get(item, "error")}
            yield build_call_from(item, "arguments", group=group, **fields)
        elif kind is not None and kind.endswith("_call_output"):
            yield Result(identifier, get(item, "output"))
            group += 1
        elif kind == "item_reference" and not str(get(item, "id")).startswith(("msg_", "rs_")):
            raise TrajectoryError(f"the item {shown(get(item, 'id'), 80)} is a reference, and may be a call")
        elif kind != "reasoning":
            group += 1


# tau2-bench: simulations and tasks. The calls of the simulated user are not the agent's.
def _is_run(item: Any) -> bool:
    return has(item, "evaluation_criteria") or (has(item, "task_id") and (has(item, "messages") or has(item, "ticks")))


@partial(
    Format,
    is_item=_is_run,
    marks="messages ticks evaluation_criteria",
    containers="simulations",
    is_whole=lambda value: has(value, "simulations"),
    # Expected calls, calls that prepared the environment, and copies of those that are read.
    ignored="info tasks reward_info initial_state env_assertions turn_taking_action agent_chunk user_chunk user_tool_calls"
    " raw_data",
)
def tau2(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one message or one tick are one group, those of a task are not grouped."""
    run = require_one(unwrap_list(value, "simulations"), "simulations")
    messages = list(require_objects(get(run, "messages"), "messages", "role"))
    if not messages:
        # A voice run has ticks instead of messages, because both sides speak at once.
        for tick in get_objects(run, "ticks"):
            messages.append({"role": "assistant", "tool_calls": get(tick, "agent_tool_calls")})
            messages.extend(get_list(tick, "agent_tool_results"))

    actions = get(get(run, "evaluation_criteria"), "actions")
    if messages:
        yield from openai_chat.read([message for message in messages if get(message, "requestor") != "user"])
    elif actions is not None:
        yield from plain.read(require_list(actions, "actions"))
    else:
        raise TrajectoryError("there are no messages, ticks or expected actions, so nothing was recorded")
