"""OpenTelemetry GenAI spans, ``execute_tool`` with ``gen_ai.tool.*`` attributes, and OpenInference spans of the kind TOOL.

In both the calls that models requested and no tool ran are in the messages of the models' spans.
"""

import datetime
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape, refuse_unknown_attributes
from pytest_verdict.trajectories.readers.calls import call, call_in, failure
from pytest_verdict.trajectories.readers.shape import MISSING, has, items, list_of, look, objects, parsed

_RESOURCES: Final = ("resourceSpans", "resource_spans")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_VALUES: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue", "string_value", "bool_value", "double_value")
_ERRORS: Final = {2, "2", "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR"}
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """One span, whatever exporter wrote it."""

    name: str
    attributes: Mapping[str, Any]
    start: int
    end: int
    events: tuple[Mapping[str, Any], ...]
    error: str | None
    identifier: str | None
    parent: str | None


SpanCall = tuple[Span, Event]
"""A call, and the span that executed or requested it."""


def read_spans(value: Any) -> list[Span]:
    """Read spans in the order in which they started."""
    return sorted((_span(raw) for raw in _raw_spans(value)), key=lambda span: span.start)


def is_span(item: Any) -> bool:
    """Say whether an item is a span, or holds the spans of a resource."""
    return has(item, *_RESOURCES) or (has(item, "attributes") and has(item, "name"))


def in_time(
    executed: list[SpanCall], requested: list[SpanCall], is_call: Callable[[Span], bool] = lambda _: True
) -> Iterator[Event]:
    """Give calls in the order of time; those that a model requested and no span executed have groups of their own."""
    both = [(span.start, False, event) for span, event in executed if is_call(span)]
    ran = Counter((event.name, event.id) for _, event in executed)
    for span, event in requested:
        # One instrumentation may leave the identifier out that the other wrote.
        same = next((key for key in ((event.name, event.id), (event.name, None)) if ran[key]), None)
        if same is None:
            both.append((span.start, True, event))
        else:
            ran[same] -= 1
    groups: dict[tuple[bool, int | None], int] = {}
    for _, unexecuted, event in sorted(both, key=lambda one: one[0]):
        yield replace(event, group=groups.setdefault((unexecuted, event.group), len(groups)))


def executed_calls(
    spans: list[Span], executed: list[Span], agent_attribute: str, event: Callable[..., Event]
) -> Iterator[SpanCall]:
    """Give the calls of spans that ran a tool; those that ran at overlapping times are one group."""
    by_id = {span.identifier: span for span in spans if span.identifier}
    group, until = -1, -1
    for span in executed:
        if group < 0 or span.start >= until:
            group, until = group + 1, span.end
        else:
            until = max(until, span.end)
        yield span, event(span, group=group, error=span.error, agent=_agent(span, by_id, agent_attribute))


def _agent(span: Span, by_id: Mapping[str, Span], attribute: str) -> str | None:
    above: Span | None = span
    # A trace is untrusted: its spans may be their own ancestors.
    for _ in range(len(by_id) + 1):
        agent = above.attributes.get(attribute) if above else None
        if isinstance(agent, str):
            return agent
        above = by_id.get(above.parent) if above and above.parent else None
    return None


def _raw_spans(value: Any) -> list[Any]:
    resources = look(value, *_RESOURCES)
    if resources is not None:
        return [
            span
            for resource in objects(resources, "resourceSpans")
            for scope in objects(look(resource, *_SCOPES), "scopeSpans")
            for span in objects(look(scope, "spans"), "spans")
        ]
    listed = list_of(value, "spans")
    if any(has(item, *_RESOURCES) for item in listed):
        return [span for item in listed for span in _raw_spans(item)]
    return list(objects(listed, "spans"))


def _span(raw: Any) -> Span:
    attributes = _attributes(look(raw, "attributes"))
    context = look(raw, "context")
    start = _time(look(raw, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"))
    end = _time(look(raw, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time"))
    identifier = look(raw, "spanId", "span_id", default=look(context, "span_id"))
    parent = look(raw, "parentSpanId", "parent_span_id", "parent_id", default=look(look(raw, "parent"), "span_id"))
    return Span(
        str(look(raw, "name", default="")),
        attributes,
        start,
        end,
        tuple(_attributes(look(event, "attributes")) for event in items(look(raw, "events"), "events")),
        _error(look(raw, "status"), attributes),
        None if identifier is None else str(identifier),
        str(parent) if parent else None,
    )


def _error(status: Any, attributes: Mapping[str, Any]) -> str | None:
    kind = attributes.get("error.type")
    if kind is not None:
        return str(kind)
    code = look(status, "code", "status_code")
    known = isinstance(code, int | str) and code in _ERRORS
    return failure(look(status, "message", "description")) if known else None


def _attributes(raw: Any) -> dict[str, Any]:
    if isinstance(raw, Mapping):
        return {str(name): value for name, value in raw.items()}
    return {str(look(pair, "key")): _plain(look(pair, "value")) for pair in items(raw, "attributes")}


def _plain(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    whole = look(value, "intValue", "int_value")
    if whole is not None:
        # OTLP writes 64-bit integers as text.
        return int(whole) if isinstance(whole, int) or str(whole).lstrip("-").isdigit() else whole
    listed = look(value, "arrayValue", "array_value")
    if listed is not None:
        return [_plain(item) for item in items(look(listed, "values"), "arrayValue")]
    pairs = look(value, "kvlistValue", "kvlist_value")
    if pairs is not None:
        return _attributes(look(pairs, "values"))
    return look(value, *_VALUES)


def _time(value: Any) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0 if isinstance(value, float) and not math.isfinite(value) else int(value)
    text = str(value or "")
    if text.isdigit():
        return int(text)
    try:
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime.fromisoformat(text)
    except ValueError:
        return 0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    return (aware - _EPOCH) // datetime.timedelta(microseconds=1) * 1_000


_ARGS: Final = ("gen_ai.tool.call.arguments", "tool_arguments")
_RESULTS: Final = ("gen_ai.tool.call.result", "tool_response")
# ADK writes this attribute as "{}" when content is not captured, so there an empty object says nothing.
_ADK_ARGS: Final = "gcp.vertex.agent.tool_call_args"
# Earlier versions of ADK add a span for parallel calls taken together.
_MERGED: Final = "(merged tools)"
# pydantic-ai: a call that was put off, and a function that makes the final answer of what the model wrote.
_DEFERRED: Final = "pydantic_ai.tool.deferral.name"
_OUTPUT_FUNCTION: Final = "running output function"
_PARAMETERS: Final = "model_request_parameters"

_MARKS: Final = r"gen_ai\..+|gcp\.vertex\.agent\..+|pydantic_ai\..+|tool_arguments"
# What was sent to the model repeats the calls before; the rest is read, or is about tools and not a call.
_KNOWN: Final = (
    r"gen_ai\.(tool|request|usage)\..+|gen_ai\.(input|output)\.messages|gen_ai\.system_instructions|gen_ai\.prompt\..+|tools"
    r"|gen_ai\.operation\.name|gcp\.vertex\.agent\.(tool_.+|llm_request)|logfire\..+|tool_arguments|tool_response|"
    + _PARAMETERS
)
# Further copies of the calls, where there are others.
_COPIES: Final = r"|gcp\.vertex\.agent\..+|pydantic_ai\..+|all_messages_events|events|final_result"
_OUTPUT: Final = "gen_ai.output.messages"
_OPERATION: Final = "gen_ai.operation.name"
_ID: Final = "gen_ai.tool.call.id"
_PART: Final = Shape(
    "type",
    read="name arguments response result",
    types="tool_call|tool_call_response|text|reasoning|thinking|blob|file|uri|image-url|refusal",
)
_MESSAGES: Final = Format(list, item=Shape("role parts", {"parts": _PART}))
_OF_AGENTS: Final = {"invoke_agent", "create_agent"}


@partial(Format, is_ours=is_span, containers="spans", keys="resourceSpans resource_spans")
def otel(value: Any) -> Iterator[Event]:
    """Read executed calls in the order of their start; calls that overlap in time are one group."""
    spans = read_spans(value)
    executions = [span for span in spans if _is_execution(span)]
    executed = list(executed_calls(spans, _without_repeats(executions), "gen_ai.agent.name", _executed))
    requested = list(_requested([span for span in spans if span.attributes.get(_OPERATION) not in _OF_AGENTS]))
    requested = requested or list(_requested(spans))
    known = _KNOWN + _COPIES if executed or requested else _KNOWN
    refuse_unknown_attributes(spans, _MARKS, known)
    # The tools by which pydantic-ai has the model write its final answer.
    offered = (look(parsed(span.attributes.get(_PARAMETERS)), "output_tools") for span in spans)
    outputs = {look(tool, "name") for tools in offered if isinstance(tools, list) for tool in tools}
    return (event for event in in_time(executed, requested, _is_call) if event.name not in outputs)


def _is_call(span: Span) -> bool:
    message = span.attributes.get("logfire.msg")
    is_output = span.name == _OUTPUT_FUNCTION or (isinstance(message, str) and message.startswith(_OUTPUT_FUNCTION))
    return not is_output and _DEFERRED not in span.attributes


def _is_execution(span: Span) -> bool:
    operation = span.attributes.get(_OPERATION)
    named = span.name.startswith("execute_tool") or (
        span.name == "running tool" and "gen_ai.tool.name" in span.attributes
    )
    return (operation == "execute_tool" or (operation is None and named)) and _tool(span) != _MERGED


def _tool(span: Span) -> str:
    return str(span.attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool").strip())


def _without_repeats(spans: list[Span]) -> list[Span]:
    """Leave out the second span of a call: of the same tool and identifier, within the first or at the same time."""
    kept: list[Span] = []
    for span in spans:
        identifier = span.attributes.get(_ID)
        same = (
            one for one in kept if identifier and one.attributes.get(_ID) == identifier and _tool(one) == _tool(span)
        )
        if not any(span.start < one.end or (one.identifier and span.parent == one.identifier) for one in same):
            kept.append(span)
    return kept


def _executed(span: Span, **more: Any) -> Event:
    return call(
        _tool(span), _args(span), id=span.attributes.get(_ID), result=parsed(look(span.attributes, *_RESULTS)), **more
    )


def _args(span: Span) -> Any:
    from_adk = span.attributes.get(_ADK_ARGS, MISSING)
    return look(span.attributes, *_ARGS, default=MISSING if parsed(from_adk) == {} else from_adk)


def _requested(spans: list[Span]) -> Iterator[SpanCall]:
    for place, span in enumerate(spans):
        messages = items(parsed(span.attributes.get(_OUTPUT)), _OUTPUT)
        _MESSAGES.refuse_unknown_calls(_OUTPUT, messages)
        for message in messages:
            for part in items(look(message, "parts"), "parts"):
                if look(part, "type") == "tool_call":
                    yield span, call_in(part, "arguments", id=look(part, "id"), group=place)


_KIND: Final = "openinference.span.kind"
_LLM: Final = r"openinference\.span\.kind|llm\..+"
_READ: Final = (
    r"openinference\.span\.kind|tool(_call)?\..+|llm\.((input|output)_messages|tools|invocation_parameters|token_count)\b.*"
    r"|input\..+|metadata"
)
# What the provider answered, which repeats the calls.
_ANSWERS: Final = r"|output\..+"
_CALL: Final = re.compile(r"llm\.output_messages\.(\d+)\.message\.tool_calls\.(\d+)\.tool_call\.(.+)")


def _has_kinds(value: Any) -> bool:
    return otel.recognises(value) and any(_KIND in span.attributes for span in read_spans(value))


@partial(Format, whole=_has_kinds)
def openinference(value: Any) -> Iterator[Event]:
    """Read executed calls in the order of their start; calls that overlap in time are one group."""
    spans = read_spans(value)
    tools = [span for span in spans if span.attributes.get(_KIND) == "TOOL"]
    executed = list(executed_calls(spans, tools, "agent.name", _ran))
    requested = list(_asked(spans))
    refuse_unknown_attributes(spans, _LLM, _READ + _ANSWERS if executed or requested else _READ)
    return in_time(executed, requested)


def _ran(span: Span, **more: Any) -> Event:
    attributes = span.attributes
    return call(
        attributes.get("tool.name") or span.name,
        attributes.get("input.value", MISSING),
        id=attributes.get("tool_call.id"),
        result=parsed(attributes.get("output.value")),
        **more,
    )


def _asked(spans: list[Span]) -> Iterator[SpanCall]:
    for place, span in enumerate(spans):
        found: dict[tuple[int, int], dict[str, Any]] = {}
        for name, value in span.attributes.items():
            match = _CALL.fullmatch(name)
            if match:
                found.setdefault((int(match[1]), int(match[2])), {})[match[3]] = value
        for _, made in sorted(found.items()):
            args = made.get("function.arguments", MISSING)
            yield span, call(made.get("function.name"), args, id=made.get("id"), group=place)
