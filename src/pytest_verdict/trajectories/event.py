"""`Event`: one call of a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

ARGS_NOT_RECORDED: Final = "args_not_recorded"
"""The source holds the call but not its arguments; they are unknown, which is not the same as none."""

ARGS_MALFORMED: Final = "args_malformed"
"""The source holds something that is not an object of arguments, such as broken JSON."""


@dataclass(frozen=True, slots=True)
class Event:
    """One call of a tool, or one step of a graph.

    Args:
        name: The tool.
        args: Its arguments by name; None counts as none.
        id: The identifier of the call in the source; never compared.
        group: The number of the group, from 0. Calls of one message, or at overlapping times, share a group.
        index: The position in the trajectory, from 0.
        result: The return value of the tool, as the source has it.
        error: Why the call failed, or None.
        agent: The agent that made the call, if the source names it.
        args_note: Why the arguments cannot be compared: ``args_not_recorded``, ``args_malformed``, or None if they can.
        args_text: The malformed arguments as a text for a person.

    Example:
        >>> Event("search", {"query": "tea"}) == Event("search", {"query": "tea"}, id=None)
        True
    """

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    group: int | None = None
    index: int = 0
    result: Any = None
    error: str | None = None
    agent: str | None = None
    args_note: str | None = None
    args_text: str | None = None

    def __post_init__(self) -> None:
        if self.args is None:
            object.__setattr__(self, "args", {})
