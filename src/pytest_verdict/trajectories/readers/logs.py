"""Logs of platforms and agents: the runs of LangSmith and the observations of Langfuse.

A run of a tool is a call, and so is a request of a model that no tool executed. The outputs of other runs repeat calls.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import read_trajectory
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    build_call,
    format_failure,
    get,
    get_objects,
    has,
    omit_keys,
    parse_if_json,
    read_result,
    require_objects,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.traces import Span, SpanCall, iter_executed_calls, iter_in_time, parse_time
from pytest_verdict.trajectories.readers.unread import Format, find_calls, refuse_unread_calls, require_one_answer

# LangSmith and Langfuse
# A trace of Langfuse has no type.
_RUN_KINDS: Final = frozenset(
    {"tool", "llm", "chain", "retriever", "embedding", "prompt", "parser", "generation", "span", "event", "agent"}
    | {"evaluator", "guardrail", "none"}
)
_MODEL_KINDS: Final = {"llm", "generation"}
# LangChain before 1.0 writes arguments as the text of a Python dict, whose literals differ from JSON.
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
        events = _read_trace(list(spans.values()))
        yield from (replace(event, group=first_group + (event.group or 0)) for event in events)
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
    requested = list(_iter_model_requests(models))
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
        yield get(item, "trace", default=item)
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
