"""`Format` declares a wire format, and every call in a value is read or left out for a reason.

A call that a reader overlooks could make a comparison pass. So everything in a value that looks like a call, at any depth and
in any format, must be one that was read or left out, repeat one of them, or be in a place where nothing is a call of the agent.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.equality import content_key
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.event import ARGS_NOT_RECORDED, Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    CallOrResult,
    Result,
    attach_results,
    get,
    iter_entries,
    parse_if_json,
    require_objects,
    unwrap_list,
)

# The keys of the tool's name, in snake case; the first ones are never the name of anything else, the others beside arguments.
_TOOL_KEYS: Final = (
    *("tool_name", "function_name", "tool", "function", "action_name", "action", "func", "fn", "recipient_name"),
    *("tool_slug", "tool_id"),
)
_NAME_KEYS: Final = (*_TOOL_KEYS, "name", "api_name", "method", "operation", "skill", "command")
_ARGUMENT_KEY: Final = re.compile(
    r"((tool|function|action|call|raw|input)_)*(args?|arguments?|kwargs|inputs?|param(eter)?s?|payload)(_(json|str|text))?"
)
# These keys are of calls alone; the others may be the settings of something with a name, or the input of a run.
_CALL_ARGUMENTS: Final = re.compile(r"(.+_)?(args|arguments)(_(json|str|text))?|(tool|function|action|call|raw)_.+")
_TOOL: Final = re.compile(r"[\w.:/-]+")
_ID_KEYS: Final = ("tool_call_id", "tool_use_id", "call_id", "id")
_KIND_KEYS: Final = ("type", "role", "part_kind", "block_type", "kind", "event", "event_kind")
# The keys of objects around the name and the arguments.
_INNER_KEYS: Final = ("function", "custom", "tool_call", "function_call", "tool_use")

_CALL_KEY: Final = re.compile(
    r"(.*_)?(tool|function)s?_?(call(ed)?|used?|invocation|request|execution)s?(_(chunk|delta)s?)?|executable_code|actions?"
    r"|(called|used|invoked|executed)_(tool|function)s?"
)
_CALL_TYPE: Final = re.compile(
    r".*(tool|function)[-_]?(use|call|invocation|execution|request)([-_]?(chunk|delta|start|event))?|.*[-_](call|action)([-_]?v?\d+)?"
    r"|(tool|function)_code|tool-(?!result|return|error|output|response|approval).+|dynamic-tool",
    re.IGNORECASE,
)
_AFFIXES: Final = re.compile(r"\Atool-|[-_](call|use)\Z")
_CALL_WORDS: Final = frozenset({"tool", "function", "action", "call", "invocation", "request", "command", "step"})
_RESULT_KEY: Final = re.compile(r"(.*_)?(tool|function)s?_?(use_?|call_?)?(result|response|return|output)s?")
_RESULT_TYPE: Final = re.compile(
    r"retry-prompt|.*_output|.*(tool|function)[-_]?(call)?[-_]?(result|response|return|output|error|message).*",
    re.IGNORECASE,
)
_RESULT_PARTS: Final = frozenset({"result", "output", "observation", "response"})
_WORD_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# What models write before a call if nobody parses it; coding agents name a call by its element, as in <read_file><path>.
_WRITTEN_CALL: Final = re.compile(
    r"<\|?(start_)?(use_mcp_)?(tool|function|python_tag|invoke name)(?!s? name)|<\uff5ctool|\[TOOL_CALLS\]|\u273fFUNCTION\u273f"
    r"|\bto=functions\.|^```tool_code|\bdefault_api\.\w|\bfunctools\[\s*\{|^[ \t*#]*Action[ *]*:.*\n+[ \t*#]*Action Input\b"
    r"|^[ \t]*<(?!\w*(answer|context|output|reasoning|response|result|thinking|thought)s?>)[a-z]+(_[a-z]+)+>\s*<[a-z_]+>",
    re.MULTILINE,
)
_FENCE: Final = re.compile(r"\A```\w*\n|\n```\Z")
_PYTHON_CALL: Final = re.compile(
    r"\[[\w.]+\((?s:.*)\)\]|[A-Za-z_][\w.]{2,}\((\w+=(\"[^\"\n]*\"|'[^'\n]*'|[\w.-]+)(,\s*)?)+\)"
)

# Values under these keys have a name and parameters, but they are descriptions and no calls.
_DESCRIBED: Final = re.compile(
    r"tools|functions|(tool|function)_(definition|declaration)s|(agent|model|evaluator|scorer|metric)s?|config|settings|judge"
    r"|experiment|metadata|parsed"
)
_PARAMETERS: Final = frozenset({"parameters", "params", "kwargs"})
_INPUTS: Final = _PARAMETERS | {"input", "input_parameters"}
# An object with a name, an input and one of these keys is a run or an agent.
_RUN_KEY: Final = re.compile(r"messages|choices|candidates|contents|steps|runs|spans|history|turns|tools|agents")
_SETTINGS: Final = frozenset({"tool_choice", "tool_config", "response_format", "usage", "usage_metadata"})
_CHOICES: Final = frozenset({"", "auto", "none", "required", "any"})
_SCHEMA_KEY: Final = re.compile(r"parameters|args|inputs|((parameters_)?json_|args_|input_)?schema")
_SCHEMA_MARKS: Final = frozenset({"type", "properties", "$ref", "$defs", "anyOf", "any_of", "allOf", "enum"})


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format: a list of items, one item, or an object with the list. ``partial(Format, ...)`` decorates `read`.

    Args:
        read: Yields the calls and the results of a value in their order.
        is_item: Whether an item belongs to this format.
        marks: Each item has at least one of these keys; empty if `read` refuses what it does not know.
        containers: Keys that hold the list.
        is_whole: Whether a value belongs to this format whatever its items are.
        ignored: Keys under which nothing is a call of the agent: inputs, states, and the calls of somebody else.
        list_parts: Lists the parts of a value that are searched for calls; each may repeat the calls of the others.
    """

    read: Callable[[Any], Iterable[CallOrResult]]
    is_item: Callable[[Any], bool] = lambda _: False
    marks: str = ""
    containers: str = ""
    is_whole: Callable[[Any], bool] = lambda _: False
    ignored: str = ""
    list_parts: Callable[[Any], Iterable[Any]] = lambda value: (value,)

    def recognises(self, value: Any) -> bool:
        return self.is_whole(value) or any(map(self.is_item, unwrap_list(value, *self.containers.split())))

    def read_all(self, name: str, value: Any) -> list[Event]:
        """Read a value, and refuse one of another format or one with calls that are not read."""
        whole = MISSING if self.is_whole(value) else value
        listed = get(value, *self.containers.split(), default=whole)
        if self.marks and listed is not MISSING and listed is not None:
            require_objects(unwrap_list(listed), name, *self.marks.split())
        items = list(self.read(value))
        calls = [item for item in items if not isinstance(item, Result)]
        reason = f"which is not read as {name}"
        refuse_unread_calls(self.list_parts(value), calls, reason, frozenset(self.ignored.split()))
        return attach_results(items)


def refuse_unread_calls(
    parts: Iterable[Any], events: Sequence[Event | CallLike], reason: str, ignored: Collection[str] = frozenset()
) -> None:
    """Refuse a value with more calls than its reader returned or left out; each part of it may repeat every call."""
    identities = {identity for event in events if event.id for identity in ((event.name, event.id), (None, event.id))}
    keys: dict[tuple[str | None, bool], list[Any]] = {}
    for event in events:
        key = _get_key(event.args)
        if isinstance(event, Event) and event.args_note is not None:
            key = _get_key(MISSING if event.args_note == ARGS_NOT_RECORDED else event.args_text)
        for name in (event.name, None):
            # A call whose identifier nothing has may only repeat one without an identifier.
            for has_id in (False,) if event.id else (False, True):
                keys.setdefault((name, has_id), []).append(key)

    for part in parts:
        unmatched: dict[tuple[str, bool, str | None], list[Any]] = {}
        for call in find_calls(part, ignored):
            if (call.name, call.id) in identities:
                continue
            has_id = call.id is not None
            candidates = unmatched.setdefault((call.path, has_id, call.name), list(keys.get((call.name, has_id), ())))
            key = _get_key(call.args)
            if call.name is None and key is None:
                candidates.clear()
            at = next((at for at, other in enumerate(candidates) if None in (key, other) or key == other), None)
            if at is None:
                name = "a call" if call.name is None else f"a call of {shown(call.name, 80)}"
                raise TrajectoryError(f"{call.path or 'the value'} has {name}, {reason}")
            candidates.pop(at)


def _get_key(args: Any) -> Any:
    """Return a key that equal arguments share; None if they are unknown, so that they may equal any."""
    if args is MISSING:
        return None
    value = parse_if_json(args)
    return (content_key({} if value is None or value == "" else value),)


def find_calls(value: Any, ignored: Collection[str] = frozenset()) -> list[CallLike]:
    """Return everything in a value that looks like a call."""
    search = _Search(ignored)
    search.look_into(value, "")
    return search.calls


def require_one_answer(answers: Any, what: str) -> None:
    """Refuse alternatives with calls, because a trajectory has one of them."""
    if isinstance(answers, list | tuple) and len(answers) > 1 and find_calls(answers):
        raise TrajectoryError(f"{what} has {len(answers)} answers, and one of them is a trajectory: choose it")


@dataclass(slots=True)
class _Search:
    ignored: Collection[str]
    calls: list[CallLike] = field(default_factory=list)
    visited: set[int] = field(default_factory=set)

    def look_into(self, value: Any, path: str, *, is_described: bool = False, are_calls: bool = False) -> None:
        """Look into a value; `are_calls` is for the value of a key for calls, in which a text is a name."""
        if isinstance(value, str) and are_calls and value not in _CHOICES:
            self.calls.append(CallLike(value if _TOOL.fullmatch(value) else None, None, path=path))
        if value is None or isinstance(value, str | bytes | bool | int | float):
            return
        is_visited = id(value) in self.visited
        self.visited.add(id(value))
        items = value
        if are_calls and isinstance(value, Mapping) and value and all(str(key).isdigit() for key in value):
            items = value.values()
        if isinstance(items, Collection) and not isinstance(items, Mapping) and not hasattr(items, "_fields"):
            for item in () if is_visited else items:
                self.look_into(item, f"{path}[]", is_described=is_described, are_calls=are_calls)
        elif isinstance(value, dict) or not is_visited:
            count = len(self.calls)
            entries = {key: item for key, item in iter_entries(value) if key not in self.ignored}
            by_key = {to_snake_case(key): item for key, item in entries.items()}
            self._look_into_object(entries, by_key, path, is_described=is_described, is_visited=is_visited)
            if are_calls and count == len(self.calls) and any(by_key.values()):
                self._add(by_key, path)

    def _look_into_object(
        self, entries: Mapping[str, Any], by_key: Mapping[str, Any], path: str, *, is_described: bool, is_visited: bool
    ) -> None:
        if by_key.get("requestor") == "user" or _is_definition(by_key):
            return
        kinds = [by_key[key] for key in _KIND_KEYS if _has_text(by_key, (key,))]
        is_result = _is_result(by_key, kinds)
        is_executed = not is_result and _has_text(by_key, _TOOL_KEYS) and not _RESULT_PARTS.isdisjoint(by_key)
        if is_executed or _is_call(by_key, is_described=is_described):
            self._add(by_key, path)
            return
        if is_visited:
            return

        count = len(self.calls)
        for original, item in entries.items():
            key = to_snake_case(original)
            place = f"{path}.{original}" if path else original
            are_calls = _matches(_CALL_KEY, key)
            is_inner = (is_described and original == "function") or _matches(_DESCRIBED, key)
            if key not in _SETTINGS and not _matches(_RESULT_KEY, key) and (are_calls or not is_result):
                self.look_into(item, place, is_described=is_inner and not are_calls, are_calls=are_calls)
        names = [call.name for call in self.calls[count:] if call.name]
        if any(map(_is_call_type, kinds)) and not names:
            del self.calls[count:]
            self._add(by_key, path)
            names = [call.name for call in self.calls[count:] if call.name]
        if any(not any(name in text for name in names) for text in _list_written_calls(by_key)):
            self.calls.append(CallLike(None, None, path=f"the text of {path or 'the value'}"))

    def _add(self, entries: Mapping[str, Any], path: str) -> None:
        if entries.get("requestor") == "user":
            return
        identifier = next((entries[key] for key in _ID_KEYS if isinstance(entries.get(key), str | int)), None)
        source = next((entries[key] for key in _INNER_KEYS if isinstance(entries.get(key), Mapping)), entries)
        fields = {to_snake_case(key): item for key, item in iter_entries(source)}
        name = next((fields[key] for key in _NAME_KEYS if _has_text(fields, (key,))), None)
        if name is None:
            kinds = [entries[key] for key in _KIND_KEYS if _is_call_type(entries.get(key))]
            tools = [_AFFIXES.sub("", kind) for kind in kinds[:1]]
            name = next((tool for tool in tools if tool and not tool.endswith(("tool", "function"))), None)
        args = next((item for _, item in _list_arguments(fields) if item is not None), MISSING)
        self.calls.append(CallLike(name, None if identifier in (None, "") else str(identifier), args, path))


def _is_result(entries: Mapping[str, Any], kinds: Sequence[str]) -> bool:
    if entries.get("role") in ("tool", "function") or any(_matches(_RESULT_TYPE, kind) for kind in kinds):
        return True
    return entries.get("type") == "tool" and "tool_call_id" in entries


def _is_call(entries: Mapping[str, Any], *, is_described: bool = False) -> bool:
    """Return whether an object has the name of a tool and arguments."""
    kind = entries.get("type")
    # A type may be the key of the name.
    if kind in ("tool", "function", "action", "call") and _has_text(entries, (kind,)):
        return True
    inner = entries.get("function")
    if isinstance(inner, Mapping) and isinstance(inner.get("name"), str):
        return not is_described or any(key in inner for key in ("arguments", "args"))
    arguments = [(key, item) for key, item in _list_arguments(entries) if not (is_described and key in _PARAMETERS)]
    if _has_text(entries, _TOOL_KEYS):
        return bool(arguments)
    # Many things have a name and a text as input, but arguments are an object.
    objects = set()
    for key, item in arguments:
        if item is None or isinstance(item, Mapping) or (isinstance(item, str) and item.strip()[:1] in {"", "{"}):
            objects.add(key)
    if any(_matches(_CALL_ARGUMENTS, key) for key in objects):
        return _has_text(entries, _NAME_KEYS)
    if isinstance(kind, str) and kind.lower() not in _CALL_WORDS and not _is_call_type(kind):
        return False
    is_named = _has_text(entries, ("name",)) and _TOOL.fullmatch(entries["name"]) is not None
    return is_named and not objects.isdisjoint(_INPUTS) and not any(_matches(_RUN_KEY, key) for key in entries)


def _list_written_calls(message: Mapping[str, Any]) -> list[str]:
    """Return the texts into which a model wrote a call, and the call that it addressed."""
    if not any(message.get(key) in ("assistant", "ai", "model", "response") for key in ("role", "type", "kind")):
        return []
    blocks = get(message, "content", "parts")
    texts = [blocks, *(message.get(key) for key in ("reasoning_content", "reasoning", "thinking"))]
    if isinstance(blocks, list | tuple):
        texts += [block if isinstance(block, str) else get(block, "text", "content", "thinking") for block in blocks]
    written = [text for text in texts if isinstance(text, str) and _is_written_call(text)]
    recipient = str(message.get("recipient"))
    return [*written, recipient] if recipient.startswith("functions.") else written


def _is_written_call(text: str) -> bool:
    whole = _FENCE.sub("", text.strip())
    if _WRITTEN_CALL.search(text) or _PYTHON_CALL.fullmatch(text.strip()):
        return True
    value = parse_if_json(whole) if whole[:1] in {"{", "["} else None
    if isinstance(value, str):
        return _PYTHON_CALL.fullmatch(whole) is not None
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, Mapping) and _is_written_object(item) for item in items)


def _is_written_object(value: Mapping[str, Any]) -> bool:
    # Agents of LangChain write their final answer as an action.
    if value.get("action") == "Final Answer":
        return False
    keys = [key for key in value if not (key in _NAME_KEYS or key in _ID_KEYS or key == "type")]
    calls = [key for key in keys if _matches(_CALL_KEY, key)]
    is_closed = all(key in calls or _matches(_ARGUMENT_KEY, key) for key in keys)
    return is_closed and (_is_call(value) or any(value[key] for key in calls))


def _has_text(entries: Mapping[str, Any], keys: Iterable[str]) -> bool:
    return any(isinstance(entries[key], str) and entries[key] for key in keys if key in entries)


def _list_arguments(entries: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the entries that may be arguments, those whose keys are of calls alone first."""
    arguments = [(key, item) for key, item in entries.items() if _matches(_ARGUMENT_KEY, key)]
    return sorted(arguments, key=lambda entry: not _matches(_CALL_ARGUMENTS, entry[0]))


def _is_definition(entries: Mapping[str, Any]) -> bool:
    """Return whether an object describes a tool and its arguments by a schema."""
    inner = entries.get("function")
    if isinstance(inner, Mapping):
        return _is_definition({to_snake_case(key): item for key, item in inner.items()})
    if not isinstance(entries.get("name"), str) or "arguments" in entries or "input" in entries:
        return False
    schemas = [item for key, item in entries.items() if item and _matches(_SCHEMA_KEY, key)]
    return any(_is_schema(schema, is_described="description" in entries) for schema in schemas)


def _is_schema(value: Any, *, is_described: bool) -> bool:
    """Return whether a value is the schema of all arguments or, beside a description, has one for each argument."""
    if not isinstance(value, Mapping):
        return isinstance(value, type)
    if str(value.get("type")).lower() == "object":
        return is_described or "properties" in value
    schemas = [item for item in value.values() if isinstance(item, Mapping) and not _SCHEMA_MARKS.isdisjoint(item)]
    return is_described and len(schemas) == len(value)


def _is_call_type(kind: Any) -> bool:
    return isinstance(kind, str) and _matches(_CALL_TYPE, kind)


@functools.lru_cache(maxsize=1024)
def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


@functools.lru_cache(maxsize=1024)
def to_snake_case(key: str) -> str:
    return _WORD_BOUNDARY.sub("_", key).replace("-", "_").lower()
