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
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED, Event
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallLike,
    CallOrResult,
    Result,
    attach_results,
    get,
    has,
    iter_entries,
    parse_if_json,
    require_objects,
    unwrap_list,
)

# The keys of the tool's name; the first ones are never the name of anything else.
_TOOL_KEYS: Final = (
    *("tool_name", "function_name", "tool", "function", "action_name", "action", "func", "fn", "recipient_name"),
    *("tool_slug", "tool_id"),
)
# The others are one beside arguments.
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
_MODEL_ROLES: Final = frozenset({"assistant", "ai", "model", "response"})
_CALL_WORDS: Final = frozenset({"tool", "function", "action", "call", "invocation", "request", "command", "step"})
# What models write before a call if nobody parses it.
_WRITTEN_CALL: Final = re.compile(
    r"<(tool_calls?|function_calls?|functioncall)>|<(invoke name|function)=|<\|(python_tag|tool_call)|\[TOOL_CALLS\]"
    r"|<\uff5ctool\u2581call|\bto=functions\.|\u273fFUNCTION\u273f|^```tool_code|<start_function_call>|\bdefault_api\.\w"
    r"|<(tool_use|tool_name)>|<tool>[^<]*</tool>\s*<tool_input>|\bfunctools\[\s*\{"
    # Coding agents name a call by its element: <read_file><path>...
    r"|^[ \t]*<(?!\w*(answer|context|output|reasoning|response|result|thinking|thought)s?>)[a-z]+(_[a-z]+)+>\s*<[a-z_]+>"
    r"|^[ \t*#]*Action[ *]*:.*\n+[ \t*#]*Action Input\b",
    re.MULTILINE,
)
_WRITTEN_KEYS: Final = frozenset(
    {"name", "function", "tool", "tool_name", "action", "arguments", "args", "parameters", "tool_input", "action_input"}
    | {"tool_args", "type", "id", "tool_calls", "tool_call", "function_call"}
)
_FENCE: Final = re.compile(r"\A```\w*\n|\n```\Z")
_PYTHON_CALLS: Final = re.compile(r"\[[\w.]+\(.*\)\]", re.DOTALL)
_PYTHON_CALL: Final = re.compile(r"[A-Za-z_][\w.]{2,}\((\w+=(\"[^\"\n]*\"|'[^'\n]*'|[\w.-]+)(,\s*)?)+\)")
_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
_AFFIXES: Final = re.compile(r"\Atool-|[-_](call|use)\Z")
_RESULT_KEY: Final = re.compile(r"(.*_)?(tool|function)s?_?(use_?|call_?)?(result|response|return|output)s?")
_RESULT_ROLES: Final = ("tool", "function")
_RESULT_TYPE: Final = re.compile(
    r"retry-prompt|.*_output|.*(tool|function)[-_]?(call)?[-_]?(result|response|return|output|error|message).*",
    re.IGNORECASE,
)
_RESULT_PARTS: Final = frozenset({"result", "output", "observation", "response"})
_WORD_BOUNDARY: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Values under these keys have a name and parameters, but they are descriptions and no calls.
_DESCRIBED: Final = frozenset(
    {"tools", "functions", "tool_definitions", "function_declarations", "tool_declarations", "agent", "agents", "model"}
    | {"models", "config", "settings", "evaluator", "evaluators", "scorer", "scorers", "metrics", "judge", "experiment"}
    | {"metadata", "parsed"}
)
_PARAMETERS: Final = frozenset({"parameters", "params", "kwargs"})
_INPUTS: Final = _PARAMETERS | {"input", "input_parameters"}
# An object with a name, an input and one of these keys is a run or an agent.
_RUN_KEYS: Final = frozenset(
    {"messages", "choices", "candidates", "contents", "steps", "runs", "spans", "history", "turns", "tools", "agents"}
)
_SETTINGS: Final = frozenset({"tool_choice", "tool_config", "response_format", "usage", "usage_metadata"})
_CHOICES: Final = frozenset({"auto", "none", "required", "any"})
_SCHEMA_KEYS: Final = frozenset(
    {"parameters", "input_schema", "args_schema", "json_schema", "parameters_json_schema", "schema", "args", "inputs"}
)
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
        whole_keys: Keys of which such a value has one.
        item_keys: Keys of which an item of this format has one.
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
    whole_keys: str = ""
    item_keys: str = ""

    def recognises(self, value: Any) -> bool:
        if self._has_whole(value):
            return True
        item_keys = self.item_keys.split()
        items = unwrap_list(value, *self.containers.split())
        return any(has(item, *item_keys) or self.is_item(item) for item in items)

    def _has_whole(self, value: Any) -> bool:
        return any(has(value, key) for key in self.whole_keys.split()) or self.is_whole(value)

    def read_all(self, name: str, value: Any) -> list[Event]:
        """Read a value, and refuse one of another format or one with calls that are not read."""
        if self.marks:
            self.check_items(name, value)
        items = list(self.read(value))
        calls = [item for item in items if not isinstance(item, Result)]
        reason = f"which is not read as {name}"
        refuse_unread_calls(self.list_parts(value), calls, reason, frozenset(self.ignored.split()))
        return attach_results(items)

    def check_items(self, name: str, value: Any) -> None:
        items = get(value, *self.containers.split(), default=MISSING)
        if items is MISSING and not self._has_whole(value):
            items = value
        if items is not MISSING and items is not None:
            require_objects(unwrap_list(items), name, *self.marks.split())


def refuse_unread_calls(
    parts: Iterable[Any], events: Sequence[Event | CallLike], reason: str, ignored: Collection[str] = frozenset()
) -> None:
    """Refuse a value with more calls than its reader returned or left out; each part of it may repeat every call."""
    identities = {identity for event in events if event.id for identity in ((event.name, event.id), (None, event.id))}
    keys: dict[str | None, list[Any]] = {}
    keys_without_id: dict[str | None, list[Any]] = {}
    for event in events:
        key = _get_event_key(event)
        for name in (event.name, None):
            keys.setdefault(name, []).append(key)
            if not event.id:
                keys_without_id.setdefault(name, []).append(key)

    for part in parts:
        unmatched: dict[tuple[str, bool, str | None], list[Any]] = {}
        for call in find_calls(part, ignored):
            if (call.name, call.id) in identities:
                continue
            # A call whose identifier nothing has may only repeat one without an identifier.
            has_id = call.id is not None
            source = keys_without_id if has_id else keys
            place = (call.path, has_id, call.name)
            candidates = unmatched.setdefault(place, list(source.get(call.name, ())))
            key = _get_key(call.args)
            if call.name is None and key is None:
                candidates.clear()
            at = next((at for at, other in enumerate(candidates) if None in (key, other) or key == other), None)
            if at is None:
                name = "a call" if call.name is None else f"a call of {shown(call.name, 80)}"
                raise TrajectoryError(f"{call.path or 'the value'} has {name}, {reason}")
            candidates.pop(at)


def _get_event_key(event: Event | CallLike) -> Any:
    if isinstance(event, CallLike):
        return _get_key(event.args)
    if event.args_note == ARGS_NOT_RECORDED:
        return None
    return _get_key(event.args_text if event.args_note == ARGS_MALFORMED else event.args)


def _get_key(args: Any) -> Any:
    """Return a key that equal arguments share; None if they are unknown, so that they may equal any."""
    if args is MISSING:
        return None
    value = parse_if_json(args)
    if value is None or value == "":
        value = {}
    return (content_key(value),)


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

    def look_into(self, value: Any, path: str, *, is_described: bool = False) -> None:
        if value is None or isinstance(value, str | bytes | bool | int | float):
            return
        is_visited = id(value) in self.visited
        self.visited.add(id(value))
        if is_visited and not isinstance(value, dict):
            return
        if isinstance(value, Collection) and not isinstance(value, Mapping) and not hasattr(value, "_fields"):
            for item in value:
                self.look_into(item, f"{path}[]", is_described=is_described)
            return

        entries = {key: item for key, item in iter_entries(value) if key not in self.ignored}
        by_key = {to_snake_case(key): item for key, item in entries.items()}
        if by_key.get("requestor") == "user" or _is_definition(by_key):
            return
        kinds = [by_key[key] for key in _KIND_KEYS if key in by_key and isinstance(by_key[key], str)]
        is_result = by_key.get("role") in _RESULT_ROLES or (by_key.get("type") == "tool" and "tool_call_id" in by_key)
        is_result = is_result or any(_matches(_RESULT_TYPE, kind) for kind in kinds)
        is_executed = not is_result and _has_text(by_key, _TOOL_KEYS) and not _RESULT_PARTS.isdisjoint(by_key)
        kind = by_key.get("type")
        is_executed |= kind in ("tool", "function", "action", "call") and _has_text(by_key, (kind,))
        if is_executed or _is_call(by_key, is_described=is_described):
            self._add(by_key, path)
            return
        if is_visited:
            return

        count = len(self.calls)
        for original, item in entries.items():
            key = to_snake_case(original)
            place = f"{path}.{original}" if path else original
            is_inner = (is_described and original == "function") or key in _DESCRIBED
            self._look_into_entry(key, item, place, is_result=is_result, is_described=is_inner)
        if any(map(is_call_type, kinds)) and not any(call.name for call in self.calls[count:]):
            del self.calls[count:]
            self._add(by_key, path)
        names = [call.name for call in self.calls[count:] if call.name]
        if any(not any(name in text for name in names) for text in _list_written_calls(by_key)):
            self.calls.append(CallLike(None, None, path=f"the text of {path or 'the value'}"))

    def _look_into_entry(self, key: str, item: Any, path: str, *, is_result: bool, is_described: bool) -> None:
        if key in _SETTINGS or _matches(_RESULT_KEY, key):
            return
        if _matches(_CALL_KEY, key):
            self._look_into_calls(item, path)
        elif not is_result:
            self.look_into(item, path, is_described=is_described)

    def _look_into_calls(self, value: Any, path: str) -> None:
        """Look into the value of a key for calls; a number is a count, as in ``max_tool_calls``."""
        if isinstance(value, Mapping) and value and all(str(key).isdigit() for key in value):
            value = list(value.values())
        if isinstance(value, list | tuple):
            for item in value:
                self._look_into_calls(item, f"{path}[]")
        elif isinstance(value, str):
            if value and value not in _CHOICES:
                name = value if _TOOL.fullmatch(value) else None
                self.calls.append(CallLike(name, None, path=path))
        elif value is not None and not isinstance(value, bool | int | float):
            entries = {to_snake_case(key): item for key, item in iter_entries(value) if key not in self.ignored}
            count = len(self.calls)
            if not _is_call(entries):
                self.look_into(value, path)
            if count == len(self.calls) and any(entries.values()):
                self._add(entries, path)

    def _add(self, entries: Mapping[str, Any], path: str) -> None:
        if entries.get("requestor") == "user":
            return
        identifier = next((entries[key] for key in _ID_KEYS if isinstance(entries.get(key), str | int)), None)
        source = next((entries[key] for key in _INNER_KEYS if isinstance(entries.get(key), Mapping)), entries)
        fields = {to_snake_case(key): item for key, item in iter_entries(source)}
        name = next((fields[key] for key in _NAME_KEYS if isinstance(fields.get(key), str) and fields[key]), None)
        if name is None:
            kind = next((entries[key] for key in _KIND_KEYS if is_call_type(entries.get(key))), None)
            tool = kind and _AFFIXES.sub("", kind)
            if tool and not tool.endswith(("tool", "function")):
                name = tool
        args = next((item for _, item in _list_arguments(fields) if item is not None), MISSING)
        self.calls.append(CallLike(name, None if identifier in (None, "") else str(identifier), args, path))


def _is_call(entries: Mapping[str, Any], *, is_described: bool = False) -> bool:
    """Return whether an object has the name of a tool and arguments."""
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
    kind = entries.get("type")
    if isinstance(kind, str) and kind.lower() not in _CALL_WORDS and not is_call_type(kind):
        return False
    is_named = _has_text(entries, ("name",)) and _TOOL.fullmatch(entries["name"]) is not None
    return is_named and not objects.isdisjoint(_INPUTS) and _RUN_KEYS.isdisjoint(entries)


def _list_written_calls(message: Any) -> list[str]:
    """Return the texts into which a model wrote a call, and the call that it addressed."""
    if not any(
        get(message, key) in _MODEL_ROLES for key in ("role", "type", "kind") if isinstance(get(message, key), str)
    ):
        return []
    blocks = get(message, "content", "parts")
    texts = [blocks, *(get(message, key) for key in _REASONING)]
    if isinstance(blocks, list | tuple):
        texts += [block if isinstance(block, str) else get(block, "text", "content", "thinking") for block in blocks]
    written = [text for text in texts if isinstance(text, str) and _is_written_call(text)]
    recipient = str(get(message, "recipient"))
    return [*written, recipient] if recipient.startswith("functions.") else written


def _is_written_call(text: str) -> bool:
    if _WRITTEN_CALL.search(text):
        return True
    whole = _FENCE.sub("", text.strip())
    if whole[:1] not in {"{", "["}:
        return _PYTHON_CALL.fullmatch(text.strip()) is not None
    value = parse_if_json(whole)
    if isinstance(value, str):
        return _PYTHON_CALLS.fullmatch(whole) is not None
    items = value if isinstance(value, list) else [value]
    return any(isinstance(item, Mapping) and _is_written_object(item) for item in items)


def _is_written_object(value: Mapping[str, Any]) -> bool:
    # Agents of LangChain write their final answer as an action.
    if not value.keys() <= _WRITTEN_KEYS or value.get("action") == "Final Answer":
        return False
    return _is_call(value) or any(value.get(key) for key in ("tool_calls", "tool_call", "function_call"))


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
    schemas = [entries[key] for key in _SCHEMA_KEYS if entries.get(key)]
    return any(_is_schema(schema, is_described="description" in entries) for schema in schemas)


def _is_schema(value: Any, *, is_described: bool) -> bool:
    """Return whether a value is the schema of all arguments or, beside a description, has one for each argument."""
    if not isinstance(value, Mapping):
        return isinstance(value, type)
    if str(value.get("type")).lower() == "object":
        return is_described or "properties" in value
    schemas = [item for item in value.values() if isinstance(item, Mapping) and not _SCHEMA_MARKS.isdisjoint(item)]
    return is_described and len(schemas) == len(value)


def is_call_type(kind: Any) -> bool:
    return isinstance(kind, str) and _matches(_CALL_TYPE, kind)


@functools.lru_cache(maxsize=1024)
def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.fullmatch(text) is not None


@functools.lru_cache(maxsize=1024)
def to_snake_case(key: str) -> str:
    return _WORD_BOUNDARY.sub("_", key).replace("-", "_").lower()
