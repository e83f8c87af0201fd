"""Logs of platforms: the runs of LangSmith, the observations of Langfuse, and samples of Inspect AI.

A run of a tool is a call. The other runs, and the events of a sample, must not have calls that are not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    CallOrResult,
    build_call,
    format_failure,
    get,
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
from pytest_verdict.trajectories.readers.traces import Span, iter_executed_calls, parse_time
from pytest_verdict.trajectories.readers.unread import Format, find_calls, refuse_unread_calls

# LangSmith and Langfuse
# A trace of Langfuse has no type.
_RUN_KINDS: Final = frozenset(
    {"tool", "llm", "chain", "retriever", "embedding", "prompt", "parser", "generation", "span", "event", "agent"}
    | {"evaluator", "guardrail", "none"}
)
_MODEL_KINDS: Final = {"llm", "generation"}


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
        events = _read_trace(list(spans.values()))
        for event in events:
            yield replace(event, group=first_group + (event.group or 0))
        first_group += len(events)


def _read_run(run: Any) -> Span:
    kind = str(get(run, "run_type", "type")).lower()
    if kind not in _RUN_KINDS:
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
    executed = [event for _, event in iter_executed_calls(spans, tools, "agent", _build_run_call)]
    for span in models:
        output = span.attributes["output"]
        if not output and output != "" and span.error is None:
            raise TrajectoryError(f"the model's run {span.name!r} has neither an output nor an error")
        if span.attributes["call_count"] and not find_calls(output):
            raise TrajectoryError(f"the model's run {span.name!r} has calls that cannot be read")
    requested = [span.attributes["output"] for span in models]
    refuse_unread_calls([requested], executed, "which a model requested, and no run of a tool has it")
    # Other runs return calls again, and those of earlier turns, which the models or the whole got as input.
    identifiers = {span.identifier for span in spans}
    inputs = [span.attributes["input"] for span in spans if span in models or span.parent not in identifiers]
    calls: list[Event | CallLike] = [*executed, *find_calls(inputs)]
    for span in spans:
        if span not in tools and span not in models:
            reason = f"and no run of a tool has it, but {span.name!r} returned it"
            refuse_unread_calls([span.attributes["output"]], calls, reason)
    return executed


def _build_run_call(span: Span, **fields: Any) -> Event:
    message = get(span.attributes["output"], "output", default=span.attributes["output"])
    if has(message, "tool_call_id"):
        fields["error"] = fields["error"] or read_result(message).error
    args = span.attributes["input"]
    if args is None:
        args = MISSING
    elif isinstance(args, Mapping) and args.keys() == {"args", "kwargs"} and isinstance(args["args"], list | tuple):
        # The arguments of a traced function; those by position have no names.
        args = args["args"] or args["kwargs"]
    elif isinstance(args, Mapping) and args.keys() == {"input"} and str(args["input"]).startswith("{"):
        # LangChain before 1.0 writes all arguments as one text, of a Python dict or of JSON.
        args = args["input"]
    identifier = span.attributes["id"] or get(message, "tool_call_id")
    return build_call(span.name, args, id=identifier, result=span.attributes["output"], **fields)


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


# Inspect AI: the messages of a sample, in which `function` is the name of a tool.
def _is_log(value: Any) -> bool:
    if has(value, "eval") and has(value, "plan", "samples"):
        return True
    if any(has(item, "epoch") and has(item, "messages", "events") for item in unwrap_list(value)):
        return True
    calls = [call for message in unwrap_list(value, "messages") for call in unwrap_list(get(message, "tool_calls"))]
    return any(isinstance(get(call, "function"), str) for call in calls)


# Inputs, states and what scorers did.
_OTHER_EVENTS: Final = ("sample_init", "state", "store", "sandbox", "approval", "score")
_SAMPLE_KEYS: Final = ("input", "output", "scores", "metadata", "store", "timelines", "error_retries", "events_data")


def _list_parts(value: Any) -> Iterator[Any]:
    yield _list_messages(value)
    if not isinstance(value, list | tuple):
        yield omit_keys(value, "eval", "plan", "results", "samples", "messages", "events", *_SAMPLE_KEYS)
    sample = _choose_sample(value)
    if not isinstance(sample, list | tuple):
        yield omit_keys(sample, "messages", "events", *_SAMPLE_KEYS)
        yield from _iter_events(get(sample, "events"))


def _iter_events(events: Any) -> Iterator[Any]:
    """Yield what models and tools did, without the messages that a model got; each event may repeat every call."""
    for event in require_objects(events, "events", "event"):
        if get(event, "event") not in _OTHER_EVENTS:
            yield {"events": omit_keys(event, "input", "events")}
            # Logs of early versions hold the events of an agent inside those of its tool.
            yield from _iter_events(get(event, "events"))


@partial(Format, marks="messages events role", is_whole=_is_log, list_parts=_list_parts)
def inspect_ai(value: Any) -> Iterator[CallOrResult]:
    """Read the calls; those of one message are one group."""
    for place, message in enumerate(_list_messages(value)):
        content = get(message, "content")
        for block in content if isinstance(content, list | tuple) else ():
            # The provider ran these tools itself.
            if get(block, "type") == "tool_use":
                yield read_call(block, group=place)
                yield read_result(block)
        for call in get_objects(message, "tool_calls"):
            # Beside the reason why arguments are no JSON there is an empty object.
            args = get(call, "parse_error") or get(call, "arguments", default=MISSING)
            if "attachment://" in repr(args):
                raise TrajectoryError("arguments are attachments: read the log with resolve_attachments")
            yield build_call(get(call, "function"), args, id=get(call, "id"), group=place)
        if get(message, "role") == "tool":
            yield read_result(message)


def _choose_sample(value: Any) -> Any:
    if has(value, "eval"):
        return require_one(get(value, "samples"), "samples")
    if isinstance(value, list | tuple) and not all(has(item, "role") for item in value):
        return require_one(value, "samples")
    return value


def _list_messages(value: Any) -> list[Any]:
    sample = _choose_sample(value)
    messages = sample if isinstance(sample, list | tuple) else get(sample, "messages")
    messages = require_objects(messages, "messages", "role")
    if not messages:
        raise TrajectoryError("the sample has no messages, so nothing was recorded")
    # A conversation may begin with messages by the author of the sample.
    return [message for message in messages if get(message, "source") != "input"]
