"""The operator on JSON Schema: what the library jsonschema would compare inexactly, hang on or accept too easily."""

import copy
import functools
import ipaddress
import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from types import ModuleType
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, StrictBool, model_validator

from pytest_verdict.core.operator import OmitWhenDefault, PassFailOperator, as_setting
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference, step
from pytest_verdict.core.values.display import shorten, shown
from pytest_verdict.core.values.encoding import LONGEST_PLAIN_INT, decode, encode_text
from pytest_verdict.core.values.equality import content_key
from pytest_verdict.core.values.jsontext import JsonTextError
from pytest_verdict.core.values.numbers import EXACT, MAXIMUM_MAGNITUDE, as_decimal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import MissingExtraError
from pytest_verdict.operators.json.document import Documents, JsonOperator, difference_details, read_both, read_document
from pytest_verdict.operators.normalized_sides import must_be
from pytest_verdict.operators.regex import find_matches
from pytest_verdict.operators.regex_process import RegexTimeLimitError

FORMAT_UNCHECKED: Final = "format_unchecked"
INVALID_SCHEMA: Final = "invalid_schema"
SCHEMA_FAILED: Final = "schema_failed"
UNRESOLVED_REFERENCE: Final = "unresolved_reference"


def _check_schema(schema: Any) -> Any:
    try:
        problem = _find_problem(_prepare(read_document(schema)))
    except JsonTextError as error:
        raise ValueError(f"is not JSON: {error}") from None
    if problem is not None:
        raise ValueError(f"is not a valid JSON Schema: {problem}")
    # A copy, because the caller may change it later, with lists for tuples, as a replay reads it from the record.
    return decode(as_setting(schema))


ValidSchema = Annotated[dict[str, Any] | StrictBool, AfterValidator(_check_schema)]


class JsonSchema(JsonOperator, PassFailOperator):
    """The observed JSON document satisfies a JSON Schema.

    The dialect is that of ``$schema`` (default: 2020-12). Nothing is fetched: a ``$ref`` to another document that is neither
    in ``schemas`` nor a published meta-schema is an ``error`` with the note ``unresolved_reference``. The keyword ``format``
    is checked only with ``format="assert"``; without the setting, a schema that has it adds the note ``format_unchecked``.
    Needs the library jsonschema: ``pip install "pytest-verdict[schema]"``.

    Args:
        schema_document: The schema as a mapping or bool; it replaces expected. Without this setting expected is the schema,
            as a mapping or as JSON text.
        schemas: The schemas that the schema refers to, by URI.
        format: ``assert`` checks the keyword ``format``, and refuses a format that cannot be checked here; ``annotate``
            ignores it, without a note (default: it is ignored, with a note).
        normalize: Normalizers for evidence that is text (default: none).
        parse: Whether observed text is parsed, as for `JsonCanonical`; a schema may always be JSON text.

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
    version: ClassVar[int] = 2
    expected_settings: ClassVar[tuple[str, ...]] = ("schema_document",)

    schema_document: ValidSchema | None = None
    schemas: OmitWhenDefault[Mapping[str, ValidSchema]] = {}  # noqa: RUF012 - pydantic copies it
    format: OmitWhenDefault[Literal["assert", "annotate"] | None] = None

    @model_validator(mode="after")
    def _check_formats(self) -> Self:
        if self._own_schema is not None and self._own_schema.format_problem is not None:
            raise ValueError(self._own_schema.format_problem)
        return self

    @functools.cached_property
    def _own_schema(self) -> "_Schema | None":
        return None if self.schema_document is None else self._compile(read_document(self.schema_document))

    def _compile(self, document: Any) -> "_Schema":
        # Texts of documents, whose numbers are exact and whose lists are lists.
        others = encode_text({uri: read_document(schema) for uri, schema in self.schemas.items()})
        return _compile_schema(encode_text(document), others, asserts_formats=self.format == "assert")

    def __init__(self, /, **settings: Any) -> None:
        _validators()
        super().__init__(**settings)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        from referencing.exceptions import Unresolvable

        expected = self.effective_expected(expected)
        # A schema in the settings was read before.
        own_schema = self._own_schema
        schema_side = expected if own_schema is None else None
        documents = read_both(schema_side, observed, self.normalize, (True, self.parse))
        if isinstance(documents, Outcome):
            return documents
        schema = own_schema or self._compile(documents.expected)
        problem = schema.format_problem
        if schema.validator is None:
            problem = _find_problem(_prepare(documents.expected))
        if problem is not None:
            return _refuse_schema(INVALID_SCHEMA, documents, expected, problem)
        notes = [FORMAT_UNCHECKED] if self.format is None and schema.has_formats else []

        try:
            errors = list(schema.validator.iter_errors(_prepare(documents.observed)))
        except Unresolvable as error:
            reason = f"{error.ref!r} is not part of the schema, and nothing is fetched"
            return _refuse_schema(UNRESOLVED_REFERENCE, documents, expected, reason)
        except RecursionError:
            reason = "the references of the schema lead back to themselves"
            return _refuse_schema(UNRESOLVED_REFERENCE, documents, expected, reason)
        except RegexTimeLimitError:
            raise
        except _UnreadableNumberError as error:
            return documents.sides.outcome(0.0, [SCHEMA_FAILED], {"reason": str(error)})
        except Exception as error:  # noqa: BLE001 - a pattern that is no regex, a number without bounds: any class
            return _refuse_schema(SCHEMA_FAILED, documents, expected, f"{type(error).__name__}: {error}")
        if not errors:
            return documents.sides.outcome(1.0, notes)
        differences = []
        for violation in errors:
            path = functools.reduce(step, violation.absolute_path, "$")
            differences.append(Difference(path, ABSENT, violation.instance, reason=shorten(violation.message, 500)))
        differences.sort(key=lambda difference: (difference.path, difference.reason or ""))
        return documents.sides.outcome(0.0, notes, details=difference_details(differences))


def _refuse_schema(note: str, documents: Documents, expected: Any, reason: str) -> Outcome:
    error = must_be("a JSON Schema that can be applied", expected)
    return documents.sides.outcome(0.0, [note], {"reason": reason}, error=error)


class _UnreadableNumberError(ArithmeticError):
    """An observed number has too many digits."""


class _ExactDecimal(Decimal):
    """A number that is not an int, as messages of the library show it."""

    def __repr__(self) -> str:
        return str(self).lower()


class _LongInt(int):
    """A whole number with more digits than Python may be willing to write."""

    def __repr__(self) -> str:
        return str(Decimal(self))


def _prepare(document: Any) -> Any:
    """Copy a document in the form in which the library compares numbers exactly."""
    if isinstance(document, dict):
        # These search for patterns once more, and come last: by then slow patterns have been refused.
        parts = sorted(document.items(), key=lambda part: part[0].startswith(("additionalProperties", "unevaluated")))
        return {key: _prepare(item) for key, item in parts}
    if isinstance(document, list):
        return [_prepare(item) for item in document]
    if type(document) is Decimal:
        if document.adjusted() > MAXIMUM_MAGNITUDE or document != document.to_integral_value(context=EXACT):
            return _ExactDecimal(document)
        document = int(document)
    if type(document) is int and abs(document) >= LONGEST_PLAIN_INT:
        return _LongInt(document)
    return document


def _validators() -> ModuleType:
    try:
        from jsonschema import validators
    except ImportError:
        raise MissingExtraError("json_schema", "schema") from None
    return validators


def validator_class(schema: Any) -> Any:
    return _validators().validator_for(schema, default=_validators().Draft202012Validator)


def _formats_in(resource: Any) -> set[str]:
    """Return the formats that a schema asks for."""
    name = resource.contents.get("format") if isinstance(resource.contents, dict) else None
    formats = {name} if isinstance(name, str) else set()
    return formats.union(*map(_formats_in, resource.subresources()))


def _find_problem(schema: Any) -> str | None:
    if not isinstance(schema, dict | bool):
        return f"a schema is an object or a bool, got {shown(schema, 200)}"
    cls = validator_class(schema)
    dialect = schema.get("$schema") if isinstance(schema, dict) else None
    if dialect is not None:
        is_published = isinstance(dialect, str) and dialect.rstrip("#") == cls.ID_OF(cls.META_SCHEMA).rstrip("#")
        if not is_published:
            return f"$schema names no published dialect: {shown(dialect, 200)}"
    errors = cls(cls.META_SCHEMA, registry=_registry()).iter_errors(schema)
    return min((f"{error.json_path}: {shorten(error.message, 500)}" for error in errors), default=None)


def _registry() -> Any:
    # It has only the published meta-schemas, so any other reference fails without asking the network.
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it publishes no types

    return REGISTRY


class _Schema(NamedTuple):
    validator: Any
    """None for an invalid schema, whose problem is not cached, because redaction may change it."""
    has_formats: bool
    format_problem: str | None
    """A format that must be checked and that the library does not know, so that it would accept everything as one."""


@functools.lru_cache(maxsize=256)
def _compile_schema(schema_text: str, schemas_text: str, *, asserts_formats: bool) -> _Schema:
    from referencing import Resource
    from referencing.jsonschema import specification_with

    schema, schemas = (_prepare(decode(json.loads(text))) for text in (schema_text, schemas_text))
    if _find_problem(schema):
        return _Schema(None, has_formats=False, format_problem=None)
    cls = validator_class(schema)
    dialect = specification_with(cls.ID_OF(cls.META_SCHEMA))
    resources = {uri: Resource.from_contents(other, default_specification=dialect) for uri, other in schemas.items()}
    registry = _registry().with_resources(resources.items())
    formats = _formats_in(Resource.from_contents(schema, default_specification=dialect))
    formats = formats.union(*map(_formats_in, resources.values()))
    if not asserts_formats:
        return _Schema(_guard(cls)(schema, registry=registry), bool(formats), None)
    problem = None
    if unknown := formats - set(cls.FORMAT_CHECKER.checkers):
        problem = (
            f'the format {min(unknown)!r} cannot be checked; pip install "pytest-verdict[schema]" has more of them'
        )
    checker = build_checker(cls.FORMAT_CHECKER)
    return _Schema(_guard(cls)(schema, registry=registry, format_checker=checker), bool(formats), problem)


@functools.cache
def _guard(cls: Any) -> Any:
    # The library matches with re itself, where a backtracking pattern could hang.
    guarded = {"pattern": _pattern, "patternProperties": _pattern_properties}
    return _validators().extend(cls, {**guarded, "multipleOf": _multiple_of, "uniqueItems": _unique_items})


def matches(pattern: str, text: str) -> bool:
    return bool(find_matches(pattern, (), "search", text))


def _pattern(validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if validator.is_type(instance, "string") and not matches(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _multiple_of(validator: Any, divisor: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    # The library divides in the decimal context of the thread.
    from jsonschema import ValidationError

    if not validator.is_type(instance, "number"):
        return
    number = as_decimal(instance)
    unit = as_decimal(divisor)
    if number is None:
        raise _UnreadableNumberError("multipleOf takes numbers of at most 5000 digits")
    if unit is None:
        raise ArithmeticError("multipleOf is a number of at most 5000 digits")
    if EXACT.remainder(number, unit):
        yield ValidationError(f"{instance!r} is not a multiple of {divisor!r}")


def _unique_items(validator: Any, are_unique: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    # The library compares each object with each.
    from jsonschema import ValidationError

    if are_unique and validator.is_type(instance, "array") and len({*map(content_key, instance)}) < len(instance):
        yield ValidationError(f"{instance!r} has non-unique elements")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, _schema: Any) -> Iterator[Any]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, schema in patterns.items():
        for key, item in instance.items():
            if matches(pattern, key):
                yield from validator.descend(item, schema, path=key, schema_path=pattern)


_ATOMS: Final = r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*"
_HOST: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
_ADDRESS: Final = r"\[(?:ipv6:)?([0-9a-f:.]+)\]"
_VARIABLE: Final = r"(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?:\*|:[1-9][0-9]{0,3})?"
_EXPRESSION: Final = rf"\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}}"
_DAYS: Final = r"(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
_TIME: Final = r"T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
# What a text must match besides; letters are those of ASCII, in both cases.
_PATTERNS: Final = {
    "date-time": r"\S+",
    "duration": rf"(?-i:P(?:{_DAYS}(?:{_TIME})?|{_TIME}|[0-9]+W))",
    "email": rf'(?:{_ATOMS}|"(?:[^"\\]|\\.)*")@(?:{_HOST}|{_ADDRESS})',
    "hostname": _HOST,
    "idn-hostname": r".*[^.\u3002\uff0e\uff61]",
    "relative-json-pointer": r"[0-9][\s\S]*",
    **dict.fromkeys(("uri", "uri-reference"), r"[\s\S]*"),
    "uri-template": rf"""(?:[^\x00-\x20"<>\\^`{{|}}%\x7f]|%[0-9a-f]{{2}}|{_EXPRESSION})*""",
    "uuid": r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
}


def _read_addresses(text: str) -> None:
    for address in re.findall(_ADDRESS, text, re.IGNORECASE):
        ipaddress.ip_address(address)


def _read_labels(text: str) -> None:
    import idna

    for label in re.findall(r"(?<![^.])[^.]{2}--[^.]*", text):
        idna.ulabel(label)


# What a text must be readable by.
_READERS: Final = {"hostname": _read_labels, **dict.fromkeys(("email", "uri", "uri-reference"), _read_addresses)}


def build_checker(library_checker: Any) -> Any:
    """Return a copy of a checker of the library that also demands the patterns and readers above."""
    checker = copy.copy(library_checker)
    checker.checkers = dict(library_checker.checkers)
    for name in _PATTERNS.keys() & checker.checkers.keys():
        check, raises = checker.checkers[name]
        pattern = re.compile(_PATTERNS[name], re.ASCII | re.IGNORECASE)
        checker.checkers[name] = functools.partial(_has_format, check, pattern, _READERS.get(name, str)), raises
    return checker


def _has_format(check: Callable[[Any], bool], pattern: re.Pattern[str], read: Callable[[str], Any], value: Any) -> bool:
    if not check(value):
        return False
    if not isinstance(value, str):
        return True
    try:
        read(value)
    except ValueError:
        return False
    return pattern.fullmatch(value) is not None
