"""OpenHands: the events of the software agent SDK, and the actions and observations of the versions before it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call
from pytest_verdict.trajectories.readers.openai import openai_chat
from pytest_verdict.trajectories.readers.shape import MISSING, has, list_of, look, objects

_KINDS: Final = (
    "(Action|Observation|AgentError|Message|SystemPrompt|ConversationStateUpdate|ConversationError|CondensationSummary"
    "|HookExecution|LLMCompletionLog|SecurityAnalysis|StreamingDelta|Token|Pause|Interrupt)Event|UserRejectObservation"
    "|Condensation|CondensationRequest"
)
_EVENT: Final = Shape(
    "kind action observation parent_id",
    # Values are of the state of a conversation, and the input of a hook tells of a call once more.
    read="action args observation extras tool_name tool_call tool_call_metadata value hook_input",
    types=_KINDS,
    kind="kind",
)
# Actions that no tool carries out.
_NO_CALLS: Final = frozenset(
    {"message", "system", "start", "pause", "resume", "stop", "null", "change_agent_state", "recall", "condensation"}
    | {"condensation_request", "loop_recovery"}
)


def _kind(event: Any) -> Any:
    # A record of an event object has the name of its class, but not its kind.
    return event.class_name.rpartition(":")[2] if isinstance(event, EncodedObject) else look(event, "kind")


def _is_event(event: Any) -> bool:
    return has(event, "source") and (has(event, "args", "extras") or str(_kind(event)).endswith("Event"))


@partial(Format, is_ours=_is_event, item=_EVENT, containers="history trajectory")
def openhands(value: Any) -> Iterator[Found]:
    """Read the calls, with the arguments that the model wrote; those of one answer of the model are one group."""
    groups: dict[Hashable, int] = {}
    for place, event in enumerate(objects(list_of(value, "history", "trajectory"), "events")):
        kind = _kind(event)
        if kind is not None:
            yield from _of_sdk(event, kind, groups.setdefault(look(event, "llm_response_id") or place, len(groups)))
        elif not has(event, "action"):
            metadata = look(event, "tool_call_metadata")
            identifier = look(event, "cause") if metadata is None else look(metadata, "tool_call_id")
            failed = look(event, "observation") in {"error", "user_rejected"}
            yield Result.of_content(event, identifier, failed=failed)
        # The user may run commands too.
        elif look(event, "source") != "user":
            yield from _of_action(event, groups, place)


def _of_sdk(event: Any, kind: str, group: int) -> Iterator[Found]:
    if not re.fullmatch(_KINDS, kind):
        raise TrajectoryError(f"an event of the kind {kind} is not known")
    identifier = look(event, "tool_call_id")
    if kind == "ActionEvent":
        made = look(event, "tool_call")
        arguments = look(look(made, "function", default=made), "arguments", default=MISSING)
        yield call(look(event, "tool_name"), arguments, id=identifier, group=group)
    elif identifier is not None:
        observation = look(event, "observation")
        reason = look(event, "error", "rejection_reason")
        yield Result(identifier, observation, reason is not None or look(observation, "is_error") is True, reason)


def _of_action(event: Any, groups: dict[Hashable, int], place: int) -> Iterator[Event]:
    metadata = look(event, "tool_call_metadata")
    if metadata is not None:
        answer, identifier = look(metadata, "model_response"), look(metadata, "tool_call_id")
        asked = openai_chat.read(answer) if has(answer, "choices") else ()
        unknown = call(look(metadata, "function_name"), MISSING, id=identifier)
        made = next((one for one in asked if isinstance(one, Event) and one.id == identifier), unknown)
        yield replace(made, group=groups.setdefault(look(answer, "id") or place, len(groups)))
    elif look(event, "action") not in _NO_CALLS:
        # Without function calling there is only what became of the call.
        group = groups.setdefault(place, len(groups))
        yield call(look(event, "action"), look(event, "args", default=MISSING), id=look(event, "id"), group=group)
