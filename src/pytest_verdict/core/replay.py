"""Replay: the result of each record derived again from what the record holds, and compared with it byte for byte.

Nothing that a record names is imported, and no model is asked: operators are found by name in the registry, and those that
asked a model when the test ran decide by what the record kept of its answer.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, get_args

from pytest_verdict.core.families import FAMILIES, load
from pytest_verdict.core.kernel import run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.reading import read_object, read_text, read_threshold
from pytest_verdict.core.record import parse_record, record_head
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.rewriting import Rewriter
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import TYPE_KEY, decode, is_replayable
from pytest_verdict.core.values.redaction import REDACTED, REDACTED_VALUE
from pytest_verdict.errors import RecordError, UnknownOperatorError

Status = Literal["identical", "differs", "version_changed", "unverifiable", "unreadable"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)

_OF_PLACE: Final = frozenset({"record", "id", "test", "attempt", "ordinal", "path", "line"})
_OTHER_CODE: Final = "the code of an operator is not the one that was recorded"
# In text these quotes are escaped, so what looks like a member is one.
_CODE: Final = re.compile(r'"operator_code":("[^"]*")')
_MOST_OPERATORS: Final = 1_000
FEW_PIECES: Final = 4
"""In less time than these take one by one pyarrow is not loaded."""
_ID: Final = re.compile(r"[0-9a-f]{12}-[0-9]{1,20}-[0-9]{1,20}")
_TEXT: Final = r'"(?:[^"\\]|\\.)*+"'
_PLACE: Final = re.compile(rf'"test":{_TEXT},"attempt":[0-9]+,"ordinal":[0-9]+,"path":{_TEXT},"line":[0-9]+\}}\r?\n?')
# In text these quotes are escaped, so what looks like a tag in the bytes of a record is one.
_REDACTED: Final = REDACTED_VALUE.encode()
_ONLY_REPR: Final = f'"{TYPE_KEY}":"repr"'.encode()
_OF_CLASS: Final = re.compile(rf'"{re.escape(TYPE_KEY)}":"(enum|dataclass|model)"'.encode())


class Replayed(NamedTuple):
    """What came of deriving one record again."""

    id: str
    status: Status
    reason: str = ""
    test: str = ""
    operator: str = ""
    differing: tuple[str, ...] = ()

    @property
    def is_difference(self) -> bool:
        """Whether the record says something else than what was derived; of another version, only the verdict counts."""
        return self.status == "differs" or (self.status == "version_changed" and "verdict" in self.differing)


class Unverifiable(Exception):  # noqa: N818 - it carries a reason, not an error
    """A record cannot be derived again; its argument is the reason."""


# An operator as it is installed here, and what has changed since a record.
_Installed = tuple[Operator, str]
_known: dict[tuple[type[Operator], str, int, str], _Installed] = {}


def replay(lines: Iterable[bytes]) -> Iterator[Replayed]:
    """Derive records again, one after the other."""
    rewriter = Rewriter(_derived_inputs)
    for line in lines:
        yield replay_line(line, rewriter)


def replay_piece(number: int, lines: Sequence[bytes]) -> Iterable[Replayed]:
    """Derive the records of a piece of a file again, many at once where pyarrow is there and the file is long."""
    if number < FEW_PIECES:
        return replay(lines)
    try:
        from pytest_verdict.core.replay_by_columns import replayed_by_columns
    except ImportError:
        return replay(lines)
    rewriter, found = Rewriter(_derived_inputs), replayed_by_columns(lines)
    return [answer or replay_line(line, rewriter) for answer, line in zip(found, lines, strict=True)]


def replay_line(line: bytes, rewriter: Rewriter | None = None) -> Replayed:
    """Derive one record again, by a rewriter if it knows the operator; it learns one that is as recorded."""
    if rewriter is not None and (same := rewriter.same(line)):
        return Replayed(same[0], "identical", "", *same[1:])
    try:
        return _replayed(line, parse_record(line), rewriter)
    except RecordError as error:
        return Replayed("", "unreadable", str(error))
    except RecursionError:
        return Replayed("", "unreadable", "it is nested too deeply")


def _checked_head(record: dict[str, Any]) -> tuple[str, str, str]:
    identifier, test, operator = record.get("id"), record.get("test"), record.get("operator")
    if type(identifier) is str and type(test) is str and type(operator) is str:
        if _ID.fullmatch(identifier):
            return identifier, test, operator
        raise RecordError(f"id must be as in 0123456789ab-1-1, got {shown(identifier, 80)}")
    key = next(key for key in ("id", "test", "operator") if type(record.get(key)) is not str)
    raise RecordError(f"{key} must be text, got {shown(record.get(key), 80)}")


def _replayed(line: bytes, record: dict[str, Any], rewriter: Rewriter | None) -> Replayed:
    identifier, test, operator = _checked_head(record)
    try:
        installed, change = installed_for(record)
        result = derived(line, record, installed)
    except Unverifiable as reason:
        return _unverifiable(record, str(reason))
    members, text = result.to_members(), line.decode("ascii")
    head = record_head(identifier, members)
    # Where a comparison happened cannot be derived; the pattern leaves no room for anything else behind the result.
    if text.startswith(head) and _PLACE.fullmatch(text, len(head)):
        if rewriter is not None:
            rewriter.learn(installed)
        return Replayed(identifier, "identical", "", test, operator)
    if installed.asks_model and result.error is not None and "error" in record:
        # What the model's library raised then is not what the record lacks now.
        return _unverifiable(record, "not_recorded")
    if not installed.compares_decoded and _OF_CLASS.search(line):
        # An operator of a user was given the object itself, of which the record has the fields.
        return _unverifiable(record, "not_encodable")
    differing = _differing(record, json.loads(f"{{{members}}}"))
    if differing and all(REDACTED in json.dumps(record.get(key)) for key in differing):
        # A name, note or error stays text.
        return _unverifiable(record, "redacted")
    # The codes of parts stand in their own results.
    change = change or (_OTHER_CODE if _CODE.findall(text) != _CODE.findall(members) else "")
    status: Status = "version_changed" if change else "differs"
    return Replayed(identifier, status, change, test, operator, differing)


def _unverifiable(record: dict[str, Any], reason: str) -> Replayed:
    identifier, test, operator = record["id"], record["test"], record["operator"]
    # The verdict follows from the score even where nothing else can be derived.
    if record.get("verdict") != _verdict(record):
        wrong = "the verdict does not follow from the score"
        return Replayed(identifier, "differs", wrong, test, operator, ("verdict",))
    return Replayed(identifier, "unverifiable", reason, test, operator)


def _verdict(record: dict[str, Any]) -> str:
    if "error" in record:
        return "error"
    score: Any = record.get("score")
    if type(score) not in {int, float}:
        raise RecordError(f"score must be a number from 0 to 1, got {shown(score, 80)}")
    return "pass" if (score >= read_threshold(record)) is not (record.get("negated") is True) else "fail"


def installed_for(record: dict[str, Any]) -> _Installed:
    """Find the operator of a record among those that are installed, and what has changed in it."""
    name, version, settings = record["operator"], record.get("operator_version"), record.get("settings")
    if type(version) is not int:
        raise RecordError(f"operator_version must be a whole number, got {shown(version, 80)}")
    if not isinstance(settings, dict):
        raise RecordError(f"settings must be an object, got {shown(settings, 80)}")
    try:
        key = REGISTRY.find(name), name, version, repr(settings)
    except (UnknownOperatorError, ImportError):
        raise Unverifiable("operator_absent") from None
    known = _known.get(key)
    if known is None:
        if len(_known) >= _MOST_OPERATORS:
            _known.clear()
        known = _known[key] = _installed(*key[:3], settings)
    return known


def _installed(cls: type[Operator], name: str, version: int, recorded: dict[str, Any]) -> _Installed:
    if not is_replayable(recorded):
        raise Unverifiable("not_encodable")
    try:
        operator = REGISTRY.build(name, {key: decode(value) for key, value in recorded.items()})
        found = operator.identity.settings
    except Exception:  # noqa: BLE001 - settings are untrusted, and validators are written by anyone
        raise Unverifiable("settings_refused") from None
    if not operator.asks_model and operator.contains_model_operator:
        # Evaluating would load a model, or import a function that the record names.
        raise Unverifiable("nested_model")
    return operator, _change(operator, version, recorded, found)


def _change(operator: Operator, version: int, recorded: Any, found: Any) -> str:
    if operator.version != version:
        return f"version {version} was recorded, {operator.version} is installed"
    texts = json.dumps(recorded), json.dumps(found)
    if texts[0] != texts[1] and _without_versions(recorded) == _without_versions(found):
        return "another version of an operator in the settings is installed"
    return ""


def _without_versions(settings: Any) -> Any:
    if isinstance(settings, list):
        return [_without_versions(item) for item in settings]
    if not isinstance(settings, dict):
        return settings
    is_operator = isinstance(settings.get("operator"), str) and {"version", "settings"} <= settings.keys()
    dropped = "version" if is_operator else None
    return {key: _without_versions(item) for key, item in settings.items() if key != dropped}


def derived(line: bytes, record: dict[str, Any], operator: Operator) -> ComparisonResult:
    """Derive the result of a record; its lines say whether something was left out of them."""
    if _REDACTED in line:
        raise Unverifiable("redacted")
    if _ONLY_REPR in line and not all(is_replayable(record.get(side)) for side in ("expected", "observed", "sources")):
        raise Unverifiable("not_encodable")
    expected, observed = _evidence(record, "expected"), _evidence(record, "observed")
    threshold, name = read_threshold(record), read_text(record, "name")
    sources = None
    if "sources" in record:
        inputs, sources = _derived_inputs(record)
        expected, observed = inputs.pop("expected", expected), inputs.pop("observed", observed)
        operator = _with_settings(operator, inputs)
    try:
        details = decode(record.get("details", {})) if operator.asks_model else None
        meant: dict[str, Any] = {"negated": record.get("negated") is True, "sources": sources}
        return run(operator, expected, observed, threshold=threshold, name=name, recorded=details, **meant)
    except RecordError:
        raise Unverifiable("not_recorded") from None


def _derived_inputs(record: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Extract again what the record says was extracted, from what, and how."""
    sources = read_object(record, "sources") or {}
    place = FAMILIES.find("derivations", str(sources.get("kind")))
    if place is None:
        raise Unverifiable("derivation_absent")
    try:
        found: tuple[dict[str, Any], dict[str, Any]] = load(place)(sources)
    except RecordError as error:
        raise Unverifiable(str(error)) from None
    except Exception:  # noqa: BLE001 - a record is untrusted, and other packages derive as well
        raise Unverifiable("sources_refused") from None
    return found


def _with_settings(operator: Operator, derived: dict[str, Any]) -> Operator:
    if not derived or operator.recorded_name() == "not_compared":
        return operator
    try:
        kept = {name: getattr(operator, name) for name in operator.model_fields_set}
        return REGISTRY.build(operator.recorded_name(), {**kept, **derived})
    except Exception:  # noqa: BLE001 - settings are untrusted, and validators are written by anyone
        raise Unverifiable("settings_refused") from None


def _differing(record: dict[str, Any], derived: dict[str, Any]) -> tuple[str, ...]:
    absent = object()
    keys = [*record, *(key for key in derived if key not in record)]
    changed = (key for key in keys if repr(record.get(key, absent)) != repr(derived.get(key, absent)))
    found = tuple(key for key in changed if key not in _OF_PLACE)
    return found or ("form",)


def _evidence(record: dict[str, Any], key: str) -> Any:
    if key not in record:
        raise RecordError(f"it has no {key!r}")
    value = record[key]
    return value if type(value) is str else decode(value)
