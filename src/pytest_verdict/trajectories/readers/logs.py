"""Logs: the runs of LangSmith, the observations of Langfuse, the samples of Inspect AI and the events of OpenHands.

A run of a tool is a call, and so is a request of a model that no tool executed. The outputs of other runs repeat calls.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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
    get_blocks,
    get_objects,
    has,
    omit_keys,
    parse_if_json,
    read_call,
    read_result,
    require_objects,
    require_one,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.messages import openai_chat
from pytest_verdict.trajectories.readers.traces import Span, iter_executed_calls, iter_in_time, parse_time
from pytest_verdict.trajectories.readers.unread import Format, find_calls, refuse_unread_calls, require_one_answer

# LangSmith and Langfuse
# A trace of Langfuse has no type.
_RUN_KINDS: Final = (
    "tool llm chain retriever embedding prompt parser generation span event agent evaluator guardrail none"
)
_MODEL_KINDS: Final = {"llm", "generation"}
# LangChain writes arguments as the text of a Python dict, whose literals differ from JSON.
_ESCAPE: Final = r"""\\(?:['"\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})"""
_LITERAL: Final = re.compile(rf"""'(?:[^'\\]|{_ESCAPE})*'|"(?:[^"\\]|{_ESCAPE})*"|\b(?:True|False|None)\b""")
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}


def _read_runs(runs: Iterable[Any]) -> Iterator[Event]:
    """Read the calls of runs in the order of their start; calls that overlap in time are one group."""
    traces: dict[str, dict[Any, Span]] = {}
    for place, span in enumerate(sorted(map(_read_run, runs), key=lambda span: span.start)):
        # A run may be listed and be a child of another one, too.
        identity = (span.identifier, span.name, span.start, span.end) if span.identifier and span.start else place
        traces.setdefault(span.attributes["trace"], {})[identity] = span
    if not traces:
        raise TrajectoryError("there are no runs")
    first_group = 0
    for spans in traces.values():
        events = _read_trace(list(spans.values()))
        yield from (replace(event, group=first_group + (event.group or 0)) for event in events)
        first_group += len(events)


def _read_run(run: Any) -> Span:
    kind = str(get(run, "run_type", "type")).lower()
    if kind not in _RUN_KINDS.split():
        raise TrajectoryError(f"a run of the type {shown(kind, 80)} may be a call")
    more = get(run, "extra", default=parse_if_json(get(run, "metadata")))
    error = get(run, "error") or None
    if get(run, "level") == "ERROR":
        error = get(run, "statusMessage", "status_message") or ""
    identifier = get(run, "id")
    parent = get(run, "parent_run_id", "parentObservationId", "parent_observation_id")
    attributes = {
        "kind": kind,
        # A Langfuse trace is listed with its observations and has no type.
        "trace": str(get(run, "trace_id", "traceId", default=identifier if kind == "none" else None)),
        "input": parse_if_json(get(run, "inputs", "input")),
        "output": parse_if_json(get(run, "outputs", "output")),
        "id": parse_if_json(get(more, "tool_call_id")),
        # The server notes the calls of a model beside its output.
        "call_count": get(more, "tool_call_count") or get(run, "toolCalls", "toolCallNames"),
        "is_langchain": has(more, "color") or str(get(get(more, "runtime"), "library")).startswith("langchain"),
        "agent": get(run, "name") if kind == "agent" else None,
    }
    return Span(
        name=str(get(run, "name")),
        attributes=attributes,
        start=parse_time(get(run, "start_time", "startTime")),
        end=parse_time(get(run, "end_time", "endTime")),
        error=None if error is None else format_failure(error),
        identifier=None if identifier is None else str(identifier),
        parent=str(parent) if parent else None,
    )


def _read_trace(spans: list[Span]) -> list[Event]:
    tools = [span for span in spans if span.attributes["kind"] == "tool"]
    models = [span for span in spans if span.attributes["kind"] in _MODEL_KINDS]
    if not tools and not models:
        raise TrajectoryError("a trace has no run of a tool or a model, so nothing is known of its calls")
    executed = list(iter_executed_calls(spans, tools, "agent", _build_run_call))
    requested = []
    identities = set()
    for place, span in enumerate(models):
        for event in _read_output(span):
            # A model run inside another one, such as a client inside its adapter, repeats its calls.
            if not (span.parent and event.id and (span.parent, event.name, event.id) in identities):
                requested.append((span, replace(event, group=place)))
            identities.add((span.identifier, event.name, event.id))
    # Other runs return calls again, and those of earlier turns, which the models or the whole got as input.
    identifiers = {span.identifier for span in spans}
    inputs = [span.attributes["input"] for span in spans if span in models or span.parent not in identifiers]
    calls: list[Event | CallLike] = [event for _, event in (*executed, *requested)]
    calls += find_calls(inputs)
    for span in spans:
        if span not in tools and span not in models:
            reason = f"and no run of a tool or a model has it, but {span.name!r} returned it"
            refuse_unread_calls([span.attributes["output"]], calls, reason)
    return [event for _, event in iter_in_time(executed, requested)]


def _build_run_call(span: Span, **fields: Any) -> Event:
    output = span.attributes["output"]
    message = get(output, "output", default=output)
    if has(message, "tool_call_id"):
        fields["error"] = fields["error"] or read_result(message).error
    args = span.attributes["input"]
    keys = set(args) if isinstance(args, Mapping) else set()
    if args is None:
        args = MISSING
    elif keys == {"args", "kwargs"} and isinstance(args["args"], list | tuple):
        # The arguments of a traced function; those by position have no names.
        args = args["args"] or args["kwargs"]
    elif keys == {"input"} and span.attributes["is_langchain"] and str(args["input"]).startswith("{"):
        args = args["input"]
    if isinstance(args, str):
        # ast.literal_eval may crash the interpreter on hostile text.
        converted = parse_if_json(_LITERAL.sub(_convert_literal, args))
        args = args if isinstance(converted, str) else converted
    identifier = span.attributes["id"] or get(message, "tool_call_id")
    return build_call(span.name, args, id=identifier, result=output, **fields)


def _convert_literal(match: re.Match[str]) -> str:
    if match[0] in _CONSTANTS:
        return _CONSTANTS[match[0]]
    return json.dumps(match[0][1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape"))


def _read_output(span: Span) -> list[Event]:
    messages = span.attributes["output"]
    if not messages and messages != "" and span.error is None:
        raise TrajectoryError(f"the model's run {span.name!r} has neither an output nor an error")
    if not span.attributes["call_count"] and not find_calls(messages):
        return []
    while isinstance(messages, Mapping) and len(messages) == 1 and messages.keys() <= {"output", "message"}:
        messages = next(iter(messages.values()))
    batches = get(messages, "generations")
    if batches is not None:
        # LangChain returns a list for each prompt.
        for batch in batches:
            require_one_answer(batch, "generations")
        messages = [get(answer, "message") for batch in batches for answer in unwrap_list(batch)]
    events = read_trajectory(messages)
    if not events:
        raise TrajectoryError(f"the model's run {span.name!r} has calls that cannot be read")
    return events


@partial(
    Format,
    is_item=lambda item: has(item, "run_type"),
    marks="run_type",
    containers="runs",
    ignored="inputs outputs extra metadata events serialized manifest parent_run feedback_stats",
)
def langsmith(value: Any) -> Iterator[Event]:
    """Read a run with its `child_runs`, or a list of runs."""
    return _read_runs(_iter_with_children(unwrap_list(value, "runs")))


def _iter_with_children(runs: Any) -> Iterator[Any]:
    for run in require_objects(runs, "langsmith", "run_type"):
        yield run
        yield from _iter_with_children(get_objects(run, "child_runs"))


_TYPES: Final = "TOOL GENERATION SPAN EVENT AGENT CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL"
_RUN_KEYS: Final = "input output metadata observations trace toolDefinitions toolCalls toolCallNames"


def _iter_observations(value: Any) -> Iterator[Any]:
    for item in unwrap_list(value, "data"):
        yield get(item, "trace") or item
        yield from get_objects(item, "observations")


def _is_trace_or_observation(item: Any) -> bool:
    if isinstance(get(item, "observations"), list | tuple) and has(item, "timestamp", "trace"):
        return True
    return has(item, "traceId", "trace_id") and str(get(item, "type")) in _TYPES.split()


@partial(
    Format,
    is_item=_is_trace_or_observation,
    marks="type observations",
    containers="data",
    list_parts=lambda value: [omit_keys(item, *_RUN_KEYS.split()) for item in _iter_observations(value)],
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
# The events are read apart, or are inputs, states and what scorers did.
_SAMPLE_KEYS: Final = "messages events input output scores metadata store timelines error_retries events_data"


def _is_log(value: Any) -> bool:
    if has(value, "eval") and has(value, "plan", "samples"):
        return True
    if any(has(item, "epoch") and has(item, "messages", "events") for item in unwrap_list(value)):
        return True
    calls = [call for message in unwrap_list(value, "messages") for call in unwrap_list(get(message, "tool_calls"))]
    return any(isinstance(get(call, "function"), str) for call in calls)


def _list_sample_parts(value: Any) -> Iterator[Any]:
    sample = _choose_sample(value)
    yield from (message for _, message, _ in _iter_messages(sample))
    yield omit_keys(sample, *_SAMPLE_KEYS.split())
    yield omit_keys(value, *_SAMPLE_KEYS.split(), "eval", "plan", "results", "samples")


@partial(Format, marks="messages events role", is_whole=_is_log, list_parts=_list_sample_parts)
def inspect_ai(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one answer of a model are one group."""
    yielded: Counter[tuple[Any, Any]] = Counter()
    by_source: Counter[tuple[str, Any, Any]] = Counter()
    for place, (source, message, agent) in enumerate(_iter_messages(_choose_sample(value))):
        # The provider ran some tools itself, and their blocks have the results, too.
        blocks = [block for block in get_blocks(message) or () if get(block, "type") == "tool_use"]
        own = [item for block in blocks for item in (read_call(block), read_result(block))]
        for item in (*own, *openai_chat.read([message])):
            if not isinstance(item, Event):
                yield item
                continue
            # The model, the tool and the messages repeat the same call.
            by_source[source, item.id, item.name] += 1
            if by_source[source, item.id, item.name] > yielded[item.id, item.name]:
                yielded[item.id, item.name] += 1
                yield replace(item, group=place, agent=agent)


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
        if get(event, "event") == "model":
            for choice in get_objects(get(event, "output"), "choices")[:1]:
                yield "model", get(choice, "message"), agent
        elif get(event, "event") == "tool":
            message = {"role": "tool", "tool_calls": [event], "tool_call_id": get(event, "id")}
            yield "tool", {**message, "content": get(event, "result"), "error": get(event, "error")}, agent
    # A conversation may begin with messages by the author of the sample.
    yield from (("message", message, None) for message in messages if get(message, "source") != "input")


def _iter_agent_events(events: Any, owners: dict[Any, tuple[Any, bool]]) -> Iterator[tuple[Any, Any]]:
    """Yield each event outside of a scorer, with the agent of its span; `owners` has by span its agent, and whether it scores."""
    for event in require_objects(events, "events", "event"):
        kind = get(event, "event")
        if kind not in _EVENTS:
            raise TrajectoryError(f"an event of the kind {kind!r} may be a call")
        if kind == "span_begin":
            agent, is_scorer = owners.get(get(event, "parent_id"), (None, False))
            if get(event, "type") == "agent":
                agent = get(event, "name")
            owners[get(event, "id")] = (agent, is_scorer or get(event, "type") in {"scorer", "scorers"})
        agent, is_scorer = owners.get(get(event, "span_id"), (None, False))
        if not is_scorer:
            yield event, agent
            # Logs of early versions hold the events of an agent inside those of its tool.
            yield from _iter_agent_events(get(event, "events"), owners)


# OpenHands: the events of the software agent SDK.
_KINDS: Final = re.compile(
    "(Action|Observation|AgentError|Message|SystemPrompt|ConversationStateUpdate|ConversationError|CondensationSummary"
    "|HookExecution|LLMCompletionLog|SecurityAnalysis|StreamingDelta|Token|Pause|Interrupt)Event|UserRejectObservation"
    "|Condensation|CondensationRequest"
)
# The action that a call became, the state of a conversation, and the input of a hook, which repeats a call.
_EVENT_KEYS: Final = ("action", "observation", "value", "hook_input")


def _get_kind(event: Any) -> str:
    # A record of an event has the name of its class, but not its kind.
    kind = event.class_name.rpartition(":")[2] if isinstance(event, EncodedObject) else get(event, "kind")
    return str(kind)


@partial(
    Format,
    is_item=lambda item: has(item, "source") and _get_kind(item).endswith("Event"),
    marks="kind parent_id",
    containers="history trajectory",
    list_parts=lambda value: [omit_keys(event, *_EVENT_KEYS) for event in unwrap_list(value, "history", "trajectory")],
)
def openhands(value: Any) -> Iterator[CallOrResult]:
    """Read the calls with the arguments of the model; those of one answer of the model are one group."""
    groups: dict[Any, int] = {}
    for place, event in enumerate(unwrap_list(value, "history", "trajectory")):
        kind = _get_kind(event)
        identifier = get(event, "tool_call_id")
        if not _KINDS.fullmatch(kind):
            raise TrajectoryError(f"an event of the kind {kind} is not known")
        if kind == "ActionEvent":
            group = groups.setdefault(get(event, "llm_response_id") or ("event", place), len(groups))
            call = get(event, "tool_call")
            args = get(get(call, "function") or call, "arguments", default=MISSING)
            yield build_call(get(event, "tool_name"), args, identifier, group=group)
        elif identifier is not None:
            observation = get(event, "observation")
            reason = get(event, "error", "rejection_reason")
            failure = read_result(observation).error if reason is None else format_failure(reason)
            yield Result(identifier, observation, failure)
