"""Traces: OpenTelemetry GenAI and OpenInference spans, and what the runs of logs.py share with them.

A span that executed a tool is a call, and so is a request of a model that no tool executed.
"""

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

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
    parse_if_json,
    read_call,
    require_list,
    require_objects,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.unread import (
    Format,
    find_calls,
    refuse_unread_calls,
    require_one_answer,
    to_snake_case,
)

_RESOURCES: Final = ("resourceSpans", "resource_spans")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_VALUES: Final = ("stringValue", "boolValue", "doubleValue", "bytesValue", "string_value", "bool_value", "double_value")
_ERROR_CODES: Final = {2, "2", "ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR"}
_EPOCH: Final = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class Span:
    """One span, independent of the exporter that wrote it."""

    name: str
    attributes: Mapping[str, Any]
    start: int
    end: int
    error: str | None
    identifier: str | None
    parent: str | None
    events: tuple[Mapping[str, Any], ...] = ()


SpanCall = tuple[Span, Event]


def read_spans(value: Any) -> list[Span]:
    spans = [_read_span(raw) for raw in _list_raw_spans(value)]
    return sorted(spans, key=lambda span: span.start)


def _list_raw_spans(value: Any) -> list[Any]:
    resources = get(value, *_RESOURCES)
    if resources is not None:
        return [
            span
            for resource in require_objects(resources, "resourceSpans")
            for scope in get_objects(resource, *_SCOPES)
            for span in get_objects(scope, "spans")
        ]
    items = require_objects(unwrap_list(value, "spans"), "spans")
    if any(has(item, *_RESOURCES) for item in items):
        return [span for item in items for span in _list_raw_spans(item)]
    return list(items)


def _read_span(raw: Any) -> Span:
    attributes = _read_attributes(get(raw, "attributes"))
    status = get(raw, "status")
    code = get(status, "code", "status_code")
    error = attributes.get("error.type")
    if error is None and isinstance(code, int | str) and code in _ERROR_CODES:
        error = format_failure(get(status, "message", "description"))
    identifier = get(raw, "spanId", "span_id", default=get(get(raw, "context"), "span_id"))
    parent = get(raw, "parentSpanId", "parent_span_id", "parent_id", default=get(get(raw, "parent"), "span_id"))
    return Span(
        name=str(get(raw, "name", default="")),
        attributes=attributes,
        start=parse_time(get(raw, "startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")),
        end=parse_time(get(raw, "endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")),
        error=None if error is None else str(error),
        identifier=None if identifier is None else str(identifier),
        parent=str(parent) if parent else None,
        events=tuple(_read_attributes(get(event, "attributes")) for event in get_objects(raw, "events")),
    )


def _read_attributes(raw: Any) -> dict[str, Any]:
    if isinstance(raw, Mapping):
        return {str(name): value for name, value in raw.items()}
    return {str(get(pair, "key")): _decode_value(get(pair, "value")) for pair in require_list(raw, "attributes")}


def _decode_value(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if has(value, "intValue", "int_value"):
        # OTLP writes 64-bit integers as text.
        return parse_if_json(get(value, "intValue", "int_value"))
    if has(value, "arrayValue", "array_value"):
        values = get(get(value, "arrayValue", "array_value"), "values")
        return [_decode_value(item) for item in require_list(values, "arrayValue")]
    if has(value, "kvlistValue", "kvlist_value"):
        return _read_attributes(get(get(value, "kvlistValue", "kvlist_value"), "values"))
    return get(value, *_VALUES)


def parse_time(value: Any) -> int:
    """Parse a time to nanoseconds; a span without a readable time starts at 0."""
    text = str(value or "")
    try:
        if isinstance(value, int | float) or text.isdigit():
            return int(value)
        moment = value if isinstance(value, datetime.datetime) else datetime.datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return 0
    if not moment.tzinfo:
        moment = moment.replace(tzinfo=datetime.UTC)
    return (moment - _EPOCH) // datetime.timedelta(microseconds=1) * 1_000


def _index_by_id(spans: Iterable[Span]) -> dict[str, Span]:
    return {span.identifier: span for span in spans if span.identifier}


def _iter_with_ancestors(span: Span, by_id: Mapping[str, Span]) -> Iterator[Span]:
    ancestor: Span | None = span
    # A trace is untrusted: its spans may be their own ancestors.
    for _ in range(len(by_id) + 1):
        if ancestor is None:
            return
        yield ancestor
        ancestor = by_id.get(ancestor.parent or "")


def iter_executed_calls(
    spans: list[Span], executions: list[Span], agent_attribute: str, build: Callable[..., Event]
) -> Iterator[SpanCall]:
    """Yield the calls of spans that ran a tool; those that ran at overlapping times are one group."""
    by_id = _index_by_id(spans)
    group = -1
    group_end = 0
    for span in executions:
        if group < 0 or span.start >= group_end:
            group += 1
        group_end = max(group_end, span.end)
        agents = (ancestor.attributes.get(agent_attribute) for ancestor in _iter_with_ancestors(span, by_id))
        agent = next((agent for agent in agents if isinstance(agent, str)), None)
        yield span, build(span, group=group, error=span.error, agent=agent)


def _list_unmatched(calls: list[SpanCall], requested: list[SpanCall]) -> list[SpanCall]:
    """Return the requests that differ from some calls by the tool or the identifier."""
    unmatched = Counter((event.name, event.id) for _, event in calls)
    others = []
    for span, event in requested:
        # One instrumentation may leave out the identifier that the other wrote.
        identities = [(event.name, event.id), (event.name, None)]
        if event.id is None:
            identities = [identity for identity in unmatched if identity[0] == event.name]
        identity = next((identity for identity in identities if unmatched[identity]), None)
        if identity is None:
            others.append((span, event))
        else:
            unmatched[identity] -= 1
    return others


def iter_in_time(executed: list[SpanCall], requested: list[SpanCall]) -> Iterator[SpanCall]:
    """Yield calls in the order of time; requests that no span executed have groups of their own."""
    timeline = [(span, event, True) for span, event in executed]
    timeline += [(span, event, False) for span, event in _list_unmatched(executed, requested)]
    groups: dict[tuple[bool, int | None], int] = {}
    for span, event, is_executed in sorted(timeline, key=lambda entry: entry[0].start):
        yield span, replace(event, group=groups.setdefault((is_executed, event.group), len(groups)))


class _Convention(NamedTuple):
    """Which attributes of spans say what; the patterns are of their names."""

    is_execution: Callable[[Span], bool]
    build_call: Callable[..., Event]
    iter_requests: Callable[[list[Span]], Iterator[SpanCall]]
    agent: str
    marks: str
    inputs: str
    """What a model got, which repeats earlier calls; an agent repeats its own input."""
    ignored: str

    def read(self, value: Any) -> Iterator[CallOrResult]:
        """Read executed calls in the order of their start; calls that overlap in time are one group."""
        spans = read_spans(value)
        executions = [span for span in spans if self.is_execution(span)]
        for span in spans:
            inputs = {name: item for name, item in span.attributes.items() if re.fullmatch(self.inputs, name)}
            if span not in executions:
                yield from find_calls(_nest(inputs))
        executions = _drop_repeated_spans(executions, _index_by_id(spans))
        executed = list(iter_executed_calls(spans, executions, self.agent, self.build_call))
        # An agent repeats the requests of its models.
        agents = [span for span in spans if span.attributes.get(_OPERATION) in _AGENT_OPERATIONS]
        requested = list(self.iter_requests([span for span in spans if span not in agents]))
        requested += _list_unmatched([*executed, *requested], list(self.iter_requests(agents)))

        # pydantic-ai offers tools by which the model writes its final answer.
        parameters = [parse_if_json(span.attributes.get(_PARAMETERS)) for span in spans]
        output_names = {get(tool, "name") for one in parameters for tool in get_objects(one, "output_tools")}
        for span, event in iter_in_time(executed, requested):
            names = (span.name, str(span.attributes.get("logfire.msg")))
            is_output = event.name in output_names or any(name.startswith(_OUTPUT_FUNCTION) for name in names)
            is_call = not is_output and _DEFERRED not in span.attributes
            yield event if is_call else CallLike(event.name, event.id)

    def list_parts(self, value: Any) -> Iterator[Any]:
        """Yield the tool spans that are not read, and the other attributes of all other spans."""
        all_spans = read_spans(value)
        spans = [span for span in all_spans if not self.is_execution(span)]
        unread_tools = []
        for span in spans:
            if _looks_like_tool(span) and _get_tool_name(span) != _ADK_MERGED:
                names = (item for key, item in span.attributes.items() if _TOOL_NAME.fullmatch(to_snake_case(key)))
                unread_tools.append({"name": next(names, span.name), "id": span.attributes.get(_CALL_ID)})
        attributes = [one for span in spans for one in (span.attributes, *span.events)]
        for one in attributes:
            ignored = f"{self.inputs}|{self.ignored}"
            others = {name: item for name, item in one.items() if not re.fullmatch(ignored, name)}
            yield from ({name: item} for name, item in _nest(others).items())
        yield {"spans": {"tool_calls": unread_tools}}
        if len(spans) == len(all_spans) and not any(
            re.fullmatch(self.marks, name) for one in attributes for name in one
        ):
            raise TrajectoryError(f"no span has an attribute of the format ({self.marks})")


# OpenTelemetry GenAI
_OUTPUT: Final = "gen_ai.output.messages"
_OPERATION: Final = "gen_ai.operation.name"
_CALL_ID: Final = "gen_ai.tool.call.id"
_MCP_METHOD: Final = "mcp.method.name"
_MODEL_OPERATIONS: Final = {"chat", "text_completion", "generate_content"}
_AGENT_OPERATIONS: Final = {"invoke_agent", "create_agent"}
# ADK writes "{}" here when it does not capture contents, so an empty object is unknown.
_ADK_ARGUMENTS: Final = "gcp.vertex.agent.tool_call_args"
# Earlier versions of ADK add a span for all parallel calls together.
_ADK_MERGED: Final = "(merged tools)"
# pydantic-ai: a deferred call, and a function that builds the final answer from the model's output.
_DEFERRED: Final = "pydantic_ai.tool.deferral.name"
_OUTPUT_FUNCTION: Final = "running output function"
_PARAMETERS: Final = "model_request_parameters"


def _is_execution(span: Span) -> bool:
    if _get_tool_name(span) == _ADK_MERGED:
        return False
    if span.attributes.get(_MCP_METHOD) == "tools/call":
        return True
    operation = span.attributes.get(_OPERATION)
    if operation is not None:
        return bool(operation == "execute_tool")
    is_running_tool = span.name == "running tool" and "gen_ai.tool.name" in span.attributes
    return is_running_tool or span.name.startswith("execute_tool")


def _get_tool_name(span: Span) -> str:
    name = span.attributes.get("gen_ai.tool.name")
    return str(name or span.name.removeprefix("execute_tool").removeprefix("tools/call").strip())


def _drop_repeated_spans(spans: list[Span], by_id: Mapping[str, Span]) -> list[Span]:
    """Drop the second span of a call: the same tool and identifier, within the first or at the same time."""
    distinct: list[Span] = []
    for span in spans:
        identifier = span.attributes.get(_CALL_ID)
        # MCP does not write the identifier, and its client and its server write a span each.
        is_mcp = identifier is None and _MCP_METHOD in span.attributes
        ancestors = list(_iter_with_ancestors(span, by_id)) if is_mcp else []
        for other in distinct:
            is_within = span.start < other.end or (other.identifier and span.parent == other.identifier)
            is_same = identifier and other.attributes.get(_CALL_ID) == identifier and is_within
            if _get_tool_name(other) == _get_tool_name(span) and (other in ancestors or is_same):
                break
        else:
            distinct.append(span)
    return distinct


def _build_executed_call(span: Span, **more: Any) -> Event:
    attributes = span.attributes
    args = attributes.get(_ADK_ARGUMENTS, MISSING)
    if parse_if_json(args) == {}:
        args = MISSING
    args = get(attributes, "gen_ai.tool.call.arguments", "tool_arguments", default=args)
    result = parse_if_json(get(attributes, "gen_ai.tool.call.result", "tool_response"))
    return build_call(_get_tool_name(span), args, attributes.get(_CALL_ID), result=result, **more)


def _iter_requests(spans: list[Span]) -> Iterator[SpanCall]:
    for place, span in enumerate(spans):
        messages = require_list(parse_if_json(span.attributes.get(_OUTPUT)), _OUTPUT)
        if span.attributes.get("gen_ai.request.choice.count", 1) != 1:
            require_one_answer(messages, _OUTPUT)
        parts = [part for message in messages for part in get_objects(message, "parts")]
        events = [read_call(part, group=place) for part in parts if get(part, "type") == "tool_call"]
        refuse_unread_calls([messages], events, f"which is not read in {_OUTPUT}")
        yield from ((span, event) for event in events)


_GENAI: Final = _Convention(
    _is_execution,
    _build_executed_call,
    _iter_requests,
    "gen_ai.agent.name",
    marks=r"gen_ai\..+|gcp\.vertex\.agent\..+|pydantic_ai\..+|tool_arguments|mcp\..+",
    inputs=r"gen_ai\.input\.messages|gen_ai\.prompt\..+|gcp\.vertex\.agent\.llm_request",
    ignored=r"gen_ai\.(tool|request|usage)\..+|gen_ai\.output\.messages|gen_ai\.system_instructions|logfire\..+|tools"
    r"|traceloop\.entity\..+|model_request_parameters",
)
otel: Final = Format(
    _GENAI.read,
    is_item=lambda item: has(item, *_RESOURCES) or (has(item, "attributes") and has(item, "name")),
    containers="spans",
    is_whole=lambda value: has(value, *_RESOURCES),
    list_parts=_GENAI.list_parts,
)


# OpenInference
_KIND: Final = "openinference.span.kind"


def _is_tool(span: Span) -> bool:
    return str(span.attributes.get(_KIND)).upper() == "TOOL"


def _build_tool_call(span: Span, **more: Any) -> Event:
    attributes = span.attributes
    name = attributes.get("tool.name") or span.name
    result = parse_if_json(attributes.get("output.value"))
    identifier = attributes.get("tool_call.id")
    return build_call(name, attributes.get("input.value", MISSING), identifier, result=result, **more)


def _iter_inference_requests(spans: list[Span]) -> Iterator[SpanCall]:
    for place, span in enumerate(spans):
        llm = get(_nest(span.attributes), "llm")
        messages = _list_numbered(llm, "output_messages")
        if get(get(llm, "invocation_parameters"), "n", "candidate_count", default=1) != 1:
            require_one_answer(messages, "llm.output_messages")
        for item in messages:
            message = get(item, "message")
            for outer in _list_numbered(message, "tool_calls"):
                yield span, read_call(get(outer, "tool_call"), group=place)
            name = get(message, "function_call_name")
            if name is not None:
                args = get(message, "function_call_arguments_json", default=MISSING)
                yield span, build_call(name, args, group=place)


def _list_numbered(value: Any, key: str) -> list[Any]:
    items = get(value, key)
    if not isinstance(items, Mapping):
        return []
    return [items[number] for number in sorted(filter(str.isdecimal, items), key=int)]


_INFERENCE: Final = _Convention(
    _is_tool,
    _build_tool_call,
    _iter_inference_requests,
    "agent.name",
    marks=r"openinference\.span\.kind|llm\..+",
    inputs=r"llm\.input_messages\..+|input\..+",
    ignored=r"tool\..+|llm\.(tools|invocation_parameters|token_count)\b.*|metadata",
)
openinference: Final = Format(
    _INFERENCE.read,
    is_whole=lambda value: otel.recognises(value) and any(_KIND in span.attributes for span in read_spans(value)),
    list_parts=_INFERENCE.list_parts,
)


def list_model_requests(spans: list[Span]) -> list[Span]:
    """Return the spans of requests to models; a request inside another one is the same, seen by another library."""
    by_id = _index_by_id(spans)
    return [span for span in spans if list(filter(_is_model_request, _iter_with_ancestors(span, by_id))) == [span]]


def _is_model_request(span: Span) -> bool:
    # An agent repeats the usage of its models.
    operation = span.attributes.get(_OPERATION)
    if operation is None and _KIND in span.attributes:
        return str(span.attributes[_KIND]).upper() == "LLM"
    if operation is None:
        return any(name.startswith("gen_ai.usage.") for name in span.attributes)
    return operation in _MODEL_OPERATIONS


# The common part of the attributes of all conventions.
_TOOL_NAME: Final = re.compile(r"((gen_ai|ai|mcp)\.)?tool(_call)?[._]name")
_KIND_NAME: Final = re.compile(r"(.*[._])?(span_?)?(kind|type|operation_?id|operation(\.name)?)|mcp\.method\.name")
_TOOL_KIND: Final = re.compile(
    r"tool|function|tools/call|((execute|call|run|invoke|use)[ _.]?)(tool|function)s?"
    r"|(ai\.)?(tool|function)s?[ _.]?(call|use|execution|invocation)s?"
)


def _looks_like_tool(span: Span) -> bool:
    for name, value in span.attributes.items():
        key = to_snake_case(name)
        if _TOOL_NAME.fullmatch(key):
            return True
        if _KIND_NAME.fullmatch(key) and _TOOL_KIND.fullmatch(to_snake_case(str(value).strip('"'))):
            return True
    return False


def _nest(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Build objects from dotted names, and parse the values that are JSON."""
    root: dict[str, Any] = {}
    for name, value in attributes.items():
        node = root
        *outer, last = name.split(".")
        for key in outer:
            inner = node.setdefault(key, {})
            if not isinstance(inner, dict):
                # The name of an object is the name of a value, too.
                inner = node[key] = {"value": inner}
            node = inner
        node[last] = parse_if_json(value)
    return root
