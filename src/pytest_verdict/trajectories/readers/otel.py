"""OpenTelemetry GenAI spans, ``execute_tool`` with ``gen_ai.tool.*`` attributes, and OpenInference spans of the kind TOOL.

In both the calls that models requested and no tool ran are in the messages of the models' spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, Shape, refuse_unknown_attributes
from pytest_verdict.trajectories.readers.calls import call, call_in
from pytest_verdict.trajectories.readers.shape import MISSING, items, look, parsed
from pytest_verdict.trajectories.readers.spans import Span, SpanCall, executed_calls, in_time, is_span, read_spans

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
