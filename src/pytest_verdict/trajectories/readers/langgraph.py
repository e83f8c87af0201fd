"""LangGraph step lists: for each invocation of a graph the names of its nodes, ``[["agent", "tools"], ["agent"]]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import call_within, entries
from pytest_verdict.trajectories.readers.plain import is_pair
from pytest_verdict.trajectories.readers.shape import MISSING, call, items, look


def recognises(value: Any) -> bool:
    """Say whether a value is a list of lists of names, or a dict that holds one under ``steps``."""
    steps = look(value, "steps") or value
    return bool(
        isinstance(steps, list | tuple)
        and steps
        and all(
            isinstance(step, list | tuple) and all(isinstance(node, str) for node in step) and not is_pair(step)
            for step in steps
        )
    )


def read(value: Any) -> Iterator[Event]:
    """Read the nodes as events without recorded arguments; the nodes of one step are one group."""
    if value is None:
        raise TrajectoryError("a list of steps must be a list, got null")
    steps = look(value, "steps")
    for key, item in entries(value) if steps is not None else ():
        # The states of the graph hold messages, whose calls are not its nodes.
        if key not in {"steps", "results"} and call_within(item, set()) is not None:
            raise TrajectoryError(f"the value has a call in the form {key!r}, which is not one of langgraph")
    for place, step in enumerate(items(value if steps is None else steps, "a list of steps")):
        for node in items(step, "a step"):
            if not isinstance(node, str):
                raise TrajectoryError(f"a node of a step is a name, got {shown(node, 80)}")
            yield call(node, MISSING, group=place)
