"""What the details of a trajectory comparison say, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.values.encoding import encode
from pytest_verdict.trajectories.accepted_calls import accepted_calls
from pytest_verdict.trajectories.alignment import Row, side_by_side
from pytest_verdict.trajectories.call import Call
from pytest_verdict.trajectories.call_matcher import CallMatcher
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED
from pytest_verdict.trajectories.pairing import (
    Partners,
    competing_calls,
    pair_best,
    pair_best_in_order,
    pair_most_in_order,
)

MOST_DIFFERENCES: Final = 100
MOST_ROWS: Final = 200
# Beyond these numbers of pairs the explanation would take longer than the comparison.
_MOST_SCORED: Final = 40_000
_MOST_MATCHED: Final = 4_000_000

Difference = dict[str, Any]


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


def call_as_json(call: Call) -> dict[str, Any]:
    """Write a call."""
    if call.known:
        return {"name": call.name, "args": plain(call.args)}
    found: dict[str, Any] = {"name": call.name}
    if call.event.args_text is not None:
        found["args_text"] = call.event.args_text
    if not call.unstated:
        found["note"] = str(call.event.args_note)
    return found


def missing(place: int, call: Call) -> Difference:
    """Describe an expected call that was not made."""
    return {"path": f"$[{place}]", "kind": "missing", "expected": call_as_json(call)}


def unexpected(place: int, call: Call) -> Difference:
    """Describe an observed call that was not expected."""
    return {"path": f"$[{place}]", "kind": "unexpected", "observed": call_as_json(call)}


def listed(differences: Sequence[Difference]) -> dict[str, Any]:
    """List differences, as many as a record holds."""
    return _shortened("differences", differences, MOST_DIFFERENCES)


def pairs(partners: Partners) -> dict[str, Any]:
    """List which expected call was paired with which observed one, unless all are in the same places."""
    found = [[left, right] for left, right in enumerate(partners) if right is not None]
    return {} if all(left == right for left, right in found) else _shortened("pairs", found, 100)


def _shortened(name: str, items: Sequence[Any], most: int) -> dict[str, Any]:
    omitted = {f"{name}_omitted": len(items) - most} if len(items) > most else {}
    return {name: list(items[:most]), **omitted}


def in_order(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> dict[str, Any]:
    """Write how two trajectories differ when their order counts."""
    possible_pairs = len(expected) * len(observed)
    partners: Partners
    if possible_pairs <= _MOST_SCORED:
        partners = pair_best_in_order(expected, observed, matcher, matcher.closeness)
    elif possible_pairs <= _MOST_MATCHED:
        partners = pair_most_in_order(expected, observed, matcher)
    else:
        partners = [at if at < len(observed) else None for at in range(len(expected))]
    return aligned(side_by_side(partners, len(observed)), expected, observed, matcher)


def any_order(
    partners: Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str
) -> dict[str, Any]:
    """Write how two trajectories differ when their order does not count."""
    nearest, left_over = _nearest(partners, expected, observed, matcher)
    rows: list[Row] = [(left, nearest.get(left, right)) for left, right in enumerate(partners)]
    if extras == "forbid":
        rows += [(None, at) for at in left_over]
    details = aligned(rows, expected, observed, matcher)
    if None in partners and len(expected) * len(observed) <= _MOST_MATCHED:
        found = competing_calls(accepted_calls(expected, observed, matcher), partners)
        if found is not None:
            details["competing"] = {"expected": found[0], "observed": found[1]}
    return details


def _nearest(
    partners: Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher
) -> tuple[dict[int, int], list[int]]:
    """Pair what has no partner with what is nearest to it, and give what is left of observed."""
    taken = set(partners)
    lefts = [at for at, right in enumerate(partners) if right is None]
    rights = [at for at in range(len(observed)) if at not in taken]
    if len(lefts) * len(rights) > _MOST_SCORED:
        return {}, rights
    wanted, offered = [expected[at] for at in lefts], [observed[at] for at in rights]
    found = pair_best(wanted, offered, matcher, matcher.closeness)
    near = {left: rights[at] for left, at in zip(lefts, found, strict=True) if at is not None}
    used = set(near.values())
    return near, [at for at in rights if at not in used]


def aligned(
    rows: Iterable[Row], expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher
) -> dict[str, Any]:
    """Write an alignment of two trajectories and the differences in it."""
    written: list[dict[str, Any]] = []
    differences: list[Difference] = []
    for left, right in _without_other_tools(rows, expected, observed):
        kind, found = _row(left, right, expected, observed, matcher)
        call = expected[left] if left is not None else observed[right or 0]
        written.append({"kind": kind, "expected": left, "observed": right, "name": call.name})
        differences += found
    details: dict[str, Any] = {"alignment": written[:MOST_ROWS], **listed(differences)}
    if len(written) > MOST_ROWS:
        details["alignment_omitted"] = len(written) - MOST_ROWS
    return details


def _without_other_tools(rows: Iterable[Row], expected: Sequence[Call], observed: Sequence[Call]) -> Iterator[Row]:
    # Two calls of different tools have nothing in common: one is missing, the other unexpected.
    for left, right in rows:
        if left is not None and right is not None and expected[left].name != observed[right].name:
            yield left, None
            yield None, right
        else:
            yield left, right


def _row(
    left: int | None, right: int | None, expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher
) -> tuple[str, list[Difference]]:
    if right is None:
        assert left is not None
        return "missing", [missing(left, expected[left])]
    if left is None:
        return "unexpected", [unexpected(right, observed[right])]
    if matcher.accepts(expected[left], observed[right]):
        return "equal", []
    return "different_arguments", list(_argument_differences(left, expected[left], observed[right], matcher))


def _argument_differences(place: int, expected: Call, observed: Call, matcher: CallMatcher) -> Iterator[Difference]:
    if not (expected.known and observed.known):
        both = {"expected": call_as_json(expected), "observed": call_as_json(observed)}
        yield {"path": f"$[{place}].args", "kind": "changed", **both}
        return
    for finding in matcher.findings(expected, observed):
        if finding.kind is None:
            continue
        difference: Difference = {"path": f"$[{place}].args.{finding.argument}", "kind": finding.kind}
        if finding.kind != "unexpected":
            difference["expected"] = plain(expected.args.get(finding.argument))
        if finding.kind != "missing":
            difference["observed"] = plain(observed.args.get(finding.argument))
        yield difference


def notes_on_arguments(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[str]:
    """Note what could not be compared."""
    notes = []
    if any(call.event.args_note == ARGS_MALFORMED for call in (*expected, *observed)):
        notes.append(ARGS_MALFORMED)
    demanding = {call.name for call in expected if not matcher.demands_nothing(call)}
    if any(call.unstated and call.name in demanding for call in observed):
        notes.append(ARGS_NOT_RECORDED)
    offered = {call.name for call in observed if not call.unstated}
    if any(call.unstated and call.name in offered and matcher.rule(call.name) != "ignore" for call in expected):
        notes.append("args_not_compared")
    return notes
