"""Which events count, and what they are called; a selection that leaves nothing to compare is refused."""

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
_MCP: Final = re.compile(r"mcp__.+?__(?=.)", re.DOTALL)
_SEPARATORS: Final = ("__", "/", ":", ".", "-", "_")


class UnusableError(TrajectoryError):
    """What the author of the test wrote cannot be used, so that the comparison cannot be made; the note says how."""

    def __init__(self, note: str, reason: str) -> None:
        super().__init__(reason)
        self.note = note


class Selected(NamedTuple):
    """The events of one side that count, each with the name by which it is compared."""

    events: list[tuple[Event, str]]
    names: frozenset[str] = frozenset()
    """The tools of all its events, also of those that do not count."""
    is_emptied: bool = False
    """Whether it had events, and none was selected."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which events of a trajectory are compared."""

    aliases: Mapping[str, str]
    mcp_servers: Sequence[str] | str
    only_tools: Sequence[str] | None
    except_tools: Sequence[str]
    agents: Sequence[str] | None
    failed: Failed

    def steps(self) -> tuple[str, ...]:
        """Name the steps that are taken before anything is compared, as the record does."""
        steps = {
            "strip_mcp_prefix": bool(self.mcp_servers),
            "alias_tools": bool(self.aliases),
            "select_tools": self.only_tools is not None or bool(self.except_tools),
            "select_agents": self.agents is not None,
            "skip_failed_calls": self.failed == "skip",
        }
        return tuple(name for name, taken in steps.items() if taken)

    @property
    def selects(self) -> bool:
        """Whether it is by tools or agents."""
        return self.only_tools is not None or bool(self.except_tools) or self.agents is not None

    def of(self, events: Iterable[Event]) -> Selected:
        """Give the events that count."""
        if self.aliases or self.mcp_servers:
            named = [(event, canonical_name(event.name, self.aliases, self.mcp_servers)) for event in events]
        else:
            named = [(event, event.name) for event in events]
        chosen = [one for one in named if self._chooses(*one)] if self.selects else named
        names = frozenset(name for _, name in named) if self.selects else frozenset[str]()
        is_emptied = bool(named) and not chosen
        if self.failed == "skip":
            # A call whose arguments are malformed may well be noted as failed, and must never go unseen.
            chosen = [one for one in chosen if one[0].error is None or one[0].args_note == ARGS_MALFORMED]
        return Selected(chosen, names, is_emptied)

    def refuse_unknown(self, names: Iterable[str]) -> None:
        """Refuse the name of a tool that is not among those known."""
        known = sorted(set(names))
        for setting, written in (("only_tools", self.only_tools or ()), ("except_tools", self.except_tools)):
            for name in written:
                close = get_close_matches(name, known, 1, _LIKELY_TYPO if setting == "except_tools" else 0.6)
                # To leave out what happens not to be called leaves nothing unchecked, unless another tool was meant.
                if name in known or (setting == "except_tools" and not close):
                    continue
                meant = "".join(f" Did you mean {one!r}?" for one in close)
                reason = f"{setting} has {name!r}, which no side calls and no other setting names.{meant}"
                raise UnusableError(UNKNOWN_TOOL, f"{reason} Tools that need not be called are named in tools=[...]")

    def _chooses(self, event: Event, name: str) -> bool:
        return (
            (self.only_tools is None or name in self.only_tools)
            and name not in self.except_tools
            and (self.agents is None or event.agent is None or event.agent in self.agents)
        )


def joined_sides(turns: Iterable[Selected]) -> Selected:
    """Take the same side of several turns as one."""
    sides = list(turns)
    if len(sides) == 1:
        return sides[0]
    events = [one for side in sides for one in side.events]
    names = frozenset[str]().union(*(side.names for side in sides))
    return Selected(events, names, not events and any(side.is_emptied for side in sides))


def canonical_name(name: str, aliases: Mapping[str, str], servers: Sequence[str] | str) -> str:
    """Give the name by which a tool is compared."""
    bare = _without_server(name, servers)
    return aliases.get(bare, aliases.get(name, bare))


def _without_server(name: str, servers: Sequence[str] | str) -> str:
    if servers == "any":
        return _MCP.sub("", name, count=1) if name.startswith("mcp__") else name
    for server in servers:
        for prefix in filter(None, (f"mcp__{server}", server)):
            for separator in _SEPARATORS:
                rest = name.removeprefix(f"{prefix}{separator}")
                if rest not in {"", name}:
                    return rest
    return name
