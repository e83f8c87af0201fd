"""Spans of a trace: what the OpenTelemetry and the OpenInference readers share."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.calls import failure
from pytest_verdict.trajectories.readers.shape import has, items, list_of, look, objects

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
