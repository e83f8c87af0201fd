"""The details of a trajectory comparison, as JSON values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any, Final

from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.differences import Difference as ValueDifference, differences, summarize_differences
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.trajectories import pairing
from pytest_verdict.trajectories.call_matcher import (
    EQUAL,
    IGNORE,
    Call,
    CallMatcher,
    get_argument_rule,
    get_part_path,
    split_arguments,
)
from pytest_verdict.trajectories.event import ARGS_MALFORMED, ARGS_NOT_RECORDED

EQUAL_CALL: Final = "equal"
EXTRA: Final = "extra"
DIFFERENT: Final = "different_arguments"
MISSING: Final = "missing"
UNEXPECTED: Final = "unexpected"
OUT_OF_ORDER: Final = "out_of_order"
AS_EXPECTED: Final = frozenset({EQUAL_CALL, EXTRA})

MOST_ITEMS: Final = 100
MOST_ROWS: Final = 200
# With more pairs the explanation would take longer than the comparison.
_MOST_SCORED: Final = 40_000

Difference = dict[str, Any]


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
    if call.has_args:
        return {"name": call.name, "args": to_json(call.args)}
    details: dict[str, Any] = {"name": call.name}
    if call.event.args_text is not None:
        details["args_text"] = call.event.args_text
    if not call.is_bare:
        details["note"] = str(call.event.args_note)
    return details


def format_unexpected(place: int, call: Call) -> Difference:
    return {"path": f"$[{place}]", "kind": "unexpected", "observed": format_call(call)}


def format_excess(name: str, limit: Any, number: Any, reason: str) -> Difference:
    return {
        "path": f"$.{name}",
        "kind": "changed",
        "expected": f"at most {limit}",
        "observed": number,
        "reason": f"{reason}, at most {limit} allowed",
    }


def fail_on(items: Sequence[Difference], **details: Any) -> Outcome:
    """Return the outcome of a comparison that passes without differences."""
    if not items:
        return Outcome(1.0, details=details)
    return Outcome(0.0, details={**details, **list_some("differences", items)})


def list_pairs(partners: pairing.Partners) -> dict[str, Any]:
    """List which expected call was paired with which observed one, unless all are in the same places."""
    pairs = [[row, column] for row, column in enumerate(partners) if column is not None]
    if all(row == column for row, column in pairs):
        return {}
    return list_some("pairs", pairs)


def list_some(name: str, items: Sequence[Any]) -> dict[str, Any]:
    """List items by name, up to the limit of a record."""
    details: dict[str, Any] = {name: list(items[:MOST_ITEMS])}
    if len(items) > MOST_ITEMS:
        details[f"{name}_omitted"] = len(items) - MOST_ITEMS
    return details


def align_in_order(
    expected: list[Call], observed: list[Call], matcher: CallMatcher, extras: str = "forbid"
) -> dict[str, Any]:
    """Describe how two trajectories differ if their order counts."""
    pair = pairing.pair_most_in_order
    if len(expected) * len(observed) <= _MOST_SCORED:
        pair = partial(pairing.pair_best_in_order, weigh=_weigh)
    partners = pair(expected, observed, matcher)
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
    missing = [row for row, column in enumerate(partners) if column is None]
    unexpected = sorted(set(range(len(observed))).difference(partners))
    pairs: list[pairing.Pair] = list(enumerate(partners))
    if len(missing) * len(unexpected) <= _MOST_SCORED:
        calls = [expected[row] for row in missing]
        nearest = pairing.pair_best(calls, [observed[column] for column in unexpected], matcher, _weigh)
        for row, match in zip(missing, nearest, strict=True):
            if match is not None:
                pairs[row] = (row, unexpected[match])
    used = {column for _, column in pairs}
    pairs += [(None, column) for column in unexpected if column not in used]
    details = align(pairs, expected, observed, matcher, extras)
    if missing:
        accepted = pairing.find_accepted_calls(expected, observed, matcher)
        competing = pairing.find_competing_calls(accepted, partners)
        if competing is not None:
            details["competing"] = {"expected": competing[0], "observed": competing[1]}
    return details


def align(
    pairs: Iterable[pairing.Pair],
    expected: Sequence[Call],
    observed: Sequence[Call],
    matcher: CallMatcher,
    extras: str = "forbid",
    places: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Describe an alignment and its differences; ``places`` are those of expected calls in a step list."""
    if places is None:
        places = range(len(expected))
    alignment = []
    different: list[Difference] = []
    for kind, row, column in _classify(pairs, expected, observed, matcher, extras):
        place = None if row is None else places[row]
        sides = {}
        if row is not None:
            sides["expected"] = expected[row]
        if column is not None:
            sides["observed"] = observed[column]
        alignment.append((kind, place, column, sides))

        if kind == DIFFERENT:
            for inner in _compare_args(sides["expected"], sides["observed"], matcher):
                paths = {"path": f"$[{place}]{inner['path']}"}
                if place != column or "observed_path" in inner:
                    paths["observed_path"] = f"$[{column}]{inner.get('observed_path', inner['path'])}"
                different.append({**inner, **paths})
        elif kind not in AS_EXPECTED:
            difference: Difference = {"path": f"$[{column if place is None else place}]", "kind": kind}
            if kind == OUT_OF_ORDER:
                difference["observed_path"] = f"$[{column}]"
            different.append(difference | {side: format_call(call) for side, call in sides.items()})

    chosen: Sequence[int] = range(len(alignment))
    if len(alignment) > MOST_ROWS:
        # The rows that differ, and two before and behind them.
        different_rows = [at for at, (kind, *_) in enumerate(alignment) if kind not in AS_EXPECTED]
        near = {near for at in different_rows for near in range(at - 2, at + 3)}
        chosen = sorted(near.intersection(chosen))[:MOST_ROWS]
    details: dict[str, Any] = {"alignment": [_format_pair(*alignment[at]) for at in chosen]}
    if len(chosen) < len(alignment):
        details["alignment_omitted"] = len(alignment) - len(chosen)
    return {**details, **list_some("differences", different)}


def _format_pair(kind: str, place: int | None, column: int | None, sides: Mapping[str, Call]) -> dict[str, Any]:
    calls = {side: format_call(call) for side, call in sides.items()}
    call = calls.get("observed") or calls["expected"]
    details = {"kind": kind, "expected": place, "observed": column, **call}
    # A rule accepts calls with other arguments; repr() tells 1, 1.0 and True apart.
    if repr(calls.get("expected", call)) != repr(call):
        details["expected_call"] = calls["expected"]
    return details


def _classify(
    pairs: Iterable[pairing.Pair], expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, extras: str
) -> Iterator[tuple[str, int | None, int | None]]:
    """Yield how the calls of each pair differ, and their positions."""
    rows: list[pairing.Pair] = []
    for row, column in pairs:
        if row is not None and column is not None and expected[row].name != observed[column].name:
            rows += [(row, None), (None, column)]
        else:
            rows.append((row, column))

    # A missing call may have its partner among the unexpected ones.
    missing = [row for row, column in rows if row is not None and column is None]
    unexpected = [column for row, column in rows if row is None and column is not None]
    partners = pairing.pair_most([expected[row] for row in missing], [observed[at] for at in unexpected], matcher)
    moved = {row: unexpected[at] for row, at in zip(missing, partners, strict=True) if at is not None}
    moved_columns = set(moved.values())
    for row, column in rows:
        if row is not None and column is not None:
            is_equal = matcher.accepts(expected[row], observed[column])
            yield EQUAL_CALL if is_equal else DIFFERENT, row, column
        elif row in moved:
            yield OUT_OF_ORDER, row, moved[row]
        elif row is not None:
            yield MISSING, row, None
        elif column not in moved_columns:
            yield EXTRA if extras == "allow" else UNEXPECTED, None, column


def _compare_args(expected: Call, observed: Call, matcher: CallMatcher) -> Iterator[Difference]:
    """Yield the differences in the arguments of two calls, with their paths below the calls."""
    if not (expected.has_args and observed.has_args):
        sides = {"expected": format_call(expected), "observed": format_call(observed)}
        yield {"path": ".args", "kind": "changed", **sides}
        return

    rule = matcher.get_rule(expected.name)
    expected_args = split_arguments(rule, expected.args)
    observed_args = split_arguments(rule, observed.args)
    for argument, _, kind in matcher.compare_args(expected, observed):
        if kind is None:
            continue
        value = expected_args.get(argument, ABSENT)
        other = observed_args.get(argument, ABSENT)
        inner = [ValueDifference("$", value, other)]
        if kind == "changed" and get_argument_rule(rule, argument) == EQUAL:
            # Every part must be equal, so the differences are shown down to the leaves.
            inner = list(islice(differences(value, other), MOST_ITEMS)) or inner
        path = get_part_path(rule, argument)
        for difference in summarize_differences(inner, to_json)["differences"]:
            names = [name for name in ("path", "observed_path") if name in difference]
            yield {**difference, **{name: path + difference[name].removeprefix("$") for name in names}}


def list_argument_notes(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[str]:
    demanding_tools = {call.name for call in expected if not matcher.accepts_any_args(call)}
    recorded_tools = {call.name for call in observed if not call.is_bare}
    compared_tools = {tool for tool in recorded_tools if matcher.get_rule(tool) != IGNORE}
    notes = {
        ARGS_MALFORMED: any(call.event.args_note == ARGS_MALFORMED for call in (*expected, *observed)),
        ARGS_NOT_RECORDED: any(call.is_bare and call.name in demanding_tools for call in observed),
        "args_not_compared": any(call.is_bare and call.name in compared_tools for call in expected),
    }
    return [note for note, applies in notes.items() if applies]
