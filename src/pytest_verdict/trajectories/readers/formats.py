"""`Format` declares a wire format: how it is recognised, and how its calls are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    Result,
    attach_results,
    get,
    require_objects,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.unread import refuse_unread_calls


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format: a list of items, one item, or an object with the list. ``partial(Format, ...)`` decorates `read`.

    Args:
        read: Yields the calls and the results of a value in their order.
        is_item: Whether an item belongs to this format.
        marks: Each item has at least one of these keys; empty if `read` refuses what it does not know.
        containers: Keys that hold the list.
        is_whole: Whether a value belongs to this format whatever its items are.
        ignored: Keys under which nothing is a call of the agent: inputs, states, and the calls of somebody else.
        list_parts: Lists the parts of a value that are searched for calls; each may repeat the calls of the others.
    """

    read: Callable[[Any], Iterable[CallOrResult]]
    is_item: Callable[[Any], bool] = lambda _: False
    marks: str = ""
    containers: str = ""
    is_whole: Callable[[Any], bool] = lambda _: False
    ignored: str = ""
    list_parts: Callable[[Any], Iterable[Any]] = lambda value: (value,)

    def recognises(self, value: Any) -> bool:
        return self.is_whole(value) or any(map(self.is_item, unwrap_list(value, *self.containers.split())))

    def read_all(self, name: str, value: Any) -> list[Event]:
        """Read a value, and refuse one of another format or one with calls that are not read."""
        if self.marks:
            self.check_items(name, value)
        items = list(self.read(value))
        calls = [item for item in items if not isinstance(item, Result)]
        reason = f"which is not read as {name}"
        refuse_unread_calls(self.list_parts(value), calls, reason, frozenset(self.ignored.split()))
        return attach_results(items)

    def check_items(self, name: str, value: Any) -> None:
        items = get(value, *self.containers.split(), default=MISSING)
        if items is MISSING and not self.is_whole(value):
            items = value
        if items is not MISSING and items is not None:
            require_objects(unwrap_list(items), name, *self.marks.split())
