"""`Call`: an event as it is compared, and keys of values, which are equal exactly when the values are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_verdict.core.values.numbers import as_decimal, is_number
from pytest_verdict.trajectories.event import ARGS_NOT_RECORDED, Event


@dataclass(frozen=True, slots=True)
class Call:
    """An event with the name and the arguments that are compared, and a key that calls with equal arguments share."""

    event: Event
    name: str
    args: Mapping[str, Any]
    key: Hashable | None

    @property
    def unstated(self) -> bool:
        """Whether the source says nothing of the arguments."""
        return self.event.args_note == ARGS_NOT_RECORDED

    @property
    def known(self) -> bool:
        """Whether the arguments can be compared."""
        return self.event.args_note is None


def positions_by_tool(calls: Sequence[Call]) -> dict[str, list[int]]:
    """Sort the positions of calls by tool."""
    found: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        found.setdefault(call.name, []).append(at)
    return found


def calls_of_each_tool(expected: Sequence[Call], observed: Sequence[Call]) -> Iterator[tuple[list[int], list[int]]]:
    """Give the positions of expected and observed calls of each tool that both sides call."""
    offered = positions_by_tool(observed)
    for name, lefts in positions_by_tool(expected).items():
        if name in offered:
            yield lefts, offered[name]


def observed_of_same_tool(expected: Sequence[Call], observed: Sequence[Call]) -> list[list[int]]:
    """List the positions of the observed calls of the tool of each expected call."""
    offered = positions_by_tool(observed)
    return [offered.get(call.name, []) for call in expected]


def key_of(value: Any) -> Hashable | None:
    """Give a key by which equal values can be found without comparing each with each."""
    try:
        return _key(value)
    except (_NoKeyError, RecursionError):
        return None


class _NoKeyError(Exception):
    pass


def _key(value: Any) -> Hashable:
    kind = type(value)
    if kind is str:
        return ("text", value)
    if kind is int:
        return ("number", value)
    if value is None or kind is bool:
        return ("constant", repr(value))
    if kind is dict or isinstance(value, Mapping):
        return ("object", frozenset([(_key(name), _key(item)) for name, item in value.items()]))
    if kind is list or kind is tuple:
        return (kind.__name__, tuple([_key(item) for item in value]))
    number = as_decimal(value) if is_number(value) else None
    if number is None or number != number:  # noqa: PLR0124 - NaN equals nothing, so it has no key
        raise _NoKeyError
    return ("number", number)
