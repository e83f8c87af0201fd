"""What a reader knows of its format; a key or a type that it does not know and that may hold a call is refused.

A call that is left out unseen could make a comparison pass, so each reader declares the objects of its format as `Shape`.
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
from pytest_verdict.trajectories.readers.calls import Found
from pytest_verdict.trajectories.readers.shape import MISSING, has, is_object, list_of, look, parsed

_NAMES: Final = frozenset({"name", "tool_name", "tool", "function_name"})
_ARGUMENTS: Final = frozenset(
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
_SPLIT: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_RESULT: Final = re.compile(r"tool|function|.*tool_result|.*_output")

# What tools there are and how many tokens were used, which all formats say alike.
_NEVER_CALLS: Final = frozenset(
    {"tools", "functions", "tool_choice", "toolChoice", "toolConfig", "tool_config", "tool_definitions"}
    | {"response_format", "usage", "usage_metadata", "usageMetadata"}
)


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of object in a format; keys are written as words.

    Args:
        marks: Keys of which it has at least one; none when it need not be told from others.
        inside: Keys that hold objects, or lists of them, that the reader looks into.
        read: Keys that the reader reads, or whose values are no calls whatever they look like.
        types: A pattern of the types that the reader knows, calls and others; None when it does not look at them.
        kind: The key of the type.
        text: Whether a text may stand in its place.
        one: Whether it stands alone rather than in a list.
    """

    marks: str = ""
    inside: Mapping[str, Shape] = field(default_factory=dict)
    read: str = ""
    types: str | None = None
    kind: str = "type"
    text: bool = False
    one: bool = False
    known: frozenset[str] = field(init=False)
    words: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(self.marks.split()))
        object.__setattr__(self, "known", _NEVER_CALLS.union(self.read.split(), self.inside))


@dataclass(frozen=True, slots=True)
class Format:
    """A wire format: a list of items, one item, or an object that holds the list; `partial` of it decorates what reads it.

    Args:
        read: The calls and the results in a value, in their order.
        is_ours: Whether an item is of this format.
        item: The items; None when `read` itself refuses what it does not know.
        containers: Keys that hold the list.
        keys: Keys that only a value of this format has; one of them is enough.
        whole: Whether a value is of this format whatever its items are.
        others: Keys that hold something else than items, with what it is.
        beside: Keys of the object with the list, as `Shape.read`.
    """

    read: Callable[[Any], Iterable[Found]]
    is_ours: Callable[[Any], bool] = lambda _: False
    item: Shape | None = None
    containers: str = ""
    keys: str = ""
    whole: Callable[[Any], bool] = lambda _: False
    others: Mapping[str, Shape] = field(default_factory=dict)
    beside: str = ""

    def recognises(self, value: Any) -> bool:
        """Say whether a value is in this format."""
        if (self.keys and has(value, *self.keys.split())) or self.whole(value):
            return True
        return any(map(self.is_ours, list_of(value, *self.containers.split())))

    def refuse_unknown_calls(self, name: str, value: Any) -> None:
        """Refuse a value that is not in this format, or in which a call may be that `read` does not see."""
        if self.item is None:
            return
        if isinstance(value, str):
            raise TrajectoryError(f"a text is no trajectory, got {shown(value, 80)}")
        check = _Check(name)
        if isinstance(value, list | tuple):
            if value and all(isinstance(one, str) for one in value) and self.item.marks:
                raise TrajectoryError(f"a list of texts holds nothing of {name}, got {shown(value, 80)}")
            check.objects(self.item, value, "")
            return
        within = {**self.others, **dict.fromkeys(self.containers.split(), self.item)}
        holder = next((key for key in within if look(value, key, default=MISSING) is not MISSING), None)
        if holder is None:
            check.object(self.item, value, "the value")
        else:
            check.object(Shape(inside={holder: within[holder]}, read=self.beside), value, "")


@dataclass(frozen=True, slots=True)
class _Check:
    format: str

    def objects(self, shape: Shape, value: Any, path: str) -> None:
        """Check a list of objects."""
        for place, item in enumerate(value):
            at = f"{path}[{place}]" if path else f"item {place}"
            if not is_object(item):
                raise TrajectoryError(f"{at} must be an object, got {shown(item, 80)}")
            self.object(shape, item, at)

    def object(self, shape: Shape, value: Any, path: str) -> None:
        """Check one object."""
        if value is None or isinstance(value, bool | int | float):
            return
        if isinstance(value, str):
            if not shape.text:
                raise TrajectoryError(f"{path} is a text, not an object of {self.format}: {shown(value, 80)}")
            return
        self._type(shape, value, path)
        found = value if type(value) is dict else dict(entries(value))
        unknown = {key: item for key, item in found.items() if isinstance(key, str) and key not in shape.known}
        if unknown:
            self._unknown(unknown, found, shape, path)
        if shape.words and look(value, *shape.words, default=MISSING) is MISSING:
            keys = ", ".join(map(repr, found)) or "nothing"
            raise TrajectoryError(f"{path} has {keys}, but none of the keys of {self.format}: {', '.join(shape.words)}")
        result = any(_matches(_RESULT, look(value, key)) for key in ("role", "type"))
        for key, inner in shape.inside.items():
            if not (result and key in {"content", "output"}):
                self._inside(inner, look(value, key), f"{path}.{key}" if path else key)

    def _inside(self, shape: Shape, value: Any, path: str) -> None:
        if isinstance(value, list | tuple) and not shape.one:
            self.objects(shape, value, path)
        elif shape.one or isinstance(value, str):
            self.object(shape, value, path)
        elif value is not None:
            raise TrajectoryError(f"{path} must be a list, got {shown(value, 80)}")

    def _type(self, shape: Shape, value: Any, path: str) -> None:
        for key in ("role", shape.kind):
            kind = look(value, key)
            if kind is None or (key == shape.kind and shape.types and _matches(shape.types, kind)):
                continue
            if _matches(_CALL_TYPE, kind):
                raise self._call(path, kind)
            if key == shape.kind and shape.types:
                raise TrajectoryError(f"{path} has the {key} {shown(kind, 80)}, which is not known in {self.format}")

    def _unknown(self, unknown: Mapping[str, Any], found: Mapping[str, Any], shape: Shape, path: str) -> None:
        for key, item in unknown.items():
            if _is_call_key(key, item):
                raise self._call(path, key)
            inner = call_within(item, set())
            if inner is not None:
                raise self._call(path, key, inner)
        # An argument that the reader does not know, beside a name: the object itself may be a call.
        asked = next((key for key in unknown if _snake(key) in _ARGUMENTS), None)
        if asked is not None and _is_call({**found, asked: MISSING}) and "name" not in shape.known:
            raise self._call(path, asked)

    def _call(self, path: str, form: str, inner: str = "") -> TrajectoryError:
        where = f" (at {inner})" if inner else ""
        return TrajectoryError(
            f"{path or 'the value'} has a call in the form {form!r}{where}, which is not one of {self.format}"
        )


def refuse_unknown_attributes(spans: Iterable[Any], marks: str, known: str) -> None:
    """Refuse a trace without any attribute of a format, or with one that may hold a call and is not known."""
    marked = False
    for span in spans:
        for attributes in (span.attributes, *span.events):
            for name, value in attributes.items():
                marked = marked or _matches_text(marks, name)
                if not _matches_text(known, name) and _may_hold_call(name, value):
                    raise TrajectoryError(
                        f"the span {span.name!r} has a call in the attribute {name!r}, which is not read"
                    )
    if not marked:
        raise TrajectoryError(f"no span has an attribute of the format ({marks})")


def _may_hold_call(name: str, value: Any) -> bool:
    if value is None or isinstance(value, bool | int | float) or not value:
        return False
    written = _SPLIT.sub("_", name).lower()
    if _KIND_ATTRIBUTE.fullmatch(written):
        return str(value).strip('"').lower() in _TOOL_KINDS
    return _CALL_ATTRIBUTE.fullmatch(written) is not None or call_within(parsed(value), set()) is not None


def call_within(value: Any, seen: set[int]) -> str | None:
    """Say where in a value something looks like a call, or None; what was seen is not looked at again."""
    if value is None or isinstance(value, str | bytes | bool | int | float) or id(value) in seen:
        return None
    seen.add(id(value))
    if isinstance(value, list | tuple | set | frozenset):
        inner = (call_within(item, seen) for item in value)
        return next((f"[...]{at}" for at in inner if at is not None), None)
    found = dict(entries(value))
    kind = found.get("type")
    if _is_call(found) or (isinstance(kind, str) and _CALL_TYPE.fullmatch(kind)):
        return ""
    for key, item in found.items():
        if key in _NEVER_CALLS:
            continue
        if _is_call_key(key, item):
            return f".{key}"
        at = call_within(item, seen)
        if at is not None:
            return f".{key}{at}"
    return None


def entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Give the keys and values of a mapping, or the public attributes of an object."""
    source = value.value if isinstance(value, EncodedObject) else value
    if isinstance(source, Mapping):
        yield from ((key, item) for key, item in source.items() if isinstance(key, str))
        return
    if isinstance(source, type) or callable(source):
        return
    if is_dataclass(source):
        yield from ((one.name, getattr(source, one.name, None)) for one in fields(source))
        return
    # Pydantic keeps what a model did not expect apart.
    for held in (getattr(source, "__dict__", None), getattr(source, "__pydantic_extra__", None)):
        if isinstance(held, Mapping):
            yield from ((key, item) for key, item in held.items() if not key.startswith("_"))


def _is_call_key(key: str, item: Any) -> bool:
    if not _matches_text(_CALL_KEY, _snake(key)):
        return False
    # Numbers say how many, as in ``max_tool_calls``.
    return bool(item) if isinstance(item, str | list | tuple | Mapping) else item is not None and any(entries(item))


def _is_call(found: Mapping[str, Any]) -> bool:
    keys = {_snake(key): key for key, item in found.items()}
    named = [key for key, real in keys.items() if key in _NAMES and isinstance(found[real], str) and found[real]]
    function = found.get("function")
    if isinstance(function, Mapping) and isinstance(function.get("name"), str):
        return True
    return any(other in _ARGUMENTS and other != name for name in named for other in keys)


@functools.lru_cache(maxsize=1024)
def _matches_text(pattern: str | re.Pattern[str], kind: str) -> bool:
    return re.fullmatch(pattern, kind) is not None


def _matches(pattern: str | re.Pattern[str], kind: Any) -> bool:
    return isinstance(kind, str) and _matches_text(pattern, kind)


@functools.lru_cache(maxsize=1024)
def _snake(key: str) -> str:
    return _SPLIT.sub("_", key).replace("-", "_").lower()
