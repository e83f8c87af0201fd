"""Logs of platforms and agents: the runs of LangSmith, the observations of Langfuse, Inspect AI and both forms of OpenHands.

A run of a tool is a call, and so is a request of a model that no tool executed. The outputs of other runs repeat calls.
"""

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import read_trajectory
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    CallOrResult,
    Result,
    build_call,
    format_failure,
    get,
    get_objects,
    has,
    omit_keys,
    parse_if_json,
    require_list,
    require_objects,
    require_one,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.messages import openai_chat
from pytest_verdict.trajectories.readers.traces import Span, SpanCall, iter_executed_calls, iter_in_time, parse_time
from pytest_verdict.trajectories.readers.unread import Format, find_calls, refuse_unread_calls, require_one_answer

# LangSmith and Langfuse
# A trace of Langfuse has no type.
_RUN_KINDS: Final = frozenset(
    {"tool", "llm", "chain", "retriever", "embedding", "prompt", "parser", "generation", "span", "event", "agent"}
    | {"evaluator", "guardrail", "none"}
)
_MODEL_KINDS: Final = {"llm", "generation"}
# The server notes the calls of a model beside its output.
_CALL_COUNTS: Final = ("toolCalls", "toolCallNames")
# Python writes literals differently from JSON.
_ESCAPE: Final = r"""\\(?:['"\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})"""
_LITERAL: Final = re.compile(rf"""'(?:[^'\\]|{_ESCAPE})*'|"(?:[^"\\]|{_ESCAPE})*"|\b(?:True|False|None)\b""")
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}


def _read_runs(runs: Iterable[Any]) -> Iterator[Event]:
    """Read the calls of runs in the order of their start; calls that overlap in time are one group."""
    traces: dict[str, dict[Any, Span]] = {}
    for span in sorted(map(_read_run, runs), key=lambda span: span.start):
        # A run may be listed and be a child of another one, too.
        identity: Any = id(span)
        if span.identifier and span.start:
            identity = (span.identifier, span.name, span.start, span.end)
        traces.setdefault(span.attributes["trace"], {})[identity] = span
    if not traces:
        raise TrajectoryError("there are no runs")

    first_group = 0
    for spans in traces.values():
        events = list(_read_trace(list(spans.values())))
        for event in events:
            yield replace(event, group=first_group + (event.group or 0))
        first_group += len(events)


def _read_run(run: Any) -> Span:
    kind = str(get(run, "run_type", "type")).lower()
    if kind not in _RUN_KINDS:
        raise TrajectoryError(f"a run of the type {shown(kind, 80)} may be a call")
    more = get(run, "extra", default=parse_if_json(get(run, "metadata")))
    error = get(run, "error")
    if get(run, "level") == "ERROR":
        error = format_failure(get(run, "statusMessage", "status_message"))
    elif error:
        error = format_failure(error)
    identifier = get(run, "id")
    parent = get(run, "parent_run_id", "parentObservationId", "parent_observation_id")
    attributes = {
        "kind": kind,
        # A Langfuse trace is listed with its observations and has no type.
        "trace": str(get(run, "trace_id", "traceId", default=identifier if kind == "none" else None)),
        "input": get(run, "inputs", "input"),
        "output": get(run, "outputs", "output"),
        "id": parse_if_json(get(more, "tool_call_id")),
        "call_count": get(more, "tool_call_count") or get(run, *_CALL_COUNTS),
        "is_langchain": has(more, "color") or str(get(get(more, "runtime"), "library")).startswith("langchain"),
        "agent": get(run, "name") if kind == "agent" else None,
    }
    return Span(
        name=str(get(run, "name")),
        attributes=attributes,
        start=parse_time(get(run, "start_time", "startTime")),
        end=parse_time(get(run, "end_time", "endTime")),
        error=error or None,
        identifier=None if identifier is None else str(identifier),
        parent=str(parent) if parent else None,
    )


def _read_trace(spans: list[Span]) -> Iterator[Event]:
    tools = [span for span in spans if span.attributes["kind"] == "tool"]
    models = [span for span in spans if span.attributes["kind"] in _MODEL_KINDS]
    if not tools and not models:
        raise TrajectoryError("a trace has no run of a tool or a model, so nothing is known of its calls")

    executed = list(iter_executed_calls(spans, tools, "agent", _build_run_call))
    requested = list(_iter_model_requests(models))
    # Other runs return calls again, and those of earlier turns, which the models or the whole got as input.
    identifiers = {span.identifier for span in spans}
    inputs = [span.attributes["input"] for span in spans if span in models or span.parent not in identifiers]
    earlier = find_calls([parse_if_json(item) for item in inputs])
    calls = [event for _, event in (*executed, *requested)]
    for span in spans:
        if span not in tools and span not in models:
            output = parse_if_json(span.attributes["output"])
            reason = f"and no run of a tool or a model has it, but {span.name!r} returned it"
            refuse_unread_calls([output], [*calls, *earlier], reason)
    return (event for _, event in iter_in_time(executed, requested))


def _build_run_call(span: Span, **fields: Any) -> Event:
    output = parse_if_json(span.attributes["output"])
    message = get(output, "output", default=output)
    if has(message, "tool_call_id") and get(message, "status") == "error":
        fields["error"] = get(message, "content") or ""
    identifier = span.attributes["id"] or get(message, "tool_call_id")
    args = _parse_input(span.attributes["input"], is_langchain=span.attributes["is_langchain"])
    return build_call(span.name, args, id=identifier, result=output, **fields)


def _parse_input(value: Any, *, is_langchain: bool) -> Any:
    args = parse_if_json(value)
    if args is None:
        return MISSING
    if isinstance(args, Mapping):
        if args.keys() == {"args", "kwargs"} and isinstance(args["args"], list | tuple):
            # The arguments of a traced function; those by position have no names.
            return args["args"] or args["kwargs"]
        if args.keys() == {"input"} and is_langchain and str(args["input"]).startswith("{"):
            # LangChain before 1.0 writes all arguments as the text of a Python dict.
            args = parse_if_json(args["input"])

    if isinstance(args, str):
        # ast.literal_eval may crash the interpreter on hostile text.
        converted = parse_if_json(_LITERAL.sub(_convert_literal, args))
        if not isinstance(converted, str):
            return converted
    return args


def _convert_literal(match: re.Match[str]) -> str:
    literal = match[0]
    if literal in _CONSTANTS:
        return _CONSTANTS[literal]
    text = literal[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
    return json.dumps(text)


def _iter_model_requests(models: list[Span]) -> Iterator[SpanCall]:
    identities = set()
    for place, span in enumerate(models):
        for event in _read_output(span):
            # A model run inside another one, such as a client inside its adapter, repeats its calls.
            is_repeated = event.id is not None and (span.parent, event.name, event.id) in identities
            identities.add((span.identifier, event.name, event.id))
            if not is_repeated:
                yield span, replace(event, group=place)


def _read_output(span: Span) -> list[Event]:
    output = parse_if_json(span.attributes["output"])
    if not output and output != "" and span.error is None:
        raise TrajectoryError(f"the model's run {span.name!r} has neither an output nor an error")
    if not span.attributes["call_count"] and not find_calls(parse_if_json(output)):
        return []

    messages = output
    while isinstance(messages, Mapping) and len(messages) == 1 and messages.keys() <= {"output", "message"}:
        messages = next(iter(messages.values()))
    generations = get(messages, "generations")
    if generations is not None:
        # LangChain returns a list for each prompt.
        for batch in require_list(generations, "generations"):
            require_one_answer(batch, "generations")
        answers = [answer for batch in require_list(generations, "generations") for answer in unwrap_list(batch)]
        messages = [get(answer, "message") for answer in answers]
    events = read_trajectory(messages)
    if not events:
        raise TrajectoryError(f"the model's run {span.name!r} has calls that cannot be read")
    return events


@partial(
    Format,
    item_keys="run_type",
    marks="run_type",
    containers="runs",
    ignored="inputs outputs extra metadata events serialized manifest parent_run feedback_stats",
)
def langsmith(value: Any) -> Iterator[Event]:
    """Read a run with its `child_runs`, or a list of runs."""
    return _read_runs(_iter_with_children(unwrap_list(value, "runs")))


def _iter_with_children(runs: Any) -> Iterator[Any]:
    langsmith.check_items("langsmith", runs)
    for run in runs:
        yield run
        yield from _iter_with_children(get_objects(run, "child_runs"))


_TYPES: Final = "TOOL|GENERATION|SPAN|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL"
_OBSERVATION_KEYS: Final = (
    *("input", "output", "metadata", "observations", "trace"),
    *("toolDefinitions", "toolCalls", "toolCallNames"),
)


def _iter_observations(value: Any) -> Iterator[Any]:
    for item in unwrap_list(value, "data"):
        trace = get(item, "trace")
        yield item if trace is None else trace
        yield from get_objects(item, "observations")


def _is_trace_or_observation(item: Any) -> bool:
    if isinstance(get(item, "observations"), list | tuple) and has(item, "timestamp", "trace"):
        return True
    return has(item, "traceId", "trace_id") and str(get(item, "type")) in _TYPES.split("|")


@partial(
    Format,
    is_item=_is_trace_or_observation,
    marks="type observations",
    containers="data",
    list_parts=lambda value: [omit_keys(item, *_OBSERVATION_KEYS) for item in _iter_observations(value)],
)
def langfuse(value: Any) -> Iterator[Event]:
    """Read a trace with its `observations`, or a list of observations."""
    return _read_runs(_iter_observations(value))


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
            for choice in get_objects(get(event, "output"), "choices")[:1]:
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

    for call in get_objects(message, "tool_calls"):
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
        yield CallLike(get(event, "action"), get(event, "id"))
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
