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
from collections.abc import Callable, Mapping
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
    has_fields,
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
_LARGEST_SHORT_INT: Final = 10**18
_Writer = Callable[[Any, tuple[int, ...]], Any]


def encode(value: Any) -> Any:
    """Return a value as typed JSON."""
    return _encode(value, ())


def encode_text(value: Any) -> str:
    """Write a value as one line of typed JSON, in ASCII."""
    kind = type(value)
    # A JSON encoder takes ten times as long for texts and numbers.
    if kind is str and value.isascii():
        return encode_basestring_ascii(value)
    if kind is float and isfinite(value):
        return repr(value)
    if kind is int and -_LARGEST_SHORT_INT < value < _LARGEST_SHORT_INT:
        return repr(value)
    return _dump(_encode(value, ()))


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
_dump: Final = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def _tag(kind: str, value: Any, **more: Any) -> dict[str, Any]:
    return {TYPE_KEY: kind, **more, "value": value}


class _NestedError(Exception):
    """A value contains itself or is nested too deeply."""


def _encode(value: Any, above: tuple[int, ...]) -> Any:
    if type(value) is str and value.isascii():
        return value
    try:
        writer = _WRITERS.get(type(value))
        if writer is not None:
            return writer(value, above)
        return _encode_by_class(value, above)
    except _NestedError as error:
        return _as_repr(value, f"<{error}>")
    except Exception:  # noqa: BLE001 - a class under test can raise anything
        return _as_repr(value, safe_repr(value))


def _encode_by_class(value: Any, above: tuple[int, ...]) -> Any:
    if isinstance(value, Enum) and not isinstance(value, str | int | float):
        return _encode_member(class_name(type(value)), value.name, value, above)
    if has_fields(value):
        return _encode_fields(value, above)
    for base in _BASES:
        if isinstance(value, base):
            return _WRITERS[base](value, above)
    scalar = plain_scalar(value)
    if scalar is None:
        return _as_repr(value, safe_repr(value))
    return _encode(scalar, above)


def _encode_member(cls: str, member: str | None, value: Any, above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    return {TYPE_KEY: "enum", "class": cls, "member": member, "value": _encode(value.value, inside)}


def _encode_fields(value: Any, above: tuple[int, ...]) -> Any:
    kind, cls, fields = named_fields(value)
    inside = _enter(value, above)
    return _tag(kind, {str(name): _encode(item, inside) for name, item in fields.items()}, **{"class": cls})


def _as_repr(value: Any, text: str) -> dict[str, Any]:
    return _tag("repr", text, **{"class": class_name(type(value))})


def _enter(value: Any, above: tuple[int, ...]) -> tuple[int, ...]:
    identity = id(value)
    if identity in above:
        raise _NestedError("contains itself")
    if len(above) >= MAXIMUM_DEPTH:
        raise _NestedError(f"nested deeper than {MAXIMUM_DEPTH} levels")
    return (*above, identity)


def _encode_str(value: str, _above: tuple[int, ...]) -> Any:
    text = str.__str__(value)
    if _is_plain_key(text):
        return text
    return _tag("text", [ord(character) for character in text])


def _is_plain_key(key: Any) -> bool:
    return isinstance(key, str) and (key.isascii() or not _SURROGATE_PAIR.search(key))


def _encode_int(value: int, _above: tuple[int, ...]) -> Any:
    number = int.__int__(value)
    if -LONGEST_PLAIN_INT < number < LONGEST_PLAIN_INT:
        return number
    return _tag("int", hex(number))


def _encode_float(value: float, _above: tuple[int, ...]) -> Any:
    number = float.__float__(value)
    return number if isfinite(number) else _tag("float", repr(number))


def _encode_dict(value: Mapping[Any, Any], above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    # The items are read once, because a class under test may return others the next time.
    items = list(value.items())
    keys = [key for key, _ in items]
    if TYPE_KEY not in keys and all(map(_is_plain_key, keys)):
        return {key if type(key) is str else str.__str__(key): _encode(item, inside) for key, item in items}
    return _tag("dict", [[_encode(key, inside), _encode(item, inside)] for key, item in items])


def _encode_items(value: Any, above: tuple[int, ...]) -> Any:
    inside = _enter(value, above)
    return [_encode(item, inside) for item in value]


def _encode_tuple(value: tuple[Any, ...], above: tuple[int, ...]) -> Any:
    items = _encode_items(value, above)
    names = item_names(value)
    if names:
        return _tag("tuple", items, fields=list(names))
    return _tag("tuple", items)


def _encode_set(value: Any, above: tuple[int, ...]) -> Any:
    # Sorted, because the order of a set depends on the hash seed.
    kind = "set" if isinstance(value, set) else "frozenset"
    return _tag(kind, sorted(_encode_items(value, above), key=_dump))


def _encode_encoded(value: EncodedObject, above: tuple[int, ...]) -> Any:
    if value.kind == "enum":
        return _encode_member(value.class_name, value.member, value, above)
    return _encode_fields(value, above)


def _by_form(tag: str, write: Callable[[Any], Any]) -> _Writer:
    return lambda value, _above: _tag(tag, write(value))


def _by_iso_form(tag: str, write: Callable[[Any], str]) -> _Writer:
    def writer(value: Any, _above: tuple[int, ...]) -> Any:
        # A subclass may be no date, such as NaT of pandas, or have more digits than its base.
        text = write(value)
        if value.isoformat() == text:
            return _tag(tag, text)
        return _as_repr(value, safe_repr(value))

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
    str: _encode_str,
    bool: lambda value, _above: value,
    type(None): lambda value, _above: value,
    int: _encode_int,
    float: _encode_float,
    dict: _encode_dict,
    Mapping: _encode_dict,
    list: _encode_items,
    tuple: _encode_tuple,
    set: _encode_set,
    frozenset: _encode_set,
    EncodedObject: _encode_encoded,
    Unreplayable: lambda value, _above: _tag("repr", value.text, **{"class": value.class_name}),
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
    items = _items(encoded)
    if "fields" in encoded:
        return NamedItems(items, map(str, encoded["fields"]))
    return tuple(items)


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
