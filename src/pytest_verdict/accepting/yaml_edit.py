"""Changes to the text of a YAML file: single values and entries change, and every other character stays."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import yaml

from pytest_verdict.accepting.file import AcceptedValues, parse_accepted
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import RecordError

_NO_LIMIT: Final = float("inf")
_NOT_IN_BLOCKS: Final = re.compile("[\r\x85\u2028\u2029]|\n\n\\Z")


class Splice(NamedTuple):
    """A part of a text, and what replaces it."""

    start: int
    end: int
    text: str


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        del data
        return True


def _represent_text(dumper: Any, text: str) -> Any:
    # Blank lines at the end of a block may also belong to what follows it, and YAML has line breaks of its own.
    is_block = "\n" in text and text.strip("\n") and not _NOT_IN_BLOCKS.search(text)
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if is_block else '"')


_Dumper.add_representer(str, _represent_text)


def dump_value(value: Any, *, flow: bool) -> str:
    """Write a value as an item of a list in blocks, without the dash, or on one line."""
    text: str = yaml.dump(
        [value],
        Dumper=_Dumper,
        default_flow_style=flow,
        allow_unicode=True,
        width=_NO_LIMIT,
        sort_keys=False,
    )
    if flow:
        return text.strip()[1:-1]
    return text.removeprefix("- ").rstrip("\n")


def refuse_unwritable(value: Any) -> None:
    """Raise RecordError if YAML cannot give back an equal value."""
    try:
        for is_flow in (False, True):
            text = dump_value(value, flow=is_flow)
            document = YamlDocument(f"[{text}]" if is_flow else f"- {text}\n")
            if encode_text(document.value[0]) != encode_text(value):
                raise RecordError(f"YAML gives back another value for this {type(value).__name__}")
    except (yaml.YAMLError, YamlTextError, ValueError, RecursionError):
        raise RecordError(f"YAML cannot hold this {type(value).__name__}") from None


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Apply splices to a text; those at one place keep their order."""
    newline = "\r\n" if "\r\n" in text else "\n"
    pieces = []
    position = 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        pieces += [text[position : splice.start], splice.text.replace("\n", newline)]
        position = splice.end
    return "".join([*pieces, text[position:]])


def _indent(text: str, column: int) -> str:
    """Indent all lines but the first."""
    return text.replace("\n", "\n" + " " * column).replace("\n" + " " * column + "\n", "\n\n")


class YamlText:
    """A YAML text without a byte order mark, and the places of its values."""

    def __init__(self, text: str, root: Any) -> None:
        self.text = text
        self.root = root

    def replace(self, path: Sequence[str | int], value: Any) -> Splice:
        """Return the splice that replaces a value."""
        parent = self._find(path[:-1])
        node = self._find(path)
        start = node.start_mark.index
        end = self.end(node)
        is_flow = bool(parent.flow_style)
        if isinstance(parent, yaml.MappingNode):
            is_flow = is_flow or not (isinstance(value, str) and "\n" in value)
        # A block has no comment on its last line.
        rest_of_line = self.text[end:].partition("\n")[0]
        is_flow = is_flow or "#" in rest_of_line
        text = _indent(dump_value(value, flow=is_flow), parent.start_mark.column)
        return Splice(start, end, f" {text}" if start == end else text)

    def append(self, path: Sequence[str | int], values: Sequence[Any]) -> Splice:
        """Return the splice that adds values to a list which has some."""
        node = self._find(path)
        end = self.end(node)
        if node.flow_style:
            return Splice(end - 1, end - 1, "".join(f", {dump_value(value, flow=True)}" for value in values))
        column = node.start_mark.column
        items = [_indent(f"\n- {dump_value(value, flow=False)}", column) for value in values]
        return self.after(end, "".join(items))

    def after(self, end: int, text: str) -> Splice:
        """Return the splice that adds lines below the line of a position."""
        at = self.text.find("\n", end)
        if at < 0:
            at = len(self.text)
        at -= self.text[:at].endswith("\r")
        return Splice(at, at, text)

    def lines_of(self, key: Any, item: Any) -> tuple[int, int]:
        """Return the range of the lines of an entry of a mapping in blocks."""
        start = self.text.rfind("\n", 0, key.start_mark.index) + 1
        end = self.text.find("\n", self.end(item)) + 1
        return start, end or len(self.text)

    def pairs(self, path: Sequence[str | int]) -> dict[str, tuple[Any, Any]]:
        """Return the nodes of the keys and values of a mapping."""
        return {key.value: (key, item) for key, item in self._find(path).value}

    def end(self, node: Any) -> int:
        """Return where the text of a value ends; PyYAML counts comments below a block to it."""
        if isinstance(node, yaml.ScalarNode):
            end = int(node.end_mark.index)
            if node.style in {"|", ">"}:
                return len(self.text[:end].rstrip(" \r\n"))
            return end
        if node.flow_style:
            return int(node.end_mark.index)
        last = node.value[-1]
        return self.end(last[1] if isinstance(last, tuple) else last)

    def _find(self, path: Sequence[str | int]) -> Any:
        node = self.root
        for step in path:
            if isinstance(node, yaml.SequenceNode):
                node = node.value[step]
            else:
                node = next(item for key, item in node.value if key.value == step)
        return node


def edit_accepted(text: str, after: AcceptedValues) -> str:
    """Return the text of a file of accepted values with other values; comments and order stay."""
    before = parse_accepted(text)
    source = YamlText(text, YamlDocument(text).root if before else None)
    tests = source.pairs(()) if before else {}
    # Additions at the same place: values come before names, and names before tests.
    of_values: list[Splice] = []
    of_names: list[Splice] = []
    for test in before.keys() & after.keys():
        names = source.pairs([test])
        column = min((key.start_mark.column for key, _ in names.values()), default=0)
        is_flow = bool(tests[test][1].flow_style)
        if is_flow and before[test].keys() != after[test].keys():
            # An entry on one line is written anew.
            start, end = source.lines_of(*tests[test])
            of_names.append(Splice(start, end, _dump_entry(test, after[test], 0)[1:] + "\n"))
            continue
        of_names += _edit_mapping(source, names, before[test], after[test], column)
        for name in before[test].keys() & after[test].keys():
            of_values += _edit_values(source, [test, name], before[test][name], after[test][name])
    edited = apply_splices(text, [*of_values, *of_names, *_edit_mapping(source, tests, before, after, 0)])
    if not text.strip():
        edited = edited.lstrip("\n")
    if edited and not edited.endswith("\n"):
        edited += "\n"
    try:
        is_right = encode_text(_sorted(parse_accepted(edited))) == encode_text(_sorted(after))
    except YamlTextError:
        is_right = False
    if not is_right:
        raise RecordError("its form is too unusual to change single values; write it in blocks, without aliases")
    return edited


def _sorted(values: AcceptedValues) -> Any:
    return [[test, name, [*items]] for test in sorted(values) for name, items in sorted(values[test].items())]


def _edit_values(source: YamlText, path: list[str | int], before: Sequence[Any], after: Sequence[Any]) -> list[Splice]:
    changed = [
        source.replace([*path, position], new)
        for position, (old, new) in enumerate(zip(before, after, strict=False))
        if encode_text(old) != encode_text(new)
    ]
    if len(after) > len(before):
        changed.append(source.append(path, after[len(before) :]))
    return changed


def _edit_mapping(source: YamlText, nodes: Any, before: Any, after: Any, column: int) -> Iterable[Splice]:
    """Remove and add entries; a new one follows the last entry that sorts before it."""
    for name in before.keys() - after.keys():
        yield Splice(*source.lines_of(*nodes[name]), "")
    for name in sorted(after.keys() - before.keys()):
        text = _dump_entry(name, after[name], column)
        earlier = [other for other in nodes if other < name and other in after]
        if earlier:
            yield source.after(source.end(nodes[earlier[-1]][1]), text)
        elif nodes:
            first = min(key.start_mark.index for key, _ in nodes.values())
            start = source.text.rfind("\n", 0, first) + 1
            yield Splice(start, start, text[1:] + "\n")
        else:
            yield Splice(len(source.text), len(source.text), text)


def _dump_entry(name: str, entry: Any, column: int) -> str:
    """Write an entry in blocks, with the line break before it."""
    # A key has no line breaks.
    style = None if name.isprintable() else '"'
    key = yaml.dump(name, Dumper=yaml.SafeDumper, allow_unicode=True, width=_NO_LIMIT, default_style=style)
    key = key.removesuffix("\n...\n").rstrip("\n")
    margin = "\n" + " " * column
    if isinstance(entry, dict):
        return f"{margin}{key}:" + "".join(_dump_entry(inner, entry[inner], column + 2) for inner in sorted(entry))
    items = [_indent(f"\n- {dump_value(value, flow=False)}", column + 2) for value in entry]
    return f"{margin}{key}:{''.join(items)}"
