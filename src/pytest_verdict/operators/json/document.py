"""JSON evidence: reading both sides, equality of two documents, parts to ignore, and differences in details."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from pytest_verdict.core.normalizers import NORMALIZERS, Normalization, Step, SynonymMap
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, summarize_differences
from pytest_verdict.core.values.encoding import MAXIMUM_DEPTH, TYPE_KEY, encode
from pytest_verdict.core.values.jsontext import NOT_FINITE, TOO_DEEP, JsonTextError, parse_json
from pytest_verdict.core.values.numbers import as_exact, is_number, plain_scalar, truth_value
from pytest_verdict.core.values.placeholders import has_named_fields, named_fields
from pytest_verdict.operators.normalized_sides import (
    EMPTY_EXPECTED,
    NormalizedSides,
    must_be,
    normalize_sides,
    unusable,
)

NOT_JSON: Final = "not_json"
JSONPATH_FAILED: Final = "jsonpath_failed"
NORMALIZE_UNUSED: Final = "normalize_unused"
# Steps that a reply may need before it is JSON, and that do nothing to one that is parsed already.
_FOR_CONTENT: Final = frozenset(NORMALIZERS) - {
    *("strip_markdown_fence", "ascii_punctuation", "nfc", "nfkc", "strip", "collapse_whitespace")
}
_TEXTS: Final = (str, bytes, bytearray)
_PLAIN: Final = frozenset({str, int, bool, type(None)})
_T = TypeVar("_T")


class Documents(NamedTuple):
    expected: Any
    observed: Any
    sides: NormalizedSides


class JsonOperator(Operator):
    """An operator on JSON documents; text is parsed unless ``parse`` is False."""

    kind: ClassVar[str] = "json"

    normalize: Normalization = ()
    parse: bool = True


def read_both(expected: Any, observed: Any, steps: Sequence[Step], parse: tuple[bool, bool]) -> Documents | Outcome:
    """Read both documents, or return the outcome when one cannot be read."""
    expected_text = expected if isinstance(expected, str) else None
    observed_text = observed if isinstance(observed, str) else None
    if steps and all(isinstance(step, SynonymMap) or step in _FOR_CONTENT for step in steps):
        requirement = (
            "JSON text for normalize; the texts in parsed values are normalized by by_field or case_sensitive=False"
        )
        if all(isinstance(side, Mapping | list | tuple) for side in (expected, observed)):
            return unusable(NORMALIZE_UNUSED, requirement, expected)
    sides = normalize_sides(expected_text, observed_text, steps)
    first = expected if expected_text is None else sides.expected
    second = observed if observed_text is None else sides.observed
    documents = []
    errors: dict[str, JsonTextError] = {}
    for side, value, is_parsed in (("expected", first, parse[0]), ("observed", second, parse[1])):
        try:
            documents.append(read_document(value, parse=is_parsed))
        except JsonTextError as error:
            errors[side] = error
    if not errors:
        return Documents(documents[0], documents[1], sides)
    requirement = "a JSON document" if expected_text is None else "JSON text, unless parse=False"
    error_text = must_be(requirement, expected) if "expected" in errors else None
    notes = [*dict.fromkeys(error.note for error in errors.values())]
    reasons = {side: str(error) for side, error in errors.items()}
    return sides.outcome(0.0, notes, {"unreadable": reasons}, error=error_text)


def read_document(value: Any, *, parse: bool = True) -> Any:
    """Read one document; without ``parse`` a text is a JSON string."""
    if parse and isinstance(value, _TEXTS):
        return parse_json(value)
    return _copy_plain(value, 1)


def _copy_plain(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is not dict and kind is not list:
        # A dataclass or model is compared by its fields, also one that was read from a record.
        if has_named_fields(value):
            value = named_fields(value)[2]
        # A member of an Enum is recorded as such, whatever else it is.
        if not isinstance(value, Mapping | list | tuple) or isinstance(value, Enum):
            return _read_scalar(value)
    if depth > MAXIMUM_DEPTH:
        raise JsonTextError(TOO_DEEP, f"nested deeper than {MAXIMUM_DEPTH} levels, or contains itself")
    # A call for each scalar would take most of the time.
    if kind is list or (kind is not dict and not isinstance(value, Mapping)):
        return [item if type(item) in _PLAIN else _copy_plain(item, depth + 1) for item in value]
    copied: dict[str, Any] = {}
    for key, item in value.items():
        name = key if type(key) is str else _read_key(key)
        copied[name] = item if type(item) in _PLAIN else _copy_plain(item, depth + 1)
    return copied


def _read_key(key: Any) -> str:
    if not isinstance(key, str):
        raise JsonTextError(NOT_JSON, f"a key of an object is text, got one of type {_type_name(key)}")
    return str.__str__(key)


def _read_scalar(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if truth_value(value) is not None:
        return truth_value(value)
    if not is_number(value) or isinstance(value, Fraction):
        raise JsonTextError(NOT_JSON, f"a value of type {_type_name(value)} has no JSON form")
    scalar = plain_scalar(value)
    number = value if scalar is None else scalar
    if isinstance(number, int):
        return int(number)
    exact = Decimal(as_exact(number))
    if not exact.is_finite():
        raise JsonTextError(NOT_FINITE, "NaN and infinities are not JSON")
    return exact


def _type_name(value: Any) -> str:
    # The recorded name, because a replay does not have the class.
    encoded = encode(value)
    if isinstance(encoded, dict) and TYPE_KEY in encoded:
        return str(encoded.get("class", encoded[TYPE_KEY]))
    return type(encoded).__name__


def apply_to_both(documents: Documents, expected: Any, apply: Callable[[Any], _T]) -> tuple[_T, _T] | Outcome:
    """Apply JSONPaths to both documents, or return the outcome when they cannot be applied."""
    applied = []
    for document in (documents.expected, documents.observed):
        try:
            applied.append(apply(document))
        except Exception as error:  # noqa: BLE001 - jsonpath-ng raises whatever a filter meets in the evidence
            requirement = "a document to which the JSONPaths can be applied"
            error_text = None if applied else must_be(requirement, expected)
            reason = f"{type(error).__name__}: {error}"
            return documents.sides.outcome(0.0, [JSONPATH_FAILED], {"reason": reason}, error=error_text)
    return applied[0], applied[1]


def refuse_ignored(documents: Documents) -> Outcome:
    requirement = "a document of which something is left when the ignored parts are taken out"
    return documents.sides.outcome(0.0, [EMPTY_EXPECTED], error=must_be(requirement, documents.expected))


def difference_details(differences: Iterable[Difference]) -> dict[str, Any]:
    return summarize_differences(differences, with_floats)


def with_floats(document: Any, convert_others: Callable[[Decimal], Any] = str) -> Any:
    """Return a document with floats in place of exact numbers, or with something else where no float is exact."""
    if isinstance(document, dict):
        return {key: with_floats(item, convert_others) for key, item in document.items()}
    if isinstance(document, list):
        return [with_floats(item, convert_others) for item in document]
    if isinstance(document, Decimal):
        nearest = float(document)
        return nearest if Decimal(repr(nearest)) == document else convert_others(document)
    return document
