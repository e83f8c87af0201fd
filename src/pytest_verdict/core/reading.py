"""The parts of a record, read from JSON that anybody may have written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import decode
from pytest_verdict.core.writing import OperatorIdentity
from pytest_verdict.errors import RecordError


def _part(record: Mapping[str, Any], key: str) -> Any:
    if key not in record:
        raise RecordError(f"the record has no {key!r}")
    return record[key]


def read_identity(record: Mapping[str, Any]) -> OperatorIdentity:
    """Read what the record says of the operator."""
    name, version, settings = (_part(record, key) for key in ("operator", "operator_version", "settings"))
    if not isinstance(name, str):
        raise RecordError(f"operator must be text, got {shown(name, 80)}")
    if type(version) is not int or version < 1:
        raise RecordError(f"operator_version must be a whole number from 1, got {shown(version, 80)}")
    if not isinstance(settings, dict):
        raise RecordError(f"settings must be an object, got {shown(settings, 80)}")
    code = record.get("operator_code", "")
    if not isinstance(code, str):
        raise RecordError(f"operator_code must be text, got {shown(code, 80)}")
    return OperatorIdentity(name, version, settings, code)


def read_score(record: Mapping[str, Any]) -> float:
    """Read the score, a number from 0 to 1."""
    score = _part(record, "score")
    if type(score) not in {int, float} or not 0.0 <= score <= 1.0:
        raise RecordError(f"score must be a number from 0 to 1, got {shown(score, 80)}")
    return float(score)


def read_threshold(record: Mapping[str, Any]) -> float:
    """Read the threshold, a number in (0, 1]."""
    threshold = _part(record, "threshold")
    if type(threshold) not in {int, float} or not 0.0 < threshold <= 1.0:
        raise RecordError(f"threshold must be in (0, 1], got {shown(threshold, 80)}")
    return float(threshold)


def read_text(record: Mapping[str, Any], key: str) -> str | None:
    """Read a text that may be absent."""
    text = decode(record.get(key))
    if text is None or isinstance(text, str):
        return text
    raise RecordError(f"{key} must be text, got {shown(text, 80)}")


def read_names(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Read a list of names."""
    names = _part(record, key)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RecordError(f"{key} must be a list of texts, got {shown(names, 80)}")
    return tuple(names)


def read_details(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Read the operator's evidence, which may be absent."""
    details = decode(record.get("details"))
    if details is None or isinstance(details, dict):
        return details
    raise RecordError(f"details must be an object, got {shown(details, 80)}")


def read_children(record: Mapping[str, Any]) -> list[Any]:
    """Read the records of the parts, which may be absent."""
    children = record.get("children", [])
    if not isinstance(children, list):
        raise RecordError(f"children must be a list, got {shown(children, 80)}")
    return children
