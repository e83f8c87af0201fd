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
        id: The identifier that the source gave the call; never compared.
        group: Calls that were made together, in one message or at overlapping times, share a group; from 0.
        index: The position in the trajectory, from 0.
        result: What the tool returned, as the source has it.
        error: Why the call failed, or None.
        agent: Which agent made the call, when the source says so.
        args_note: Why the arguments cannot be compared: ``args_not_recorded``, ``args_malformed``, or None when they can.
        args_text: The malformed arguments as they were, for a person.

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

    def at(self, index: int) -> Event:
        """Give the same event at another position.

        Args:
            index: The position, from 0.

        Returns:
            This event when it is there already.
        """
        if self.index == index:
            return self
        # Spelt out, because dataclasses.replace is slow and trajectories are long.
        before = self.name, self.args, self.id, self.group
        return Event(*before, index, self.result, self.error, self.agent, self.args_note, self.args_text)
