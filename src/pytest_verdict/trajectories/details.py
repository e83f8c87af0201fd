"""The details of a trajectory comparison, as JSON values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final, NamedTuple

from pytest_verdict.core.values.differences import Difference as ValueDifference, differences, listed_differences
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.trajectories import pairing
from pytest_verdict.trajectories.call_matcher import (
    EQUAL,
    Call,
    CallMatcher,
    get_argument_rule,
    get_part_path,
    split_arguments,
)
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED
from pytest_verdict.trajectories.pairing import find_accepted_calls

EQUAL_CALL: Final = "equal"
EXTRA: Final = "extra"
DIFFERENT: Final = "different_arguments"
MISSING: Final = "missing"
UNEXPECTED: Final = "unexpected"
OUT_OF_ORDER: Final = "out_of_order"
_AS_EXPECTED: Final = frozenset({EQUAL_CALL, EXTRA})

MOST_DIFFERENCES: Final = 100
MOST_PAIRS: Final = 100
MOST_ROWS: Final = 200
# With more pairs the explanation would take longer than the comparison.
_MOST_SCORED: Final = 40_000
_MOST_MATCHED: Final = 4_000_000

Difference = dict[str, Any]


class _AlignedCall(NamedTuple):
    """A row of an alignment: how a call differs, and its positions on both sides."""

    kind: str
    left: int | None
    right: int | None


def to_json(value: Any) -> Any:
    """Convert a value to JSON that a person can read."""
    if isinstance(value, Decimal):
        if value.is_finite() and Decimal(repr(float(value))) == value:
            return float(value)
        return str(value)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return encode(value)


def format_call(call: Call) -> dict[str, Any]:
    """Format a call."""
    if call.has_args:
        return {"name": call.name, "args": to_json(call.args)}
    details: dict[str, Any] = {"name": call.name}
    if call.event.args_text is not None:
        details["args_text"] = call.event.args_text
    if not call.is_bare:
        details["note"] = str(call.event.args_note)
    return details


def format_unexpected(place: int, call: Call) -> Difference:
    """Format an observed call that was not expected."""
    return {"path": f"$[{place}]", "kind": "unexpected", "observed": format_call(call)}


def list_differences(found: Sequence[Difference]) -> dict[str, Any]:
    """List differences, up to the limit of a record."""
    return _list_some("differences", found, MOST_DIFFERENCES)


def list_pairs(partners: pairing.Partners) -> dict[str, Any]:
    """List which expected call was paired with which observed one, unless all are in the same places."""
    pairs = [[left, right] for left, right in enumerate(partners) if right is not None]
    if all(left == right for left, right in pairs):
        return {}
    return _list_some("pairs", pairs, MOST_PAIRS)


def _list_some(name: str, items: Sequence[Any], most: int) -> dict[str, Any]:
    details: dict[str, Any] = {name: list(items[:most])}
    if len(items) > most:
        details[f"{name}_omitted"] = len(items) - most
    return details


def align_in_order(
    expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str = "forbid"
) -> dict[str, Any]:
    """Describe how two trajectories differ if their order counts."""
    possible_pairs = len(expected) * len(observed)
    partners: pairing.Partners
    if possible_pairs <= _MOST_SCORED:
        partners = pairing.pair_best_in_order(expected, observed, matcher, _weigh)
    elif possible_pairs <= _MOST_MATCHED:
        partners = pairing.pair_most_in_order(expected, observed, matcher)
    else:
        partners = [at if at < len(observed) else None for at in range(len(expected))]
    return align(pairing.iter_pairs(partners, len(observed)), expected, observed, matcher, extras)


def _weigh(score: float) -> float:
    """Return how near two calls are: the same tool counts even if no argument is right."""
    if score == 1.0:
        return 1.0
    return 0.1 + 0.8 * score


def align_any_order(
    partners: pairing.Partners, expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str
) -> dict[str, Any]:
    """Describe how two trajectories differ if their order does not count."""
    paired = set(partners)
    lefts = [at for at, right in enumerate(partners) if right is None]
    rights = [at for at in range(len(observed)) if at not in paired]
    nearest: dict[int, int] = {}
    if len(lefts) * len(rights) <= _MOST_SCORED:
        matches = pairing.pair_best([expected[at] for at in lefts], [observed[at] for at in rights], matcher, _weigh)
        nearest = {left: rights[at] for left, at in zip(lefts, matches, strict=True) if at is not None}

    rows: list[pairing.Pair] = [(left, nearest.get(left, right)) for left, right in enumerate(partners)]
    used = set(nearest.values())
    rows += [(None, at) for at in rights if at not in used]
    details = align(rows, expected, observed, matcher, extras)
    if lefts and len(expected) * len(observed) <= _MOST_MATCHED:
        competing = pairing.find_competing_calls(find_accepted_calls(expected, observed, matcher), partners)
        if competing is not None:
            details["competing"] = {"expected": competing[0], "observed": competing[1]}
    return details


def align(
    rows: Iterable[pairing.Pair],
    expected: Sequence[Call],
    observed: Sequence[Call],
    matcher: CallMatcher,
    extras: str = "forbid",
    places: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Describe an alignment of two trajectories and the differences in it.

    ``places`` are the places of the expected calls in a step list (default: their positions).
    """
    if places is None:
        places = range(len(expected))
    alignment = []
    different: list[Difference] = []
    for row in _classify(rows, expected, observed, matcher):
        kind, left, right = row
        if kind == UNEXPECTED and extras == "allow":
            kind = EXTRA
        place = None if left is None else places[left]
        sides = {}
        if left is not None:
            sides["expected"] = expected[left]
        if right is not None:
            sides["observed"] = observed[right]
        alignment.append((kind, place, right, sides.get("observed") or sides["expected"]))

        if kind == DIFFERENT:
            for inner in _compare_args(sides["expected"], sides["observed"], matcher):
                paths = {"path": f"$[{place}]{inner['path']}"}
                if place != right or "observed_path" in inner:
                    paths["observed_path"] = f"$[{right}]{inner.get('observed_path', inner['path'])}"
                different.append({**inner, **paths})
        elif kind not in _AS_EXPECTED:
            difference: Difference = {"path": f"$[{right if place is None else place}]", "kind": kind}
            if kind == OUT_OF_ORDER:
                difference["observed_path"] = f"$[{right}]"
            different.append(difference | {side: format_call(call) for side, call in sides.items()})

    chosen = _choose_rows([kind for kind, *_ in alignment])
    details: dict[str, Any] = {
        "alignment": [
            {"kind": kind, "expected": place, "observed": right, **format_call(call)}
            for kind, place, right, call in (alignment[at] for at in chosen)
        ]
    }
    if len(chosen) < len(alignment):
        details["alignment_omitted"] = len(alignment) - len(chosen)
    return {**details, **list_differences(different)}


def _choose_rows(kinds: Sequence[str]) -> Sequence[int]:
    """Choose the rows for a record: of many those that differ, and two before and behind them."""
    if len(kinds) <= MOST_ROWS:
        return range(len(kinds))
    places = [at for at, kind in enumerate(kinds) if kind not in _AS_EXPECTED]
    chosen = {near for at in places for near in range(max(at - 2, 0), min(at + 3, len(kinds)))}
    return sorted(chosen)[:MOST_ROWS]


def _classify(
    pairs: Iterable[pairing.Pair], expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher
) -> Iterator[_AlignedCall]:
    """Yield how the calls of each pair differ."""
    rows: list[pairing.Pair] = []
    for left, right in pairs:
        if left is not None and right is not None and expected[left].name != observed[right].name:
            rows += [(left, None), (None, right)]
        else:
            rows.append((left, right))

    # A missing call may have its partner among the unexpected ones.
    lefts = [left for left, right in rows if left is not None and right is None]
    rights = [right for left, right in rows if left is None and right is not None]
    moved: dict[int, int] = {}
    if len(lefts) * len(rights) <= _MOST_MATCHED:
        partners = pairing.pair_most([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        moved = {left: rights[at] for left, at in zip(lefts, partners, strict=True) if at is not None}

    moved_rights = set(moved.values())
    for left, right in rows:
        if left is not None and right is not None:
            is_equal = matcher.accepts(expected[left], observed[right])
            yield _AlignedCall(EQUAL_CALL if is_equal else DIFFERENT, left, right)
        elif left in moved:
            yield _AlignedCall(OUT_OF_ORDER, left, moved[left])
        elif left is not None:
            yield _AlignedCall(MISSING, left, None)
        elif right not in moved_rights:
            yield _AlignedCall(UNEXPECTED, None, right)


def _compare_args(expected: Call, observed: Call, matcher: CallMatcher) -> Iterator[Difference]:
    """Yield the differences in the arguments of two calls, with their paths below the calls."""
    if not (expected.has_args and observed.has_args):
        sides = {"expected": format_call(expected), "observed": format_call(observed)}
        yield {"path": ".args", "kind": "changed", **sides}
        return

    rule = matcher.get_rule(expected.name)
    lefts = split_arguments(rule, expected.args)
    rights = split_arguments(rule, observed.args)
    for argument, _, kind in matcher.compare_args(expected, observed):
        if kind is None:
            continue
        left = lefts.get(argument, ABSENT)
        right = rights.get(argument, ABSENT)
        inner = [ValueDifference("$", left, right)]
        if kind == "changed" and get_argument_rule(rule, argument) == EQUAL:
            # Every part must be equal, so the differences are shown down to the leaves.
            inner = list(islice(differences(left, right), MOST_DIFFERENCES)) or inner
        path = get_part_path(rule, argument)
        for difference in listed_differences(inner, to_json)["differences"]:
            names = [name for name in ("path", "observed_path") if name in difference]
            yield {**difference, **{name: path + difference[name].removeprefix("$") for name in names}}


def list_argument_notes(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[str]:
    """List the notes on arguments that could not be compared."""
    notes: list[str] = []
    if all(call.has_args for call in expected) and all(call.has_args for call in observed):
        return notes
    if any(call.event.args_note == ARGS_MALFORMED for call in (*expected, *observed)):
        notes.append(ARGS_MALFORMED)
    demanding_tools = {call.name for call in expected if not matcher.accepts_any_args(call)}
    if any(call.is_bare and call.name in demanding_tools for call in observed):
        notes.append(ARGS_NOT_RECORDED)
    recorded_tools = {call.name for call in observed if not call.is_bare}
    if any(
        call.is_bare and call.name in recorded_tools and matcher.get_rule(call.name) != "ignore" for call in expected
    ):
        notes.append("args_not_compared")
    return notes
