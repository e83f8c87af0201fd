"""Logs of agents: Inspect AI, and OpenHands in both of its forms."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    LeftOut,
    Result,
    build_call,
    get,
    get_list,
    has,
    omit_keys,
    require_objects,
    require_one,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.openai import openai_chat
from pytest_verdict.trajectories.readers.unread import Format

# Inspect AI
_EVENTS: Final = frozenset(
    {"model", "tool", "span_begin", "span_end", "step", "sample_init", "sample_limit", "state", "store", "score"}
    | {"score_edit", "sandbox", "approval", "review", "sentinel", "subtask", "info", "input", "logger", "error"}
    | {"compaction", "interrupt", "checkpoint", "branch", "anchor"}
)


def _is_log(value: Any) -> bool:
    if has(value, "eval") and has(value, "plan", "samples"):
        return True
    if any(has(item, "epoch") and has(item, "messages", "events") for item in unwrap_list(value)):
        return True
    calls = [call for message in unwrap_list(value, "messages") for call in unwrap_list(get(message, "tool_calls"))]
    return any(isinstance(get(call, "function"), str) for call in calls)


# The events are read apart, or are inputs, states and what scorers did.
_SAMPLE_KEYS: Final = (
    *("messages", "events", "input", "output", "scores", "metadata", "store"),
    *("timelines", "error_retries", "events_data"),
)


def _list_parts(value: Any) -> Iterator[Any]:
    sample = _choose_sample(value)
    yield from (message for _, message, _ in _iter_messages(sample))
    if not isinstance(value, list | tuple):
        yield omit_keys(value, "eval", "plan", "results", "metadata", "samples", *_SAMPLE_KEYS)
        yield omit_keys(sample, *_SAMPLE_KEYS)


@partial(Format, marks="messages events role", is_whole=_is_log, list_parts=_list_parts)
def inspect_ai(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one answer of a model are one group."""
    sample = _choose_sample(value)
    attachments = get(sample, "attachments") or {}

    yielded: Counter[tuple[Any, Any]] = Counter()
    by_source: Counter[tuple[str, Any, Any]] = Counter()
    for place, (source, message, agent) in enumerate(_iter_messages(sample)):
        for item in _read_message(message, place, agent):
            if not isinstance(item, Event):
                yield item
                continue
            # The model, the tool and the messages repeat the same call.
            by_source[source, item.id, item.name] += 1
            if by_source[source, item.id, item.name] > yielded[item.id, item.name]:
                yielded[item.id, item.name] += 1
                yield replace(item, args=_insert_attachments(item.args, attachments))


def _choose_sample(value: Any) -> Any:
    if has(value, "eval"):
        return require_one(get(value, "samples"), "samples")
    if isinstance(value, list | tuple) and not all(has(item, "role") for item in value):
        return require_one(value, "samples")
    return value


def _iter_messages(sample: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the source, the message and the agent of each message by the model, by a tool and in the list of messages."""
    messages = sample if isinstance(sample, list | tuple) else get(sample, "messages")
    messages = require_objects(messages, "messages", "role")
    events = get(sample, "events")
    if not messages and not events:
        raise TrajectoryError("the sample has no messages and no events, so nothing was recorded")

    for event, agent in _iter_agent_events(events, {}):
        kind = get(event, "event")
        if kind == "model":
            for choice in get_list(get(event, "output"), "choices")[:1]:
                yield "model", get(choice, "message"), agent
        elif kind == "tool":
            message = {
                "role": "tool",
                "tool_calls": [event],
                "tool_call_id": get(event, "id"),
                "content": get(event, "result"),
                "error": get(event, "error"),
            }
            yield "tool", message, agent
    for message in messages:
        # A conversation may begin with messages by the author of the sample.
        if get(message, "source") != "input":
            yield "message", message, None


def _iter_agent_events(events: Any, owners: dict[Any, tuple[Any, bool]]) -> Iterator[tuple[Any, Any]]:
    """Yield each event outside of a scorer, with the agent of its span; `owners` has by span its agent, and whether it scores."""
    for event in require_objects(events, "events", "event"):
        if get(event, "event") not in _EVENTS:
            raise TrajectoryError(f"an event of the kind {get(event, 'event')!r} may be a call")
        if get(event, "event") == "span_begin":
            agent, is_scorer = owners.get(get(event, "parent_id"), (None, False))
            kind = get(event, "type")
            if kind == "agent":
                agent = get(event, "name")
            owners[get(event, "id")] = (agent, is_scorer or kind in {"scorer", "scorers"})
        agent, is_scorer = owners.get(get(event, "span_id"), (None, False))
        if not is_scorer:
            yield event, agent
            # Logs of early versions hold the events of an agent inside those of its tool.
            yield from _iter_agent_events(get(event, "events"), owners)


def _read_message(message: Any, group: int, agent: Any) -> Iterator[CallOrResult]:
    content = get(message, "content")
    blocks = content if isinstance(content, list | tuple) else ()
    for block in blocks:
        # The provider ran these tools itself.
        if get(block, "type") == "tool_use":
            identifier = get(block, "id")
            error = get(block, "error")
            yield build_call(get(block, "name"), get(block, "arguments"), id=identifier, group=group, agent=agent)
            yield Result(identifier, get(block, "result"), failed=error is not None, reason=error)

    for call in get_list(message, "tool_calls"):
        # Beside the reason why arguments are no JSON there is an empty object.
        args = get(call, "parse_error") or get(call, "arguments", default=MISSING)
        yield build_call(get(call, "function"), args, id=get(call, "id"), group=group, agent=agent)

    if get(message, "role") == "tool":
        error = get(message, "error")
        reason = get(error, "message")
        yield Result(get(message, "tool_call_id"), content, failed=error is not None, reason=reason)


def _insert_attachments(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Replace the references to long texts, which a log stores apart."""
    if isinstance(value, Mapping):
        return {key: _insert_attachments(item, attachments) for key, item in value.items()}
    if isinstance(value, list):
        return [_insert_attachments(item, attachments) for item in value]
    if not isinstance(value, str) or not value.startswith("attachment://"):
        return value
    name = value.removeprefix("attachment://")
    if name not in attachments:
        raise TrajectoryError(f"the attachment {name} is not in the sample")
    return attachments[name]


# OpenHands
_KINDS: Final = (
    "(Action|Observation|AgentError|Message|SystemPrompt|ConversationStateUpdate|ConversationError|CondensationSummary"
    "|HookExecution|LLMCompletionLog|SecurityAnalysis|StreamingDelta|Token|Pause|Interrupt)Event|UserRejectObservation"
    "|Condensation|CondensationRequest"
)
# Actions without a tool.
_OTHER_ACTIONS: Final = frozenset(
    {"message", "system", "start", "pause", "resume", "stop", "null", "change_agent_state", "recall", "condensation"}
    | {"condensation_request", "loop_recovery"}
)


# The action that a call became, the state of a conversation, and the input of a hook, which repeats a call.
_EVENT_KEYS: Final = ("action", "args", "observation", "extras", "value", "hook_input")


def _list_events(value: Any) -> Sequence[Any]:
    return require_objects(unwrap_list(value, "history", "trajectory"), "events")


def _get_kind(event: Any) -> Any:
    if isinstance(event, EncodedObject):
        # A record of an event has the name of its class, but not its kind.
        return event.class_name.rpartition(":")[2]
    return get(event, "kind")


@partial(
    Format,
    is_item=lambda item: (
        has(item, "source") and (has(item, "args", "extras") or str(_get_kind(item)).endswith("Event"))
    ),
    marks="kind action observation parent_id",
    containers="history trajectory",
    list_parts=lambda value: [omit_keys(event, *_EVENT_KEYS) for event in _list_events(value)],
)
def openhands(value: Any) -> Iterator[CallOrResult]:
    """Read the calls with the arguments of the model; those of one answer of the model are one group."""
    groups: dict[Hashable, int] = {}
    for place, event in enumerate(_list_events(value)):
        kind = _get_kind(event)
        if kind is not None:
            group = groups.setdefault(get(event, "llm_response_id") or place, len(groups))
            yield from _read_sdk_event(event, kind, group)
        elif not has(event, "action"):
            identifier = get(get(event, "tool_call_metadata"), "tool_call_id", default=get(event, "cause"))
            is_error = get(event, "observation") in {"error", "user_rejected"}
            yield Result.from_content(event, identifier, failed=is_error)
        else:
            yield from _read_action(event, groups, place)


def _read_sdk_event(event: Any, kind: str, group: int) -> Iterator[CallOrResult]:
    if not re.fullmatch(_KINDS, kind):
        raise TrajectoryError(f"an event of the kind {kind} is not known")
    identifier = get(event, "tool_call_id")
    if kind == "ActionEvent":
        call = get(event, "tool_call")
        args = get(get(call, "function", default=call), "arguments", default=MISSING)
        yield build_call(get(event, "tool_name"), args, id=identifier, group=group)
    elif identifier is not None:
        observation = get(event, "observation")
        reason = get(event, "error", "rejection_reason")
        is_error = reason is not None or get(observation, "is_error") is True
        yield Result(identifier, observation, is_error, reason)


def _read_action(event: Any, groups: dict[Hashable, int], place: int) -> Iterator[CallOrResult]:
    metadata = get(event, "tool_call_metadata")
    # The user may run commands, too.
    if get(event, "source") == "user" or (metadata is None and get(event, "action") in _OTHER_ACTIONS):
        yield LeftOut(get(event, "action"), get(event, "id"))
        return
    if metadata is None:
        # Without function calling there is only the action that the call became.
        group = groups.setdefault(place, len(groups))
        args = get(event, "args", default=MISSING)
        yield build_call(get(event, "action"), args, id=get(event, "id"), group=group)
        return

    answer = get(metadata, "model_response")
    identifier = get(metadata, "tool_call_id")
    call = build_call(get(metadata, "function_name"), MISSING, id=identifier)
    if has(answer, "choices"):
        requests = (item for item in openai_chat.read(answer) if isinstance(item, Event))
        call = next((request for request in requests if request.id == identifier), call)
    yield replace(call, group=groups.setdefault(get(answer, "id") or place, len(groups)))
