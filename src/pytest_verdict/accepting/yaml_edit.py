"""Changes to the text of a YAML file: single values and entries change, and every other character stays."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import yaml

from pytest_verdict.accepting.file import AcceptedValues, parse_accepted
from pytest_verdict.core.values.encoding import encode_text
from pytest_verdict.core.values.equality import equal
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
    text = _dump([value], is_flow=flow)
    if flow:
        return text.strip()[1:-1]
    return text.removeprefix("- ").rstrip("\n")


def _dump(values: Sequence[Any], *, is_flow: bool = False) -> str:
    text: str = yaml.dump(
        [*values],
        Dumper=_Dumper,
        default_flow_style=is_flow,
        allow_unicode=True,
        width=_NO_LIMIT,
        sort_keys=False,
    )
    return text


def _indent(text: str, column: int) -> str:
    return textwrap.indent(text, " " * column, lambda line: line != "\n")


def refuse_unwritable(value: Any) -> None:
    """Raise RecordError if YAML cannot give back an equal value."""
    try:
        for is_flow in (False, True):
            document = YamlDocument(_dump([value], is_flow=is_flow))
            # The writer puts texts in quotes, but a date is none.
            if [*document.misread()] or encode_text(document.value[0]) != encode_text(value):
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


def edit_yaml(text: str, splices: Iterable[Splice], parse: Callable[[str], Any], expected: Any) -> str:
    """Apply splices to the text of a YAML file, which then must have the expected values."""
    edited = apply_splices(text, splices)
    try:
        is_right = equal(expected, parse(edited), nan_equal=True)
    except YamlTextError:
        is_right = False
    if not is_right:
        raise RecordError("its form is too unusual to change single values; write it in blocks, without aliases")
    return edited


class YamlText:
    """A YAML text without a byte order mark, and the places of its values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.document = YamlDocument(text)

    def replace(self, path: Sequence[str | int], value: Any) -> Splice:
        """Return the splice that replaces a value."""
        parent = self.document.node(path[:-1])
        node = self.document.node(path)
        start = node.start_mark.index
        end = self._end(node)
        has_lines = isinstance(value, str) and "\n" in value
        rest_of_line = self.text[end:].partition("\n")[0]
        # A block has no comment on its last line.
        is_flow = parent.flow_style or "#" in rest_of_line
        if isinstance(parent, yaml.MappingNode) and not has_lines:
            is_flow = True
        column = parent.start_mark.column
        text = _indent(dump_value(value, flow=is_flow), column)[column:]
        return Splice(start, end, f" {text}" if start == end else text)

    def append(self, path: Sequence[str | int], values: Sequence[Any]) -> Splice:
        """Return the splice that adds values to a list which has some."""
        node = self.document.node(path)
        if node.flow_style:
            end = self._end(node) - 1
            return Splice(end, end, "".join(f", {dump_value(value, flow=True)}" for value in values))
        return self.insert_below(node, _indent(_dump(values), node.start_mark.column))

    def insert_below(self, node: Any, lines: str) -> Splice:
        """Return the splice that adds lines below a value."""
        _, start = self.lines_of(node, node)
        return Splice(start, start, lines)

    def lines_of(self, key: Any, item: Any) -> tuple[int, int]:
        """Return the range of the lines of an entry of a mapping in blocks."""
        start = self.text.rfind("\n", 0, key.start_mark.index) + 1
        return start, self.text.find("\n", self._end(item)) + 1

    def rewrite(self, key: Any, item: Any, entry: str) -> Splice:
        """Return the splice that writes an entry on one line anew, in blocks; the comment beside it stays."""
        start, end = self.lines_of(key, item)
        inside, outside = self.text[start : self._end(item)], self.text[self._end(item) : end]
        if "#" in inside and "\n" in inside:
            raise RecordError("an entry of several lines in braces may have comments; write it in blocks")
        head, _, rest = entry.partition("\n")
        return Splice(start, end, f"{head}{outside.rstrip()}\n{rest}")

    def _end(self, node: Any) -> int:
        """Return where the text of a value ends; PyYAML counts comments below a block to it."""
        end = int(node.end_mark.index)
        if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
            return len(self.text[:end].rstrip(" \r\n"))
        if isinstance(node, yaml.ScalarNode) or node.flow_style:
            return end
        last = node.value[-1]
        return self._end(last[1] if isinstance(last, tuple) else last)


def edit_accepted(text: str, after: AcceptedValues) -> str:
    """Return the text of a file of accepted values with other values; comments and order stay."""
    before = parse_accepted(text)
    # Each entry ends with its line.
    if text.strip() and not text.endswith("\n"):
        text += "\n"
    if before:
        splices = [*_edit_mapping(YamlText(text), [], before, after)]
    else:
        lines = "".join(_dump_entry(test, after[test], 0) for test in sorted(after))
        splices = [Splice(len(text), len(text), lines)]
    return edit_yaml(text, splices, parse_accepted, after)


def _edit_mapping(source: YamlText, path: list[str | int], before: Any, after: Any) -> Iterator[Splice]:
    """Yield the changes of a mapping; at one place, additions to an inner entry come before those to an outer one."""
    nodes = {key.value: (key, item) for key, item in source.document.node(path).value}
    column = min(key.start_mark.column for key, _ in nodes.values())
    for name in before.keys() & after.keys():
        if path:
            yield from _edit_values(source, [*path, name], before[name], after[name])
        elif nodes[name][1].flow_style and before[name].keys() != after[name].keys():
            yield source.rewrite(*nodes[name], _dump_entry(name, after[name], column))
        else:
            yield from _edit_mapping(source, [name], before[name], after[name])
    for name in before.keys() - after.keys():
        yield Splice(*source.lines_of(*nodes[name]), "")
    for name in sorted(after.keys() - before.keys()):
        lines = _dump_entry(name, after[name], column)
        # A new entry follows the last that sorts before it.
        earlier = [other for other in nodes if other < name and other in after]
        if earlier:
            yield source.insert_below(nodes[earlier[-1]][1], lines)
        else:
            start = min(source.lines_of(*node)[0] for node in nodes.values())
            yield Splice(start, start, lines)


def _edit_values(
    source: YamlText, path: list[str | int], before: Sequence[Any], after: Sequence[Any]
) -> Iterator[Splice]:
    for position, (old, new) in enumerate(zip(before, after, strict=False)):
        if encode_text(old) != encode_text(new):
            yield source.replace([*path, position], new)
    if len(after) > len(before):
        yield source.append(path, after[len(before) :])


def _dump_entry(name: str, entry: Any, column: int) -> str:
    """Write the lines of an entry in blocks."""
    # A key has no line breaks, and no reader takes it for a number.
    is_plain = name.isprintable() and not any(YamlDocument(yaml.safe_dump(name, allow_unicode=True)).misread())
    style = None if is_plain else '"'
    key = yaml.dump(name, Dumper=yaml.SafeDumper, allow_unicode=True, width=_NO_LIMIT, default_style=style)
    key = _indent(key.removesuffix("\n...\n").rstrip("\n"), column)
    if isinstance(entry, dict):
        return f"{key}:\n" + "".join(_dump_entry(inner, entry[inner], column + 2) for inner in sorted(entry))
    return f"{key}:\n{_indent(_dump(entry), column + 2)}"
