"""OpenTelemetry GenAI spans: ``execute_tool`` spans with ``gen_ai.tool.*`` attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.shape import MISSING, call, call_in, items, look, parsed
from pytest_verdict.trajectories.readers.spans import Span, executed_calls, looks_like_spans, read_spans

_ARGS: Final = ("gen_ai.tool.call.arguments", "tool_arguments")
_RESULTS: Final = ("gen_ai.tool.call.result", "tool_response")
# ADK writes this attribute as "{}" when content is not captured, so there an empty object says nothing.
_ADK_ARGS: Final = "gcp.vertex.agent.tool_call_args"
# Earlier versions of ADK add a span for parallel calls taken together.
_MERGED: Final = "(merged tools)"


def recognises(value: Any) -> bool:
    """Say whether a value holds spans with ``gen_ai`` attributes, or spans of no known kind."""
    return looks_like_spans(value)


def read(value: Any) -> Iterator[Event]:
    """Read executed calls in the order of their start; calls that overlap in time are one group."""
    spans = read_spans(value)
    executed = _without_repeats([span for span in spans if _is_execution(span)])
    return executed_calls(spans, executed, "gen_ai.agent.name", _executed) if executed else _requested(spans)


def _is_execution(span: Span) -> bool:
    operation = span.attributes.get("gen_ai.operation.name")
    named = span.name.startswith("execute_tool") or (
        span.name == "running tool" and "gen_ai.tool.name" in span.attributes
    )
    return (operation == "execute_tool" or (operation is None and named)) and _tool(span) != _MERGED


def _tool(span: Span) -> str:
    return str(span.attributes.get("gen_ai.tool.name") or span.name.removeprefix("execute_tool").strip())


def _without_repeats(spans: list[Span]) -> list[Span]:
    seen: set[str] = set()
    kept = []
    for span in spans:
        identifier = span.attributes.get("gen_ai.tool.call.id")
        if isinstance(identifier, str) and identifier in seen:
            continue
        if isinstance(identifier, str) and identifier:
            seen.add(identifier)
        kept.append(span)
    return kept


def _executed(span: Span, **more: Any) -> Event:
    return call(
        _tool(span),
        _args(span),
        id=span.attributes.get("gen_ai.tool.call.id"),
        result=parsed(look(span.attributes, *_RESULTS)),
        **more,
    )


def _args(span: Span) -> Any:
    recorded = look(span.attributes, *_ARGS, default=MISSING)
    if recorded is not MISSING:
        return recorded
    from_adk = span.attributes.get(_ADK_ARGS, MISSING)
    return MISSING if parsed(from_adk) == {} else from_adk


def _requested(spans: list[Span]) -> Iterator[Event]:
    for place, span in enumerate(spans):
        for message in items(parsed(span.attributes.get("gen_ai.output.messages")), "gen_ai.output.messages"):
            for part in items(look(message, "parts"), "parts"):
                if look(part, "type") == "tool_call":
                    yield call_in(part, "arguments", id=look(part, "id"), group=place)
