"""`Format` declares a wire format: how it is recognised, what its lists hold, and how its calls are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    Result,
    attach_results,
    get,
    is_object,
    iter_entries,
    unwrap_list,
)
from pytest_verdict.trajectories.readers.unread import is_call_type, is_result_type, refuse_unread_calls

_RESULT_PARTS: Final = ("content", "output")


@dataclass(frozen=True, slots=True)
class Shape:
    """The objects of a list.

    Args:
        marks: Each object has at least one of these keys, separated by spaces; empty if every object fits.
        children: Keys with an object or a list of objects.
        types: A pattern of all types in the format, because a call may be of a type of tomorrow; None to accept all.
        type_key: The key of the type.
        allows_text: Whether a text may replace the object.
    """

    marks: str = ""
    children: Mapping[str, Shape] = field(default_factory=dict)
    types: str | None = None
    type_key: str = "type"
    allows_text: bool = False

    def check(self, value: Any, path: str, format_name: str) -> None:
        """Refuse a value that is no such object, or a list with an item that is none."""
        if isinstance(value, list | tuple):
            for place, item in enumerate(value):
                item_path = f"{path}[{place}]" if path else f"item {place}"
                if not is_object(item):
                    raise TrajectoryError(f"{item_path} must be an object, got {shown(item, 80)}")
                self.check(item, item_path, format_name)
            return
        if value is None or isinstance(value, bool | int | float):
            return
        if isinstance(value, str):
            if not self.allows_text:
                raise TrajectoryError(f"{path} is a text, not an object of {format_name}: {shown(value, 80)}")
            return

        kind = get(value, self.type_key)
        if self.types and kind is not None and not (isinstance(kind, str) and re.fullmatch(self.types, kind)):
            raise TrajectoryError(
                f"{path} has the {self.type_key} {shown(kind, 80)}, which is not known in {format_name}"
            )
        role = get(value, "role")
        if is_call_type(role):
            raise TrajectoryError(f"{path} has a call in the form {role!r}, which is not one of {format_name}")
        if self.marks and get(value, *self.marks.split(), default=MISSING) is MISSING:
            keys = ", ".join(repr(key) for key, _ in iter_entries(value)) or "nothing"
            marks = ", ".join(self.marks.split())
            raise TrajectoryError(f"{path} has {keys}, but none of the keys of {format_name}: {marks}")

        is_result = is_result_type(role) or is_result_type(get(value, "type"))
        for key, child in self.children.items():
            # A tool may return anything.
            if not (is_result and key in _RESULT_PARTS):
                child.check(get(value, key), f"{path}.{key}" if path else key, format_name)


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format: a list of items, one item, or an object with the list. ``partial(Format, ...)`` decorates `read`.

    Args:
        read: Yields the calls and the results of a value in their order.
        is_item: Whether an item belongs to this format.
        item: The shape of an item; None if `read` refuses what it does not know.
        containers: Keys that hold the list.
        is_whole: Whether a value belongs to this format whatever its items are.
        other_containers: Keys that hold objects of another shape.
        ignored: Keys under which nothing is a call of the agent: inputs, states, and the calls of somebody else.
        list_parts: Lists the parts of a value that are searched for calls; each may repeat the calls of the others.
    """

    read: Callable[[Any], Iterable[CallOrResult]]
    is_item: Callable[[Any], bool] = lambda _: False
    item: Shape | None = None
    containers: str = ""
    is_whole: Callable[[Any], bool] = lambda _: False
    other_containers: Mapping[str, Shape] = field(default_factory=dict)
    ignored: str = ""
    list_parts: Callable[[Any], Iterable[Any]] = lambda value: (value,)

    def recognises(self, value: Any) -> bool:
        return self.is_whole(value) or any(map(self.is_item, unwrap_list(value, *self.containers.split())))

    def read_all(self, name: str, value: Any) -> list[Event]:
        """Read a value, and refuse one of another format or one with calls that are not read."""
        self.check(name, value)
        items = list(self.read(value))
        calls = [item for item in items if not isinstance(item, Result)]
        reason = f"which is not read as {name}"
        refuse_unread_calls(self.list_parts(value), calls, reason, frozenset(self.ignored.split()))
        return attach_results(items)

    def check(self, name: str, value: Any) -> None:
        if self.item is None:
            return
        if isinstance(value, str):
            raise TrajectoryError(f"a text is no trajectory, got {shown(value, 80)}")
        if isinstance(value, list | tuple):
            self.item.check(value, "", name)
            return
        shapes = {**self.other_containers, **dict.fromkeys(self.containers.split(), self.item)}
        for container, shape in shapes.items():
            items = get(value, container, default=MISSING)
            if items is not MISSING:
                shape.check(items, container, name)
                return
        self.item.check(value, "the value", name)
