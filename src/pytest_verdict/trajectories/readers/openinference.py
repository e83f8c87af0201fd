"""OpenInference spans: spans of the kind TOOL, or else the calls in the output messages of LLM spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.shape import MISSING, call, parsed
from pytest_verdict.trajectories.readers.spans import (
    Span,
    SpanCall,
    executed_calls,
    in_time,
    looks_like_spans,
    lost_requests,
    read_spans,
    refuse_unknown_attributes,
)

_KIND: Final = "openinference.span.kind"
_MARKS: Final = r"openinference\.span\.kind|llm\..+"
_KNOWN: Final = (
    r"openinference\.span\.kind|tool(_call)?\..+|llm\.((input|output)_messages|tools|invocation_parameters|token_count)\b.*"
    r"|input\..+|metadata"
)
# What the provider answered, which repeats the calls.
_COPIES: Final = r"|output\..+"
_CALL: Final = re.compile(r"llm\.output_messages\.(\d+)\.message\.tool_calls\.(\d+)\.tool_call\.(.+)")


def recognises(value: Any) -> bool:
    """Say whether a value holds spans with OpenInference attributes."""
    return looks_like_spans(value) and any(_KIND in span.attributes for span in read_spans(value))


def read(value: Any) -> Iterator[Event]:
    """Read executed calls in the order of their start; calls that overlap in time are one group."""
    spans = read_spans(value)
    tools = [span for span in spans if span.attributes.get(_KIND) == "TOOL"]
    executed = list(executed_calls(spans, tools, "agent.name", _executed))
    requested = list(_requested(spans))
    refuse_unknown_attributes(spans, _MARKS, _KNOWN + _COPIES if executed or requested else _KNOWN)
    return in_time(executed, lost_requests(executed, requested))


def _executed(span: Span, **more: Any) -> Event:
    attributes = span.attributes
    return call(
        attributes.get("tool.name") or span.name,
        attributes.get("input.value", MISSING),
        id=attributes.get("tool_call.id"),
        result=parsed(attributes.get("output.value")),
        **more,
    )


def _requested(spans: list[Span]) -> Iterator[SpanCall]:
    for place, span in enumerate(spans):
        found: dict[tuple[int, int], dict[str, Any]] = {}
        for name, value in span.attributes.items():
            match = _CALL.fullmatch(name)
            if match:
                found.setdefault((int(match[1]), int(match[2])), {})[match[3]] = value
        for _, made in sorted(found.items()):
            args = made.get("function.arguments", MISSING)
            yield span, call(made.get("function.name"), args, id=made.get("id"), group=place)
