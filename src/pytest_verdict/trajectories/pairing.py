"""Pairing: which observed calls an expected call accepts, and which call belongs to which.

A tolerant rule lets one observed call match several expected ones, and taking the first match would give wrong verdicts.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

from pytest_verdict.core.kernel import PartError
from pytest_verdict.core.matching import maximum_matching, optimal_assignment
from pytest_verdict.trajectories.call_matcher import EQUAL, Call, CallMatcher

SCALE: Final = 10**9
"""A score of 1.0, and the cost of one call without a partner; scores are whole numbers, so that rounding cannot decide."""

# More pairs would take more than a few seconds to score.
_MOST_SCORED: Final = 250_000

Partners = list[int | None]
"""For each expected call the position of its observed one."""

Pair = tuple[int | None, int | None]
"""The positions of an expected and an observed call that belong together; None if one of them is missing."""

# Steps in the table of an alignment: to the row above, to a pair, to the column before.
_UP: Final = 0
_PAIR: Final = 1
_BACK: Final = 2


def _group_by_tool(calls: Sequence[Call]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        positions.setdefault(call.name, []).append(at)
    return positions


def find_accepted_calls(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[list[int]]:
    """Return for each expected call the positions of the observed calls that it accepts; equal calls share one list."""
    columns_by_tool = _group_by_tool(observed)
    columns_by_key: dict[Hashable, list[int]] = {}
    for column, call in enumerate(observed):
        columns_by_key.setdefault((call.name, call.key), []).append(column)
    cache: dict[Hashable, list[int]] = {}
    accepted = []
    for row, call in enumerate(expected):
        cache_key: Hashable = (call.name, call.key, call.is_bare)
        if call.key is None and not call.is_bare:
            cache_key = row
        if cache_key not in cache:
            columns = columns_by_tool.get(call.name, [])
            if call.key is not None and matcher.get_rule(call.name) == EQUAL:
                # Equal calls have one key, and a call without a key may equal any other.
                columns = sorted(
                    column for key in (call.key, None) for column in columns_by_key.get((call.name, key), ())
                )
            cache[cache_key] = [column for column in columns if matcher.accepts(call, observed[column])]
        accepted.append(cache[cache_key])
    return accepted


def pair_most(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    accepted = find_accepted_calls(expected, observed, matcher)
    lists = {id(columns): columns for columns in accepted}
    if sum(map(len, lists.values())) > len(set[int]().union(*lists.values())):
        return maximum_matching(accepted, len(observed))
    # No two different calls accept the same one.
    following = {key: iter(columns) for key, columns in lists.items()}
    return [next(following[id(columns)], None) for columns in accepted]


def pair_most_in_order(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible without crossing."""
    return longest_common_subsequence(find_accepted_calls(expected, observed, matcher), len(observed))


def pair_best(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, weigh: Callable[[float], float] = float
) -> Partners:
    """Pair calls so that the sum of the scores is the highest possible."""
    partners: Partners = [None] * len(expected)
    columns_by_tool = _group_by_tool(observed)
    for name, rows in _group_by_tool(expected).items():
        columns = columns_by_tool.get(name, [])
        _refuse_many_pairs(len(rows) * len(columns))
        costs = [[-_score(expected[row], observed[column], matcher, weigh) for column in columns] for row in rows]
        for row, own_costs, best in zip(rows, costs, optimal_assignment(costs), strict=True):
            if best is not None and own_costs[best] < 0:
                partners[row] = columns[best]
    return partners


def _score(call: Call, other: Call, matcher: CallMatcher, weigh: Callable[[float], float] = float) -> int:
    """Return the score of two calls of one tool, at most ``SCALE``."""
    return round(weigh(matcher.score(call, other)) * SCALE)


def _refuse_many_pairs(pairs: int) -> None:
    if pairs > _MOST_SCORED:
        raise PartError(
            f"{pairs:,} pairs of calls are too many to score, at most {_MOST_SCORED:,}: take credit='whole' or"
            " trajectory_any_order, which score no pairs, select calls by only_tools, or compare turn by turn"
        )


def pair_best_in_order(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, weigh: Callable[[float], float] = float
) -> Partners:
    """Pair calls without crossing so that the sum of the scores is the highest possible."""
    return _align(expected, observed, matcher, weigh)[1]


def find_competing_calls(accepted: Sequence[Sequence[int]], partners: Partners) -> tuple[list[int], list[int]] | None:
    """Return the expected calls that compete for too few observed ones, a witness of Hall's theorem (1935)."""
    owners = {column: row for row, column in enumerate(partners) if column is not None}
    groups = []
    for start, partner in enumerate(partners):
        if partner is None and accepted[start]:
            group = [start]
            members = {start}
            for row in group:
                for column in accepted[row]:
                    if owners[column] not in members:
                        members.add(owners[column])
                        group.append(owners[column])
            groups.append((len(group), sorted(group)))
    if not groups:
        return None

    # No part of a group competes alone: a column of one call leads to the call that it is paired with.
    _, rows = min(groups)
    return rows, sorted({column for row in rows for column in accepted[row]})


def iter_pairs(partners: Sequence[int | None], observed: int) -> Iterator[Pair]:
    """Yield the pairs of two sequences that are paired in order, and the calls without a partner in their places."""
    following = 0
    for row, column in enumerate(partners):
        if column is not None:
            yield from ((None, at) for at in range(following, column))
            following = column + 1
        yield row, column
    yield from ((None, at) for at in range(following, observed))


def longest_common_subsequence(accepted: Sequence[Sequence[int]], size: int) -> Partners:
    """Pair as many expected calls as possible without crossing.

    The bit-parallel method of Crochemore and others (2001) and Hyyrö (2004), which needs no equality of calls.
    """
    full = (1 << size) - 1
    bits = full
    history = [bits]
    masks: dict[int, int] = {}
    for positions in accepted:
        # Equal calls share one list of positions, and so one mask.
        if id(positions) not in masks:
            mask = bytearray(size // 8 + 1)
            for at in positions:
                mask[at >> 3] |= 1 << (at & 7)
            masks[id(positions)] = int.from_bytes(mask, "little")
        matches = bits & masks[id(positions)]
        bits = ((bits + matches) | (bits - matches)) & full
        history.append(bits)

    # A cleared bit means that the length grows there. Walking back, a call is paired where its row cleared the bit first.
    partners: Partners = [None] * len(accepted)
    row = len(accepted)
    column = size
    while row and column:
        if history[row] >> (column - 1) & 1:
            column -= 1
            continue
        row -= 1
        if history[row] >> (column - 1) & 1:
            column -= 1
            partners[row] = column
    return partners


def edit_distance(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> tuple[int, Partners]:
    """Pair without crossing at the lowest cost (Needleman and Wunsch 1970).

    A call without a partner costs ``SCALE``, a pair ``SCALE`` minus its score.
    """
    # Pairing two first calls that match fully is never worse than anything else.
    head = 0
    while head < min(len(expected), len(observed)) and _score(expected[head], observed[head], matcher) == SCALE:
        head += 1
    gain, middle = _align(expected[head:], observed[head:], matcher, unlike=SCALE)
    cost = (len(expected) + len(observed) - 2 * head) * SCALE - gain
    return cost, [*range(head), *(None if column is None else head + column for column in middle)]


def _align(
    expected: Sequence[Call],
    observed: Sequence[Call],
    matcher: CallMatcher,
    weigh: Callable[[float], float] = float,
    unlike: int = 0,
) -> tuple[int, Partners]:
    """Pair without crossing at the highest gain, `unlike` and the score for each pair."""
    _refuse_many_pairs(len(expected) * len(observed))
    previous = [0] * (len(observed) + 1)
    steps = []
    for call in expected:
        gains = [unlike + (_score(call, other, matcher, weigh) if other.name == call.name else 0) for other in observed]
        current = [0]
        row_steps = bytearray(len(observed) + 1)
        best = 0
        for column, gain in enumerate(gains, 1):
            before = best
            best = previous[column]
            # A pair without a gain is no pair.
            if gain and previous[column - 1] + gain >= best:
                best = previous[column - 1] + gain
                row_steps[column] = _PAIR
            if before > best:
                best = before
                row_steps[column] = _BACK
            current.append(best)
        previous = current
        steps.append(row_steps)
    return previous[-1], _trace_back(steps, len(observed))


def _trace_back(steps: Sequence[bytearray], width: int) -> Partners:
    row = len(steps)
    column = width
    partners: Partners = [None] * row
    while row and column:
        step = steps[row - 1][column]
        if step != _BACK:
            row -= 1
        if step != _UP:
            column -= 1
        if step == _PAIR:
            partners[row] = column
    return partners
