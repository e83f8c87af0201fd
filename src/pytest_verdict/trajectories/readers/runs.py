"""LangSmith and Langfuse: the runs of a trace, each of a tool, a model or something else.

A run of a tool is a call; what a model asked for and no tool ran is one too. What other runs returned repeats these calls.
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
from pytest_verdict.trajectories.readers.allow_list import Format, Shape, call_within
from pytest_verdict.trajectories.readers.calls import call, failure
from pytest_verdict.trajectories.readers.shape import MISSING, has, items, list_of, look, objects, parsed
from pytest_verdict.trajectories.readers.spans import Span, SpanCall, executed_calls, in_time, read_spans

_MODELS: Final = {"llm", "generation"}
_WRAPPERS: Final = {"output", "message"}
# What the servers say of the calls of a model beside its output.
_COUNTS: Final = ("toolCalls", "toolCallNames")
# What Python writes in another way than JSON.
_ESCAPE: Final = r"""\\(?:['"\\nrt]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})"""
_PYTHON: Final = re.compile(rf"""'(?:[^'\\]|{_ESCAPE})*'|"(?:[^"\\]|{_ESCAPE})*"|\b(?:True|False|None)\b""")
_WORDS: Final = {"True": "true", "False": "false", "None": "null"}


def _read_runs(runs: Iterable[Any]) -> Iterator[Event]:
    """Read the calls of runs in the order of their start; calls that overlap in time are one group."""
    traces: dict[str, dict[Any, Span]] = {}
    for span in read_spans([_as_span(run) for run in runs]):
        # A run may be listed and be among the children of another, too.
        known = span.identifier and span.start
        identity = (span.identifier, span.name, span.start, span.end) if known else id(span)
        traces.setdefault(span.attributes["trace"], {})[identity] = span
    if not traces:
        raise TrajectoryError("there are no runs")
    first = 0
    for spans in traces.values():
        events = list(_in_trace(list(spans.values())))
        yield from (replace(event, group=first + (event.group or 0)) for event in events)
        first += len(events)


def _as_span(run: Any) -> dict[str, Any]:
    more = look(run, "extra", default=parsed(look(run, "metadata")))
    kind = str(look(run, "run_type", "type")).lower()
    failed = look(run, "level") == "ERROR"
    reason = look(run, "statusMessage", "status_message") if failed else look(run, "error")
    attributes = {
        "kind": kind,
        # A trace of Langfuse stands among its observations and has no type.
        "trace": str(look(run, "trace_id", "traceId", default=look(run, "id") if kind == "none" else None)),
        "input": look(run, "inputs", "input"),
        "output": look(run, "outputs", "output"),
        "id": parsed(look(more, "tool_call_id")),
        "counted": look(more, "tool_call_count") or look(run, *_COUNTS),
        "langchain": has(more, "color") or str(look(look(more, "runtime"), "library")).startswith("langchain"),
        "error.type": failure(reason) if failed or reason else None,
        "agent": look(run, "name") if kind == "agent" else None,
    }
    return {
        "name": look(run, "name"),
        "attributes": attributes,
        "start_time": look(run, "start_time", "startTime"),
        "end_time": look(run, "end_time", "endTime"),
        "span_id": look(run, "id"),
        "parent_id": look(run, "parent_run_id", "parentObservationId", "parent_observation_id"),
    }


def _in_trace(spans: list[Span]) -> Iterator[Event]:
    tools = [span for span in spans if span.attributes["kind"] == "tool"]
    models = [span for span in spans if span.attributes["kind"] in _MODELS]
    if not tools and not models:
        raise TrajectoryError("a trace has no run of a tool or a model, so nothing is known of its calls")
    executed = list(executed_calls(spans, tools, "agent", _executed))
    requested = list(_requested(models))
    # Other runs may return the calls of earlier turns, but then the model was sent them.
    if not executed and not requested and not any(_holds_call(model.attributes["input"]) for model in models):
        returned = next((span.name for span in spans if _holds_call(span.attributes["output"])), None)
        if returned is not None:
            raise TrajectoryError(f"the run {returned!r} returned a call that no run of a tool or a model has")
    return in_time(executed, requested)


def _holds_call(value: Any) -> bool:
    return call_within(parsed(value), set()) is not None


def _executed(span: Span, **more: Any) -> Event:
    output = parsed(span.attributes["output"])
    message = look(output, "output", default=output)
    if has(message, "tool_call_id") and look(message, "status") == "error":
        more["error"] = failure(look(message, "content"))
    identifier = span.attributes["id"] or look(message, "tool_call_id")
    return call(span.name, _arguments(span), id=identifier, result=output, **more)


def _arguments(span: Span) -> Any:
    found = parsed(span.attributes["input"])
    keys = found.keys() if isinstance(found, Mapping) else set()
    if keys == {"args", "kwargs"} and isinstance(found["args"], list | tuple):
        # How a traced function was called: what was given by position has no name.
        return found["args"] or found["kwargs"]
    if keys == {"input"} and span.attributes["langchain"] and str(found["input"]).startswith("{"):
        # LangChain before 1.0 writes all arguments as one text, as Python does.
        found = parsed(found["input"])
    if isinstance(found, str):
        rewritten = parsed(_PYTHON.sub(_as_json, found))
        return found if isinstance(rewritten, str) else rewritten
    return MISSING if found is None else found


def _as_json(literal: re.Match[str]) -> str:
    # Python's own reader of literals may be crashed by a hostile text.
    text = literal[0]
    return _WORDS.get(text) or json.dumps(text[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape"))


def _requested(models: list[Span]) -> Iterator[SpanCall]:
    asked = set()
    for place, span in enumerate(models):
        for event in _in_output(span):
            # A model within a model, such as a client within its adapter, returns the same.
            copied = event.id is not None and (span.parent, event.name, event.id) in asked
            asked.add((span.identifier, event.name, event.id))
            if not copied:
                yield span, replace(event, group=place)


def _in_output(span: Span) -> list[Event]:
    output = parsed(span.attributes["output"])
    if not output and output != "" and span.error is None:
        raise TrajectoryError(f"the model's run {span.name!r} has neither an output nor an error")
    if not span.attributes["counted"] and not _holds_call(output):
        return []
    found = read_trajectory(_messages(output))
    if not found:
        raise TrajectoryError(f"the model's run {span.name!r} has calls that cannot be read")
    return found


def _messages(output: Any) -> Any:
    while isinstance(output, Mapping) and len(output) == 1 and output.keys() <= _WRAPPERS:
        output = next(iter(output.values()))
    generations = look(output, "generations")
    if generations is None:
        return output
    # LangChain gives a list for each prompt.
    return [look(one, "message") for listed in items(generations, "generations") for one in list_of(listed)]


_RUN: Final = Shape(
    "run_type",
    read="inputs outputs extra metadata events serialized manifest child_runs parent_run feedback_stats",
    types="(?i:tool|llm|chain|retriever|embedding|prompt|parser)",
    kind="run_type",
)


@partial(Format, is_ours=lambda run: has(run, "run_type"), item=_RUN, containers="runs")
def langsmith(value: Any) -> Iterator[Event]:
    """Read a run with its `child_runs`, or a list of runs."""
    return _read_runs(_with_children(list_of(value, "runs")))


def _with_children(runs: Any) -> Iterator[Any]:
    langsmith.refuse_unknown_calls("langsmith", runs)
    for run in runs:
        yield run
        yield from _with_children(objects(look(run, "child_runs"), "child_runs"))


_TYPES: Final = "TOOL|GENERATION|SPAN|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL"
_OBSERVATION: Final = Shape("type", read="input output metadata toolDefinitions toolCalls toolCallNames", types=_TYPES)
_ITEM: Final = Shape("type observations", {"observations": _OBSERVATION}, _OBSERVATION.read, _TYPES)


def _is_trace_or_observation(item: Any) -> bool:
    if isinstance(look(item, "observations"), list | tuple) and has(item, "timestamp", "trace"):
        return True
    return has(item, "traceId", "trace_id") and str(look(item, "type")) in _TYPES.split("|")


@partial(
    Format,
    is_ours=_is_trace_or_observation,
    item=_ITEM,
    containers="data",
    others={"observations": _OBSERVATION},
    beside=f"{_OBSERVATION.read} trace",
)
def langfuse(value: Any) -> Iterator[Event]:
    """Read a trace with its `observations`, or a list of observations."""
    return _read_runs(_observations(list_of(value, "data")))


def _observations(listed: Any) -> Iterator[Any]:
    for item in listed:
        yield item if look(item, "trace") is None else look(item, "trace")
        yield from objects(look(item, "observations"), "observations")
