"""Readers: from what a framework recorded to a list of `Event`; one `Format` for each wire format.

The formats are what families bring by the hook ``trajectory_readers``: ours in the order of plugin.py, then those of others.
"""

import copy
import functools
from collections.abc import Iterator
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format
from pytest_verdict.trajectories.readers.calls import joined

AUTO: Final = "auto"

_HOOK: Final = "trajectory_readers"

# Evidence is untrusted, and the objects of other libraries raise what they like.
_RAISED: Final = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError, RecursionError)

_CHAT_KEYS: Final = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "refusal"})
_PLAIN_KEYS: Final = frozenset({"name", "args", "arguments", "kwargs", "id"})


def read_trajectory(value: Any, format: str = AUTO) -> list[Event]:  # noqa: A002 - the word every user expects here
    """Read the calls that a framework recorded.

    Args:
        value: What was recorded, as objects, dicts or JSON text; see docs/how-to/trajectories.md for each format. It is
            never changed.
        format: ``auto`` to tell from the value, or the name of a format.

    Returns:
        The calls in order. Malformed arguments are an event with the note ``args_malformed``; arguments that the source did
        not record have the note ``args_not_recorded``.

    Raises:
        TrajectoryError: The value is not in the format, or a call has no name.
        ValueError: There is no such format.

    Example:
        >>> made = {"id": "1", "function": {"name": "search", "arguments": '{"query": "tea"}'}}
        >>> [(event.name, event.args) for event in read_trajectory([{"role": "assistant", "tool_calls": [made]}])]
        [('search', {'query': 'tea'})]
        >>> [event.args_note for event in read_trajectory(["search"])]
        ['args_not_recorded']
    """
    check_format(format)
    source = opened(value)
    sure = _at_a_glance(source) if format == AUTO else None
    chosen = sure or (recognised_format(source) if format == AUTO else format)
    try:
        reader = _reader(chosen)
        if not isinstance(reader, Format):
            # One of another package is a module with the two functions alone, and may keep its events.
            return joined(map(copy.copy, reader.read(source)))
        if sure is None:
            reader.refuse_unknown_calls(chosen, source)
        return joined(reader.read(source))
    except _RAISED as error:
        reason = str(error) if isinstance(error, TrajectoryError) else f"{type(error).__name__}: {error}"
        raise TrajectoryError(f"cannot be read as {chosen}: {reason}") from None


def recognised_format(value: Any) -> str:
    """Tell which format a value is in."""
    sure = _at_a_glance(value)
    if sure is not None:
        return sure
    for name in _formats():
        try:
            if _reader(name).recognises(value):
                return name
        except _RAISED:
            continue
    raise TrajectoryError(f"is not a trajectory in any known format ({', '.join(_formats())}): {shown(value, 80)}")


def _formats() -> Iterator[str]:
    own = tuple(FAMILIES.own(_HOOK))
    yield from own
    # Other packages are looked for only when none of ours will do, because it takes a while.
    yield from (name for name in FAMILIES.all(_HOOK) if name not in own)


def _at_a_glance(value: Any) -> str | None:
    # The usual sides are told at a glance; everything else is shown to each reader in turn.
    if not isinstance(value, list):
        return None
    if all(map(_is_surely_plain, value)):
        return "plain"
    return "openai_chat" if all(map(_is_surely_chat, value)) else None


def _is_surely_plain(item: Any) -> bool:
    kind = type(item)
    return kind is str or kind is Event or (kind is dict and "name" in item and item.keys() <= _PLAIN_KEYS)


def _is_surely_chat(message: Any) -> bool:
    # Text contents, so there are no blocks of another format in them.
    if type(message) is not dict or "role" not in message or not message.keys() <= _CHAT_KEYS:
        return False
    content = message.get("content")
    return content is None or type(content) is str


def check_format(name: str) -> None:
    """Refuse a format that does not exist."""
    if name != AUTO and FAMILIES.find(_HOOK, name) is None:
        raise ValueError(f"Unknown trajectory format: {name!r}.{allowed('format', name, (AUTO, *_formats()))}")


@functools.cache
def _reader(name: str) -> Any:
    # Imported when first used: a test that compares plain lists needs no reader of spans.
    return load(str(FAMILIES.find(_HOOK, name)))


def opened(value: Any) -> Any:
    """Read a value that may be JSON text."""
    return from_json(value) if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"} else value


def from_json(text: str) -> Any:
    """Read JSON text."""
    try:
        return parse_json(text)
    except JsonTextError as error:
        raise TrajectoryError(f"is not JSON: {error}") from None
