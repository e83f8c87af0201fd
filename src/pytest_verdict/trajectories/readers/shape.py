"""What the readers share: looking into dicts and objects alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError

MISSING: Final[Any] = object()
"""Stands for a key that is not there, because ``None`` is a value."""


def look(value: Any, *names: str, default: Any = None) -> Any:
    """Look up a key of a mapping or an attribute of an object."""
    if type(value) is dict:
        # Nearly all evidence is dicts; the general way below takes four times as long.
        for name in names:
            if name in value:
                return value[name]
        return default
    source = value.value if isinstance(value, EncodedObject) else value
    for name in names:
        if isinstance(source, Mapping):
            if name in source:
                return source[name]
        elif not isinstance(source, str | bytes | list | type) and type(source) is not tuple:
            found = getattr(source, name, MISSING)
            if found is not MISSING and not callable(found):
                return found
    return default


def has(value: Any, *names: str) -> bool:
    """Say whether a value has a key or attribute that is not None."""
    return look(value, *names) is not None


def blocks_of(message: Any) -> Any:
    """Give the content of a message, where it is no plain text."""
    content = look(message, "content")
    return [] if isinstance(content, str) else content


def items(value: Any, what: str) -> Sequence[Any]:
    """Insist on a list."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise TrajectoryError(f"{what} must be a list, got {shown(value, 80)}")
    return value


def objects(value: Any, what: str) -> Sequence[Any]:
    """Insist on a list of objects, in which a text may stand too."""
    found = items(value, what)
    # What stands in the place of an object may have been a call, and a call that is left out may make a comparison pass. A text
    # is what somebody said.
    for place, item in enumerate(found):
        if item is None or isinstance(item, bool | int | float | list | tuple):
            raise TrajectoryError(f"item {place} of {what} must be an object, got {shown(item, 80)}")
    return found


def messages_of(value: Any) -> Sequence[Any]:
    """Take messages out of their container, where there is one, and insist on objects."""
    return objects(list_of(value, "messages"), "messages")


def list_of(value: Any, *containers: str) -> Sequence[Any]:
    """Take the list out of its container, where there is one."""
    for container in containers:
        inner = look(value, container)
        if isinstance(inner, list | tuple):
            return inner
    return value if isinstance(value, list | tuple) else (value,)


def parsed(value: Any) -> Any:
    """Read a value that may be a JSON document in a text."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except JsonTextError:
        return value


def only_one(found: Any, what: str) -> Any:
    """Insist on a list with one item, because a trajectory is one of them."""
    listed = items(found, what)
    if len(listed) != 1:
        raise TrajectoryError(
            f"{what} has {len(listed)} items, and one of them is a trajectory: choose it by {what}[...]"
        )
    return listed[0]
