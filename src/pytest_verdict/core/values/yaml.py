"""YAML files written by people, read strictly, with the line of each part."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_verdict.core.values.display import shortened, shown, visible
from pytest_verdict.core.values.numbers import is_beyond_float
from pytest_verdict.errors import SettingsError

MOST_REPEATED: Final = 1_000_000
"""The most values that aliases may add to a document; a few lines can add more than a machine can hold."""

DEEPEST: Final = 1_000
"""How deep values may be nested. The parser in C has no limit, and ends the process when its stack is full."""

# The parser written in C reads the same documents about ten times as fast; not every build of PyYAML has it.
_BASE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"
_COLLECTIONS: Final = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_KINDS: Final = {"tag:yaml.org,2002:timestamp": "a date", "tag:yaml.org,2002:bool": "a truth value"}
_TOO_DEEP: Final = "it is nested too deeply, or an alias contains itself"


class YamlTextError(ValueError):
    """Why a YAML text is refused, and on which line."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line

    def at(self, label: str) -> str:
        """Write it with file and line."""
        return f"{label}:{self.line}: {self}"


class _Loader(_BASE):  # type: ignore[misc]
    _depth = 0

    def descend_resolver(self, parent: Any, _index: Any) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise YamlTextError(_line(parent), _TOO_DEEP)

    def ascend_resolver(self) -> None:
        self._depth -= 1


class YamlDocument:
    """One YAML document: its value, and the line of each of its parts."""

    __slots__ = ("_root", "value")

    def __init__(self, text: str) -> None:
        try:
            self._root: Any = yaml.compose(text, Loader=_Loader)
            if self._root is None:
                raise YamlTextError(1, "the file is empty")
            if "*" in text and _values_repeated(self._root) > MOST_REPEATED:
                reason = f"its aliases repeat more than {MOST_REPEATED:,} values"
                raise YamlTextError(1, f"{reason}; write a smaller file, or fewer aliases")
            self.value = _Constructor().value(self._root)
        except yaml.YAMLError as error:
            raise _not_yaml(error) from None
        except RecursionError:
            raise YamlTextError(1, _TOO_DEEP) from None

    @classmethod
    def read(cls, path: Path) -> YamlDocument:
        """Read a file."""
        try:
            return cls(path.read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise YamlTextError(1, f"it is not UTF-8: {error.reason} at byte {error.start}") from None

    def line(self, path: Sequence[str | int]) -> int:
        """Give the line of a part, or of the nearest part around it that is there."""
        return self._find(path)[1]

    def lines_of_items(self, path: Sequence[str | int]) -> list[int]:
        """Give the lines on which the items of a list begin."""
        return [item.start_mark.line + 1 for item in self._find(path)[0].value]

    def written(self, path: Sequence[str | int]) -> str:
        """Give a scalar as it is written, without its quotes."""
        node = self._find(path)[0]
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        return ""

    def _find(self, path: Sequence[str | int]) -> tuple[Any, int]:
        node = self._root
        line = _line(self._root)
        for step in path:
            if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = _line(node)
            elif isinstance(node, yaml.MappingNode):
                found = next(((key, item) for key, item in node.value if _is_key(key, step)), None)
                if found is not None:
                    node = found[1]
                    line = _line(found[0])
        return node, line


class _Constructor:
    """Makes Python values of nodes."""

    def __init__(self) -> None:
        self._scalars = yaml.constructor.SafeConstructor()
        self._known: dict[int, Any] = {}

    def value(self, node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            if node.tag == _TEXT:
                return node.value
            return self._scalar(node)
        known = self._known.get(id(node))
        if known is None:
            if node.tag not in _COLLECTIONS:
                raise _unread(node)
            # An alias is the node of its anchor, and one value too.
            is_list = isinstance(node, yaml.SequenceNode)
            if is_list:
                known = list(map(self.value, node.value))
            else:
                known = self._mapping(node)
            self._known[id(node)] = known
        return known

    def _scalar(self, node: Any) -> Any:
        try:
            found = self._scalars.construct_object(node)
        except (ValueError, LookupError, AttributeError):
            kind = _KINDS.get(node.tag, "a number")
            written = visible(shortened(node.value, 80))
            raise YamlTextError(_line(node), f"{written} looks like {kind} and is none; write it in quotes") from None
        if isinstance(found, list | dict | set):
            raise _unread(node)
        if type(found) is float and is_beyond_float(node.value, found):
            raise YamlTextError(
                _line(node), f"{visible(shortened(node.value, 80))} is beyond what a float holds; write it in quotes"
            )
        return found

    def _mapping(self, node: Any) -> dict[Any, Any]:
        own = [pair for pair in node.value if pair[0].tag != _MERGE]
        found: dict[Any, Any] = {}
        for key, item in own:
            name = self.value(key)
            if isinstance(name, list | dict):
                raise YamlTextError(_line(key), "a key is text, not a list or mapping")
            if name in found:
                raise YamlTextError(_line(key), f"the key {shown(name, 80)} occurs twice")
            found[name] = self.value(item)
        if len(own) == len(node.value):
            return found
        self._scalars.flatten_mapping(node)
        return {self.value(key): self.value(item) for key, item in node.value}


def read_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping."""
    try:
        found = YamlDocument.read(Path(path)).value
    except YamlTextError as error:
        raise SettingsError(f"{path}: {error}, at line {error.line}") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise SettingsError(f"{path}: the top level is a mapping, got {type(found).__name__}")
    return found


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _unread(node: Any) -> YamlTextError:
    return YamlTextError(_line(node), f"the tag {shown(node.tag, 80)} is not read; write a plain list or mapping")


def _is_key(node: Any, step: str | int) -> bool:
    return str(step) == node.value or bool(node.tag != _TEXT and _Constructor().value(node) == step)


def _values_repeated(root: Any) -> int:
    """Count the values that aliases and merge keys add to a document."""
    sizes: dict[int, int] = {}
    written = 0

    def size(node: Any) -> int:
        nonlocal written
        if isinstance(node.value, str):
            return 1
        known = sizes.get(id(node))
        if known is None:
            # A mapping is a list of pairs.
            parts = [part for item in node.value for part in (item if isinstance(item, tuple) else (item,))]
            written += 1 + sum(isinstance(part.value, str) for part in parts)
            known = sizes[id(node)] = 1 + sum(map(size, parts))
        return known

    return size(root) - written


def _not_yaml(error: yaml.YAMLError) -> YamlTextError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    context = getattr(error, "context", None)
    return YamlTextError(mark.line + 1 if mark else 1, f"it is not YAML: {f'{context}, ' if context else ''}{problem}")
