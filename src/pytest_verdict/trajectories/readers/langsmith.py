"""LangSmith: a run with its ``child_runs``, or a list of runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Root, Shape, refuse_unknown_calls
from pytest_verdict.trajectories.readers.runs import read_runs
from pytest_verdict.trajectories.readers.shape import has, list_of, look, objects

_RUN: Final = Shape(
    ("run_type",),
    read=frozenset({"inputs", "outputs", "extra", "metadata", "events", "serialized", "manifest"})
    | {"child_runs", "parent_run", "feedback_stats"},
    types="(?i:tool|llm|chain|retriever|embedding|prompt|parser)",
    kind="run_type",
)

ROOT: Final = Root(_RUN, {"runs": _RUN})


def recognises(value: Any) -> bool:
    """Say whether a value holds runs."""
    return any(has(run, "run_type") for run in list_of(value, "runs"))


def read(value: Any) -> Iterator[Event]:
    """Read the calls in the order of their start; calls that overlap in time are one group."""
    return read_runs(_with_children(list_of(value, "runs")))


def _with_children(runs: Any) -> Iterator[Any]:
    refuse_unknown_calls(ROOT, "langsmith", runs)
    for run in runs:
        yield run
        yield from _with_children(objects(look(run, "child_runs"), "child_runs"))
