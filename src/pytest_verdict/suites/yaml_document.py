"""YAML files whose places are remembered, so that an error can name the line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_verdict.core.values.display import shortened, shown, visible
from pytest_verdict.core.values.yaml_aliases import MOST_REPEATED, values_repeated
from pytest_verdict.errors import SuiteError

# The parser written in C reads the same documents about ten times as fast; not every build of PyYAML has it.
_BASE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"
_COLLECTIONS: Final = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class _Loader(_BASE):  # type: ignore[misc]
    """Tells text at once, which is most of a suite; the loader of PyYAML asks several lists for each value."""

    def resolve(self, kind: type[Any], value: Any, implicit: Any) -> Any:
        if kind is not yaml.ScalarNode:
            return super().resolve(kind, value, implicit)
        if implicit[0]:
            for tag, pattern in self.yaml_implicit_resolvers.get(value[:1], ()):
                if pattern.match(value):
                    return tag
        return _TEXT


class YamlDocument:
    """One YAML document: its value, and the line of each of its parts."""

    __slots__ = ("_constructor", "_known", "_root", "label", "value")

    def __init__(self, text: str, label: str) -> None:
        self.label = label
        self._constructor = yaml.constructor.SafeConstructor()
        self._known: dict[int, Any] = {}
        try:
            self._root: Any = yaml.compose(text, Loader=_Loader)
            if self._root is None:
                raise SuiteError(f"{label}:1: the file is empty")
            if "*" in text and values_repeated(self._root) > MOST_REPEATED:
                raise SuiteError(
                    f"{label}:1: its aliases repeat more than {MOST_REPEATED:,} values; write a smaller file, or fewer aliases"
                )
            self.value = self._value(self._root)
        except yaml.YAMLError as error:
            raise SuiteError(_explained(error, label)) from None
        except RecursionError:
            raise SuiteError(f"{label}:1: it is nested too deeply, or an alias contains itself") from None
        self._known.clear()

    def line(self, path: Sequence[str | int]) -> int:
        """Give the line of a part."""
        line: int = self._find(path)[1]
        return line

    def lines_of_items(self, path: Sequence[str | int]) -> list[int]:
        """Give the lines on which the items of a list begin."""
        return [item.start_mark.line + 1 for item in self._find(path)[0].value]

    def written(self, path: Sequence[str | int]) -> str:
        """Give a scalar as it is written, without its quotes."""
        node = self._find(path)[0]
        return str(node.value) if isinstance(node, yaml.ScalarNode) else ""

    def _find(self, path: Sequence[str | int]) -> tuple[Any, int]:
        node, line = self._root, self._root.start_mark.line + 1
        for step in path:
            if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = node.start_mark.line + 1
            elif isinstance(node, yaml.MappingNode):
                for key, item in node.value:
                    if key.value == str(step) or (key.tag != _TEXT and self._value(key) == step):
                        node, line = item, key.start_mark.line + 1
                        break
        return node, line

    def _value(self, node: Any) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return node.value if node.tag == _TEXT else self._scalar(node)
        known = self._known.get(id(node))
        if known is None:
            if node.tag not in _COLLECTIONS:
                line = node.start_mark.line + 1
                raise SuiteError(
                    f"{self.label}:{line}: the tag {shown(node.tag, 80)} is not read; write a plain list or mapping"
                )
            # An alias is the node of its anchor, and one value too.
            known = self._known[id(node)] = (
                [self._value(item) for item in node.value]
                if isinstance(node, yaml.SequenceNode)
                else self._mapping(node)
            )
        return known

    def _scalar(self, node: Any) -> Any:
        try:
            return self._constructor.construct_object(node)
        except ValueError:
            kind = "a date" if node.tag.endswith(":timestamp") else "a number"
            line = node.start_mark.line + 1
            raise SuiteError(
                f"{self.label}:{line}: {visible(shortened(node.value, 80))} looks like {kind} and is none; write it in quotes"
            ) from None

    def _mapping(self, node: Any) -> dict[Any, Any]:
        merges = [key.tag == _MERGE for key, _ in node.value]
        own = self._own([pair for pair, is_merge in zip(node.value, merges, strict=True) if not is_merge])
        if not any(merges):
            return own
        self._constructor.flatten_mapping(node)
        return {self._value(key): self._value(item) for key, item in node.value}

    def _own(self, pairs: Sequence[tuple[Any, Any]]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, item in pairs:
            name = self._value(key)
            if isinstance(name, list | dict):
                raise SuiteError(f"{self.label}:{key.start_mark.line + 1}: a key is text, not a list or mapping")
            if name in found:
                raise SuiteError(f"{self.label}:{key.start_mark.line + 1}: the key {shown(name, 80)} occurs twice")
            found[name] = self._value(item)
        return found


def read_yaml(path: Path, label: str) -> YamlDocument:
    """Read a YAML file."""
    try:
        return YamlDocument(path.read_text(encoding="utf-8-sig"), label)
    except UnicodeDecodeError as error:
        raise SuiteError(f"{label}:1: it is not UTF-8: {error.reason} at byte {error.start}") from None


def _explained(error: yaml.YAMLError, label: str) -> str:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    context = getattr(error, "context", None)
    return f"{label}:{mark.line + 1 if mark else 1}: it is not YAML: {f'{context}, ' if context else ''}{problem}"
