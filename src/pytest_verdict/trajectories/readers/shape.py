"""What the readers share: looking into dicts and objects alike."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError

MISSING: Final[Any] = object()
"""Stands for a key that is not there, because ``None`` is a value."""


Getter = Callable[..., Any]
"""Looks up a key of a mapping or an attribute of an object, as ``dict.get`` does."""


def getter(value: Any) -> Getter:
    """Give what looks into a value, because to find that out for each key takes longer than the look."""
    if type(value) is dict:
        return value.get
    return partial(_inside, value.value if isinstance(value, EncodedObject) else value)


def _inside(source: Any, name: str, default: Any = None) -> Any:
    if isinstance(source, Mapping):
        return source.get(name, default)
    if isinstance(source, str | bytes | list | type) or type(source) is tuple:
        return default
    found = getattr(source, name, MISSING)
    return default if found is MISSING or callable(found) else found


def look(value: Any, *names: str, default: Any = None) -> Any:
    """Look up the first key of a mapping or attribute of an object that is there."""
    get = getter(value)
    for name in names:
        found = get(name, MISSING)
        if found is not MISSING:
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


def is_object(value: Any) -> bool:
    """Say whether a value may be an object; a text may, because it is what somebody said."""
    return not (value is None or isinstance(value, bool | int | float | list | tuple))


def objects(value: Any, what: str) -> Sequence[Any]:
    """Insist on a list of objects: what stands in the place of one may have been a call, which must not be left out."""
    found = items(value, what)
    for place, item in enumerate(found):
        if type(item) is not dict and not is_object(item):
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
