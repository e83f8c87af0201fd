"""Typed JSON: any Python value written as JSON from which an equal value can be read back.

JSON's own values stand for themselves. Everything else is an object with the key ``$type``; an object of the user that has
such a key, or keys that are not text, is written as a list of pairs, so nothing is ambiguous. Reading never imports a class:
members of an Enum, dataclasses and pydantic models come back as an `EncodedObject`, which equals the original. A member of
an Enum that is also text or a number (StrEnum, IntEnum) is that text or number.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import math
import pathlib
import re
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from pytest_verdict.core.values.display import safe_repr
from pytest_verdict.core.values.fields import fields_of, has_fields, kind_of
from pytest_verdict.core.values.placeholders import EncodedObject, Unreplayable, class_name
from pytest_verdict.core.values.scalars import plain_scalar
from pytest_verdict.core.values.small_json import small_json
from pytest_verdict.errors import RecordError

TYPE_KEY: Final = "$type"
MAXIMUM_DEPTH: Final = 200
# int(text) may refuse more than 640 digits, as PYTHONINTMAXSTRDIGITS says; hexadecimal has no such limit.
LONGEST_PLAIN_INT: Final = 10**600
# In JSON text the escapes of these two would be read back as one character.
_SURROGATE_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_Writer = Callable[[Any, tuple[int, ...]], Any]


def encode(value: Any) -> Any:
    """Write a value as typed JSON."""
    return _encode(value, ())


def encode_text(value: Any) -> str:
    """Write a value as one line of typed JSON, in ASCII."""
    if type(value) is str and value.isascii():
        if len(value) < _LONG:
            return encode_basestring_ascii(value)
        encoded = value.encode("ascii")
        return f'"{value}"' if encoded.translate(_ESCAPES_MARKED) == encoded else _encode_long_text(value, encoded)
    small = small_json(value)
    return _dump(_encode(value, ())) if small is None else small


def is_replayable(encoded: Any) -> bool:
    """Say whether an encoded value can be read back as an equal value."""
    if isinstance(encoded, dict):
        return encoded.get(TYPE_KEY) not in ("repr", "redacted") and all(map(is_replayable, encoded.values()))
    return not isinstance(encoded, list) or all(map(is_replayable, encoded))


def decode(encoded: Any) -> Any:
    """Read typed JSON back."""
    if isinstance(encoded, list):
        return [decode(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if TYPE_KEY not in encoded:
        return {key: decode(item) for key, item in encoded.items()}
    kind = encoded[TYPE_KEY]
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise RecordError(f"unknown {TYPE_KEY} {kind!r}; known: {', '.join(sorted(_READERS))}")
    try:
        return reader(encoded)
    except RecordError:
        raise
    except Exception as error:  # noqa: BLE001 - a record is untrusted, its values may break any constructor
        raise RecordError(f"cannot read a value of {TYPE_KEY} {kind!r}: {error}") from None


def digest(text: str) -> str:
    """Name a text by its content."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


# From this length on, looking for what must be escaped is faster than the encoder, which copies character by character.
_LONG: Final = 100
_ESCAPED: Final = b'\\"\n\r\t'
_PLAIN: Final = bytes(set(range(0x20, 0x7F)) - set(_ESCAPED))
# Only what must be escaped is changed by it.
_ESCAPES_MARKED: Final = bytes(code if code in _PLAIN else 0 if code else 1 for code in range(256))


def _encode_long_text(text: str, encoded: bytes) -> str:
    if encoded.translate(None, _PLAIN).strip(_ESCAPED):
        return encode_basestring_ascii(text)
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        if character in text:
            text = text.replace(character, escape)
    return f'"{text}"'


# Made once: json.dumps makes an encoder on each call that asks for separators.
_dump: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def _tagged(kind: str, value: Any, **more: Any) -> dict[str, Any]:
    return {TYPE_KEY: kind, **more, "value": value}


def _encode(value: Any, above: tuple[int, ...]) -> Any:
    if type(value) is str and value.isascii():
        return value
    try:
        writer = _WRITERS.get(type(value))
        return writer(value, above) if writer is not None else _encode_by_class(value, above)
    except Exception:  # noqa: BLE001 - the class under test decides what it raises, also in what is no property of ours
        return _as_repr(value)


def _encode_by_class(value: Any, above: tuple[int, ...]) -> Any:
    if isinstance(value, Enum) and not isinstance(value, str | int | float):
        return _encode_member(class_name(type(value)), value.name, value, above)
    if has_fields(value):
        return _object(value, kind_of(value), class_name(type(value)), fields_of(value), above)
    for base, writer in _WRITERS_BY_BASE:
        if isinstance(value, base):
            return writer(value, above)
    scalar = plain_scalar(value)
    return _as_repr(value) if scalar is None else _encode(scalar, above)


def _encode_member(cls: str, member: str | None, value: Any, above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    if inside is None:
        return _as_cycle(value, above)
    return {TYPE_KEY: "enum", "class": cls, "member": member, "value": _encode(value.value, inside)}


def _object(value: Any, kind: str, cls: str, fields: Mapping[str, Any], above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    if inside is None:
        return _as_cycle(value, above)
    encoded = {str(name): _encode(item, inside) for name, item in fields.items()}
    return _tagged(kind, encoded, **{"class": cls})


def _as_repr(value: Any) -> dict[str, Any]:
    return _tagged("repr", safe_repr(value), **{"class": class_name(type(value))})


def _as_cycle(value: Any, above: tuple[int, ...]) -> dict[str, Any]:
    reason = "contains itself" if id(value) in above else f"nested deeper than {MAXIMUM_DEPTH} levels"
    return _tagged("repr", f"<{reason}>", **{"class": class_name(type(value))})


def _enter(value: Any, above: tuple[int, ...]) -> tuple[int, ...] | None:
    identity = id(value)
    return None if identity in above or len(above) >= MAXIMUM_DEPTH else (*above, identity)


def _plain(value: Any, _above: tuple[int, ...]) -> Any:
    return value


def _encode_str(value: str, _above: tuple[int, ...]) -> Any:
    text = str.__str__(value)
    if text.isascii() or not _SURROGATE_PAIR.search(text):
        return text
    return _tagged("text", [ord(character) for character in text])


def _is_plain_key(key: Any) -> bool:
    return isinstance(key, str) and (key.isascii() or not _SURROGATE_PAIR.search(key))


def _plain_key(key: str) -> str:
    return key if type(key) is str else str.__str__(key)


def _encode_int(value: int, _above: tuple[int, ...]) -> Any:
    number = int.__int__(value)
    return number if -LONGEST_PLAIN_INT < number < LONGEST_PLAIN_INT else _tagged("int", hex(number))


def _encode_float(value: float, _above: tuple[int, ...]) -> Any:
    number = float.__float__(value)
    return number if math.isfinite(number) else _tagged("float", repr(number))


def _encode_dict(value: Mapping[Any, Any], above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    if inside is None:
        return _as_cycle(value, above)
    # A class of the user may say of a key that it is there, and not have it among its items.
    items = value.items() if type(value) is dict else list(value.items())
    keys = value if type(value) is dict else [key for key, _ in items]
    if TYPE_KEY not in keys and all(map(_is_plain_key, keys)):
        return {_plain_key(key): _encode(item, inside) for key, item in items}
    return _tagged("dict", [[_encode(key, inside), _encode(item, inside)] for key, item in items])


def _encode_items(value: Any, above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    return _as_cycle(value, above) if inside is None else [_encode(item, inside) for item in value]


def _encode_tuple(value: tuple[Any, ...], above: tuple[int, ...]) -> Any:
    items = _encode_items(value, above)
    return items if isinstance(items, dict) else _tagged("tuple", items)


def _encode_set(kind: str) -> _Writer:
    def write(value: Any, above: tuple[int, ...]) -> Any:
        items = _encode_items(value, above)
        # Sorted by their own text: the order of a set depends on the hash seed.
        return items if isinstance(items, dict) else _tagged(kind, sorted(items, key=_dump))

    return write


def _by_text(kind: str, write: Callable[[Any], str]) -> _Writer:
    return lambda value, _above: _tagged(kind, write(value))


def _by_iso_text(kind: str, write: Callable[[Any], str]) -> _Writer:
    # A subclass may be no date at all, as NaT of pandas, or have digits that its base does not know.
    return lambda value, _above: _tagged(kind, write(value)) if value.isoformat() == write(value) else _as_repr(value)


def _encode_timedelta(value: datetime.timedelta, _above: tuple[int, ...]) -> Any:
    return _tagged("timedelta", [value.days, value.seconds, value.microseconds])


def _encode_encoded(value: EncodedObject, above: tuple[int, ...]) -> Any:
    if value.kind == "enum":
        return _encode_member(value.class_name, value.member, value, above)
    return _object(value, value.kind, value.class_name, value.value, above)


def _encode_unreplayable(value: Unreplayable, _above: tuple[int, ...]) -> Any:
    return _tagged("repr", value.text, **{"class": value.class_name})


_encode_date = _by_iso_text("date", datetime.date.isoformat)
_encode_datetime = _by_iso_text("datetime", datetime.datetime.isoformat)
_encode_bytes = _by_text("bytes", lambda value: base64.b64encode(value).decode("ascii"))
_encode_path = _by_text("path", lambda value: value.as_posix())

_WRITERS: Final[dict[type, _Writer]] = {
    str: _encode_str,
    bool: _plain,
    type(None): _plain,
    int: _encode_int,
    float: _encode_float,
    dict: _encode_dict,
    list: _encode_items,
    tuple: _encode_tuple,
    set: _encode_set("set"),
    frozenset: _encode_set("frozenset"),
    bytes: _encode_bytes,
    bytearray: _by_text("bytearray", lambda value: base64.b64encode(value).decode("ascii")),
    Decimal: _by_text("decimal", str),
    Fraction: _by_text("fraction", str),
    complex: _by_text("complex", repr),
    datetime.datetime: _encode_datetime,
    datetime.date: _encode_date,
    datetime.time: _by_text("time", datetime.time.isoformat),
    datetime.timedelta: _encode_timedelta,
    uuid.UUID: _by_text("uuid", str),
    EncodedObject: _encode_encoded,
    Unreplayable: _encode_unreplayable,
}

# For subclasses; datetime before date, which it derives from.
_WRITERS_BY_BASE: Final[tuple[tuple[type, _Writer], ...]] = (
    (str, _encode_str),
    (int, _encode_int),
    (float, _encode_float),
    (datetime.datetime, _encode_datetime),
    (datetime.date, _encode_date),
    (pathlib.PurePath, _encode_path),
    (Mapping, _encode_dict),
    (list, _encode_items),
    (tuple, _encode_tuple),
    (set, _encode_set("set")),
    (frozenset, _encode_set("frozenset")),
    (bytes, _encode_bytes),
    (Decimal, _by_text("decimal", Decimal.__str__)),
)

_Reader = Callable[[dict[str, Any]], Any]


def _items(encoded: dict[str, Any]) -> list[Any]:
    return [decode(item) for item in encoded["value"]]


def _text(read: Callable[[str], Any]) -> _Reader:
    return lambda encoded: read(encoded["value"])


def _read_object(encoded: dict[str, Any]) -> EncodedObject:
    value = encoded["value"]
    fields = {name: decode(item) for name, item in value.items()}
    return EncodedObject(encoded[TYPE_KEY], encoded["class"], fields)


_READERS: Final[dict[str, _Reader]] = {
    "text": lambda encoded: "".join(map(chr, encoded["value"])),
    "int": _text(lambda text: int(text, 16)),
    "float": _text(float),
    "dict": lambda encoded: {decode(key): decode(item) for key, item in encoded["value"]},
    "tuple": lambda encoded: tuple(_items(encoded)),
    "set": lambda encoded: set(_items(encoded)),
    "frozenset": lambda encoded: frozenset(_items(encoded)),
    "bytes": _text(lambda text: base64.b64decode(text, validate=True)),
    "bytearray": _text(lambda text: bytearray(base64.b64decode(text, validate=True))),
    "decimal": _text(Decimal),
    "fraction": _text(Fraction),
    "complex": _text(complex),
    "datetime": _text(datetime.datetime.fromisoformat),
    "date": _text(datetime.date.fromisoformat),
    "time": _text(datetime.time.fromisoformat),
    "timedelta": lambda encoded: datetime.timedelta(*encoded["value"]),
    "uuid": _text(uuid.UUID),
    "path": _text(pathlib.PurePosixPath),
    "enum": lambda e: EncodedObject("enum", e["class"], decode(e["value"]), e["member"]),
    "dataclass": _read_object,
    "model": _read_object,
    "repr": lambda encoded: Unreplayable(encoded["class"], encoded["value"]),
    "redacted": lambda encoded: Unreplayable("redacted", encoded["value"]),
}
