"""JSON evidence: reading both sides, equality of two documents, and how differences between them are written."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Final, NamedTuple

from pytest_verdict.core.normalizers import Normalization, Step
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, listed_differences
from pytest_verdict.core.values.encoding import MAXIMUM_DEPTH, TYPE_KEY, encode
from pytest_verdict.core.values.equality import TEXT
from pytest_verdict.core.values.jsontext import NOT_FINITE, TOO_DEEP, JsonTextError, parse_json
from pytest_verdict.core.values.numbers import as_exact, is_number, plain_scalar, truth_value
from pytest_verdict.core.values.placeholders import has_named_fields, named_fields
from pytest_verdict.operators.normalized_sides import NormalizedSides, must_be, normalize_sides

NOT_JSON: Final = "not_json"
_TEXTS: Final = (str, bytes, bytearray)
_AS_THEY_ARE: Final = frozenset({str, int, bool, type(None)})


class Documents(NamedTuple):
    """Both sides, read."""

    expected: Any
    observed: Any
    surfaces: NormalizedSides
    refusal: Outcome | None = None


class JsonOperator(Operator):
    """What all operators on JSON documents share: how a document is read.

    Text is parsed unless ``parse`` is False, because what a model or a file said is JSON text.
    """

    kind: ClassVar[str] = "json"

    normalize: Normalization = ()
    parse: bool = True


def read_both(expected: Any, observed: Any, steps: Sequence[Step], parse: tuple[bool, bool]) -> Documents:
    """Read the evidence of a comparison of JSON."""
    found, left, right = NormalizedSides(), expected, observed
    if steps:
        found = normalize_sides(_text(expected), _text(observed), steps)
        left = found.expected if isinstance(expected, str) else expected
        right = found.observed if isinstance(observed, str) else observed
    try:
        return Documents(read_document(left, parse=parse[0]), read_document(right, parse=parse[1]), found)
    except JsonTextError:
        return _unread({"expected": left, "observed": right}, expected, found, parse)


def _unread(sides: Mapping[str, Any], expected: Any, found: NormalizedSides, parse: tuple[bool, bool]) -> Documents:
    """Say of each side why it cannot be read."""
    errors: dict[str, JsonTextError] = {}
    for (side, value), is_text in zip(sides.items(), parse, strict=True):
        try:
            read_document(value, parse=is_text)
        except JsonTextError as error:
            errors[side] = error
    notes = dict.fromkeys(error.note for error in errors.values())
    reasons = {side: str(error) for side, error in errors.items()}
    takes = "JSON text, unless parse=False" if isinstance(expected, str) else "a JSON document"
    unusable = must_be(takes, expected) if "expected" in errors else None
    return Documents(None, None, found, found.outcome(0.0, [*notes], {"unreadable": reasons}, error=unusable))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def read_document(value: Any, *, parse: bool = True) -> Any:
    """Read one document; a text that is not parsed is a JSON string."""
    if parse and isinstance(value, _TEXTS):
        return parse_json(value)
    return _plain(value, 1)


def _plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is not dict and kind is not list:
        # The fields of a dataclass or model, also of one that was read from a record.
        value = named_fields(value)[2] if has_named_fields(value) else value
        # A member of an Enum is recorded as such, whatever else it is.
        if not isinstance(value, Mapping | list | tuple) or isinstance(value, Enum):
            return _plain_scalar(value)
    if depth > MAXIMUM_DEPTH:
        raise JsonTextError(TOO_DEEP, f"nested deeper than {MAXIMUM_DEPTH} levels, or contains itself")
    if kind is dict and TEXT.issuperset(map(type, value)):
        return {key: item if type(item) in _AS_THEY_ARE else _plain(item, depth + 1) for key, item in value.items()}
    if not isinstance(value, Mapping):
        return [item if type(item) in _AS_THEY_ARE else _plain(item, depth + 1) for item in value]
    copied: dict[str, Any] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise JsonTextError(NOT_JSON, f"a key of an object is text, got one of type {_type_of(key)}")
        copied[str.__str__(key)] = item if type(item) in _AS_THEY_ARE else _plain(item, depth + 1)
    return copied


def _plain_scalar(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if truth_value(value) is not None:
        return truth_value(value)
    if not is_number(value) or isinstance(value, Fraction):
        raise JsonTextError(NOT_JSON, f"a value of type {_type_of(value)} has no JSON form")
    scalar = plain_scalar(value)
    number = value if scalar is None else scalar
    if isinstance(number, int):
        return int(number)
    exact = Decimal(as_exact(number))
    if not exact.is_finite():
        raise JsonTextError(NOT_FINITE, "NaN and infinities are not JSON")
    return exact


def _type_of(value: Any) -> str:
    # As it is recorded, because a replay does not have the class.
    encoded = encode(value)
    if isinstance(encoded, dict) and TYPE_KEY in encoded:
        return str(encoded.get("class", encoded[TYPE_KEY]))
    return type(encoded).__name__


def same(expected: Any, observed: Any) -> bool:
    """Say whether two documents that `read_document` returned are equal."""
    kind = type(expected)
    if kind is dict:
        if type(observed) is not dict or len(expected) != len(observed):
            return False
        for key, item in expected.items():  # noqa: SIM110 - all() takes a second frame per level
            if key not in observed or not same(item, observed[key]):
                return False
        return True
    if kind is list:
        if type(observed) is not list or len(expected) != len(observed):
            return False
        for left, right in zip(expected, observed, strict=True):  # noqa: SIM110 - likewise
            if not same(left, right):
                return False
        return True
    if kind is bool or type(observed) is bool:
        return expected is observed
    return bool(expected == observed)


def written(document: Any) -> Any:
    """Write a document, or a part of it, for the details of a record."""
    if isinstance(document, dict):
        return {key: written(item) for key, item in document.items()}
    if isinstance(document, list):
        return [written(item) for item in document]
    if isinstance(document, Decimal):
        nearest = float(document)
        return nearest if Decimal(repr(nearest)) == document else str(document)
    return document


def listed(differences: Iterable[Difference]) -> dict[str, Any]:
    """Write differences of documents for the details of a record."""
    return listed_differences(differences, written)
