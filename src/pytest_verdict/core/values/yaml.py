"""YAML files written by people, read strictly, with the line of each part."""

from __future__ import annotations

import datetime
import json
import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import yaml

from pytest_verdict.core.values.display import shorten, shown, visible
from pytest_verdict.core.values.numbers import is_beyond_float
from pytest_verdict.errors import SettingsError

_QUOTE: Final = "write the text in quotes"

MOST_REPEATED: Final = 1_000_000
"""The largest number of values that aliases may add to a document; a few lines could fill the memory."""

DEEPEST: Final = 1_000
"""The deepest nesting. The parser in C has no limit and crashes when its stack is full."""

# In bits: Python refuses to write integers of more than 4,300 digits.
_LARGEST_INTEGER: Final = 14_000

# The parser in C is about ten times as fast; not every build of PyYAML has it.
_BASE: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TEXT: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "tag:yaml.org,2002:merge"
_COLLECTIONS: Final = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_KINDS: Final = {"tag:yaml.org,2002:timestamp": "a date", "tag:yaml.org,2002:bool": "a truth value"}
# Texts that JSON and people read as YAML does; every other text without quotes is another value than it seems.
_PLAIN: Final = {
    "tag:yaml.org,2002:bool": re.compile("true|false", re.IGNORECASE),
    "tag:yaml.org,2002:int": re.compile("[-+]?(0|[1-9][0-9]*)"),
    "tag:yaml.org,2002:float": re.compile(
        r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?|[-+]?\.inf|\.nan", re.IGNORECASE
    ),
    "tag:yaml.org,2002:null": re.compile("null", re.IGNORECASE),
    "tag:yaml.org,2002:timestamp": re.compile("(?!)"),
}
_NUMBER_ELSEWHERE: Final = re.compile(r"[-+]?([0-9][0-9_]*(\.[0-9]*)?|\.[0-9]+)e[-+]?[0-9]+|0o[0-7]+", re.IGNORECASE)
_CUT_OFF: Final = re.compile(r"[ \t]+(#[^\s#]\S*)")
# Newer libyaml has a limit of its own.
_LIMIT: Final = "maximum nesting depth"
_UNQUOTED: Final = (
    "cannot start any token",
    "mapping values are not allowed",
    "unknown directive",
    "comment or line break",
)
_TOO_DEEP: Final = "it is nested too deeply, or an alias contains itself"


class YamlTextError(ValueError):
    """A YAML text is refused; ``line`` is the line of the problem."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line

    def at(self, label: str) -> str:
        """Return the message with a file and the line."""
        return f"{label}:{self.line}: {self}"


def decode_text(content: bytes) -> str:
    """Decode a file written by people, without its byte order mark; raise YamlTextError unless it is UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise YamlTextError(1, f"it is not UTF-8: {error.reason} at byte {error.start}") from None


class _Loader(_BASE):  # type: ignore[misc]
    _depth = 0

    def descend_resolver(self, parent: Any, _index: Any) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise YamlTextError(_line(parent), _TOO_DEEP)

    def ascend_resolver(self) -> None:
        self._depth -= 1


_BLANK: Final = 'nothing after the colon is null in YAML; write null, or "" for an empty text'


class YamlDocument:
    """One YAML document: its value, its nodes, and the line of each of its parts."""

    __slots__ = ("_root", "_text", "value")

    def __init__(self, text: str) -> None:
        self._text = text
        try:
            self._root: Any = yaml.compose(text, Loader=_Loader)
            if self._root is None:
                raise YamlTextError(1, "the file is empty")
            if "*" in text and _values_repeated(self._root) > MOST_REPEATED:
                reason = f"its aliases repeat more than {MOST_REPEATED:,} values"
                raise YamlTextError(1, f"{reason}; write a smaller file, or fewer aliases")
            self.value = _Constructor().construct_document(self._root)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
            context = getattr(error, "context", None)
            problem = getattr(error, "problem", None) or str(error).splitlines()[0]
            if _LIMIT in problem:
                raise YamlTextError(1, _TOO_DEEP) from None
            reason = f"{context}, {problem}" if context else problem
            if any(part in problem for part in _UNQUOTED):
                reason += "; write a text with such characters in quotes"
            raise YamlTextError(mark.line + 1 if mark else 1, f"it is not YAML: {reason}") from None
        except RecursionError:
            raise YamlTextError(1, _TOO_DEEP) from None
        except UnicodeEncodeError:
            raise YamlTextError(1, "half of a surrogate pair is no character") from None

    @classmethod
    def read(cls, path: Path) -> YamlDocument:
        """Read a file; raise YamlTextError if it is refused."""
        return cls(decode_text(path.read_bytes()))

    @classmethod
    def read_exactly(cls, path: Path, *, allows_blanks: bool = False) -> YamlDocument:
        """Read a file in which every value is what its author wrote; raise YamlTextError for any other."""
        document = cls.read(path)
        for line, reason in document.misread():
            if not (allows_blanks and reason == _BLANK):
                raise YamlTextError(line, reason)
        return document

    def misread(self) -> Iterator[tuple[int, str]]:
        """Yield the line of each text without quotes that YAML reads as another value than is written, and the reason."""
        for node in _parts_of(self._root):
            reason = self._find_misreading(node) if isinstance(node, yaml.ScalarNode) else None
            if reason:
                yield _line(node), reason

    def _find_misreading(self, node: Any) -> str | None:
        source = self._text[node.start_mark.index : node.end_mark.index]
        text = visible(shorten(node.value, 80))
        anchor = re.match(r"&([\w-]+)\s", source)
        is_unused = anchor is not None and not re.search(rf"\*{re.escape(anchor[1])}\b", self._text)
        if is_unused or source.startswith("! "):
            return f"{shown(source, 80)} is read as {shown(node.value, 80)}; {_QUOTE}"
        if node.style or source.startswith("!") or node.tag == _MERGE:
            return None
        if node.tag == _TEXT:
            comment = _CUT_OFF.match(self._text, node.end_mark.index)
            if comment is not None:
                ways = "write the whole text in quotes, or a blank behind # if it is a comment"
                return f"{visible(shorten(comment[1], 40))} is a comment in YAML, so the text ends before it; {ways}"
            if not _NUMBER_ELSEWHERE.fullmatch(node.value):
                return None
            return f"{text} is a number for some readers of YAML and a text for others; write its digits, or {_QUOTE}"
        if node.tag not in _PLAIN or _PLAIN[node.tag].fullmatch(node.value):
            return None
        if not node.value:
            return _BLANK
        value = _Constructor().construct_document(node)
        if isinstance(value, datetime.date):
            return f"{text} without quotes is a date in YAML; {_QUOTE}"
        return f"{text} without quotes is {json.dumps(value)} in YAML; write {json.dumps(value)} if this is meant, or {_QUOTE}"

    def line(self, path: Sequence[str | int]) -> int:
        """Return the line of a part, or of the nearest part around it that exists."""
        return self._find(path)[1]

    def node(self, path: Sequence[str | int]) -> Any:
        """Return the node of a part, or of the nearest part around it that exists."""
        return self._find(path)[0]

    def lines_of_items(self, path: Sequence[str | int]) -> list[int]:
        """Return the first line of each item of a list."""
        return [item.start_mark.line + 1 for item in self.node(path).value]

    def written(self, path: Sequence[str | int]) -> str:
        """Return the text of a scalar, without its quotes."""
        node = self.node(path)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else ""

    def _find(self, path: Sequence[str | int]) -> tuple[Any, int]:
        node = self._root
        line = _line(self._root)
        for step in path:
            if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
                node = node.value[step]
                line = _line(node)
            elif isinstance(node, yaml.MappingNode):
                # Merged pairs come first, and a pair of the mapping itself counts.
                for key, item in reversed(node.value):
                    if str(step) == key.value or (key.tag != _TEXT and _Constructor().construct_document(key) == step):
                        node = item
                        line = _line(key)
                        break
        return node, line


class _Constructor(yaml.constructor.SafeConstructor):
    """Builds the Python values of nodes."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002 - PyYAML's signature
        if not isinstance(node, yaml.ScalarNode):
            if node.tag not in _COLLECTIONS:
                raise _unknown_tag(node)
            return super().construct_object(node, deep)
        if node.tag == _TEXT:
            return node.value
        text = visible(shorten(node.value, 80))
        try:
            value = super().construct_object(node)
        except (ValueError, LookupError, AttributeError):
            kind = _KINDS.get(node.tag, "a number")
            raise YamlTextError(_line(node), f"{text} looks like {kind} and is none; write it in quotes") from None
        if isinstance(value, list | dict | set):
            raise _unknown_tag(node)
        if type(value) is int and value.bit_length() > _LARGEST_INTEGER:
            raise YamlTextError(_line(node), f"{text} has more digits than Python writes; write it in quotes")
        if type(value) is float and is_beyond_float(node.value, value):
            raise YamlTextError(_line(node), f"{text} is beyond what a float holds; write it in quotes")
        return value

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - likewise
        names = set()
        for key in [key for key, _ in node.value if key.tag != _MERGE]:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlTextError(_line(key), "a key is text, not a list or mapping")
            name = self.construct_object(key)
            if name in names:
                raise YamlTextError(_line(key), f"the key {shown(name, 80)} occurs twice")
            names.add(name)
        return super().construct_mapping(node, deep)


def read_yaml(path: str | os.PathLike[str], *, allows_blanks: bool = False) -> dict[str, Any]:
    """Read a YAML file whose top level is a mapping."""
    try:
        value = YamlDocument.read_exactly(Path(path), allows_blanks=allows_blanks).value
    except YamlTextError as error:
        raise SettingsError(f"{path}: {error}, at line {error.line}") from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise SettingsError(f"{path}: the top level is a mapping, got {type(value).__name__}")
    return value


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _unknown_tag(node: Any) -> YamlTextError:
    return YamlTextError(_line(node), f"the tag {shown(node.tag, 80)} is not read; write a plain list or mapping")


def _parts_of(root: Any) -> Iterator[Any]:
    """Yield the nodes of a document, each once, in the order of the file."""
    nodes = [root]
    visited: set[int] = set()
    while nodes:
        node = nodes.pop()
        if id(node) not in visited:
            visited.add(id(node))
            yield node
            nodes += reversed(_children_of(node))


def _children_of(node: Any) -> list[Any]:
    if isinstance(node, yaml.MappingNode):
        return [*chain.from_iterable(node.value)]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _values_repeated(root: Any) -> int:
    """Count the values that aliases and merge keys add to a document."""
    sizes: dict[int, int] = {}

    def size(node: Any) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = 1 + sum(map(size, _children_of(node)))
        return sizes[id(node)]

    return size(root) - len(sizes)
