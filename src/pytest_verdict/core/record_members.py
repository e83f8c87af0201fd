"""The table of a record's members: the name and type of each, and how it is written and read."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode, dump_json, encode, encode_text
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.redaction import REDACTED, REDACTED_VALUE, Redaction, redact, redact_names, redact_text
from pytest_verdict.errors import RecordError

if TYPE_CHECKING:
    from pytest_verdict.core.result import ComparisonResult

RECORD_FORMAT: Final = 1
"""Version of the record's format; readers refuse a newer one."""

Verdict = Literal["pass", "fail", "error"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
ID_PATTERN: Final = "[0-9a-f]{12}-[0-9]{1,20}-[0-9]{1,20}"
_ALL_REDACTED: Final = f'{{{REDACTED_VALUE},"value":"{REDACTED}"}}'
_REQUIRED: Final = object()


@dataclass(frozen=True)
class OperatorIdentity:
    """The operator of a record."""

    name: str
    version: int
    settings: Mapping[str, Any]
    code: str = ""

    @functools.cached_property
    def members(self) -> str:
        """The members of a JSON object, without its braces, in ASCII."""
        return write_members(OPERATOR, self)

    def redacted(self, redaction: Redaction) -> OperatorIdentity:
        """Return the identity with redacted settings, which may hold evidence, such as substrings."""
        return replace(self, settings={name: redact(value, redaction) for name, value in self.settings.items()})


def write_evidence(value: Any, redaction: Redaction | None) -> str:
    """Write a value as JSON, redacted."""
    if redaction is None:
        return encode_text(value)
    return dump_json(redact(encode(value), redaction))


def write_redacted_text(text: str, redaction: Redaction | None) -> str:
    """Write a text that is still a text after redaction."""
    return encode_text(str(redact_text(text, redaction)))


@dataclass(frozen=True, slots=True)
class JsonType:
    """The type of a member: its name in the reference and in errors, its JSON Schema, and a check."""

    label: str
    requirement: str
    schema: Mapping[str, Any]
    accepts: Callable[[Any], bool]


def _is_whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return (type(value) is float or type(value) is int) and 0.0 <= value <= 1.0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_TEXT: Final = JsonType("text", "text", {"type": "string"}, _is_text)
_TYPED_TEXT: Final = replace(_TEXT, schema={"$ref": "#/$defs/text"})
_EVIDENCE: Final = JsonType("evidence", "evidence", {"$ref": "#/$defs/evidence"}, lambda _: True)
_OBJECT: Final = JsonType("object", "an object", {"type": "object"}, lambda value: isinstance(value, dict))
_NAMES: Final = JsonType(
    "list of text",
    "a list of texts",
    {"type": "array", "items": {"type": "string"}},
    lambda value: isinstance(value, list) and all(map(_is_text, value)),
)
_RESULTS: Final = JsonType(
    "list of objects",
    "a list",
    {"type": "array", "items": {"$ref": "#/$defs/result"}, "minItems": 1},
    lambda value: isinstance(value, list),
)
_WHOLE: Final = JsonType("int", "a whole number from 0", {"type": "integer", "minimum": 0}, _is_whole)
_COUNT: Final = JsonType(
    "int", "a whole number from 1", {"type": "integer", "minimum": 1}, lambda value: _is_whole(value) and value >= 1
)
_SCORE: Final = JsonType("number", "a number from 0 to 1", {"type": "number", "minimum": 0, "maximum": 1}, _is_number)
_THRESHOLD: Final = JsonType(
    "number",
    "in (0, 1]",
    {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    lambda value: _is_number(value) and value > 0,
)


@dataclass(frozen=True)
class Member:
    """A member of a record.

    Args:
        name: Its key.
        type: The values that it may hold.
        about: One sentence for the reference and the JSON Schema.
        write: Returns its JSON text from the sources of its group; an empty text omits the member.
        default: The value that is omitted; a member without a default is required.
        is_typed: Whether the value is typed JSON.
        convert: Converts the JSON value to the value of a reader.
        schema: Additions to the JSON Schema of its type.
    """

    name: str
    type: JsonType
    about: str
    write: Callable[..., str]
    default: Any = _REQUIRED
    is_typed: bool = False
    convert: Callable[[Any], Any] | None = None
    schema: Mapping[str, Any] = field(default_factory=dict)
    key: str = field(init=False)
    """The beginning of the member in a line."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", f'"{self.name}":')

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED

    def read(self, record: Mapping[str, Any]) -> Any:
        """Read the member of an untrusted record."""
        value = record.get(self.name, self.default)
        if value is self.default:
            if value is _REQUIRED:
                raise RecordError(f"the record has no {self.name!r}")
            return value
        if self.is_typed:
            value = decode(value)
        if not self.type.accepts(value):
            raise RecordError(f"{self.name} must be {self.type.requirement}, got {shown(value, 80)}")
        return value if self.convert is None else self.convert(value)


def write_members(members: Iterable[Member], *source: Any) -> str:
    """Write members, joined by commas."""
    return ",".join([member.key + text for member in members if (text := member.write(*source))])


def write_optional(
    members: Iterable[Member], holder: Any, result: ComparisonResult, redaction: Redaction | None
) -> str:
    """Write the members whose attribute of the holder does not have its default, each after a comma."""
    text = ""
    for member in members:
        if getattr(holder, member.name) is not member.default:
            value = member.write(result, redaction)
            if value:
                text += f",{member.key}{value}"
    return text


def _write_surface(surface: Any, side: Any, redaction: Redaction | None) -> str:
    # A pattern may match the side but not its surface, for example in lower case.
    if redaction is not None and REDACTED_VALUE in write_evidence(side, redaction):
        return _ALL_REDACTED
    return write_evidence(surface, redaction)


def _write_details(result: ComparisonResult, redaction: Redaction | None) -> str:
    details = dict(result.outcome.details or {})
    if not details:
        return ""
    if redaction is not None:
        details = redact_names(details, redaction)
    return write_evidence(details, redaction)


def _write_notes(result: ComparisonResult, redaction: Redaction | None) -> str:
    return dump_json([redact_text(note, redaction) for note in result.outcome.notes])


def _write_sources(result: ComparisonResult, redaction: Redaction | None) -> str:
    if redaction is None:
        return result.sources_text or ""
    return dump_json(redact(json.loads(result.sources_text or ""), redaction))


# The table. The groups have the order of a line.
# fmt: off

START: Final = (
    Member("record", JsonType("int", "1", {"const": RECORD_FORMAT}, _is_whole),
           "Version of the record's format; readers refuse a newer one.", str),
    Member("id", _TEXT, "Digest of the test, attempt and ordinal; the same on every machine.",
           encode_basestring_ascii, schema={"pattern": f"^{ID_PATTERN}$"}),
)
"""Written from the value of the member."""

HEAD: Final = (
    Member("verdict", JsonType("text", "text", {"enum": list(VERDICTS)}, _is_text),
           "`pass` when score >= threshold, or the opposite where negated; `error` when the comparison could not be made.",
           encode_basestring_ascii),
    Member("name", _TYPED_TEXT, "What the test calls the comparison.",
           encode_text, default=None, is_typed=True),
)
"""Written from the value of the member."""

OPERATOR: Final = (
    Member("operator", _TEXT, "The operator's registered name.",
           lambda identity: encode_basestring_ascii(identity.name), schema={"minLength": 1}),
    Member("operator_version", _COUNT, "The operator's version; it grows when verdicts change.",
           lambda identity: str(identity.version)),
    Member("operator_code", _TEXT,
           "Digest of the source of an operator that does not come with pytest-verdict; absent where there is no source.",
           lambda identity: f'"{identity.code}"' if identity.code else "", default="", schema={"pattern": "^[0-9a-f]{32}$"}),
    Member("settings", _OBJECT,
           "All settings, defaults included; one that was added in a later version only where it is not the default.",
           lambda identity: dump_json(identity.settings)),
)
"""Written from an `OperatorIdentity`; the groups below from a result and a redaction."""

EXPECTED: Final = Member("expected", _EVIDENCE, "The expected value, verbatim; for `regex` the pattern.",
                         lambda result, redaction: write_evidence(result.recorded_expected, redaction), is_typed=True)
OBSERVED: Final = Member("observed", _EVIDENCE, "The observed value, verbatim.",
                         lambda result, redaction: write_evidence(result.recorded_observed, redaction), is_typed=True)

OUTCOME: Final = (
    Member("normalization", _NAMES, "The steps that were applied, in order.",
           lambda result, _: dump_json(result.outcome.normalization), convert=tuple),
    Member("notes", _NAMES, "Machine-readable codes, such as `json_parse_failed`.",
           _write_notes, convert=tuple),
    Member("score", _SCORE, "How well the values match, from 0.0 to 1.0.",
           lambda result, _: repr(result.outcome.score), convert=float),
)

THRESHOLD: Final = Member("threshold", _THRESHOLD, "The lowest score that passes, in (0, 1].",
                          lambda result, _: repr(result.threshold), convert=float)

EVIDENCE: Final = (
    Member("expected_surface", _EVIDENCE, "What was compared on the expected side; absent when it is the value itself.",
           lambda result, redaction: _write_surface(result.outcome.expected_surface, result.recorded_expected, redaction),
           default=ABSENT, is_typed=True),
    Member("observed_surface", _EVIDENCE, "What was compared on the observed side; absent when it is the value itself.",
           lambda result, redaction: _write_surface(result.outcome.observed_surface, result.recorded_observed, redaction),
           default=ABSENT, is_typed=True),
    Member("details", _OBJECT, "Evidence of the operator: differences with their paths, distances, matched text.",
           _write_details, default=None, is_typed=True),
    Member("children", _RESULTS, "The results of the parts of an aggregate, with the members from `verdict` to `sources`.",
           lambda result, redaction: f"[{','.join([one.to_text(redaction) for one in result.outcome.children])}]", default=()),
    Member("error", _TYPED_TEXT, "Why the comparison could not be made.",
           lambda result, redaction: write_redacted_text(result.outcome.error, redaction), default=None, is_typed=True),
)
"""Attributes of the outcome, omitted when they have their default."""

CONTEXT: Final = (
    Member("negated", JsonType("true", "true", {"const": True}, lambda _: True),
           "The test expects no match, as `x != expect(...)` does: the verdict is `pass` when score < threshold.",
           lambda _result, _redaction: "true", default=False, convert=lambda value: value is True),
    Member("sources", _OBJECT, "The document from which sides were extracted, the mapping, and the steps of each extraction.",
           _write_sources, default=None, is_typed=True),
    Member("accepted", _OBJECT, "Where expected comes from: file, test, entry, a digest of all values; or the problem.",
           lambda result, redaction: write_evidence(dict(result.accepted), redaction),
           default=None, is_typed=True),
)
"""Set by the test, not by the operator."""

PLACE: Final = (
    Member("test", _TEXT, "The node id of the test.", encode_basestring_ascii),
    Member("attempt", _COUNT, "The run of the test, from 1.", str),
    Member("ordinal", _COUNT, "The position of the comparison in the attempt, from 1.", str),
    Member("path", _TEXT, "The file of the call, relative to the root directory; only its name outside of it.",
           encode_basestring_ascii),
    Member("line", _WHOLE, "The line of the call, from 1; 0 when unknown.", str),
)
"""Written from the value of the member."""
# fmt: on

COMPARISON: Final = (*HEAD, *OPERATOR, EXPECTED, OBSERVED, *OUTCOME, THRESHOLD, *EVIDENCE, *CONTEXT)
"""The members of a comparison, which parts of an aggregate have too."""

MEMBERS: Final = (*START, *COMPARISON, *PLACE)
MEMBER: Final[Mapping[str, Member]] = {member.name: member for member in MEMBERS}


def read_identity(record: Mapping[str, Any]) -> OperatorIdentity:
    """Read the operator of a record."""
    name, version, code, settings = [member.read(record) for member in OPERATOR]
    return OperatorIdentity(name, version, settings, code)
