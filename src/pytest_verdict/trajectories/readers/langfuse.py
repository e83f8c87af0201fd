"""Langfuse: a trace with its ``observations``, or a list of observations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.runs import read_runs
from pytest_verdict.trajectories.readers.shape import has, list_of, look, objects

_TYPES: Final = "TOOL|GENERATION|SPAN|EVENT|AGENT|CHAIN|RETRIEVER|EVALUATOR|EMBEDDING|GUARDRAIL"
_READ: Final = frozenset({"input", "output", "metadata", "toolDefinitions", "toolCalls", "toolCallNames"})
_OBSERVATION: Final = Shape(("type",), read=_READ, types=_TYPES)
_ITEM: Final = Shape(("type", "observations"), {"observations": _OBSERVATION}, _READ, _TYPES)

ROOT: Final = Root(_ITEM, {"observations": _OBSERVATION, "data": _ITEM}, _READ | {"trace"})


def recognises(value: Any) -> bool:
    """Say whether a value is a trace with observations, or a list of observations or of traces."""
    return any(
        (isinstance(look(item, "observations"), list | tuple) and has(item, "timestamp", "trace"))
        or (has(item, "traceId", "trace_id") and str(look(item, "type")) in _TYPES.split("|"))
        for item in list_of(value, "data")
    )


def read(value: Any) -> Iterator[Event]:
    """Read the calls in the order of their start; calls that overlap in time are one group."""
    return read_runs(_observations(list_of(value, "data")))


def _observations(listed: Any) -> Iterator[Any]:
    for item in listed:
        yield item if look(item, "trace") is None else look(item, "trace")
        yield from objects(look(item, "observations"), "observations")
