"""The strict JSON reader.

RFC 8259 does not say what a repeated key, ``NaN``, a long number or deep nesting means. `parse_json` refuses repeated keys,
``NaN``, ``Infinity`` and documents with more than 200 levels, and reads numbers exactly: an integer as int, any other number
as Decimal. `parse_json_with_floats` reads numbers as Python's json does.
"""

import functools
import itertools
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final, NoReturn

from pytest_verdict.core.values.display import shorten
from pytest_verdict.core.values.encoding import MAXIMUM_DEPTH
from pytest_verdict.core.values.numbers import EXACT, is_beyond_float

PARSE_FAILED: Final = "json_parse_failed"
DUPLICATE_KEY: Final = "json_duplicate_key"
NOT_FINITE: Final = "json_not_finite"
TOO_DEEP: Final = "json_too_deep"

# A string without an end takes the rest of the document, so the search stays linear.
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)

_QUOTED: Final = re.compile(rb'"[^"]*"')
_SQUARE: Final = bytes.maketrans(b"{}", b"[]")
_UNMARKED: Final = bytes({*range(256)} - {*b'"[]{}'})

_OPENING: Final = re.compile(r"[\[{]")
# A text that begins like this is meant as a document; "[1]" may be a footnote, and "{x" part of a sentence.
_BEGINNING: Final = re.compile(
    r"""\{\s*(?:["'}\[{]|[\w$-]+\s*:)|\[\s*(?:["'\[{]|-?[0-9][0-9.eE+-]*\s*,|(?:true|false|null)\b)"""
)
# Each attempt may take as long as reading the rest of the text.
_MOST_TRIED: Final = 1_000
# Converting more digits to an int would take too long; this is Python's own limit.
_MOST_DIGITS: Final = 4_300
# PYTHONINTMAXSTRDIGITS may limit int() to so many digits.
_FEWEST_DIGITS: Final = 640
_exact = functools.partial(Decimal, context=EXACT)


class JsonTextError(ValueError):
    """A text is not a JSON document."""

    def __init__(self, note: str, reason: str) -> None:
        super().__init__(reason)
        self.note = note


def parse_json(text: str | bytes | bytearray) -> Any:
    """Parse one JSON document, with exact numbers."""
    try:
        document = text if isinstance(text, str) else text.decode("utf-8")
        # RFC 8259 lets a reader ignore a byte-order mark.
        document = document.removeprefix("\ufeff")
        _refuse_depth(document)
        return _DECODER.decode(document)
    except JsonTextError:
        raise
    except ArithmeticError:
        raise JsonTextError(PARSE_FAILED, "an exponent is out of range") from None
    except (ValueError, RecursionError) as error:
        raise JsonTextError(PARSE_FAILED, str(error)) from None


def parse_json_with_floats(text: str) -> Any:
    """Parse one JSON document with numbers as Python's json reads them; refuse a number beyond the range of a float."""
    try:
        return _FLOAT_DECODER.decode(text)
    except RecursionError:
        raise JsonTextError(TOO_DEEP, "nested too deeply") from None


def documents_in(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the objects and lists in a text that also holds other things, with their positions.

    Nothing inside of a broken document is a document: it would be a part of the answer.
    """
    return (document for document in _scan_documents(text) if document[0] is not _BROKEN)


def split_documents(text: str) -> tuple[list[Any], str]:
    """Return the JSON objects and lists in a text, and the text with blanks in their places."""
    documents = []
    outside = ""
    end_before = 0
    for document, start, end in documents_in(text):
        documents.append(document)
        outside += text[end_before:start] + " " * (end - start)
        end_before = end
    return documents, outside + text[end_before:]


def last_document(text: str) -> tuple[Any, int, int] | None:
    """Return the last object in a text, or the last list if it has no object; None if a later document is broken."""
    if sum(1 for _ in _OPENING.finditer(text)) > _MOST_TRIED:
        return None
    last = None
    for document in _scan_documents(text):
        if last is None or document[0] is _BROKEN or "{" in text[slice(*document[1:])] or isinstance(last[0], list):
            last = document
    if last is None or last[0] is _BROKEN:
        return None
    return last


_BROKEN: Final = object()


def _scan_documents(text: str) -> Iterator[tuple[Any, int, int]]:
    end = 0
    for opening in itertools.islice(_OPENING.finditer(text), _MOST_TRIED):
        start = opening.start()
        if start < end:
            continue
        try:
            document, end = _DECODER.raw_decode(text, start)
            _refuse_depth(text[start:end])
        except (ArithmeticError, RecursionError, ValueError):
            if _BEGINNING.match(text, start):
                end = _end_of_broken(text, start)
                yield _BROKEN, start, end
        else:
            yield document, start, end


def _end_of_broken(text: str, start: int) -> int:
    """Return where the brackets of a document that cannot be read are closed, or the end of the text."""
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
        if depth == 0:
            return match.end()
    return len(text)


def _integer(text: str) -> int | Decimal:
    if len(text) < _FEWEST_DIGITS:
        return int(text)
    number = _exact(text)
    return int(number) if number.adjusted() < _MOST_DIGITS else number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) == len(pairs):
        return document
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise JsonTextError(DUPLICATE_KEY, f"the key {key!r} occurs twice in one object")
        keys.add(key)
    return document


def _constant(name: str) -> NoReturn:
    raise JsonTextError(NOT_FINITE, f"{name} is not JSON")


def _float_in_range(text: str) -> float:
    number = float(text)
    if is_beyond_float(text, number):
        raise JsonTextError(PARSE_FAILED, f"{shorten(text, 40)} is beyond what a float holds")
    return number


def _refuse_depth(document: str) -> None:
    # Only quotes and brackets are left, then no strings; each round removes the innermost pairs of brackets.
    marks = document.replace("\\\\", "").replace('\\"', "").encode("utf-8", "surrogatepass")
    brackets = _QUOTED.sub(b"", marks.translate(_SQUARE, _UNMARKED).replace(b'""', b""))
    for level in range(MAXIMUM_DEPTH):
        if level + brackets.count(b"[") <= MAXIMUM_DEPTH:
            return
        outer = brackets.replace(b"[]", b"")
        if len(outer) == len(brackets):
            break
        brackets = outer
    depth = 0
    for match in _BRACKETS.finditer(document):
        bracket = match.group()
        if bracket in "[{":
            depth += 1
            if depth > MAXIMUM_DEPTH:
                raise JsonTextError(TOO_DEEP, f"nested deeper than {MAXIMUM_DEPTH} levels at character {match.start()}")
        elif bracket in "]}":
            depth -= 1


_strict = functools.partial(json.JSONDecoder, object_pairs_hook=_object, parse_constant=_constant)
_DECODER: Final = _strict(parse_float=_exact, parse_int=_integer)
_FLOAT_DECODER: Final = _strict(parse_float=_float_in_range)
