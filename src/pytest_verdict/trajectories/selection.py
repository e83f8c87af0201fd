"""Which events count, and under which names; a selection that leaves nothing to compare is refused."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final, Literal, NamedTuple

from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_MALFORMED, Event

Failed = Literal["count", "skip"]

UNKNOWN_TOOL: Final = "unknown_tool"
EMPTY_SELECTION: Final = "empty_selection"
_LIKELY_TYPO: Final = 0.8
_MCP_PREFIX: Final = re.compile(r"\Amcp__.+?__(?=.)", re.DOTALL)
_SEPARATORS: Final = ("__", "/", ":", ".", "-", "_")


class UnusableError(TrajectoryError):
    """The expected side or a setting cannot be used, so the comparison is an error; the note is its code."""

    def __init__(self, note: str, reason: str) -> None:
        super().__init__(reason)
        self.note = note


class Selected(NamedTuple):
    """The events of one side that count, each with the name that is compared."""

    events: list[tuple[Event, str]]
    names: frozenset[str] = frozenset()
    """The tools of all events, selected or not."""
    is_emptied: bool = False
    """Whether there were events, and none was selected."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The settings that select and rename the events of a trajectory."""

    aliases: Mapping[str, str]
    mcp_servers: Sequence[str] | str
    only_tools: Sequence[str] | None
    except_tools: Sequence[str]
    agents: Sequence[str] | None
    failed: Failed

    def list_steps(self) -> tuple[str, ...]:
        """Return the names of the normalization steps for the record."""
        steps = {
            "strip_mcp_prefix": bool(self.mcp_servers),
            "alias_tools": bool(self.aliases),
            "select_tools": self.only_tools is not None or bool(self.except_tools),
            "select_agents": self.agents is not None,
            "skip_failed_calls": self.failed == "skip",
        }
        return tuple(name for name, is_applied in steps.items() if is_applied)

    @property
    def is_selective(self) -> bool:
        """Whether events are selected by their tools or agents."""
        return self.only_tools is not None or bool(self.except_tools) or self.agents is not None

    def select(self, events: Iterable[Event]) -> Selected:
        """Return the events that count."""
        if self.aliases or self.mcp_servers:
            pairs = [(event, get_canonical_name(event.name, self.aliases, self.mcp_servers)) for event in events]
        else:
            pairs = [(event, event.name) for event in events]

        selected = pairs
        names = frozenset[str]()
        if self.is_selective:
            selected = [(event, name) for event, name in pairs if self._includes(event, name)]
            names = frozenset(name for _, name in pairs)
        is_emptied = bool(pairs) and not selected
        if self.failed == "skip":
            # A call with malformed arguments often has an error too, and must never be skipped.
            selected = [pair for pair in selected if pair[0].error is None or pair[0].args_note == ARGS_MALFORMED]
        return Selected(selected, names, is_emptied)

    def _includes(self, event: Event, name: str) -> bool:
        return (
            (self.only_tools is None or name in self.only_tools)
            and name not in self.except_tools
            and (self.agents is None or event.agent is None or event.agent in self.agents)
        )

    def refuse_unknown(self, names: Iterable[str]) -> None:
        """Refuse to select a tool that is not among some names."""
        tools = sorted(set(names))
        for name in self.only_tools or ():
            if name not in tools:
                raise _unknown_tool("only_tools", name, get_close_matches(name, tools, 1))
        for name in self.except_tools:
            # Excluding a tool that is not called is harmless, unless another tool was meant.
            close = get_close_matches(name, tools, 1, _LIKELY_TYPO)
            if name not in tools and close:
                raise _unknown_tool("except_tools", name, close)


def _unknown_tool(setting: str, name: str, close: Sequence[str]) -> UnusableError:
    reason = f"{setting} has {name!r}, which no side calls and no other setting names."
    if close:
        reason += f" Did you mean {close[0]!r}?"
    return UnusableError(UNKNOWN_TOOL, f"{reason} Tools that need not be called are named in tools=[...]")


def join_sides(turns: Iterable[Selected]) -> Selected:
    """Join the same side of several turns."""
    sides = list(turns)
    if len(sides) == 1:
        return sides[0]
    events = [pair for side in sides for pair in side.events]
    names = frozenset[str]().union(*(side.names for side in sides))
    is_emptied = not events and any(side.is_emptied for side in sides)
    return Selected(events, names, is_emptied)


def get_canonical_name(name: str, aliases: Mapping[str, str], servers: Sequence[str] | str) -> str:
    """Return the name by which a tool is compared: without the prefix of an MCP server, and by its alias."""
    bare = _strip_server(name, servers)
    return aliases.get(bare, aliases.get(name, bare))


def _strip_server(name: str, servers: Sequence[str] | str) -> str:
    if servers == "any":
        return _MCP_PREFIX.sub("", name)
    for server in servers:
        for prefix in filter(None, (f"mcp__{server}", server)):
            for separator in _SEPARATORS:
                rest = name.removeprefix(f"{prefix}{separator}")
                if rest not in {"", name}:
                    return rest
    return name
