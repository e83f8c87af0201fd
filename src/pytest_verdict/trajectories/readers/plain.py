"""Plain lists: names, pairs of a name and arguments, dicts, `Event`, and the call objects of other tools."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import EncodedObject, class_name
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import Event
from pytest_verdict.trajectories.readers.allow_list import Format, entries
from pytest_verdict.trajectories.readers.calls import call, failure
from pytest_verdict.trajectories.readers.shape import MISSING, look

_NAMES: Final = ("name", "tool_name", "toolName", "tool")
_ARGS: Final = ("args", "arguments", "kwargs", "input_parameters", "tool_input", "toolInput", "parameters", "input")
_NAME_AND_ARGS: Final = {"name", "args"}
# Of the call objects of other tools too: a dict with a name and anything else may be a trace, a run or a file.
_KNOWN: Final = frozenset(
    {*_NAMES, *_ARGS, "id", "call_id", "tool_call_id", "group", "index", "result", "output", "error", "agent", "type"}
    | {"function", "args_note", "args_text", "description", "reasoning", "requestor", "action_id", "info"}
    | {"compare_args"}
)
_TYPES: Final = re.compile(r"function|tool|(tool|function)[-_](call|use)")
_FIELDS: Final = tuple(field.name for field in fields(Event))


@partial(Format, whole=lambda value: isinstance(value, list | tuple) or _is_call(value))
def plain(value: Any) -> Iterator[Event]:
    """Read a list whose items are calls in any plain form, mixed as you like."""
    if not isinstance(value, list | tuple) and not _is_call(value):
        raise TrajectoryError(f"a plain trajectory is a list of calls, or one call; got {shown(value, 80)}")
    listed = [value] if _is_call(value) else value
    # In a simulation the user may have tools too.
    return (read_item(item) for item in listed if look(item, "requestor") != "user")


def read_item(item: Any) -> Event:
    """Read one call in a plain form."""
    if isinstance(item, Event):
        return replace(item)
    if type(item) is dict and item.keys() == _NAME_AND_ARGS:
        return call(item["name"], item["args"])
    if isinstance(item, EncodedObject) and item.class_name == class_name(Event):
        return replace(Event(item.value["name"]), **{name: item.value[name] for name in _FIELDS if name in item.value})
    if isinstance(item, str):
        return call(item, MISSING)
    if is_pair(item):
        return call(item[0], item[1])
    function = look(item, "function")
    if function is not None and not isinstance(function, str):
        _refuse_unknown_keys(item)
        # One entry of an OpenAI message's tool_calls, taken out of its message.
        return replace(read_item(function), id=look(item, "id"))
    if not _is_call(item):
        raise TrajectoryError(
            f"a call is a name, a pair of a name and arguments, a dict with a name, or an Event; got {shown(item, 80)}"
        )
    _refuse_unknown_keys(item)
    error = look(item, "error")
    return call(
        look(item, *_NAMES),
        look(item, *_ARGS, default=MISSING),
        id=look(item, "id"),
        group=look(item, "group"),
        result=look(item, "result", "output"),
        error=None if error is None else failure(error),
        agent=look(item, "agent"),
    )


def _refuse_unknown_keys(item: Any) -> None:
    for key, value in entries(item):
        if key not in _KNOWN and value is not None:
            raise TrajectoryError(
                f"a call has no key {key!r}, so this is something else with a name: {shown(item, 80)}"
            )
    kind = look(item, "type")
    if kind is not None and not (isinstance(kind, str) and _TYPES.fullmatch(kind)):
        raise TrajectoryError(f"a call is not of the type {shown(kind, 80)}: {shown(item, 80)}")


def is_pair(item: Any) -> bool:
    """Say whether an item is a pair of a name and arguments: an object, the text of one, or None."""
    if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
        return False
    args = item[1]
    # No tool has a name that begins so, and two names in a list are not taken for a pair.
    return args is None or isinstance(args, Mapping) or (isinstance(args, str) and args.lstrip()[:1] == "{")


def _is_call(item: Any) -> bool:
    return not isinstance(item, str | list | tuple) and isinstance(look(item, *_NAMES), str)
