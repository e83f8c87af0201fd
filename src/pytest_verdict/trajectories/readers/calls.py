"""Calls and results as readers find them; each result goes to its call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED, Event
from pytest_verdict.trajectories.readers.shape import MISSING, look, parsed


def call(
    name: Any,
    args: Any,
    id: Any = None,  # noqa: A002 - the field of `Event`
    group: int | None = None,
    agent: str | None = None,
    result: Any = None,
    error: str | None = None,
) -> Event:
    """Make an event of a call."""
    if not isinstance(name, str) or not name:
        raise TrajectoryError(f"a call needs the name of its tool, got {shown(name, 80)}")
    found, note, text = _arguments(args)
    return Event(name, found, id if id is None else str(id), group, 0, result, error, agent, note, text)


def _arguments(args: Any) -> tuple[Any, str | None, str | None]:
    found = parsed(args)
    if type(found) is dict and found is not args:
        return found, None, None
    if args is MISSING:
        return None, ARGS_NOT_RECORDED, None
    if args is None or (isinstance(found, Mapping) and all(isinstance(key, str) for key in found)):
        return found, None, None
    return None, ARGS_MALFORMED, as_text(args)


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
"""What a reader gives, in the order of its source; the events are its own."""


def joined(found: Iterable[Found]) -> list[Event]:
    """Give the calls in order, each with its result; a result without a call is no event and is left out."""
    events: list[Event] = []
    by_id: dict[str, Event] = {}
    without_id: dict[str, deque[Event]] = {}
    # Completed where they are: a copy takes longer than reading the call.
    complete = object.__setattr__
    for item in found:
        if isinstance(item, Event):
            if item.id:
                by_id[item.id] = item
            else:
                without_id.setdefault(item.name, deque()).append(item)
            complete(item, "index", len(events))
            events.append(item)
            continue
        waiting = None if item.identifier else without_id.get(item.name)
        event = waiting.popleft() if waiting else by_id.get(str(item.identifier))
        if event is not None:
            complete(event, "result", item.value)
            complete(event, "error", failure(item.reason) if item.failed else None)
    return events
