"""OpenAI chat completions and Responses, and the messages of tau2-bench, which are alike."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call, call_in, failure
from pytest_verdict.trajectories.readers.plain import plain
from pytest_verdict.trajectories.readers.shape import (
    MISSING,
    Getter,
    getter,
    has,
    items,
    list_of,
    look,
    messages_of,
    objects,
    only_one,
)

# Assistant messages with `tool_calls`, results in messages of the role `tool`.
_BLOCK: Final = Shape(
    "type text",
    types="(input_|output_)?(text|image|audio|file)|image_url|video_url|refusal|thinking|reasoning",
    text=True,
)
_MESSAGE: Final = Shape("role", {"content": _BLOCK}, "tool_calls function_call raw_data", "message")


@partial(
    Format,
    is_ours=lambda message: has(message, "role"),
    item=_MESSAGE,
    containers="messages",
    keys="choices",
    others={"choices": Shape("message delta", {"message": replace(_MESSAGE, one=True)}, "delta")},
)
def openai_chat(value: Any) -> Iterator[Found]:
    """Read the calls; the calls of one message are one group."""
    for place, message in enumerate(_messages(value)):
        get = getter(message)
        for requested in items(get("tool_calls"), "tool_calls"):
            get_part = getter(requested)
            # In a simulation the user may have tools too.
            if get_part("requestor") != "user":
                yield _requested(get_part, place)
        legacy = get("function_call")
        if legacy is not None:
            yield call_in(legacy, "arguments", group=place)
        if get("role") == "tool":
            yield Result.of_content(message, look(message, "tool_call_id", "id"), failed=get("error") is True)


def _messages(value: Any) -> Sequence[Any]:
    choices = look(value, "choices")
    if choices is None:
        return messages_of(value)
    messages = [look(choice, "message") for choice in items(choices, "choices")]
    if any(message is None for message in messages):
        raise TrajectoryError("a choice needs its message; put the chunks of a streamed completion together first")
    return messages


def _requested(get: Getter, place: int) -> Event:
    custom, function = get("custom"), get("function")
    if custom is not None:
        return _custom(custom, get("id"), place)
    source = get if function is None else getter(function)
    arguments = source("arguments", MISSING)
    return call(source("name"), source("args", MISSING) if arguments is MISSING else arguments, get("id"), place)


def _custom(made: Any, identifier: Any, group: int) -> Event:
    # A custom tool takes free text instead of an object.
    text = look(made, "input", default=MISSING)
    return call(look(made, "name"), text if text is MISSING else {"input": text}, id=identifier, group=group)


_CALLS: Final = {"function_call", "custom_tool_call", "mcp_call"}
_RESULTS: Final = {"function_call_output", "custom_tool_call_output"}
# Tools that OpenAI runs itself have an item type instead of a name, and no object of arguments.
_HOSTED: Final = frozenset(
    {"web_search_call", "file_search_call", "code_interpreter_call", "computer_call", "image_generation_call"}
    | {"local_shell_call", "shell_call", "apply_patch_call", "tool_search_call"}
)
_ITEM: Final = Shape(
    "type role",
    {
        "content": Shape(
            "type",
            types="(input_|output_|summary_|reasoning_)?(text|image|audio|file)|refusal|computer_screenshot",
            text=True,
        )
    },
    "name arguments input output outputs results action actions operation",
    "|".join(sorted(_CALLS | _HOSTED))
    + "|.+_call_output|tool_search_output|message|reasoning|item_reference|compaction"
    "|mcp_list_tools|mcp_approval_response",
)


def _is_response(value: Any) -> bool:
    return bool(look(value, "object") == "response")


def _is_item(item: Any) -> bool:
    kind = look(item, "type")
    # A type that is not text, as in a foreign message, cannot be hashed.
    return isinstance(kind, str) and kind in _CALLS | _RESULTS | _HOSTED | {"reasoning"}


@partial(Format, is_ours=_is_item, item=_ITEM, containers="output items", whole=_is_response, beside="input")
def openai_responses(value: Any) -> Iterator[Found]:
    """Read the calls; calls with nothing but other calls and reasoning between them are one group."""
    group = 0
    listed = look(value, "output") if _is_response(value) else list_of(value, "output", "items")
    for item in objects(listed, "output"):
        kind = look(item, "type")
        if kind in _CALLS or kind in _HOSTED:
            yield _called(item, kind, group)
            continue
        if kind in _RESULTS:
            yield Result(look(item, "call_id"), look(item, "output"))
        group += kind != "reasoning"


def _called(item: Any, kind: str, group: int) -> Event:
    identifier = look(item, "call_id", "id")
    if kind in _HOSTED:
        return call(kind.removesuffix("_call"), MISSING, id=identifier, group=group)
    if kind == "custom_tool_call":
        return _custom(item, identifier, group)
    error = look(item, "error")
    more = {"result": look(item, "output"), "error": None if error is None else failure(error)}
    return call_in(item, "arguments", id=identifier, group=group, **more)


# tau2-bench: simulations and tasks. The calls of the simulated user are not the agent's.
_INSIDE: Final = {
    "messages": replace(_MESSAGE, read=f"{_MESSAGE.read} turn_taking_action"),
    "ticks": Shape(
        "tick_id", read="agent_chunk agent_tool_calls agent_tool_results user_chunk user_tool_calls user_tool_results"
    ),
    "evaluation_criteria": Shape("actions", read="actions env_assertions", one=True),
}
# What was expected, and how the world was set up.
_RUN: Final = Shape(" ".join(_INSIDE), _INSIDE, "reward_info initial_state")


def _is_run(item: Any) -> bool:
    return has(item, "evaluation_criteria") or (has(item, "task_id") and (has(item, "messages") or has(item, "ticks")))


@partial(Format, is_ours=_is_run, item=_RUN, containers="simulations", keys="simulations", beside="info tasks")
def tau2(value: Any) -> Iterator[Found]:
    """Read the calls; those of one message or one tick are one group, those of a task are not grouped."""
    run = only_one(list_of(value, "simulations"), "simulations")
    # Where both speak at once, as in voice, there are ticks in place of messages.
    said = objects(look(run, "messages"), "messages") or [
        message
        for tick in objects(look(run, "ticks"), "ticks")
        for message in (
            {"role": "assistant", "tool_calls": look(tick, "agent_tool_calls")},
            *items(look(tick, "agent_tool_results"), "agent_tool_results"),
        )
    ]
    actions = look(look(run, "evaluation_criteria"), "actions")
    if said:
        yield from openai_chat.read([message for message in said if look(message, "requestor") != "user"])
    elif actions is not None:
        yield from plain.read(items(actions, "actions"))
    else:
        raise TrajectoryError("there are no messages, ticks or expected actions, so nothing was recorded")
