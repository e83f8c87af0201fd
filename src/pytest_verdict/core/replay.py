"""Replay: each record is parsed, derived again and written, and the bytes are compared.

Nothing that a record names is imported, and no model is asked. Operators come from the registry; those that asked a model
read its reply from the record.
"""

import functools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple, get_args

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.record import RecordSummary, operator_codes, parse_record, summarize_record, write_record
from pytest_verdict.core.record_members import EXPECTED, MEMBER, OBSERVED, OPERATOR, PLACE, START, THRESHOLD
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.encoding import TYPE_KEY, decode, is_replayable
from pytest_verdict.core.values.redaction import REDACTED, REDACTED_VALUE
from pytest_verdict.errors import RecordError, UnknownOperatorError

Status = Literal["identical", "differs", "version_changed", "unverifiable", "unreadable"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)

_GIVEN_BY_TEST: Final = ("name", "negated", "accepted")
_OF_PLACE: Final = frozenset(member.name for member in (*START, *PLACE))
_NESTED_VERSION: Final = re.compile(r'(?<="), "version": [0-9]+(?=, "settings": \{)')
_OTHER_CODE: Final = "the code of an operator is not the one that was recorded"
# The quotes in a text are escaped, so a tag in the bytes of a record is no part of a text.
_TYPED: Final = f'"{TYPE_KEY}":'.encode()
_REDACTED: Final = REDACTED_VALUE.encode()
_ONLY_REPR: Final = f'"{TYPE_KEY}":"repr"'.encode()
_OF_CLASS: Final = re.compile(rf'"{re.escape(TYPE_KEY)}":"(enum|dataclass|model)"'.encode())


class Replayed(NamedTuple):
    """The result of deriving one record again."""

    id: str
    status: Status
    reason: str = ""
    test: str = ""
    operator: str = ""
    differing: tuple[str, ...] = ()
    summary: RecordSummary | None = None

    @property
    def is_difference(self) -> bool:
        """Whether the record differs; a record of another version differs only if its verdict does."""
        return self.status == "differs" or (self.status == "version_changed" and "verdict" in self.differing)


class Unverifiable(Exception):  # noqa: N818 - it carries a reason, not an error
    """Why a record cannot be derived again."""


class InstalledOperator(NamedTuple):
    """The installed operator of a record, and how it differs from the recorded one."""

    operator: Operator
    change: str


def replay(lines: Iterable[bytes]) -> Iterator[Replayed]:
    """Derive each record again, in order."""
    return map(replay_line, lines)


def replay_line(line: bytes) -> Replayed:
    """Derive one record again, write it, and compare the bytes."""
    summary = None
    try:
        record = parse_record(line)
        summary = summarize_record(record)
        return _replay_record(line, record, summary)
    except RecordError as error:
        return Replayed("", "unreadable", str(error), summary=summary)
    except RecursionError:
        return Replayed("", "unreadable", "it is nested too deeply", summary=summary)


def _replay_record(line: bytes, record: dict[str, Any], summary: RecordSummary) -> Replayed:
    try:
        installed = find_operator(record)
        result = derive_result(line, record, installed.operator)
    except Unverifiable as reason:
        return _unverifiable(record, summary, str(reason))

    replayed = Replayed(summary.id, "identical", "", summary.test, summary.operator, (), summary)
    members = result.to_members()
    text = line.removesuffix(b"\n").removesuffix(b"\r")
    if text == write_record(members, summary).encode("ascii")[:-1]:
        return replayed

    if installed.operator.asks_model and result.error is not None and "error" in record:
        # The record has the error of the model's library instead of its reply.
        return _unverifiable(record, summary, "not_recorded")
    if not installed.operator.compares_decoded and _OF_CLASS.search(line):
        # An operator of a user compared the object itself, and the record has only its fields.
        return _unverifiable(record, summary, "not_encodable")
    derived = json.loads(f"{{{members}}}")
    absent = object()
    changed = (key for key in record | derived if repr(record.get(key, absent)) != repr(derived.get(key, absent)))
    differing = tuple(key for key in changed if key not in _OF_PLACE) or ("form",)
    if all(REDACTED in json.dumps(record.get(key)) for key in differing):
        # A redacted name, note or error is still text, so only its mark shows it.
        return _unverifiable(record, summary, "redacted")
    change = installed.change
    if not change and [*operator_codes(record)] != [*operator_codes(derived)]:
        change = _OTHER_CODE
    status: Status = "version_changed" if change else "differs"
    return replayed._replace(status=status, reason=change, differing=differing)


def _unverifiable(record: dict[str, Any], summary: RecordSummary, reason: str) -> Replayed:
    replayed = Replayed(summary.id, "unverifiable", reason, summary.test, summary.operator, (), summary)
    # The verdict follows from the score even if nothing else can be derived.
    verdict = "error"
    if "error" not in record:
        is_match = MEMBER["score"].read(record) >= THRESHOLD.read(record)
        verdict = "fail" if is_match is MEMBER["negated"].read(record) else "pass"
    if summary.verdict != verdict:
        wrong = "the verdict does not follow from the score"
        return replayed._replace(status="differs", reason=wrong, differing=("verdict",))
    return replayed


def find_operator(record: dict[str, Any]) -> InstalledOperator:
    """Return the installed operator of a record."""
    name, version, _, settings = [member.read(record) for member in OPERATOR]
    try:
        return _build_operator(REGISTRY.find(name), version, json.dumps(settings))
    except (UnknownOperatorError, ImportError):
        raise Unverifiable("operator_absent") from None


@functools.lru_cache(maxsize=1_000)
def _build_operator(cls: type[Operator], version: int, settings_text: str) -> InstalledOperator:
    recorded = json.loads(settings_text)
    if not is_replayable(recorded):
        raise Unverifiable("not_encodable")
    try:
        operator = REGISTRY.build(cls.name, {key: decode(value) for key, value in recorded.items()})
        settings = operator.identity.settings
    except Exception:  # noqa: BLE001 - settings are untrusted, and users write validators
        raise Unverifiable("settings_refused") from None
    if not operator.asks_model and operator.contains_model_operator:
        # Evaluating would load a model, or import a function that the record names.
        raise Unverifiable("nested_model")

    change = ""
    if operator.version != version:
        change = f"version {version} was recorded, {operator.version} is installed"
    else:
        texts = {settings_text, json.dumps(settings)}
        if len(texts) > len({_NESTED_VERSION.sub("", text) for text in texts}):
            change = "another version of an operator in the settings is installed"
    return InstalledOperator(operator, change)


def derive_result(line: bytes, record: dict[str, Any], operator: Operator) -> ComparisonResult:
    """Derive the result of a record; its line shows whether evidence was redacted or recorded only as its repr."""
    if _TYPED in line:
        if _REDACTED in line:
            raise Unverifiable("redacted")
        sides = (record.get(name) for name in ("expected", "observed", "sources"))
        if _ONLY_REPR in line and not all(map(is_replayable, sides)):
            raise Unverifiable("not_encodable")

    expected = EXPECTED.read(record)
    observed = OBSERVED.read(record)
    threshold = THRESHOLD.read(record)
    # Most records have none of these members.
    context = {name: MEMBER[name].read(record) for name in _GIVEN_BY_TEST if name in record}
    details = sources = None
    if "sources" in record:
        inputs, sources = _derive_inputs(record)
        expected = inputs.pop("expected", expected)
        observed = inputs.pop("observed", observed)
        operator = _with_settings(operator, inputs)
    if operator.asks_model:
        details = decode(record.get("details", {}))
    try:
        return run(operator, expected, observed, threshold, recorded=details, sources=sources, **context)
    except RecordError:
        raise Unverifiable("not_recorded") from None


def _derive_inputs(record: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Extract the inputs and the sources again from the sources of a record."""
    sources = MEMBER["sources"].read(record) or {}
    place = FAMILIES.find("derivations", str(sources.get("kind")))
    if place is None:
        raise Unverifiable("derivation_absent")
    try:
        inputs: tuple[dict[str, Any], str] = load(place)(sources)
    except RecordError as error:
        raise Unverifiable(str(error)) from None
    except Exception:  # noqa: BLE001 - a record is untrusted, and other packages have derivations
        raise Unverifiable("sources_refused") from None
    return inputs


def _with_settings(operator: Operator, derived: dict[str, Any]) -> Operator:
    if not derived or operator.recorded_name() == "not_compared":
        return operator
    try:
        settings = {name: getattr(operator, name) for name in operator.model_fields_set}
        return REGISTRY.build(operator.recorded_name(), {**settings, **derived})
    except Exception:  # noqa: BLE001 - settings are untrusted, and users write validators
        raise Unverifiable("settings_refused") from None
