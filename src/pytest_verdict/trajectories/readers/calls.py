"""Calls and results as readers find them; each result goes to its call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED, Event
from pytest_verdict.trajectories.readers.shape import MISSING, look, parsed


def call(name: Any, args: Any, id: Any = None, **more: Any) -> Event:  # noqa: A002 - the field of `Event`
    """Make an event of a call."""
    if not isinstance(name, str) or not name:
        raise TrajectoryError(f"a call needs the name of its tool, got {shown(name, 80)}")
    more["id"] = id if id is None else str(id)
    if args is MISSING:
        return Event(name, args_note=ARGS_NOT_RECORDED, **more)
    found = parsed(args)
    if found is None and args is None:
        return Event(name, **more)
    if isinstance(found, Mapping) and all(isinstance(key, str) for key in found):
        return Event(name, found, **more)
    return Event(name, args_note=ARGS_MALFORMED, args_text=as_text(args), **more)


def call_in(source: Any, *args: str, **more: Any) -> Event:
    """Make an event of an object with the name of a tool and, under one of some keys, its arguments."""
    return call(look(source, "name"), look(source, *args, default=MISSING), **more)


def as_text(args: Any) -> str:
    """Give arguments that are no object, for a person to read."""
    return args if isinstance(args, str) else shown(args, 500)


def failure(text: Any) -> str:
    """Describe why a call failed."""
    return text if isinstance(text, str) and text else "the tool reported an error"


class Result(NamedTuple):
    """What a tool returned: for which call, by its identifier or the name of its tool, and whether and why it failed."""

    identifier: Any
    value: Any
    failed: bool = False
    reason: Any = None
    name: Any = None

    @classmethod
    def of_content(cls, source: Any, identifier: Any, *, failed: bool) -> Result:
        """Give the content of an object, which also says why its call failed."""
        content = look(source, "content")
        return cls(identifier, content, failed, content)


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
