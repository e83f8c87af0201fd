"""Which events count, and what they are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.tool_names import canonical_name

Failed = Literal["count", "skip"]


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

    def of(self, events: Iterable[Event]) -> list[tuple[Event, str]]:
        """Give the events that count, each with the name by which it is compared."""
        return [(event, name) for event in events if self._counts(event, name := self._name(event))]

    def _name(self, event: Event) -> str:
        if not self.aliases and not self.mcp_servers:
            return event.name
        return canonical_name(event.name, self.aliases, self.mcp_servers)

    def _counts(self, event: Event, name: str) -> bool:
        return (
            (self.only_tools is None or name in self.only_tools)
            and name not in self.except_tools
            and (self.agents is None or event.agent is None or event.agent in self.agents)
            # A call whose arguments are malformed may well be noted as failed, and must never go unseen.
            and (self.failed == "count" or event.error is None or event.args_note is not None)
        )
