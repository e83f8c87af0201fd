"""Logs of agents: Inspect AI, and OpenHands in both of its forms."""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape
from pytest_verdict.trajectories.readers.calls import Found, Result, call
from pytest_verdict.trajectories.readers.openai import openai_chat
from pytest_verdict.trajectories.readers.shape import MISSING, has, items, list_of, look, objects, only_one

_BLOCK: Final = Shape(
    "type text",
    read="name arguments result internal",
    types="tool_use|text|reasoning|image|audio|video|data|document",
    text=True,
)
_MESSAGE: Final = Shape("role", {"content": _BLOCK}, "tool_calls function")
_CHOICE: Final = Shape("message", {"message": replace(_MESSAGE, one=True)})
_EVENT: Final = Shape(
    "event",
    {"output": Shape(inside={"choices": _CHOICE}, text=True, one=True)},
    # What went to the model, to an approver and to a sandbox, and what changed in the state.
    "function arguments result events input call view modified sample state changes score action options",
    "model|tool|span_begin|span_end|step|sample_init|sample_limit|state|store|score|score_edit|sandbox|approval|review|sentinel"
    "|subtask|info|input|logger|error|compaction|interrupt|checkpoint|branch|anchor",
    "event",
)
_SAMPLE: Final = Shape(
    "messages events",
    {"messages": _MESSAGE, "events": _EVENT},
    "input output scores metadata store timelines error_retries events_data",
)
_BARE: Final = Shape(f"{_SAMPLE.marks} role", {**_SAMPLE.inside, **_MESSAGE.inside}, f"{_SAMPLE.read} {_MESSAGE.read}")


def _recognises(value: Any) -> bool:
    if has(value, "eval") and has(value, "plan", "samples"):
        return True
    is_sample = any(has(item, "epoch") and has(item, "messages", "events") for item in list_of(value))
    return is_sample or any(map(_is_answer, list_of(value, "messages")))


def _is_answer(item: Any) -> bool:
    made = look(item, "tool_calls")
    return isinstance(made, list | tuple) and any(isinstance(look(one, "function"), str) for one in made)


@partial(Format, item=_BARE, whole=_recognises, others={"samples": _SAMPLE}, beside="eval plan results metadata")
def inspect_ai(value: Any) -> Iterator[Found]:
    """Read the calls; those of one answer of a model are one group."""
    sample = _sample(value)
    texts = look(sample, "attachments") or {}
    known: Counter[tuple[Any, Any]] = Counter()
    by_source: Counter[tuple[str, Any, Any]] = Counter()
    for place, (source, message, agent) in enumerate(_told(sample)):
        for found in _said(message, place, agent):
            if isinstance(found, Result):
                yield found
                continue
            by_source[source, found.id, found.name] += 1
            # The model, the tool and the messages tell of the same call.
            if by_source[source, found.id, found.name] > known[found.id, found.name]:
                known[found.id, found.name] += 1
                yield replace(found, args=_with_texts(found.args, texts))


def _sample(value: Any) -> Any:
    if has(value, "eval"):
        return only_one(look(value, "samples"), "samples")
    listed = isinstance(value, list | tuple) and not all(has(item, "role") for item in value)
    return only_one(value, "samples") if listed else value


def _told(sample: Any) -> Iterator[tuple[str, Any, Any]]:
    events = look(sample, "events")
    messages = objects(sample if isinstance(sample, list | tuple) else look(sample, "messages"), "messages")
    if not messages and not events:
        raise TrajectoryError("the sample has no messages and no events, so nothing was recorded")
    for event, agent in _of_agents(events, {}):
        kind = look(event, "event")
        if kind == "model":
            for choice in items(look(look(event, "output"), "choices"), "choices")[:1]:
                yield kind, look(choice, "message"), agent
        elif kind == "tool":
            given = {"tool_call_id": look(event, "id"), "content": look(event, "result"), "error": look(event, "error")}
            yield kind, {"role": "tool", "tool_calls": [event], **given}, agent
    # The conversation may begin with what the author of the sample wrote.
    yield from (("message", message, None) for message in messages if look(message, "source") != "input")


def _of_agents(events: Any, spans: dict[Any, tuple[Any, bool]]) -> Iterator[tuple[Any, Any]]:
    """Give each event that is not a scorer's, with the agent in whose span it is."""
    for event in objects(events, "events"):
        if look(event, "event") == "span_begin":
            agent, scored = spans.get(look(event, "parent_id"), (None, False))
            kind = look(event, "type")
            scored = scored or kind in {"scorer", "scorers"}
            spans[look(event, "id")] = (look(event, "name") if kind == "agent" else agent, scored)
        agent, scored = spans.get(look(event, "span_id"), (None, False))
        if not scored:
            yield event, agent
            # Logs of early versions have the events of an agent inside those of its tool.
            yield from _of_agents(look(event, "events"), spans)


def _said(message: Any, group: int, agent: Any) -> Iterator[Found]:
    content = look(message, "content")
    for block in content if isinstance(content, list | tuple) else ():
        # What the provider ran itself.
        if look(block, "type") == "tool_use":
            identifier, error = look(block, "id"), look(block, "error")
            yield call(look(block, "name"), look(block, "arguments"), id=identifier, group=group, agent=agent)
            yield Result(identifier, look(block, "result"), error is not None, error)
    for made in items(look(message, "tool_calls"), "tool_calls"):
        # Arguments that were not JSON come with the reason beside an empty object.
        arguments = look(made, "parse_error") or look(made, "arguments", default=MISSING)
        yield call(look(made, "function"), arguments, id=look(made, "id"), group=group, agent=agent)
    if look(message, "role") == "tool":
        error = look(message, "error")
        yield Result(look(message, "tool_call_id"), content, error is not None, look(error, "message"))


def _with_texts(value: Any, texts: Mapping[str, Any]) -> Any:
    """Put long texts, which a log keeps apart, where they belong."""
    if isinstance(value, Mapping):
        return {key: _with_texts(item, texts) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_texts(item, texts) for item in value]
    if not isinstance(value, str) or not value.startswith("attachment://"):
        return value
    name = value.removeprefix("attachment://")
    if name not in texts:
        raise TrajectoryError(f"the attachment {name} is not in the sample")
    return texts[name]


_KINDS: Final = (
    "(Action|Observation|AgentError|Message|SystemPrompt|ConversationStateUpdate|ConversationError|CondensationSummary"
    "|HookExecution|LLMCompletionLog|SecurityAnalysis|StreamingDelta|Token|Pause|Interrupt)Event|UserRejectObservation"
    "|Condensation|CondensationRequest"
)
_STORED: Final = Shape(
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


@partial(Format, is_ours=_is_event, item=_STORED, containers="history trajectory")
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
