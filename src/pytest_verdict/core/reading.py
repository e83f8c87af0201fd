"""The parts of a record, read from JSON that anybody may have written."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.core.writing import OperatorIdentity
from pytest_verdict.errors import RecordError

_KINDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "text": lambda found: isinstance(found, str),
    "an object": lambda found: isinstance(found, dict),
    "a list": lambda found: isinstance(found, list),
    "a list of texts": lambda found: isinstance(found, list) and all(isinstance(name, str) for name in found),
    "a whole number from 1": lambda found: type(found) is int and found >= 1,
    "a number from 0 to 1": lambda found: type(found) in {int, float} and 0.0 <= found <= 1.0,
    "in (0, 1]": lambda found: type(found) in {int, float} and 0.0 < found <= 1.0,
}


def _checked(key: str, found: Any, kind: str) -> Any:
    if not _KINDS[kind](found):
        raise RecordError(f"{key} must be {kind}, got {shown(found, 80)}")
    return found


def _part(record: Mapping[str, Any], key: str, kind: str) -> Any:
    if key not in record:
        raise RecordError(f"the record has no {key!r}")
    return _checked(key, record[key], kind)


def read_identity(record: Mapping[str, Any]) -> OperatorIdentity:
    """Read what the record says of the operator."""
    name = _part(record, "operator", "text")
    version = _part(record, "operator_version", "a whole number from 1")
    settings = _part(record, "settings", "an object")
    return OperatorIdentity(name, version, settings, _checked("operator_code", record.get("operator_code", ""), "text"))


def read_score(record: Mapping[str, Any]) -> float:
    """Read the score, a number from 0 to 1."""
    return float(_part(record, "score", "a number from 0 to 1"))


def read_threshold(record: Mapping[str, Any]) -> float:
    """Read the threshold, a number in (0, 1]."""
    return float(_part(record, "threshold", "in (0, 1]"))


def read_text(record: Mapping[str, Any], key: str) -> str | None:
    """Read a text that may be absent."""
    text: str | None = decode(record.get(key))
    return text if text is None else _checked(key, text, "text")


def read_names(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Read a list of names."""
    return tuple(_part(record, key, "a list of texts"))


def read_object(record: Mapping[str, Any], key: str) -> dict[str, Any] | None:
    """Read an object that may be absent."""
    found: dict[str, Any] | None = decode(record.get(key))
    return found if found is None else _checked(key, found, "an object")


def read_children(record: Mapping[str, Any]) -> list[Any]:
    """Read the records of the parts, which may be absent."""
    return list(_checked("children", record.get("children", []), "a list"))
