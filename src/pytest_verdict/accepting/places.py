"""The places of expected values: entries of accepted files, literals of suites, and fields of rows of data sets."""

import functools
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from pytest_verdict.accepting.file import parse_accepted
from pytest_verdict.accepting.yaml_edit import (
    Splice,
    YamlText,
    apply_splices,
    edit_accepted,
    edit_yaml,
    refuse_unwritable,
)
from pytest_verdict.core.values.encoding import decode, encode_text
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import RecordError

ALREADY: Final = "it is accepted already"
_CHANGED: Final = "the expected value in the file is not the one of the record: it has changed since"
_LONE_RETURN: Final = re.compile(r"\r(?!\n)")
_MARK: Final = re.compile(r"\s*[{,:]\s*")
_decoder: Final = json.JSONDecoder()


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

    def __init__(self, text: str, suffix: str) -> None:
        self.form: Any = FORMS[suffix](text)
        # By place, because several comparisons may share a literal.
        self._values: dict[tuple[Any, ...], Any] = {}

    def refusal(self, keys: tuple[Any, ...], expected: Any, observed: Any) -> str:
        if encode_text(self.form.read(keys)) != encode_text(expected):
            return _CHANGED
        self.form.check(keys, observed)
        return ""

    def accept(self, keys: tuple[Any, ...], observed: Any, *, beside: bool) -> None:
        del beside
        self._values[keys] = observed

    def text(self) -> str:
        return str(self.form.edit(self._values))


EditedFile = AcceptedFile | LiteralFile


class _YamlForm:
    """Literals of a YAML file; the keys lead from its top to the value."""

    def __init__(self, text: str) -> None:
        self._source = YamlText(text)
        self.document = self._source.document

    def read(self, keys: Sequence[Any]) -> Any:
        return functools.reduce(operator.getitem, keys, self.document.value)

    def check(self, keys: tuple[Any, ...], observed: Any) -> None:
        """Raise RecordError if the value at a place cannot become this one."""
        refuse_unwritable(observed)
        if "&" in self._source.text:
            # Other files are checked once, after all changes.
            self.edit({keys: observed})

    def edit(self, values: Mapping[tuple[Any, ...], Any]) -> str:
        """Return the text with other values."""
        # Without aliases, which would change with the value that they repeat.
        expected = decode(json.loads(encode_text(self.document.value)))
        for keys, value in values.items():
            functools.reduce(operator.getitem, keys[:-1], expected)[keys[-1]] = value
        splices = [self._source.replace(keys, value) for keys, value in values.items()]
        return edit_yaml(self._source.text, splices, lambda text: YamlDocument(text).value, expected)


class _Rows:
    """Rows of a text; the keys of a place are the number of the line at which a row begins, and the key in it."""

    _span: Callable[[Any], tuple[int, int]]
    """Returns the range of the value at a place."""
    _decode: Callable[[str], Any]
    _encode: Callable[[Any, str], str]

    def __init__(self, text: str) -> None:
        if _LONE_RETURN.search(text):
            raise RecordError("a carriage return without a line feed is in it, so programs count its lines differently")
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def read(self, keys: Sequence[Any]) -> Any:
        start, end = self._span(keys)
        return self._decode(self._text[start:end])

    def check(self, keys: tuple[Any, ...], observed: Any) -> None:
        self._splice(keys, observed)

    def edit(self, values: Mapping[tuple[Any, ...], Any]) -> str:
        return apply_splices(self._text, [self._splice(keys, value) for keys, value in values.items()])

    def _splice(self, keys: Sequence[Any], value: Any) -> Splice:
        start, end = self._span(keys)
        return Splice(start, end, self._encode(value, self._text[start:end]))


class _JsonForm(_Rows):
    def _decode(self, text: str) -> Any:
        return json.loads(text)

    def _encode(self, value: Any, _before: str) -> str:
        try:
            text = json.dumps(value, ensure_ascii=self._text.isascii(), allow_nan=False)
        except (TypeError, ValueError):
            text = "null"
        if encode_text(json.loads(text)) != encode_text(value):
            raise RecordError(f"JSON cannot hold this {type(value).__name__}")
        return text

    def _span(self, keys: Sequence[Any]) -> tuple[int, int]:
        line, key = keys
        start = self._starts[line - 1]
        row = self._text[start:].partition("\n")[0]
        name = None
        end = 0
        while name != key:
            name, end = _decoder.raw_decode(row, self._skip_mark(row, end))
            value = self._skip_mark(row, end)
            end = _decoder.raw_decode(row, value)[1]
        return start + value, start + end

    def _skip_mark(self, row: str, at: int) -> int:
        """Return the place behind the next brace, comma or colon."""
        match = _MARK.match(row, at)
        if match is None:
            raise LookupError("the row has no such key")
        return match.end()


class _CsvForm(_Rows):
    delimiter: ClassVar[str] = ","

    def _decode(self, text: str) -> str:
        if text.startswith('"'):
            return text[1:-1].replace('""', '"')
        return text

    def _encode(self, value: Any, before: str) -> str:
        if not isinstance(value, str):
            raise RecordError(f"a field of CSV is a text, and cannot hold this {type(value).__name__}")
        if "\n" in value or "\r" in value:
            raise RecordError("a text of several lines would move the rows below it")
        if before.startswith('"') or self.delimiter in value or '"' in value:
            return '"' + value.replace('"', '""') + '"'
        return value

    def _span(self, keys: Sequence[Any]) -> tuple[int, int]:
        line, column = keys
        names = [self._decode(self._text[start:end]) for start, end in self._fields(0)]
        return list(self._fields(self._starts[line - 1]))[names.index(column)]

    def _fields(self, at: int) -> Iterator[tuple[int, int]]:
        pattern = re.compile(rf'("(?:[^"]|"")*"|(?!")[^{self.delimiter}\r\n]*)({self.delimiter}?)')
        while match := pattern.match(self._text, at):
            yield match.span(1)
            at = match.end()
            if not match[2]:
                return


class _TsvForm(_CsvForm):
    delimiter: ClassVar[str] = "\t"


FORMS: Final[Mapping[str, type]] = {
    ".yaml": _YamlForm,
    ".yml": _YamlForm,
    ".jsonl": _JsonForm,
    ".csv": _CsvForm,
    ".tsv": _TsvForm,
}
MALFORMED: Final = (YamlTextError, RecordError, LookupError, ValueError, TypeError, AttributeError)
"""What the functions of this module raise for a file that is not of the expected form."""
