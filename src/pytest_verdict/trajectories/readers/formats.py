"""`Format` declares a wire format; a key or type that it does not declare and that may hold a call is refused.

A call that a reader overlooks could make a comparison pass, so each reader declares the objects of its format as `Shape`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import EncodedObject
from pytest_verdict.errors import TrajectoryError
from pytest_verdict.trajectories.readers.common import (
    MISSING,
    CallOrResult,
    get,
    is_object,
    parse_if_json,
    unwrap_list,
)

_NAME_KEYS: Final = frozenset({"name", "tool_name", "tool", "function_name"})
_ARGUMENT_KEYS: Final = frozenset(
    {"arguments", "args", "input", "parameters", "kwargs", "function", "tool"}
    | {"tool_input", "tool_args", "tool_kwargs", "input_parameters", "raw_arguments"}
)
_CALL_KEY: Final = re.compile(r"(.*_)?(tool|function)s?_?(call|use|invocation|request)s?|executable_code|actions?")
_CALL_TYPE: Final = re.compile(
    r".*(tool|function)[-_]?(use|call|invocation)|.*[-_]call|tool-(?!result).+|dynamic-tool", re.IGNORECASE
)
_CALL_ATTRIBUTE: Final = re.compile(
    r"(.*[._])?(tool|function)s?_?(call|use|invocation|request)s?([._].*)?|(.*[._])?tool[._]name"
)
_KIND_ATTRIBUTE: Final = re.compile(r"(.*[._])?(span_?)?(kind|type|operation_?id|operation\.name)")
_TOOL_KINDS: Final = {"tool", "function", "execute_tool", "tool_call", "ai.toolcall"}
_WORD_BOUNDARY: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RESULT_TYPE: Final = re.compile(r"tool|function|.*tool_result|.*_output")

# All formats list the tools and count the tokens under these keys.
_NEVER_CALLS: Final = frozenset(
    {"tools", "functions", "tool_choice", "toolChoice", "toolConfig", "tool_config", "tool_definitions"}
    | {"response_format", "usage", "usage_metadata", "usageMetadata"}
)


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of object in a format; keys are separated by spaces.

    Args:
        marks: The object has at least one of these keys; empty if every object fits.
        children: Keys whose objects, or lists of objects, the reader reads.
        keys: Keys that the reader reads itself, and keys that never hold a call whatever their values look like.
        types: A pattern of all types in the format; None if the reader ignores types.
        type_key: The key of the type.
        allows_text: Whether a text may replace the object.
        is_single: Whether the object is not in a list.
    """

    marks: str = ""
    children: Mapping[str, Shape] = field(default_factory=dict)
    keys: str = ""
    types: str | None = None
    type_key: str = "type"
    allows_text: bool = False
    is_single: bool = False
    mark_keys: tuple[str, ...] = field(init=False)
    allowed_keys: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mark_keys", tuple(self.marks.split()))
        object.__setattr__(self, "allowed_keys", _NEVER_CALLS.union(self.keys.split(), self.children))


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format: a list of items, one item, or an object with the list. ``partial(Format, ...)`` decorates `read`.

    Args:
        read: Yields the calls and the results of a value in their order.
        is_item: Whether an item belongs to this format.
        item: The shape of an item; None if `read` refuses unknown keys itself.
        containers: Keys that hold the list.
        is_whole: Whether a value belongs to this format whatever its items are.
        other_containers: Keys that hold objects of another shape.
        sibling_keys: Keys beside the list, like `Shape.keys`.
    """

    read: Callable[[Any], Iterable[CallOrResult]]
    is_item: Callable[[Any], bool] = lambda _: False
    item: Shape | None = None
    containers: str = ""
    is_whole: Callable[[Any], bool] = lambda _: False
    other_containers: Mapping[str, Shape] = field(default_factory=dict)
    sibling_keys: str = ""

    def recognises(self, value: Any) -> bool:
        return self.is_whole(value) or any(map(self.is_item, unwrap_list(value, *self.containers.split())))

    def refuse_unknown_calls(self, name: str, value: Any) -> None:
        """Refuse a value of another format, or one that may hold a call where `read` does not look."""
        if self.item is None:
            return
        if isinstance(value, str):
            raise TrajectoryError(f"a text is no trajectory, got {shown(value, 80)}")

        checker = _Checker(name)
        if isinstance(value, list | tuple):
            if value and self.item.marks and all(isinstance(item, str) for item in value):
                raise TrajectoryError(f"a list of texts holds nothing of {name}, got {shown(value, 80)}")
            checker.check_list(self.item, value, "")
            return

        shapes = {**self.other_containers, **dict.fromkeys(self.containers.split(), self.item)}
        for container, shape in shapes.items():
            if get(value, container, default=MISSING) is not MISSING:
                checker.check_object(Shape(children={container: shape}, keys=self.sibling_keys), value, "")
                return
        checker.check_object(self.item, value, "the value")


@dataclass(frozen=True, slots=True)
class _Checker:
    format: str

    def check_list(self, shape: Shape, items: Iterable[Any], path: str) -> None:
        for place, item in enumerate(items):
            item_path = f"{path}[{place}]" if path else f"item {place}"
            if not is_object(item):
                raise TrajectoryError(f"{item_path} must be an object, got {shown(item, 80)}")
            self.check_object(shape, item, item_path)

    def check_object(self, shape: Shape, value: Any, path: str) -> None:
        if value is None or isinstance(value, bool | int | float):
            return
        if isinstance(value, str):
            if not shape.allows_text:
                raise TrajectoryError(f"{path} is a text, not an object of {self.format}: {shown(value, 80)}")
            return

        self._check_types(shape, value, path)
        entries = value if type(value) is dict else dict(iter_entries(value))
        self._check_keys(shape, entries, path)
        if shape.mark_keys and get(value, *shape.mark_keys, default=MISSING) is MISSING:
            keys = ", ".join(map(repr, entries)) or "nothing"
            marks = ", ".join(shape.mark_keys)
            raise TrajectoryError(f"{path} has {keys}, but none of the keys of {self.format}: {marks}")

        is_result = any(_matches(_RESULT_TYPE, get(value, key)) for key in ("role", "type"))
        for key, child in shape.children.items():
            if is_result and key in {"content", "output"}:
                # A tool may return anything.
                continue
            item = get(value, key)
            item_path = f"{path}.{key}" if path else key
            if isinstance(item, list | tuple) and not child.is_single:
                self.check_list(child, item, item_path)
            elif child.is_single or isinstance(item, str):
                self.check_object(child, item, item_path)
            elif item is not None:
                raise TrajectoryError(f"{item_path} must be a list, got {shown(item, 80)}")

    def _check_types(self, shape: Shape, value: Any, path: str) -> None:
        for key, types in (("role", None), (shape.type_key, shape.types)):
            kind = get(value, key)
            if kind is None or (types and _matches(types, kind)):
                continue
            if _matches(_CALL_TYPE, kind):
                raise self._unread_call(path, kind)
            if types:
                raise TrajectoryError(f"{path} has the {key} {shown(kind, 80)}, which is not known in {self.format}")

    def _check_keys(self, shape: Shape, entries: Mapping[Any, Any], path: str) -> None:
        argument_key = None
        for key, item in entries.items():
            if not isinstance(key, str) or key in shape.allowed_keys:
                continue
            if _is_call_key(key, item):
                raise self._unread_call(path, key)
            inner = find_call(item)
            if inner is not None:
                raise self._unread_call(path, key, inner)
            if argument_key is None and _to_snake_case(key) in _ARGUMENT_KEYS:
                argument_key = key

        # Unknown arguments beside a name: the object itself may be a call.
        if argument_key and "name" not in shape.allowed_keys and _is_call({**entries, argument_key: MISSING}):
            raise self._unread_call(path, argument_key)

    def _unread_call(self, path: str, form: str, inner: str = "") -> TrajectoryError:
        where = f" (at {inner})" if inner else ""
        holder = path or "the value"
        return TrajectoryError(f"{holder} has a call in the form {form!r}{where}, which is not one of {self.format}")


def refuse_unknown_attributes(spans: Iterable[Any], marks: str, keys: str) -> None:
    """Refuse a trace without any attribute of a format, or with an unread attribute that may hold a call."""
    is_marked = False
    for span in spans:
        for attributes in (span.attributes, *span.events):
            for name, value in attributes.items():
                is_marked = is_marked or _matches(marks, name)
                if _matches(keys, name) or not value or isinstance(value, bool | int | float):
                    continue
                attribute = _WORD_BOUNDARY.sub("_", name).lower()
                if _KIND_ATTRIBUTE.fullmatch(attribute):
                    is_call = str(value).strip('"').lower() in _TOOL_KINDS
                else:
                    is_call = bool(_CALL_ATTRIBUTE.fullmatch(attribute)) or find_call(parse_if_json(value)) is not None
                if is_call:
                    raise TrajectoryError(
                        f"the span {span.name!r} has a call in the attribute {name!r}, which is not read"
                    )
    if not is_marked:
        raise TrajectoryError(f"no span has an attribute of the format ({marks})")


def find_call(value: Any, visited: set[int] | None = None) -> str | None:
    """Return the path of something that looks like a call, or None; a value that contains itself is searched once."""
    if visited is None:
        visited = set()
    if value is None or isinstance(value, str | bytes | bool | int | float) or id(value) in visited:
        return None
    visited.add(id(value))

    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            path = find_call(item, visited)
            if path is not None:
                return f"[...]{path}"
        return None

    entries = dict(iter_entries(value))
    if _is_call(entries) or _matches(_CALL_TYPE, entries.get("type")):
        return ""
    for key, item in entries.items():
        if key in _NEVER_CALLS:
            continue
        if _is_call_key(key, item):
            return f".{key}"
        path = find_call(item, visited)
        if path is not None:
            return f".{key}{path}"
    return None


def iter_entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a mapping, or the public attributes of an object."""
    source = value
    if isinstance(value, EncodedObject):
        source = value.value
    if isinstance(source, Mapping):
        yield from ((key, item) for key, item in source.items() if isinstance(key, str))
        return
    if isinstance(source, type) or callable(source):
        return
    if is_dataclass(source):
        yield from ((one.name, getattr(source, one.name, None)) for one in fields(source))
        return
    # Pydantic keeps the extra fields of a model apart.
    for holder in (getattr(source, "__dict__", None), getattr(source, "__pydantic_extra__", None)):
        if isinstance(holder, Mapping):
            yield from ((key, item) for key, item in holder.items() if not key.startswith("_"))


def _is_call_key(key: str, item: Any) -> bool:
    if not _matches(_CALL_KEY, _to_snake_case(key)):
        return False
    if isinstance(item, str | list | tuple | Mapping):
        return bool(item)
    # A number is a count, as in ``max_tool_calls``.
    return item is not None and any(iter_entries(item))


def _is_call(entries: Mapping[str, Any]) -> bool:
    keys = {_to_snake_case(key): key for key in entries}
    function = entries.get("function")
    if isinstance(function, Mapping) and isinstance(function.get("name"), str):
        return True
    names = [name for name in _NAME_KEYS & keys.keys() if isinstance(entries[keys[name]], str) and entries[keys[name]]]
    return any(key in _ARGUMENT_KEYS and key != name for name in names for key in keys)


def _matches(pattern: str | re.Pattern[str], text: Any) -> bool:
    return isinstance(text, str) and _fullmatch(pattern, text)


@functools.lru_cache(maxsize=1024)
def _fullmatch(pattern: str | re.Pattern[str], text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


@functools.lru_cache(maxsize=1024)
def _to_snake_case(key: str) -> str:
    return _WORD_BOUNDARY.sub("_", key).replace("-", "_").lower()
