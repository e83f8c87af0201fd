"""What the readers share: access to dicts and objects alike, and the calls and results built from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED, Event

# The parts of a call, and the types of the blocks that are calls and results.
_ARGUMENT_KEYS: Final = ("args", "arguments", "input", "rawInput")
_ID_KEYS: Final = ("tool_call_id", "call_id", "toolUseId", "toolCallId", "id")
_CALL_KIND: Final = re.compile(r".*tool_use|(builtin-)?tool-call")
_RESULT_KIND: Final = re.compile(r".*tool_result|(builtin-)?tool-return|retry-prompt")

MISSING: Final[Any] = object()
"""The default for an absent key, because ``None`` is a value."""


class Result(NamedTuple):
    """The result of a tool; `name` is the tool if the result has no identifier of its call."""

    identifier: Any
    value: Any
    error: str | None = None
    name: Any = None


class CallLike(NamedTuple):
    """Something that looks like a call; a reader yields those that the format does not count as calls."""

    name: str | None
    id: str | None
    args: Any = MISSING
    path: str = ""
    """Where it is, with the positions of lists left out."""


CallOrResult = Event | Result | CallLike
"""What a reader yields, in the order of its source; the events are its own."""


def get(value: Any, *names: str, default: Any = None) -> Any:
    """Return the first of several keys of a mapping, or attributes of an object, that is not None; None if one is."""
    source = value.value if isinstance(value, EncodedObject) else value
    is_mapping = type(source) is dict or isinstance(source, Mapping)
    if not is_mapping and (isinstance(source, str | bytes | list | type) or type(source) is tuple):
        return default

    first = default
    for name in names:
        item = source.get(name, MISSING) if is_mapping else getattr(source, name, MISSING)
        if item is MISSING or (not is_mapping and callable(item)):
            continue
        if item is not None:
            return item
        first = None
    return first


def iter_entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a mapping, or the public attributes of an object."""
    source = value
    if isinstance(value, EncodedObject):
        source = value.value
    if isinstance(source, Mapping):
        yield from ((str(key), item) for key, item in source.items())
        return
    if isinstance(source, type) or callable(source):
        return
    if is_dataclass(source):
        yield from ((one.name, getattr(source, one.name, None)) for one in fields(source))
        return
    for names in (getattr(source, "_fields", ()), *(vars(one).get("__slots__", ()) for one in type(source).__mro__)):
        if isinstance(names, list | tuple):
            yield from ((name, getattr(source, name, None)) for name in names if not name.startswith("_"))
    # Pydantic keeps the extra fields of a model apart.
    for holder in (getattr(source, "__dict__", None), getattr(source, "__pydantic_extra__", None)):
        if isinstance(holder, Mapping):
            yield from ((key, item) for key, item in holder.items() if not key.startswith("_"))


def omit_keys(value: Any, *keys: str) -> dict[str, Any]:
    """Return the entries of an object without some keys."""
    return {key: item for key, item in iter_entries(value) if key not in keys}


def has(value: Any, *names: str) -> bool:
    """Return whether one of several keys or attributes is not None."""
    return get(value, *names) is not None


def require_list(value: Any, what: str) -> Sequence[Any]:
    """Return a list; None counts as an empty one."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise TrajectoryError(f"{what} must be a list, got {shown(value, 80)}")
    return value


def require_objects(value: Any, what: str, *marks: str) -> Sequence[Any]:
    """Return a list of objects, each with one of some keys; anything else may have been a call, so it is refused."""
    items = require_list(value, what)
    for place, item in enumerate(items):
        # A text may be a message.
        is_object = not (item is None or isinstance(item, bool | int | float | list | tuple))
        if not is_object or (marks and isinstance(item, str)):
            raise TrajectoryError(f"item {place} of {what} must be an object, got {shown(item, 80)}")
        if marks and get(item, *marks, default=MISSING) is MISSING:
            keys = ", ".join(repr(key) for key, _ in iter_entries(item)) or "nothing"
            raise TrajectoryError(f"item {place} of {what} has {keys}, but none of {', '.join(marks)}")
    return items


def get_objects(value: Any, *names: str) -> Sequence[Any]:
    return require_objects(get(value, *names), names[0])


def require_one(value: Any, what: str) -> Any:
    """Return the only item of a list, because a trajectory is one of them."""
    items = require_list(value, what)
    if len(items) != 1:
        raise TrajectoryError(
            f"{what} has {len(items)} items, and one of them is a trajectory: choose it by {what}[...]"
        )
    return items[0]


def unwrap_list(value: Any, *containers: str) -> Sequence[Any]:
    """Return the list in one of several containers; a list is itself, and any other value a list of one."""
    for container in containers:
        inner = get(value, container)
        if isinstance(inner, list | tuple):
            return inner
    if isinstance(value, list | tuple):
        return value
    return (value,)


def read_messages(value: Any) -> Sequence[Any]:
    return require_objects(unwrap_list(value, "messages"), "messages")


def get_blocks(message: Any) -> Any:
    """Return the content of a message; a plain text has no blocks."""
    content = get(message, "content")
    if isinstance(content, str):
        return []
    return content


def parse_if_json(value: Any) -> Any:
    """Parse a text that is a JSON document; return any other value unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return parse_json(value)
    except JsonTextError:
        return value


def format_failure(reason: Any) -> str:
    if isinstance(reason, str) and reason:
        return reason
    return "the tool reported an error"


def build_call(name: Any, args: Any, id: Any = None, error: Any = None, **fields: Any) -> Event:  # noqa: A002
    """Build the event of a call, whose arguments are an object, its JSON text, None, or MISSING if not recorded."""
    if not isinstance(name, str) or not name:
        raise TrajectoryError(f"a call needs the name of its tool, got {shown(name, 80)}")
    if error is not None:
        fields["error"] = format_failure(error)

    identifier = None if id is None else str(id)
    if args is None:
        return Event(name, id=identifier, **fields)
    if args is MISSING:
        return Event(name, id=identifier, args_note=ARGS_NOT_RECORDED, **fields)
    arguments = parse_if_json(args)
    if isinstance(arguments, Mapping) and all(isinstance(key, str) for key in arguments):
        return Event(name, arguments, identifier, **fields)
    return build_malformed_call(name, args, id=identifier, **fields)


def build_malformed_call(name: str, args: Any, **fields: Any) -> Event:
    text = args if isinstance(args, str) else shown(args, 500)
    return Event(name, args_note=ARGS_MALFORMED, args_text=text, **fields)


def read_call(block: Any, **fields: Any) -> Event:
    """Build the event of a block that is a call, under whichever keys a provider has its parts."""
    function = get(block, "function", "custom")
    name = function
    if function is None or isinstance(function, str):
        function = block
    args = get(function, *_ARGUMENT_KEYS, default=MISSING)
    if args is not MISSING and (function is get(block, "custom") or get(block, "type") == "custom_tool_call"):
        # A custom tool takes a text instead of an object.
        args = {"input": args}
    return build_call(
        get(function, "name", "tool_name", "toolName", default=name), args, id=get(block, *_ID_KEYS), **fields
    )


def read_result(block: Any) -> Result:
    """Build the result that a block is, under whichever keys a provider has its parts; it is also the reason of a failure."""
    content = get(block, "content", "output", "response", "result")
    error = get(block, "error", "errorText")
    is_failed = (
        bool(error)
        or get(block, "is_error", "isError") is True
        or get(block, "status") == "error"
        or get(block, "outcome") in ("failed", "denied", "interrupted", "retried")
    )
    reason = error if isinstance(error, str) else get(error, "message", default=content)
    failure = format_failure(reason) if is_failed else None
    return Result(get(block, "tool_use_id", *_ID_KEYS), content, failure, get(block, "name"))


def read_block(block: Any, **fields: Any) -> Iterator[CallOrResult]:
    """Read a block of a message, which is a call, a result, or something else."""
    kind = str(get(block, "type", "part_kind"))
    call = get(block, "toolUse", default=block if _CALL_KIND.fullmatch(kind) else None)
    if call is not None:
        yield read_call(call, **fields)
    result = get(block, "toolResult", default=block if _RESULT_KIND.fullmatch(kind) else None)
    # A request of pydantic-ai to try again may be about the answer instead of a call.
    if result is not None and (kind != "retry-prompt" or has(result, "tool_name")):
        read = read_result(result)
        yield read._replace(error=format_failure(read.value)) if kind == "retry-prompt" else read


def attach_results(items: Iterable[CallOrResult]) -> list[Event]:
    """Return the calls in order, each with its result; a result whose call is not there is refused."""
    events: list[Event] = []
    places: dict[str, int | None] = {}
    unanswered: dict[int, Event] = {}
    orphans: list[Result] = []
    for item in items:
        if isinstance(item, CallLike):
            places.setdefault(str(item.id), None)
            continue
        if isinstance(item, Event):
            if item.id:
                places[item.id] = len(events)
            unanswered[len(events)] = item
            events.append(replace(item, index=len(events)))
            continue

        identifier = str(item.identifier)
        place = places.get(identifier)
        if place is None:
            # A call or a result without an identifier may belong to any other of its name.
            same = (at for at, one in unanswered.items() if item.name in (None, one.name))
            place = next((at for at in same if not (events[at].id and item.identifier)), None)
        if place is None:
            orphans.append(item)
            continue
        unanswered.pop(place, None)
        if identifier in places or (item.name and not events[place].id):
            events[place] = replace(events[place], result=item.value, error=item.error)

    for item in orphans:
        if str(item.identifier) not in places:
            result = shown(item.identifier or item.name or item.value, 80)
            raise TrajectoryError(f"there is a result without its call, {result}; was the beginning cut off?")
    return events
