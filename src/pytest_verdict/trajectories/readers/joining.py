"""Joining: each result that a reader finds goes to its call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.shape import failure


class Result(NamedTuple):
    """What a tool returned: for which call, by its identifier or the name of its tool, and whether and why it failed."""

    identifier: Any
    value: Any
    failed: bool = False
    reason: Any = None
    name: Any = None


Found = Event | Result
"""What a reader gives, in the order of its source."""


def joined(found: Iterable[Found]) -> list[Event]:
    """Give the calls in order, each with its result; a result without a call is no event and is left out."""
    events: list[Event] = []
    by_id: dict[str, int] = {}
    without_id: dict[str, deque[int]] = {}
    for item in found:
        if isinstance(item, Event):
            if item.id:
                by_id[item.id] = len(events)
            else:
                without_id.setdefault(item.name, deque()).append(len(events))
            events.append(item.at(len(events)))
            continue
        waiting = None if item.identifier else without_id.get(item.name)
        place = waiting.popleft() if waiting else by_id.get(str(item.identifier))
        if place is not None:
            error = failure(item.reason) if item.failed else None
            events[place] = replace(events[place], result=item.value, error=error)
    return events
