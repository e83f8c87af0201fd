"""What the details of a trajectory comparison say, as JSON values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final

from pytest_verdict.core.values.differences import Difference as ValueDifference, differences, listed_differences
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.trajectories import pairing
from pytest_verdict.trajectories.argument_rules import (
    EQUAL,
    ArgumentFinding,
    ArgumentRule,
    parts_of,
    path_of,
    rule_of_argument,
)
from pytest_verdict.trajectories.call_index import accepted_calls
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED

ACCEPTED, EXTRA = "equal", "extra"
DIFFERENT, MISSING, UNEXPECTED, OUT_OF_ORDER = "different_arguments", "missing", "unexpected", "out_of_order"
_AS_EXPECTED: Final = frozenset({ACCEPTED, EXTRA})

MOST_DIFFERENCES: Final = 100
MOST_ROWS: Final = 200
# Beyond these numbers of pairs the explanation would take longer than the comparison.
_MOST_SCORED: Final = 40_000
MOST_MATCHED: Final = 4_000_000

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


def unexpected(place: int, call: Call) -> Difference:
    """Describe an observed call that was not expected."""
    return {"path": f"$[{place}]", "kind": "unexpected", "observed": call_as_json(call)}


def listed(found: Sequence[Difference]) -> dict[str, Any]:
    """List differences, as many as a record holds."""
    return _shortened("differences", found, MOST_DIFFERENCES)


def pairs(partners: pairing.Partners) -> dict[str, Any]:
    """List which expected call was paired with which observed one, unless all are in the same places."""
    found = [[left, right] for left, right in enumerate(partners) if right is not None]
    return {} if all(left == right for left, right in found) else _shortened("pairs", found, 100)


def _shortened(name: str, items: Sequence[Any], most: int) -> dict[str, Any]:
    omitted = {f"{name}_omitted": len(items) - most} if len(items) > most else {}
    return {name: list(items[:most]), **omitted}


def in_order(
    expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str = "forbid"
) -> dict[str, Any]:
    """Write how two trajectories differ when their order counts."""
    possible_pairs = len(expected) * len(observed)
    partners: pairing.Partners
    if possible_pairs <= _MOST_SCORED:
        partners = pairing.pair_best_in_order(expected, observed, matcher, _closeness)
    elif possible_pairs <= MOST_MATCHED:
        partners = pairing.pair_most_in_order(expected, observed, matcher)
    else:
        partners = [at if at < len(observed) else None for at in range(len(expected))]
    return aligned(pairing.side_by_side(partners, len(observed)), expected, observed, matcher, extras)


def _closeness(score: float) -> float:
    """Say how near two calls of one tool are."""
    return 1.0 if score == 1.0 else 0.1 + 0.8 * score


def any_order(
    partners: pairing.Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str
) -> dict[str, Any]:
    """Write how two trajectories differ when their order does not count."""
    nearest, left_over = _nearest(partners, expected, observed, matcher)
    rows: list[pairing.Row] = [(left, nearest.get(left, right)) for left, right in enumerate(partners)]
    rows += [(None, at) for at in left_over]
    details = aligned(rows, expected, observed, matcher, extras)
    if None in partners and len(expected) * len(observed) <= MOST_MATCHED:
        found = pairing.competing_calls(accepted_calls(expected, observed, matcher), partners)
        if found is not None:
            details["competing"] = {"expected": found[0], "observed": found[1]}
    return details


def _nearest(
    partners: pairing.Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher
) -> tuple[dict[int, int], list[int]]:
    """Pair what has no partner with what is nearest to it, and give what is left of observed."""
    taken = set(partners)
    lefts = [at for at, right in enumerate(partners) if right is None]
    rights = [at for at in range(len(observed)) if at not in taken]
    if len(lefts) * len(rights) > _MOST_SCORED:
        return {}, rights
    wanted, offered = [expected[at] for at in lefts], [observed[at] for at in rights]
    found = pairing.pair_best(wanted, offered, matcher, _closeness)
    near = {left: rights[at] for left, at in zip(lefts, found, strict=True) if at is not None}
    used = set(near.values())
    return near, [at for at in rights if at not in used]


def aligned(
    rows: Iterable[pairing.Row],
    expected: Sequence[Call],
    observed: Sequence[Call],
    matcher: CallMatcher,
    extras: str = "forbid",
    places: Sequence[int] = (),
) -> dict[str, Any]:
    """Write an alignment of two trajectories and the differences in it; expected calls may have places of their own."""
    found: list[tuple[str, int | None, int | None, Call]] = []
    different: list[Difference] = []
    for kind, left, right in _kinds(list(_without_other_tools(rows, expected, observed)), expected, observed, matcher):
        sides = {} if left is None else {"expected": expected[left]}
        sides |= {} if right is None else {"observed": observed[right]}
        place = left if left is None or not places else places[left]
        shown_as = EXTRA if kind == UNEXPECTED and extras == "allow" else kind
        found.append((shown_as, place, right, [*sides.values()][-1]))
        if kind == DIFFERENT:
            different += _in_arguments(place, right, sides["expected"], sides["observed"], matcher)
        elif shown_as not in _AS_EXPECTED:
            moved = {"observed_path": f"$[{right}]"} if kind == OUT_OF_ORDER else {}
            calls = {side: call_as_json(call) for side, call in sides.items()}
            different.append({"path": f"$[{right if place is None else place}]", "kind": kind, **moved, **calls})
    near = [found[at] for at in _near_differences([kind for kind, *_ in found])]
    alignment = [
        {"kind": kind, "expected": left, "observed": right, **call_as_json(call)} for kind, left, right, call in near
    ]
    omitted = {"alignment_omitted": len(found) - len(near)} if len(near) < len(found) else {}
    return {"alignment": alignment, **omitted, **listed(different)}


def _in_arguments(
    place: int | None, position: int | None, expected: Call, observed: Call, matcher: CallMatcher
) -> Iterator[Difference]:
    for one in _argument_differences(expected, observed, matcher):
        places = {"path": f"$[{place}]{one['path']}"}
        if place != position or "observed_path" in one:
            places["observed_path"] = f"$[{position}]{one.get('observed_path', one['path'])}"
        yield {**one, **places}


def _near_differences(kinds: Sequence[str]) -> Sequence[int]:
    """Choose the rows that a record holds: of many those that differ, and two before and behind them."""
    if len(kinds) <= MOST_ROWS:
        return range(len(kinds))
    places = (at for at, kind in enumerate(kinds) if kind not in _AS_EXPECTED)
    near = {beside for at in places for beside in range(max(at - 2, 0), min(at + 3, len(kinds)))}
    return sorted(near)[:MOST_ROWS]


def _without_other_tools(
    rows: Iterable[pairing.Row], expected: Sequence[Call], observed: Sequence[Call]
) -> Iterator[pairing.Row]:
    # Two calls of different tools have nothing in common: one is missing, the other unexpected.
    for left, right in rows:
        apart = left is not None and right is not None and expected[left].name != observed[right].name
        yield from ((left, None), (None, right)) if apart else ((left, right),)


def _kinds(
    rows: Sequence[pairing.Row], expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher
) -> Iterator[tuple[str, int | None, int | None]]:
    moved = _moved(rows, expected, observed, matcher)
    elsewhere = set(moved.values())
    for left, right in rows:
        if left is not None and right is not None:
            yield ACCEPTED if matcher.accepts(expected[left], observed[right]) else DIFFERENT, left, right
        elif left is not None:
            yield OUT_OF_ORDER if left in moved else MISSING, left, moved.get(left)
        elif right not in elsewhere:
            yield UNEXPECTED, None, right


def _moved(
    rows: Sequence[pairing.Row], expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher
) -> dict[int, int]:
    """Find which calls without a partner have one elsewhere."""
    lefts = [left for left, right in rows if left is not None and right is None]
    rights = [right for left, right in rows if left is None and right is not None]
    if len(lefts) * len(rights) > MOST_MATCHED:
        return {}
    found = pairing.pair_most([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
    return {left: rights[at] for left, at in zip(lefts, found, strict=True) if at is not None}


def _argument_differences(expected: Call, observed: Call, matcher: CallMatcher) -> Iterator[Difference]:
    if not (expected.known and observed.known):
        both = {"expected": call_as_json(expected), "observed": call_as_json(observed)}
        yield {"path": ".args", "kind": "changed", **both}
        return
    rule = matcher.rule(expected.name)
    sides = parts_of(rule, expected.args), parts_of(rule, observed.args)
    for finding in matcher.findings(expected, observed):
        if finding.kind is not None:
            yield from _inside(
                path_of(rule, finding.argument), finding, *sides, rule_of_argument(rule, finding.argument)
            )


def _inside(
    path: str,
    finding: ArgumentFinding,
    expected: Mapping[str, Any],
    observed: Mapping[str, Any],
    rule: ArgumentRule,
) -> Iterator[Difference]:
    """Describe how one argument differs, to the leaf where every part of it must be equal."""
    left, right = (side.get(finding.argument, ABSENT) for side in (expected, observed))
    found = [ValueDifference("$", left, right)]
    if rule == EQUAL and finding.kind == "changed":
        found = list(islice(differences(left, right), MOST_DIFFERENCES)) or found
    for one in listed_differences(found, plain)["differences"]:
        yield {**one, **{name: path + one[name].removeprefix("$") for name in ("path", "observed_path") if name in one}}


def notes_on_arguments(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[str]:
    """Note what could not be compared."""
    notes: list[str] = []
    if all(call.known for call in expected) and all(call.known for call in observed):
        return notes
    if any(call.event.args_note == ARGS_MALFORMED for call in (*expected, *observed)):
        notes.append(ARGS_MALFORMED)
    demanding = {call.name for call in expected if not matcher.demands_nothing(call)}
    if any(call.unstated and call.name in demanding for call in observed):
        notes.append(ARGS_NOT_RECORDED)
    offered = {call.name for call in observed if not call.unstated}
    if any(call.unstated and call.name in offered and matcher.rule(call.name) != "ignore" for call in expected):
        notes.append("args_not_compared")
    return notes
