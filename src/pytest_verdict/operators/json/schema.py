"""The operator on JSON Schema."""

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from types import ModuleType
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, StrictBool

from pytest_verdict.core.operator import OmitWhenDefault
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.display import shortened, shown
from pytest_verdict.core.values.encoding import LONGEST_PLAIN_INT, decode, encode_text
from pytest_verdict.core.values.jsontext import JsonTextError
from pytest_verdict.core.values.numbers import EXACT, MAXIMUM_MAGNITUDE, as_decimal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import MissingExtraError
from pytest_verdict.operators.json.document import Documents, JsonOperator, listed, read_both, read_document
from pytest_verdict.operators.normalized_sides import must_be
from pytest_verdict.operators.regex import find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError

Schema = dict[str, Any] | StrictBool
INVALID_SCHEMA: Final = "invalid_schema"
SCHEMA_FAILED: Final = "schema_failed"
UNRESOLVED_REFERENCE: Final = "unresolved_reference"


def _valid(schema: Any) -> Any:
    try:
        problem = _problem(_prepared(read_document(schema)))
    except JsonTextError as error:
        raise ValueError(f"is not JSON: {error}") from None
    if problem is not None:
        raise ValueError(f"is not a valid JSON Schema: {problem}")
    # Copied, because the caller may go on to change it.
    return snapshot(schema)


ValidSchema = Annotated[Schema, AfterValidator(_valid)]


class JsonSchema(JsonOperator):
    """The observed JSON document satisfies a JSON Schema.

    The dialect is the one that ``$schema`` names, 2020-12 without it. Nothing is fetched: a ``$ref`` to another document that is
    neither given nor a published meta-schema is an ``error`` with the note ``unresolved_reference``. ``format`` is not checked.
    Needs the library jsonschema: ``pip install "pytest-verdict[schema]"``.

    Args:
        schema_document: The schema as a mapping or bool; takes the place of expected, which is otherwise the schema, as a
            mapping or as JSON text.
        schemas: The schemas that the schema refers to, by the URI under which it does.
        normalize: Normalizers for evidence that is text; none unless given.
        parse: Whether observed text is parsed, as for `JsonCanonical`; a schema may be JSON text in any case.

    Raises:
        SettingsError: A setting is not a valid schema.
        MissingExtraError: The library jsonschema is not installed.

    Example:
        >>> compare("json_schema", {"required": ["id"]}, '{"id": 7}').score
        1.0
        >>> compare("json_schema", {"items": {"type": "null"}}, ["7"]).details["differences"]
        [{'path': '$[0]', 'kind': 'changed', 'observed': '7', 'reason': "'7' is not of type 'null'"}]
    """

    name: ClassVar[str] = "json_schema"
    expected_settings: ClassVar[tuple[str, ...]] = ("schema_document",)

    schema_document: ValidSchema | None = None
    schemas: OmitWhenDefault[Mapping[str, ValidSchema]] = {}  # noqa: RUF012 - pydantic copies it

    def __init__(self, /, **settings: Any) -> None:
        _validators()
        super().__init__(**settings)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = read_both(self.effective_expected(expected), observed, self.normalize, (True, self.parse))
        if found.refusal is not None:
            return found.refusal
        validator = _validator(encode_text(found.expected), encode_text(self.schemas))
        document = _prepared(found.observed)
        if validator is None:
            return self._unfit(INVALID_SCHEMA, found, expected, str(_problem(_prepared(found.expected))))
        try:
            violations, unresolved = _violations(validator, document)
        except RegexTimeLimitError:
            raise
        except _UnreadableNumberError as error:
            return found.surfaces.outcome(0.0, [SCHEMA_FAILED], {"reason": str(error)})
        except Exception as error:  # noqa: BLE001 - a pattern that is no regex, a number without bounds: any class
            return self._unfit(SCHEMA_FAILED, found, expected, f"{type(error).__name__}: {error}")
        if unresolved is not None:
            return self._unfit(UNRESOLVED_REFERENCE, found, expected, unresolved)
        if violations:
            return found.surfaces.outcome(0.0, details=listed(violations))
        return found.surfaces.outcome(1.0)

    def _unfit(self, note: str, found: Documents, expected: Any, reason: str) -> Outcome:
        error = must_be("a JSON Schema that can be applied", self.effective_expected(expected))
        return found.surfaces.outcome(0.0, [note], {"reason": reason}, error=error)


class _UnreadableNumberError(ArithmeticError):
    """A number that was observed has too many digits."""


class _ExactDecimal(Decimal):
    """A number that is not an int, as the library's messages shall show it."""

    def __repr__(self) -> str:
        return str(self).lower()


class _LongInt(int):
    """A whole number of more digits than Python may be willing to write."""

    def __repr__(self) -> str:
        return str(Decimal(self))


def _prepared(document: Any) -> Any:
    """Copy a document in the form in which the library compares numbers exactly."""
    if isinstance(document, dict):
        # What a schema says of the rest comes last: by then its patterns are known not to be slow.
        parts = sorted(document.items(), key=lambda part: part[0].startswith("unevaluated"))
        return {key: _prepared(item) for key, item in parts}
    if isinstance(document, list):
        return [_prepared(item) for item in document]
    return _prepared_number(document) if type(document) in {int, Decimal} else document


def _prepared_number(number: int | Decimal) -> int | Decimal:
    if isinstance(number, Decimal):
        if number.adjusted() > MAXIMUM_MAGNITUDE or number != number.to_integral_value(context=EXACT):
            return _ExactDecimal(number)
        number = int(number)
    return _LongInt(number) if abs(number) >= LONGEST_PLAIN_INT else number


def _validators() -> ModuleType:
    try:
        from jsonschema import validators
    except ImportError:
        raise MissingExtraError("json_schema", "schema") from None
    return validators


def _validator_class(schema: Any) -> Any:
    return _validators().validator_for(schema, default=_validators().Draft202012Validator)


def _problem(schema: Any) -> str | None:
    if not isinstance(schema, dict | bool):
        return f"a schema is an object or a bool, got {shown(schema, 200)}"
    cls = _validator_class(schema)
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is not None and (not isinstance(named, str) or named.rstrip("#") != cls.META_SCHEMA["$id"].rstrip("#")):
        return f"$schema names no published dialect: {shown(named, 200)}"
    errors = cls(cls.META_SCHEMA, registry=_registry()).iter_errors(schema)
    texts = sorted(f"{error.json_path}: {shortened(error.message, 500)}" for error in errors)
    return texts[0] if texts else None


@functools.cache
def _registry() -> Any:
    # The published meta-schemas and nothing else: a reference to any other place fails without asking the network.
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it publishes no types

    return REGISTRY


@functools.lru_cache(maxsize=256)
def _validator(text: str, others: str) -> Any | None:
    """Make what checks documents against a schema; None where it is no valid one, for a reason that redaction may change."""
    from referencing import Resource
    from referencing.jsonschema import specification_with

    schema, schemas = (_prepared(decode(json.loads(written))) for written in (text, others))
    if _problem(schema):
        return None
    cls = _validator_class(schema)
    dialect = specification_with(cls.META_SCHEMA["$id" if "$id" in cls.META_SCHEMA else "id"])
    given = [(uri, Resource.from_contents(other, default_specification=dialect)) for uri, other in schemas.items()]
    return _guarded(cls)(schema, registry=_registry().with_resources(given))


def _violations(validator: Any, document: Any) -> tuple[list[Difference], str | None]:
    from referencing.exceptions import Unresolvable

    try:
        errors = list(validator.iter_errors(document))
    except Unresolvable as error:
        return [], f"{error.ref!r} is not part of the schema, and nothing is fetched"
    except RecursionError:
        return [], "the references of the schema lead back to themselves"
    found = [_difference(error.absolute_path, error.instance, error.message) for error in errors]
    return sorted(found, key=lambda difference: (difference.path, difference.reason or "")), None


@functools.cache
def _guarded(cls: Any) -> Any:
    # The library matches with re itself, which a pattern that backtracks for ever would hang.
    guarded = {"pattern": _pattern, "patternProperties": _pattern_properties, "multipleOf": _multiple_of}
    guarded["additionalProperties"] = _additional_properties(cls.VALIDATORS["additionalProperties"])
    return _validators().extend(cls, guarded)


def _matches(pattern: str, text: str) -> bool:
    return bool(find_matches(pattern, (), "search", text))


def _pattern(validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not _matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _multiple_of(validator: Any, divisor: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    # The library divides as the thread's own decimal context says.
    from jsonschema import ValidationError

    if not validator.is_type(instance, "number"):
        return
    number, unit = as_decimal(instance), as_decimal(divisor)
    if number is None:
        raise _UnreadableNumberError("multipleOf takes numbers of at most 5000 digits")
    if unit is None:
        raise ArithmeticError("multipleOf is a number of at most 5000 digits")
    if EXACT.remainder(number, unit):
        yield ValidationError(f"{instance!r} is not a multiple of {divisor!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, schema in patterns.items():
        for key, item in instance.items():
            if _matches(pattern, key):
                yield from validator.descend(item, schema, path=key, schema_path=pattern)


def _additional_properties(check: Any) -> Any:
    def guarded(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        # The library's own check looks for the patterns once more, in keys that are known not to be slow by now.
        for pattern in schema.get("patternProperties", {}):
            for key in instance if validator.is_type(instance, "object") else ():
                _matches(pattern, key)
        yield from check(validator, value, instance, schema) or ()

    return guarded


def _difference(place: Iterable[str | int], instance: Any, message: str) -> Difference:
    path = "$"
    for label in place:
        path = step(path, label)
    return Difference(path, ABSENT, instance, reason=shortened(message, 500))
