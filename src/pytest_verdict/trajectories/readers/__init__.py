"""Readers: from what a framework recorded to a list of `Event`; one module per wire format."""

from __future__ import annotations

import importlib
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import TrajectoryError, allowed
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.foreign import refuse_foreign_calls
from pytest_verdict.trajectories.readers.shape import look

FORMATS: Final = (
    # In the order in which they are tried: a format comes before those that would take its values for their own.
    "mcp",
    "vertex",
    "langgraph",
    "openinference",
    "otel",
    "bedrock",
    "langchain",
    "anthropic",
    "gemini",
    "openai_responses",
    "openai_chat",
    "plain",
)
"""The names of the wire formats."""

AUTO: Final = "auto"


_CHAT_KEYS: Final = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "refusal"})
_PLAIN_KEYS: Final = frozenset({"name", "args", "arguments", "kwargs", "id"})


def read_trajectory(value: Any, format: str = AUTO) -> list[Event]:  # noqa: A002 - the word every user expects here
    """Read the calls that a framework recorded.

    Args:
        value: What was recorded, as objects, dicts or JSON text; see docs/how-to/trajectories.md for each format. It is
            never changed.
        format: ``auto`` to tell from the value, or a name of `FORMATS`.

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
    source = _opened(value)
    sure = _at_a_glance(source) if format == AUTO else None
    chosen = sure or (recognised_format(source) if format == AUTO else format)
    try:
        if sure is None:
            refuse_foreign_calls(chosen, source)
        events = _reader(chosen).read(source)
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
        # Evidence is untrusted, and the objects of other libraries raise what they like.
        reason = str(error) if isinstance(error, TrajectoryError) else f"{type(error).__name__}: {error}"
        raise TrajectoryError(f"cannot be read as {chosen}: {reason}") from None
    return [event.at(place) for place, event in enumerate(events)]


def recognised_format(value: Any) -> str:
    """Tell which format a value is in."""
    sure = _at_a_glance(value)
    if sure is not None:
        return sure
    for name in FORMATS:
        try:
            if _reader(name).recognises(value):
                return name
        except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError):
            continue
    raise TrajectoryError(f"is not a trajectory in any known format ({', '.join(FORMATS)}): {shown(value, 80)}")


def _at_a_glance(value: Any) -> str | None:
    if _is_surely_plain(value):
        return "plain"
    return "openai_chat" if _is_surely_chat(value) else None


def _is_surely_plain(value: Any) -> bool:
    # The usual expected side, told at a glance; everything else is shown to each reader in turn.
    return isinstance(value, list) and all(
        type(item) is str
        or type(item) is Event
        or (type(item) is dict and "name" in item and item.keys() <= _PLAIN_KEYS)
        for item in value
    )


def _is_surely_chat(value: Any) -> bool:
    # The usual observed side, likewise: text contents, so there are no blocks of another format in them.
    return isinstance(value, list) and all(
        type(message) is dict
        and "role" in message
        and message.keys() <= _CHAT_KEYS
        and (message.get("content") is None or type(message["content"]) is str)
        for message in value
    )


def check_format(name: str) -> None:
    """Refuse a format that does not exist."""
    if name != AUTO and name not in FORMATS:
        raise ValueError(f"Unknown trajectory format: {name!r}.{allowed('format', name, (AUTO, *FORMATS))}")


def read_turns(value: Any) -> list[Any]:
    """Take a conversation apart into turns.

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
    source = _opened(value)
    for container in ("conversation", "invocations", "turns", "messages"):
        inner = look(source, container)
        if isinstance(inner, list | tuple):
            source = inner
            break
    if not isinstance(source, list | tuple):
        raise TrajectoryError(f"turns are a list of trajectories, got {shown(value, 80)}")
    if any(_role(item) is not None for item in source):
        return _split_at_users(list(source))
    return list(source)


def _role(item: Any) -> str | None:
    if isinstance(item, str | list | tuple):
        return None
    kind = look(item, "role")
    if not isinstance(kind, str):
        kind = look(item, "type")
        return kind if isinstance(kind, str) and kind in {"human", "ai", "tool", "system"} else None
    return kind


def _split_at_users(messages: list[Any]) -> list[Any]:
    turns: list[list[Any]] = []
    for message in messages:
        starts = _role(message) in {"user", "human"} and not _holds_results(message)
        if starts or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _holds_results(message: Any) -> bool:
    # Anthropic and Bedrock send the results of tools back in the name of the user, Gemini likewise.
    blocks = look(message, "content", "parts")
    if not isinstance(blocks, list | tuple):
        return False
    return any(
        look(block, "type") == "tool_result"
        or look(block, "toolResult", "function_response", "functionResponse") is not None
        for block in blocks
    )


def _opened(value: Any) -> Any:
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    try:
        return parse_json(value)
    except JsonTextError as error:
        raise TrajectoryError(f"is not JSON: {error}") from None


def _reader(name: str) -> Any:
    # Imported when first used: a test that compares plain lists needs no reader of spans.
    return importlib.import_module(f"{__name__}.{name}")


__all__ = ["FORMATS", "read_trajectory", "read_turns", "recognised_format"]
