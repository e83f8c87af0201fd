"""LangSmith and Langfuse: the runs of a trace, each of a tool, a model or something else.

A run of a tool is a call, and so is a request of a model that no tool executed. The outputs of other runs repeat these calls.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers import read_trajectory
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    build_call,
    format_failure,
    get,
    get_objects,
    has,
    parse_if_json,
    require_list,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.formats import Format, Shape, find_call
from pytest_verdict.trajectories.readers.spans import Span, SpanCall, iter_executed_calls, iter_in_time, read_spans

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
    for span in read_spans([_convert_run(run) for run in runs]):
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


def _convert_run(run: Any) -> dict[str, Any]:
    """Convert a run to a span in the form that `read_spans` reads."""
    kind = str(get(run, "run_type", "type")).lower()
    more = get(run, "extra", default=parse_if_json(get(run, "metadata")))
    # A Langfuse trace is listed with its observations and has no type.
    trace = get(run, "trace_id", "traceId", default=get(run, "id") if kind == "none" else None)
    library = get(get(more, "runtime"), "library")

    error = get(run, "error")
    if get(run, "level") == "ERROR":
        error = format_failure(get(run, "statusMessage", "status_message"))
    elif error:
        error = format_failure(error)
    else:
        error = None

    attributes = {
        "kind": kind,
        "trace": str(trace),
        "input": get(run, "inputs", "input"),
        "output": get(run, "outputs", "output"),
        "id": parse_if_json(get(more, "tool_call_id")),
        "call_count": get(more, "tool_call_count") or get(run, *_CALL_COUNTS),
        "is_langchain": has(more, "color") or str(library).startswith("langchain"),
        "error.type": error,
        "agent": get(run, "name") if kind == "agent" else None,
    }
    return {
        "name": get(run, "name"),
        "attributes": attributes,
        "start_time": get(run, "start_time", "startTime"),
        "end_time": get(run, "end_time", "endTime"),
        "span_id": get(run, "id"),
        "parent_id": get(run, "parent_run_id", "parentObservationId", "parent_observation_id"),
    }


def _read_trace(spans: list[Span]) -> Iterator[Event]:
    tools = [span for span in spans if span.attributes["kind"] == "tool"]
    models = [span for span in spans if span.attributes["kind"] in _MODEL_KINDS]
    if not tools and not models:
        raise TrajectoryError("a trace has no run of a tool or a model, so nothing is known of its calls")

    executed = list(iter_executed_calls(spans, tools, "agent", _build_executed_call))
    requested = list(_iter_requests(models))
    # Other runs may return calls of earlier turns, but then a model got them as input.
    if not executed and not requested and not any(_holds_call(model.attributes["input"]) for model in models):
        for span in spans:
            if _holds_call(span.attributes["output"]):
                raise TrajectoryError(f"the run {span.name!r} returned a call that no run of a tool or a model has")
    return iter_in_time(executed, requested)


def _holds_call(value: Any) -> bool:
    return find_call(parse_if_json(value), set()) is not None


def _build_executed_call(span: Span, **more: Any) -> Event:
    output = parse_if_json(span.attributes["output"])
    message = get(output, "output", default=output)
    if has(message, "tool_call_id") and get(message, "status") == "error":
        more["error"] = format_failure(get(message, "content"))
    identifier = span.attributes["id"] or get(message, "tool_call_id")
    args = _parse_input(span.attributes["input"], is_langchain=span.attributes["is_langchain"])
    return build_call(span.name, args, id=identifier, result=output, **more)


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


def _iter_requests(models: list[Span]) -> Iterator[SpanCall]:
    seen = set()
    for place, span in enumerate(models):
        for event in _read_output(span):
            # A model run inside another one, such as a client inside its adapter, repeats its calls.
            is_repeated = event.id is not None and (span.parent, event.name, event.id) in seen
            seen.add((span.identifier, event.name, event.id))
            if not is_repeated:
                yield SpanCall(span, replace(event, group=place))


def _read_output(span: Span) -> list[Event]:
    output = parse_if_json(span.attributes["output"])
    if not output and output != "" and span.error is None:
        raise TrajectoryError(f"the model's run {span.name!r} has neither an output nor an error")
    if not span.attributes["call_count"] and not _holds_call(output):
        return []
    events = read_trajectory(_unwrap_messages(output))
    if not events:
        raise TrajectoryError(f"the model's run {span.name!r} has calls that cannot be read")
    return events


def _unwrap_messages(output: Any) -> Any:
    while isinstance(output, Mapping) and len(output) == 1 and output.keys() <= {"output", "message"}:
        output = next(iter(output.values()))
    generations = get(output, "generations")
    if generations is None:
        return output
    # LangChain returns a list for each prompt.
    answers = [answer for batch in require_list(generations, "generations") for answer in unwrap_list(batch)]
    return [get(answer, "message") for answer in answers]


_RUN: Final = Shape(
    "run_type",
    keys="inputs outputs extra metadata events serialized manifest child_runs parent_run feedback_stats",
    types="(?i:tool|llm|chain|retriever|embedding|prompt|parser)",
    type_key="run_type",
)


@partial(Format, is_item=lambda run: has(run, "run_type"), item=_RUN, containers="runs")
def langsmith(value: Any) -> Iterator[Event]:
    """Read a run with its `child_runs`, or a list of runs."""
    return _read_runs(_iter_with_children(unwrap_list(value, "runs")))


def _iter_with_children(runs: Any) -> Iterator[Any]:
    langsmith.refuse_unknown_calls("langsmith", runs)
    for run in runs:
        yield run
        yield from _iter_with_children(get_objects(run, "child_runs"))


_TYPES: Final = "TOOL|GENERATION|SPAN|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL"
_OBSERVATION: Final = Shape("type", keys="input output metadata toolDefinitions toolCalls toolCallNames", types=_TYPES)
_ITEM: Final = Shape("type observations", {"observations": _OBSERVATION}, _OBSERVATION.keys, _TYPES)


def _is_trace_or_observation(item: Any) -> bool:
    if isinstance(get(item, "observations"), list | tuple) and has(item, "timestamp", "trace"):
        return True
    return has(item, "traceId", "trace_id") and str(get(item, "type")) in _TYPES.split("|")


@partial(
    Format,
    is_item=_is_trace_or_observation,
    item=_ITEM,
    containers="data",
    other_containers={"observations": _OBSERVATION},
    sibling_keys=f"{_OBSERVATION.keys} trace",
)
def langfuse(value: Any) -> Iterator[Event]:
    """Read a trace with its `observations`, or a list of observations."""
    runs: list[Any] = []
    for item in unwrap_list(value, "data"):
        trace = get(item, "trace")
        runs.append(item if trace is None else trace)
        runs.extend(get_objects(item, "observations"))
    return _read_runs(runs)
