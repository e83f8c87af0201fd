"""Evidence: what the details of a trajectory comparison say, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.values.encoding import encode
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED
from pytest_verdict.trajectories.relation import Call, Relation

MOST_DIFFERENCES: Final = 100
MOST_ROWS: Final = 200

Row = tuple[int | None, int | None]
"""Positions of an expected and an observed call that belong together; None on the side that has nothing."""


def plain(value: Any) -> Any:
    """Write a value as JSON for a person to read."""
    if isinstance(value, Decimal):
        number = float(value) if value.is_finite() else None
        return number if number is not None and Decimal(repr(number)) == value else str(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return encode(value)


def call_evidence(call: Call) -> dict[str, Any]:
    """Write a call."""
    if call.known:
        return {"name": call.name, "args": plain(call.args)}
    found: dict[str, Any] = {"name": call.name}
    if call.event.args_text is not None:
        found["args_text"] = call.event.args_text
    if not call.unstated:
        found["note"] = str(call.event.args_note)
    return found


def aligned(
    rows: Iterable[Row], expected: Sequence[Call], observed: Sequence[Call], relation: Relation
) -> dict[str, Any]:
    """Write an alignment of two trajectories and the differences in it."""
    written: list[dict[str, Any]] = []
    differences: list[dict[str, Any]] = []
    for left, right in _without_strangers(rows, expected, observed):
        kind, found = _row(left, right, expected, observed, relation)
        row: dict[str, Any] = {"kind": kind, "expected": left, "observed": right}
        call = expected[left] if left is not None else observed[right or 0]
        written.append({**row, "name": call.name})
        differences += found
    details: dict[str, Any] = {"alignment": written[:MOST_ROWS], **listed(differences)}
    if len(written) > MOST_ROWS:
        details["alignment_omitted"] = len(written) - MOST_ROWS
    return details


def listed(differences: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Shorten a list of differences to what a record holds."""
    details: dict[str, Any] = {"differences": list(differences[:MOST_DIFFERENCES])}
    if len(differences) > MOST_DIFFERENCES:
        details["differences_omitted"] = len(differences) - MOST_DIFFERENCES
    return details


def missing(place: int, call: Call) -> dict[str, Any]:
    """Write that an expected call was not made."""
    return {"path": f"$[{place}]", "kind": "missing", "expected": call_evidence(call)}


def unexpected(place: int, call: Call) -> dict[str, Any]:
    """Write that an observed call was not expected."""
    return {"path": f"$[{place}]", "kind": "unexpected", "observed": call_evidence(call)}


def notes_on_arguments(expected: Sequence[Call], observed: Sequence[Call], relation: Relation) -> list[str]:
    """Note what could not be compared."""
    notes = []
    if any(call.event.args_note == ARGS_MALFORMED for call in (*expected, *observed)):
        notes.append(ARGS_MALFORMED)
    demanding = {call.name for call in expected if not relation.demands_nothing(call)}
    if any(call.unstated and call.name in demanding for call in observed):
        notes.append(ARGS_NOT_RECORDED)
    offered = {call.name for call in observed if not call.unstated}
    if any(call.unstated and call.name in offered and relation.rule(call.name) != "ignore" for call in expected):
        notes.append("args_not_compared")
    return notes


def _without_strangers(rows: Iterable[Row], expected: Sequence[Call], observed: Sequence[Call]) -> Iterable[Row]:
    # Two calls of different tools have nothing in common: one is missing, the other unexpected.
    for left, right in rows:
        if left is not None and right is not None and expected[left].name != observed[right].name:
            yield left, None
            yield None, right
        else:
            yield left, right


def _row(
    left: int | None, right: int | None, expected: Sequence[Call], observed: Sequence[Call], relation: Relation
) -> tuple[str, list[dict[str, Any]]]:
    if right is None:
        assert left is not None
        return "missing", [missing(left, expected[left])]
    if left is None:
        return "unexpected", [unexpected(right, observed[right])]
    if relation.accepts(expected[left], observed[right]):
        return "equal", []
    return "different_arguments", _argument_differences(left, expected[left], observed[right], relation)


def _argument_differences(place: int, expected: Call, observed: Call, relation: Relation) -> list[dict[str, Any]]:
    if not (expected.known and observed.known):
        both = {"expected": call_evidence(expected), "observed": call_evidence(observed)}
        return [{"path": f"$[{place}].args", "kind": "changed", **both}]
    differences = []
    for finding in relation.findings(expected, observed):
        if finding.kind is None:
            continue
        difference: dict[str, Any] = {"path": f"$[{place}].args.{finding.argument}", "kind": finding.kind}
        if finding.kind != "unexpected":
            difference["expected"] = plain(expected.args.get(finding.argument))
        if finding.kind != "missing":
            difference["observed"] = plain(observed.args.get(finding.argument))
        differences.append(difference)
    return differences
