"""tau2-bench: simulations and tasks. The calls of the simulated user are not the agent's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers import openai_chat, plain
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.joining import Found
from pytest_verdict.trajectories.readers.shape import has, items, list_of, look, objects, only_one

_CHAT: Final = openai_chat.ROOT.item
_MESSAGE: Final = Shape(_CHAT.marks, _CHAT.inside, _CHAT.read | {"turn_taking_action"}, _CHAT.types)
_TICK: Final = Shape(
    ("tick_id",),
    read=frozenset({"agent_chunk", "agent_tool_calls", "agent_tool_results"})
    | {"user_chunk", "user_tool_calls", "user_tool_results"},
)
_CRITERIA: Final = Shape(("actions",), read=frozenset({"actions", "env_assertions"}), one=True)
_INSIDE: Final = {"messages": _MESSAGE, "ticks": _TICK, "evaluation_criteria": _CRITERIA}
# What was expected, and how the world was set up.
_RUN: Final = Shape(tuple(_INSIDE), _INSIDE, frozenset({"reward_info", "initial_state"}))

ROOT: Final = Root(_RUN, {"simulations": _RUN}, frozenset({"info", "tasks"}))


def recognises(value: Any) -> bool:
    """Say whether a value holds simulations, or is a simulation or a task."""
    return has(value, "simulations") or any(_is_run(item) for item in list_of(value))


def _is_run(item: Any) -> bool:
    return has(item, "evaluation_criteria") or (has(item, "task_id") and (has(item, "messages") or has(item, "ticks")))


def read(value: Any) -> Iterator[Found]:
    """Read the calls; those of one message or one tick are one group, those of a task are not grouped."""
    run = only_one(list_of(value, "simulations"), "simulations")
    # Where both speak at once, as in voice, there are ticks in place of messages.
    said = objects(look(run, "messages"), "messages") or list(_messages_of_ticks(run))
    actions = look(look(run, "evaluation_criteria"), "actions")
    if said:
        yield from openai_chat.read([message for message in said if look(message, "requestor") != "user"])
    elif actions is not None:
        yield from plain.read(items(actions, "actions"))
    else:
        raise TrajectoryError("there are no messages, ticks or expected actions, so nothing was recorded")


def _messages_of_ticks(run: Any) -> Iterator[Any]:
    for tick in objects(look(run, "ticks"), "ticks"):
        yield {"role": "assistant", "tool_calls": look(tick, "agent_tool_calls")}
        yield from items(look(tick, "agent_tool_results"), "agent_tool_results")
