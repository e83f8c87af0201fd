"""Files of expected values whose single values change: accepted files, suites, and rows of data sets.

PyYAML finds the place of a value, and its text is replaced. A row of JSONL, CSV or TSV is written anew.
"""

import csv
import functools
import io
import json
import operator
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

from pytest_verdict.accepting.file import AcceptedValues, parse_accepted
from pytest_verdict.core.values.encoding import decode, encode_text
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import RecordError

ALREADY: Final = "it is accepted already"
MALFORMED: Final = (YamlTextError, RecordError, LookupError, ValueError, TypeError, AttributeError)
"""What the functions of this module raise for a file that is not of the expected form."""
DELIMITERS: Final[Mapping[str, str | None]] = {".jsonl": None, ".csv": ",", ".tsv": "\t"}
_CHANGED: Final = "the expected value in the file is not the one of the record: it has changed since"
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_NOT_IN_BLOCKS: Final = re.compile("[\r\x85\u2028\u2029]|\n\n\\Z")
_NO_LIMIT: Final = float("inf")


class Place(NamedTuple):
    """The place of an expected value: a file, and the keys and positions that lead to the value."""

    path: Path
    keys: tuple[Any, ...]


class AcceptedFile:
    """A file of accepted values; the keys of a place are the test, the name, and the position or None."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.before = parse_accepted(self._text)
        self.values = {test: {name: [*values] for name, values in names.items()} for test, names in self.before.items()}

    def refusal(self, keys: tuple[Any, ...], expected: Any, observed: Any) -> str:
        """Return why the value at a place cannot be replaced; empty if it can."""
        test, name, position = keys
        refuse_unwritable(observed)
        values = self.before.get(test, {}).get(name, ())
        if encode_text(observed) in map(encode_text, values):
            return ALREADY
        if position is None:
            return "there are accepted values now: run the test again" if values else ""
        if not 0 <= position < len(values) or encode_text(values[position]) != encode_text(expected):
            return _CHANGED
        return ""

    def accept(self, keys: tuple[Any, ...], observed: Any, *, beside: bool) -> None:
        test, name, position = keys
        values = self.values.setdefault(test, {}).setdefault(name, [])
        if encode_text(observed) in map(encode_text, values):
            return
        if position is None or beside:
            values.append(observed)
        else:
            values[position] = observed

    def remove(self, test: str, name: str) -> list[Any]:
        """Remove an entry, and return its values."""
        values = self.values[test].pop(name)
        if not self.values[test]:
            del self.values[test]
        return values

    def text(self) -> str:
        """Return the new text."""
        if encode_text(self.values) == encode_text(self.before):
            return self._text
        return edit_accepted(self._text, self.values)


class LiteralFile:
    """A file of a suite or a data set, in which single literals change."""

    _read: Callable[[tuple[Any, ...]], Any]
    _edit: Callable[[Mapping[tuple[Any, ...], Any]], str]

    def __init__(self, text: str) -> None:
        self._text = text
        # By place, because several comparisons may share a literal.
        self._values: dict[tuple[Any, ...], Any] = {}

    def refusal(self, keys: tuple[Any, ...], expected: Any, observed: Any) -> str:
        if encode_text(self._read(keys)) != encode_text(expected):
            return _CHANGED
        self._check(keys, observed)
        return ""

    def accept(self, keys: tuple[Any, ...], observed: Any, *, beside: bool) -> None:
        del beside
        self._values[keys] = observed

    def text(self) -> str:
        return self._edit(self._values) if self._values else self._text

    def _check(self, keys: tuple[Any, ...], observed: Any) -> None:
        """Raise RecordError if the value at a place cannot become this one."""
        self._edit({keys: observed})


class YamlFile(LiteralFile):
    """A YAML file; the keys of a place are those of its values."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.document = YamlDocument(text)

    def _read(self, keys: tuple[Any, ...]) -> Any:
        return functools.reduce(operator.getitem, keys, self.document.value)

    def _check(self, keys: tuple[Any, ...], observed: Any) -> None:
        refuse_unwritable(observed)
        if "&" in self._text:
            # Other files are checked once, after all changes.
            self._edit({keys: observed})

    def _edit(self, values: Mapping[tuple[Any, ...], Any]) -> str:
        # Without aliases, which would change with the value that they repeat.
        expected = decode(json.loads(encode_text(self.document.value)))
        for keys, value in values.items():
            functools.reduce(operator.getitem, keys[:-1], expected)[keys[-1]] = value
        splices = [_replace(self._text, self.document, keys, value) for keys, value in values.items()]
        return _edit_yaml(self._text, splices, lambda text: YamlDocument(text).value, expected)


class RowFile(LiteralFile):
    """A file of JSONL, CSV or TSV; the keys of a place are the line at which a row begins, and the key in the row."""

    def __init__(self, text: str, delimiter: str | None) -> None:
        super().__init__(text)
        if _LONE_RETURN.search(text):
            raise RecordError("a carriage return without a line feed is in it, so programs count its lines differently")
        self._lines = text.split("\n")
        self._delimiter = delimiter

    def _read(self, keys: tuple[Any, ...]) -> Any:
        line, key = keys
        return self._parse(self._lines[line - 1])[key]

    def _edit(self, values: Mapping[tuple[Any, ...], Any]) -> str:
        lines = [*self._lines]
        for (number, key), value in values.items():
            line = lines[number - 1]
            row = {**self._parse(line), key: value}
            written = self._write(row)
            # Decimals, because a number may have more digits than a float.
            if self._parse(written, Decimal) != {**self._parse(line, Decimal), key: self._parse(written, Decimal)[key]}:
                raise RecordError("another value of the row would change; change the row by hand")
            if encode_text(self._parse(written)[key]) != encode_text(value):
                raise RecordError(f"the file cannot hold this {type(value).__name__}")
            lines[number - 1] = written + ("\r" if line.endswith("\r") else "")
        return "\n".join(lines)

    def _parse(self, line: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
        if self._delimiter is None:
            return {**json.loads(line, parse_float=parse_float)}
        names, fields = (self._split(text) for text in (self._lines[0], line))
        return dict(zip(names, fields, strict=True))

    def _split(self, line: str) -> list[str]:
        # A quote that is not closed on the line is an error.
        try:
            return next(csv.reader([line.removesuffix("\r")], delimiter=self._delimiter or ",", strict=True))
        except csv.Error as error:
            raise RecordError(f"a row of it is not one line of CSV: {error}") from None

    def _write(self, row: Mapping[str, Any]) -> str:
        if self._delimiter is None:
            try:
                return json.dumps(row, ensure_ascii=self._text.isascii(), allow_nan=False)
            except (TypeError, ValueError) as error:
                raise RecordError(f"JSON cannot hold the value: {error}") from None
        if any(not isinstance(field, str) or "\n" in field or "\r" in field for field in row.values()):
            raise RecordError("a field of CSV is a text of one line")
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=self._delimiter, lineterminator="").writerow(row.values())
        return buffer.getvalue()


class _Splice(NamedTuple):
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
    """Write a value on one line, or as an item of a list in blocks, without the dash."""
    options: Any = {"allow_unicode": True, "width": _NO_LIMIT, "sort_keys": False}
    text: str = yaml.dump([value], Dumper=_Dumper, default_flow_style=flow, **options)
    if flow:
        return text.strip()[1:-1]
    return text.removeprefix("- ").rstrip("\n")


def refuse_unwritable(value: Any) -> None:
    """Raise RecordError if YAML cannot give back an equal value."""
    try:
        for text in (f"[{dump_value(value, flow=True)}]", f"- {dump_value(value, flow=False)}\n"):
            document = YamlDocument(text)
            # The writer puts texts in quotes, but a date is none.
            if [*document.misread()] or encode_text(document.value[0]) != encode_text(value):
                raise RecordError(f"YAML gives back another value for this {type(value).__name__}")
    except (yaml.YAMLError, YamlTextError, ValueError, RecursionError):
        raise RecordError(f"YAML cannot hold this {type(value).__name__}") from None


def _edit_yaml(text: str, splices: Iterable[_Splice], parse: Callable[[str], Any], expected: Any) -> str:
    """Apply splices to the text of a YAML file, which then must have the expected values; those at one place keep their order."""
    newline = "\r\n" if "\r\n" in text else "\n"
    pieces = []
    position = 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        pieces += [text[position : splice.start], splice.text.replace("\n", newline)]
        position = splice.end
    edited = "".join([*pieces, text[position:]])
    try:
        is_right = equal(expected, parse(edited), nan_equal=True)
    except YamlTextError:
        is_right = False
    if not is_right:
        raise RecordError("its form is too unusual to change single values; write it in blocks, without aliases")
    return edited


def _replace(text: str, document: YamlDocument, path: Sequence[str | int], value: Any) -> _Splice:
    """Return the splice that replaces a value; texts of several lines become blocks where these are possible."""
    parent = document.node(path[:-1])
    node = document.node(path)
    end = _end_of(text, node)
    # A block has no comment on its last line.
    is_block = isinstance(value, str) and "\n" in value and not parent.flow_style
    is_flow = not is_block or "#" in text[end:].partition("\n")[0]
    column = parent.start_mark.column
    written = _indent(dump_value(value, flow=is_flow), column)[column:]
    start = node.start_mark.index
    return _Splice(start, end, f" {written}" if start == end else written)


def _end_of(text: str, node: Any) -> int:
    """Return where the text of a value ends; PyYAML counts comments below a block to it."""
    end = int(node.end_mark.index)
    if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
        return len(text[:end].rstrip(" \r\n"))
    if isinstance(node, yaml.ScalarNode) or node.flow_style:
        return end
    last = node.value[-1]
    return _end_of(text, last[1] if isinstance(last, tuple) else last)


def _end_of_lines(text: str, node: Any) -> int:
    return text.find("\n", _end_of(text, node)) + 1


def edit_accepted(text: str, after: AcceptedValues) -> str:
    """Return the text of a file of accepted values with other values; comments and order stay."""
    before = parse_accepted(text)
    # Each entry ends with its line.
    if text.strip() and not text.endswith("\n"):
        text += "\n"
    if before:
        splices = [*_edit_mapping(text, YamlDocument(text), [], before, after)]
    else:
        splices = [_Splice(len(text), len(text), "".join(_dump_entry(test, after[test], 0) for test in sorted(after)))]
    return _edit_yaml(text, splices, parse_accepted, after)


def _edit_mapping(
    text: str, document: YamlDocument, path: list[str | int], before: Any, after: Any
) -> Iterator[_Splice]:
    """Yield the changes of a mapping; at one place, additions to an inner entry come before those to an outer one."""
    nodes = {key.value: (key, item) for key, item in document.node(path).value}
    column = min(key.start_mark.column for key, _ in nodes.values())
    starts = {name: text.rfind("\n", 0, key.start_mark.index) + 1 for name, (key, _) in nodes.items()}
    ends = {name: _end_of_lines(text, item) for name, (_, item) in nodes.items()}
    for name in before.keys() & after.keys():
        edit = _edit_values if path else _edit_mapping
        yield from edit(text, document, [*path, name], before[name], after[name])
    for name in before.keys() - after.keys():
        yield _Splice(starts[name], ends[name], "")
    for name in sorted(after.keys() - before.keys()):
        # A new entry follows the last that sorts before it.
        earlier = [ends[other] for other in nodes if other < name and other in after]
        place = earlier[-1] if earlier else min(starts.values())
        yield _Splice(place, place, _dump_entry(name, after[name], column))


def _edit_values(
    text: str, document: YamlDocument, path: list[str | int], before: Sequence[Any], after: Sequence[Any]
) -> Iterator[_Splice]:
    for position, (old, new) in enumerate(zip(before, after, strict=False)):
        if encode_text(old) != encode_text(new):
            yield _replace(text, document, [*path, position], new)
    added = after[len(before) :]
    node = document.node(path)
    if node.flow_style:
        place = _end_of(text, node) - 1
        yield _Splice(place, place, "".join(f", {dump_value(value, flow=True)}" for value in added))
    else:
        place = _end_of_lines(text, node)
        yield _Splice(place, place, _dump_items(added, node.start_mark.column))


def _dump_items(values: Sequence[Any], column: int) -> str:
    """Write the lines of a list; texts of several lines are blocks."""
    items = [dump_value(value, flow=not isinstance(value, str)) for value in values]
    return _indent("".join(f"- {item}\n" for item in items), column)


def _dump_entry(name: str, entry: Any, column: int) -> str:
    """Write the lines of an entry in blocks."""
    # A key has no line breaks, and no reader takes it for a number.
    is_plain = name.isprintable() and not any(YamlDocument(yaml.safe_dump(name, allow_unicode=True)).misread())
    style = None if is_plain else '"'
    key = yaml.dump(name, Dumper=yaml.SafeDumper, allow_unicode=True, width=_NO_LIMIT, default_style=style)
    key = _indent(key.removesuffix("\n...\n").rstrip("\n"), column)
    if isinstance(entry, dict):
        return f"{key}:\n" + "".join(_dump_entry(inner, entry[inner], column + 2) for inner in sorted(entry))
    return f"{key}:\n{_dump_items(entry, column + 2)}"


def _indent(text: str, column: int) -> str:
    return textwrap.indent(text, " " * column, lambda line: line != "\n")
