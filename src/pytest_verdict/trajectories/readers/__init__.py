"""Readers: from what a framework recorded to a list of `Event`, with one `Format` for each wire format.

Families register formats by the hook ``trajectory_readers``: ours in the order of plugin.py, then those of other packages.
"""

import functools
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Final

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import attach_results, get, has, unwrap_list
from pytest_verdict.trajectories.readers.unread import Format

AUTO: Final = "auto"

_HOOK: Final = "trajectory_readers"

# Evidence is untrusted, and the objects of other libraries may raise anything.
_READ_ERRORS: Final = (TypeError, AttributeError, LookupError, ValueError, ArithmeticError, RecursionError)


def read_trajectory(value: Any, format: str = AUTO) -> list[Event]:  # noqa: A002 - the word every user expects here
    """Read the calls that a framework recorded.

    Args:
        value: The recording, as objects, dicts or JSON text; see docs/how-to/trajectories.md for each format. It is never
            changed.
        format: The name of a format, or ``auto`` to recognise it.

    Returns:
        The calls in order. Malformed arguments are an event with the note ``args_malformed``; arguments that the source did
        not record have the note ``args_not_recorded``.

    Raises:
        TrajectoryError: The value is not in the format, or a call has no name.
        ValueError: There is no such format.

    Example:
        >>> call = {"id": "1", "function": {"name": "search", "arguments": '{"query": "tea"}'}}
        >>> [(event.name, event.args) for event in read_trajectory([{"role": "assistant", "tool_calls": [call]}])]
        [('search', {'query': 'tea'})]
        >>> [event.args_note for event in read_trajectory(["search"])]
        ['args_not_recorded']
    """
    check_format(format)
    source = decode_text(value)
    name = recognise_format(source) if format == AUTO else format
    try:
        reader = _load_reader(name)
        if isinstance(reader, Format):
            return reader.read_all(name, source)
        # A reader of another package is a module with two functions.
        return attach_results(reader.read(source))
    except TrajectoryError as error:
        reason = str(error)
    except _READ_ERRORS as error:
        reason = f"{type(error).__name__}: {error}"
    raise TrajectoryError(f"cannot be read as {name}: {reason}")


def read_turns(value: Any) -> list[Any]:
    """Split a conversation into turns.

    Args:
        value: A list of trajectories; or messages, which are split before each message of the user; or ADK invocations.

    Returns:
        One readable trajectory per turn.

    Raises:
        TrajectoryError: The value is not a list.

    Example:
        >>> turns = read_turns([{"role": "user", "content": "Hi"}, {"role": "user", "content": "Bye"}])
        >>> len(turns)
        2
    """
    source = decode_text(value)
    if get(source, "messages") and get(source, "events"):
        # The events of an Inspect AI sample may hold calls that the messages lack.
        raise TrajectoryError("turns are made of messages, and here events beside the messages may have further calls")
    items = unwrap_list(source, "conversation", "invocations", "turns", "messages")
    if items == (source,):
        raise TrajectoryError(f"turns are a list of trajectories, got {shown(source, 80)}")
    starts = [_starts_turn(item) for item in items]
    if None in starts and set(starts) == {None}:
        return list(items)
    turns: list[Any] = []
    for message, starts_turn in zip(items, starts, strict=True):
        if starts_turn or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _starts_turn(item: Any) -> bool | None:
    """Return whether a message begins a turn; None if the item is no message."""
    kind = get(item, "type")
    role = get(item, "role", default=kind if kind in ("human", "ai", "tool", "system") else None)
    if not isinstance(role, str):
        return None
    # Anthropic, Bedrock and Gemini return the results of tools in messages of the user.
    blocks = get(item, "content", "parts")
    has_results = isinstance(blocks, list | tuple) and any(
        get(block, "type") == "tool_result" or has(block, "toolResult", "function_response", "functionResponse")
        for block in blocks
    )
    return role in {"user", "human"} and not has_results


def recognise_format(value: Any) -> str:
    for name in _iter_formats():
        try:
            if _load_reader(name).recognises(value):
                return name
        except _READ_ERRORS:
            continue
    raise TrajectoryError(f"is not a trajectory in any known format ({', '.join(_iter_formats())}): {shown(value, 80)}")


def _iter_formats() -> Iterator[str]:
    own = tuple(FAMILIES.own(_HOOK))
    yield from own
    # Finding the formats of other packages is slow, so they come last.
    yield from (name for name in FAMILIES.all(_HOOK) if name not in own)


def check_format(name: str) -> None:
    if name != AUTO and FAMILIES.find(_HOOK, name) is None:
        raise ValueError(f"Unknown trajectory format: {name!r}.{allowed('format', name, (AUTO, *_iter_formats()))}")


@functools.cache
def _load_reader(name: str) -> Any:
    # Imported at first use: a test that compares plain lists needs no reader of spans.
    return load(str(FAMILIES.find(_HOOK, name)))


def decode_text(value: Any) -> Any:
    """Parse a text that is a JSON array or object; return any other value unchanged."""
    if isinstance(value, PurePath):
        raise TrajectoryError(f"is a path, so nothing of the file was read: give its text, {value}.read_text()")
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        try:
            return parse_json(value)
        except JsonTextError as error:
            raise TrajectoryError(f"is not JSON: {error}") from None
    return value
