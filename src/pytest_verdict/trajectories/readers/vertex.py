"""Vertex AI evaluation rows: ``predicted_trajectory`` and ``reference_trajectory``, lists of tool_name and tool_input.

The first evaluation files of ADK hold the same lists under ``expected_tool_use``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Root, Shape
from pytest_verdict.trajectories.readers.shape import MISSING, call, has, items, list_of, look, parsed

_COLUMNS: Final = ("predicted_trajectory", "reference_trajectory", "expected_tool_use")
_CALL: Final = Shape(("tool_name", "toolName"), read=frozenset({"tool_name", "toolName", "tool_input", "toolInput"}))
_COLUMN: Final = Shape(text=True, one=True)

ROOT: Final = Root(_CALL, dict.fromkeys(_COLUMNS, _COLUMN), frozenset(_COLUMNS))


def recognises(value: Any) -> bool:
    """Say whether a value is a row with a trajectory column, or a list of calls with ``tool_name`` and ``tool_input``."""
    if has(value, *_COLUMNS):
        return True
    return any(has(made, "tool_name", "toolName") and has(made, "tool_input", "toolInput") for made in list_of(value))


def read(value: Any) -> Iterator[Event]:
    """Read the calls; a row does not say which were made together."""
    column = look(value, *_COLUMNS)
    listed = list_of(value) if column is None else items(parsed(column), "a trajectory column")
    for made in listed:
        yield call(look(made, "tool_name", "toolName"), look(made, "tool_input", "toolInput", default=MISSING))
