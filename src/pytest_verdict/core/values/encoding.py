"""Typed JSON: any Python value as JSON, from which an equal value can be read back.

JSON's own values are written as they are. Other values are an object with the key ``$type``. A dict that has this key, or
keys that are not text, is written as a list of pairs, so nothing is ambiguous. Reading never imports a class: members of an
Enum, dataclasses and pydantic models become an `EncodedObject`, which equals the original. A member of an Enum that is also
text or a number (StrEnum, IntEnum) becomes that text or number.
"""

import base64
import datetime
import functools
import hashlib
import json
import pathlib
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from json.encoder import encode_basestring_ascii
from math import isfinite
from typing import Any, Final

from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.numbers import plain_scalar
from pytest_verdict.core.values.placeholders import (
    EncodedObject,
    NamedItems,
    Unreplayable,
    class_name,
    has_named_fields,
    item_names,
    named_fields,
)
from pytest_verdict.errors import RecordError

TYPE_KEY: Final = "$type"
MAXIMUM_DEPTH: Final = 200
# PYTHONINTMAXSTRDIGITS may limit int(text) to 640 digits; hexadecimal has no limit.
LONGEST_PLAIN_INT: Final = 10**600
# A JSON parser reads the escapes of these two as one character.
_SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_Writer = Callable[[Any, tuple[int, ...]], str]


def encode(value: Any) -> Any:
    """Return a value as typed JSON."""
    if type(value) is str and value.isascii():
        return value
    return json.loads(encode_text(value))


def is_replayable(encoded: Any) -> bool:
    """Return whether an encoded value can be read back as an equal value."""
    if isinstance(encoded, dict):
        return encoded.get(TYPE_KEY) not in ("repr", "redacted") and all(map(is_replayable, encoded.values()))
    return not isinstance(encoded, list) or all(map(is_replayable, encoded))


def decode(encoded: Any) -> Any:
    """Return the value of typed JSON."""
    if isinstance(encoded, list):
        return [decode(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if TYPE_KEY not in encoded:
        return {key: decode(item) for key, item in encoded.items()}
    kind = encoded[TYPE_KEY]
    reader = None
    if isinstance(kind, str):
        reader = _READERS.get(kind)
    if reader is None:
        raise RecordError(f"unknown {TYPE_KEY} {kind!r}; known: {', '.join(sorted(_READERS))}")
    try:
        return reader(encoded)
    except RecordError:
        raise
    except Exception as error:  # noqa: BLE001 - a record is untrusted, and its values may break any constructor
        raise RecordError(f"cannot read a value of {TYPE_KEY} {kind!r}: {error}") from None


def digest(text: str) -> str:
    """Return the SHA-256 of an ASCII text."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def content_digest(value: Any) -> str:
    """Return the SHA-256 of a value's typed JSON."""
    return digest(encode_text(value))


# json.dumps would build an encoder for each call with separators.
dump_json: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode
"""Write JSON values as a record has them."""


def _tag(kind: str, text: str) -> str:
    return f'{{"{TYPE_KEY}":"{kind}","value":{text}}}'


def _tag_with_class(kind: str, cls: str, text: str) -> str:
    return f'{{"{TYPE_KEY}":"{kind}","class":{dump_json(cls)},"value":{text}}}'


class _NestedError(Exception):
    """A value contains itself or is nested too deeply."""


def encode_text(value: Any, above: tuple[int, ...] = ()) -> str:
    """Write a value as one line of typed JSON, in ASCII; ``above`` are the identities of the containers around it."""
    kind = type(value)
    if kind is str and value.isascii():
        return encode_basestring_ascii(value)
    try:
        writer = _WRITERS.get(kind)
        if writer is not None:
            return writer(value, above)
        return _write_by_class(value, above)
    except _NestedError as error:
        return _write_repr(value, f"<{error}>")
    except Exception:  # noqa: BLE001 - a class under test can raise anything
        return _write_repr(value, safe_repr(value))


def _write_by_class(value: Any, above: tuple[int, ...]) -> str:
    if isinstance(value, EncodedObject) and value.kind == "enum":
        return _write_member(value.class_name, value.member, value, above)
    if isinstance(value, Enum) and not isinstance(value, str | int | float):
        return _write_member(class_name(type(value)), value.name, value, above)
    if has_named_fields(value):
        return _write_fields(value, above)
    for base in _BASES:
        if isinstance(value, base):
            return _WRITERS[base](value, above)
    scalar = plain_scalar(value)
    if scalar is None:
        return _write_repr(value, safe_repr(value))
    return encode_text(scalar, above)


def _write_member(cls: str, member: str | None, value: Any, above: tuple[int, ...]) -> str:
    text = encode_text(value.value, _enter(value, above))
    return f'{{"{TYPE_KEY}":"enum","class":{dump_json(cls)},"member":{dump_json(member)},"value":{text}}}'


def _write_fields(value: Any, above: tuple[int, ...]) -> str:
    kind, cls, fields = named_fields(value)
    named = {str(name): item for name, item in fields.items()}
    return _tag_with_class(kind, cls, _write_object(named.items(), _enter(value, above)))


def _write_repr(value: Any, text: str) -> str:
    return _tag_with_class("repr", class_name(type(value)), dump_json(text))


def _enter(value: Any, above: tuple[int, ...]) -> tuple[int, ...]:
    identity = id(value)
    if identity in above:
        raise _NestedError("contains itself")
    if len(above) >= MAXIMUM_DEPTH:
        raise _NestedError(f"nested deeper than {MAXIMUM_DEPTH} levels")
    return (*above, identity)


def _write_str(value: str, _above: tuple[int, ...]) -> str:
    text = str.__str__(value)
    if _is_plain_key(text):
        return encode_basestring_ascii(text)
    return _tag("text", dump_json([ord(character) for character in text]))


def _is_plain_key(key: Any) -> bool:
    return isinstance(key, str) and (key.isascii() or not _SURROGATE_PAIR.search(key))


def _write_int(value: int, _above: tuple[int, ...]) -> str:
    number = int.__int__(value)
    if -LONGEST_PLAIN_INT < number < LONGEST_PLAIN_INT:
        return repr(number)
    return _tag("int", f'"{number:#x}"')


def _write_float(value: float, _above: tuple[int, ...]) -> str:
    number = float.__float__(value)
    if isfinite(number):
        return repr(number)
    return _tag("float", f'"{number!r}"')


def _write_dict(value: Mapping[Any, Any], above: tuple[int, ...]) -> str:
    inside = _enter(value, above)
    # The items are read once, because a class under test may return others the next time.
    items = list(value.items())
    for key, _ in items:
        # Decided before anything is written, because each level would be written twice.
        if type(key) is not str or not key.isascii() or key == TYPE_KEY:
            return _write_other_keys(items, inside)
    return _write_object(items, inside)


def _write_other_keys(items: list[tuple[Any, Any]], inside: tuple[int, ...]) -> str:
    keys = [key for key, _ in items]
    if TYPE_KEY not in keys and all(map(_is_plain_key, keys)):
        return _write_object({str.__str__(key): item for key, item in items}.items(), inside)
    pairs = [f"[{encode_text(key, inside)},{encode_text(item, inside)}]" for key, item in items]
    return _tag("dict", f"[{','.join(pairs)}]")


def _write_object(members: Iterable[tuple[str, Any]], inside: tuple[int, ...]) -> str:
    texts = [f"{encode_basestring_ascii(key)}:{encode_text(item, inside)}" for key, item in members]
    return f"{{{','.join(texts)}}}"


def _write_items(value: Any, above: tuple[int, ...]) -> str:
    inside = _enter(value, above)
    return f"[{','.join([encode_text(item, inside) for item in value])}]"


def _write_tuple(value: tuple[Any, ...], above: tuple[int, ...]) -> str:
    text = _write_items(value, above)
    names = item_names(value)
    if names:
        return f'{{"{TYPE_KEY}":"tuple","fields":{dump_json(names)},"value":{text}}}'
    return _tag("tuple", text)


def _write_set(value: Any, above: tuple[int, ...]) -> str:
    inside = _enter(value, above)
    # Sorted, because the order of a set depends on the hash seed.
    texts = sorted([encode_text(item, inside) for item in value])
    kind = "set" if isinstance(value, set) else "frozenset"
    return _tag(kind, f"[{','.join(texts)}]")


def _by_form(tag: str, write: Callable[[Any], Any]) -> _Writer:
    return lambda value, _above: _tag(tag, dump_json(write(value)))


def _by_iso_form(tag: str, write: Callable[[Any], str]) -> _Writer:
    def writer(value: Any, _above: tuple[int, ...]) -> str:
        # A subclass may be no date, such as NaT of pandas, or have more digits than its base.
        text = write(value)
        if value.isoformat() == text:
            return _tag(tag, dump_json(text))
        return _write_repr(value, safe_repr(value))

    return writer


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


_from_base64 = functools.partial(base64.b64decode, validate=True)

# Values with a tag and one JSON value: the tag, the class, and the functions that write and read the JSON value.
_BY_FORM: Final[tuple[tuple[str, type, Callable[[Any], Any], Callable[[Any], Any]], ...]] = (
    ("bytes", bytes, _base64, _from_base64),
    ("bytearray", bytearray, _base64, lambda text: bytearray(_from_base64(text))),
    ("decimal", Decimal, Decimal.__str__, Decimal),
    ("fraction", Fraction, str, Fraction),
    ("complex", complex, repr, complex),
    ("datetime", datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    ("date", datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    ("time", datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    ("timedelta", datetime.timedelta, lambda span: [span.days, span.seconds, span.microseconds],
     lambda parts: datetime.timedelta(*parts)),
    ("uuid", uuid.UUID, str, uuid.UUID),
    ("path", pathlib.PurePath, pathlib.PurePath.as_posix, pathlib.PurePosixPath),
)  # fmt: skip

_WRITERS: Final[dict[type, _Writer]] = {
    str: _write_str,
    bool: lambda value, _above: "true" if value else "false",
    type(None): lambda _value, _above: "null",
    int: _write_int,
    float: _write_float,
    dict: _write_dict,
    Mapping: _write_dict,
    list: _write_items,
    tuple: _write_tuple,
    set: _write_set,
    frozenset: _write_set,
    Unreplayable: lambda value, _above: _tag_with_class("repr", value.class_name, dump_json(value.text)),
    **{cls: (_by_iso_form if tag in {"datetime", "date"} else _by_form)(tag, write) for tag, cls, write, _ in _BY_FORM},
}

# For subclasses; datetime before date, which it derives from.
_BASES: Final[tuple[type, ...]] = (
    *(str, int, float, datetime.datetime, datetime.date, pathlib.PurePath),
    *(Mapping, list, tuple, set, frozenset, bytes, Decimal),
)


def _by_value(read: Callable[[Any], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda encoded: read(encoded["value"])


def _items(encoded: dict[str, Any]) -> list[Any]:
    return [decode(item) for item in encoded["value"]]


def _read_tuple(encoded: dict[str, Any]) -> tuple[Any, ...]:
    if "fields" in encoded:
        return NamedItems(_items(encoded), map(str, encoded["fields"]))
    return tuple(_items(encoded))


def _read_object(encoded: dict[str, Any]) -> EncodedObject:
    fields = {name: decode(item) for name, item in encoded["value"].items()}
    return EncodedObject(encoded[TYPE_KEY], encoded["class"], fields)


_READERS: Final[dict[str, Callable[[dict[str, Any]], Any]]] = {
    "text": lambda encoded: "".join(map(chr, encoded["value"])),
    "int": _by_value(lambda text: int(text, 16)),
    "float": _by_value(float),
    "dict": lambda encoded: {decode(key): decode(item) for key, item in encoded["value"]},
    "tuple": _read_tuple,
    "set": lambda encoded: set(_items(encoded)),
    "frozenset": lambda encoded: frozenset(_items(encoded)),
    "enum": lambda encoded: EncodedObject("enum", encoded["class"], decode(encoded["value"]), encoded["member"]),
    "dataclass": _read_object,
    "model": _read_object,
    "repr": lambda encoded: Unreplayable(encoded["class"], encoded["value"]),
    "redacted": lambda encoded: Unreplayable("redacted", encoded["value"]),
    **{tag: _by_value(read) for tag, _, _, read in _BY_FORM},
}
