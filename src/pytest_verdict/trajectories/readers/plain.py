"""Plain lists: names, pairs of a name and arguments, dicts, `Event`, and the call objects of other tools."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import EncodedObject, class_name
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.common import MISSING, build_call, get, iter_entries
from pytest_verdict.trajectories.readers.unread import Format

_NAME_KEYS: Final = ("tool_name", "toolName", "tool", "name")
_ARGUMENT_KEYS: Final = (
    *("args", "arguments", "kwargs", "input_parameters"),
    *("tool_input", "toolInput", "parameters", "input"),
)
# Includes the keys of other tools' call objects. A dict with a name and any other key may be a trace, a run or a file.
_CALL_KEYS: Final = frozenset(
    {*_NAME_KEYS, *_ARGUMENT_KEYS, "id", "call_id", "tool_call_id", "group", "index", "result", "output", "error"}
    | {"agent", "type", "function", "args_note", "args_text", "description", "reasoning", "requestor", "action_id"}
    | {"info", "compare_args"}
)
# JSON or several names.
_NO_NAME: Final = re.compile(r"\A\s*[{\[]|[,;\n]|->")
_CODE: Final = re.compile(r"\w\(")
_CALL_TYPE: Final = re.compile(r"function|tool|(tool|function)[-_](call|use)")


# Each item is read as a call or refused.
@partial(
    Format, is_whole=lambda value: isinstance(value, list | tuple) or _is_call(value), list_parts=lambda _value: ()
)
def plain(value: Any) -> Iterator[Event]:
    """Read a list whose items are calls in any plain form, in any mixture; or one call."""
    items = [value] if _is_call(value) else value
    if not isinstance(items, list | tuple):
        raise TrajectoryError(f"a plain trajectory is a list of calls, or one call; got {shown(value, 80)}")
    # The user of a simulation may call tools, too.
    return (read_call(item) for item in items if get(item, "requestor") != "user")


def read_call(item: Any) -> Event:
    if isinstance(item, Event):
        return replace(item)
    if isinstance(item, EncodedObject) and item.class_name == class_name(Event):
        event = Event(item.value["name"])
        return replace(event, **{one.name: item.value[one.name] for one in fields(Event) if one.name in item.value})
    if isinstance(item, str):
        if _NO_NAME.search(item) or (item.rstrip().endswith(")") and _CODE.search(item)):
            raise TrajectoryError(
                f"{shown(item, 80)} is no name of a tool; write an item for each call, a name or a dict with name and args"
            )
        return build_call(item, MISSING)
    if is_pair(item):
        return build_call(*item)

    function = get(item, "function")
    if function is not None and not isinstance(function, str):
        # One entry of the tool_calls of an OpenAI message, without its message.
        _refuse_unknown_keys(item)
        return replace(read_call(function), id=get(item, "id"))

    if not _is_call(item):
        raise TrajectoryError(
            f"a call is a name, a pair of a name and arguments, a dict with a name, or an Event; got {shown(item, 80)}"
        )
    _refuse_unknown_keys(item)
    return build_call(
        _get_only(item, _NAME_KEYS),
        _get_only(item, _ARGUMENT_KEYS),
        id=get(item, "id"),
        group=get(item, "group"),
        result=get(item, "result", "output"),
        error=get(item, "error"),
        agent=get(item, "agent"),
    )


def _get_only(item: Any, keys: Sequence[str]) -> Any:
    """Return the value of several keys; a call with two names or two kinds of arguments says nothing."""
    values = [value for value in (get(item, key, default=MISSING) for key in keys) if value is not MISSING]
    others = [value for value in values if value is not None]
    if any(value != others[0] for value in others):
        raise TrajectoryError(f"a call has one of {', '.join(keys)}, and this one has several: {shown(item, 80)}")
    return next(iter(others or values), MISSING)


def _refuse_unknown_keys(item: Any) -> None:
    for key, value in iter_entries(item):
        if key not in _CALL_KEYS and value is not None:
            raise TrajectoryError(
                f"a call has no key {key!r}, so this is something else with a name: {shown(item, 80)}"
            )
    kind = get(item, "type")
    if kind is not None and not (isinstance(kind, str) and _CALL_TYPE.fullmatch(kind)):
        raise TrajectoryError(f"a call is not of the type {shown(kind, 80)}: {shown(item, 80)}")


def is_pair(item: Any) -> bool:
    """Return whether an item is a pair of a name and arguments: an object, its JSON text, or None."""
    if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
        return False
    args = item[1]
    # No tool has a name that begins with a brace, so a list of two names is no pair.
    return args is None or isinstance(args, Mapping) or (isinstance(args, str) and args.lstrip()[:1] == "{")


def _is_call(item: Any) -> bool:
    return not isinstance(item, str | list | tuple) and isinstance(get(item, *_NAME_KEYS), str)
