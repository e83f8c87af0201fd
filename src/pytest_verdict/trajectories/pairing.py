"""Pairing: which observed calls an expected call accepts, and which call belongs to which.

A tolerant rule lets one observed call match several expected ones, and taking the first match would give wrong verdicts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.kernel import PartError
from pytest_verdict.core.matching import maximum_matching, optimal_assignment
from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.equality import content_key
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.operators.text import Exact
from pytest_verdict.trajectories.call_matcher import (
    CONTAINS,
    EQUAL,
    IGNORE,
    WITHIN,
    ArgumentRule,
    Call,
    CallMatcher,
    get_argument_rule,
    is_by_argument,
)

SCALE: Final = 10**9
"""A score of 1.0, and the cost of one call without a partner; scores are whole numbers, so that rounding cannot decide."""

# More pairs would take more than a few seconds to score; rules other than equality take longer, and pairs of two tools less.
_MOST_SCORED: Final = 1_000_000
_RULE_FACTOR: Final = 4
_OTHER_TOOL_FACTOR: Final = 4

Partners = list[int | None]
"""For each expected call the position of its observed one."""

Pair = tuple[int | None, int | None]
"""The positions of an expected and an observed call that belong together; None if one of them is missing."""

# Steps in the table of an alignment: to the row above, to a pair, to the column before.
_UP: Final = 0
_PAIR: Final = 1
_BACK: Final = 2
_NO_NUMBER: Final = Decimal("Infinity")
_PLAIN_TYPES: Final = frozenset({str, int, float, bool, type(None), Decimal})


@dataclass(slots=True)
class _Column:
    """The values of one argument in all calls, by keys that equal values share."""

    calls: dict[Any, list[int]] = field(default_factory=dict)
    numbers: Sequence[Decimal] = ()
    without_key: list[int] = field(default_factory=list)
    """Calls whose value may equal any other."""
    absent: list[int] = field(default_factory=list)


class ArgumentIndex:
    """The positions of calls by the values of their arguments; without it, every pair of calls would be compared."""

    def __init__(self, calls: Sequence[Call], positions: Sequence[int]) -> None:
        self._calls = calls
        self._positions = positions
        self._columns: dict[Hashable, _Column] = {}

    def find_candidates(
        self, argument: str, value: Any, rule: ArgumentRule, *, or_absent: bool = False
    ) -> list[int] | None:
        """Return the calls whose value a rule may accept, and perhaps more; None if the rule cannot be indexed."""
        # A rule other than equality may accept objects and lists with another key.
        if rule != EQUAL and isinstance(value, Mapping | list | tuple):
            return None

        limits = _get_limits(rule, value)
        key = _content_key(rule, value)
        if limits is not None:
            column = self._get_column(argument, None)
            keys = column.numbers[bisect_left(column.numbers, limits[0]) : bisect_right(column.numbers, limits[1])]
            positions = [at for key in keys for at in column.calls[key]]
        elif key is not None:
            column = self._get_column(argument, rule)
            positions = column.calls.get(key, [])
        else:
            return None
        if or_absent:
            return positions + column.without_key + column.absent
        return positions + column.without_key

    def _get_column(self, argument: str, rule: ArgumentRule | None) -> _Column:
        """Return the column of an argument under a rule for equality, or of numbers if there is no rule."""
        cache_key = (argument, rule is None, id(rule) if isinstance(rule, Exact) else 0)
        if cache_key in self._columns:
            return self._columns[cache_key]

        column = _Column()
        for at in self._positions:
            args = self._calls[at].args
            if argument not in args:
                column.absent.append(at)
                continue
            key = _parse_number(args[argument]) if rule is None else _content_key(rule, args[argument])
            if key is None:
                column.without_key.append(at)
            else:
                column.calls.setdefault(key, []).append(at)
        if rule is None:
            column.numbers = sorted(column.calls)
        self._columns[cache_key] = column
        return column


def _content_key(rule: ArgumentRule, value: Any) -> Hashable | None:
    """Return a key that two values share if a rule for equality accepts them."""
    if rule in (EQUAL, CONTAINS, WITHIN):
        return content_key(value)
    if not isinstance(rule, Exact) or type(rule).evaluate is not Exact.evaluate or type(value) is not str:
        return None
    text = normalize(value, rule.normalize)
    return content_key(text if rule.case_sensitive else text.casefold())


def _parse_number(value: Any) -> Decimal | None:
    if type(value) not in _PLAIN_TYPES:
        return None
    number = as_decimal(value)
    if number is None or not number.is_finite():
        return _NO_NUMBER
    return number


def _get_limits(rule: ArgumentRule, expected: Any) -> tuple[Decimal, Decimal] | None:
    """Return the lowest and the highest number that an operator for numbers may accept."""
    if type(rule) is not NumericTolerance or rule.normalize:
        return None
    middle = _parse_number(expected)
    tolerance = _parse_number(rule.tolerance)
    if middle is None or tolerance is None or not (middle.is_finite() and tolerance.is_finite()):
        return None
    distance = tolerance
    if rule.mode != "absolute":
        distance = EXACT.multiply(tolerance, abs(middle))
    return EXACT.subtract(middle, distance), EXACT.add(middle, distance)


def _iter_tools(expected: Sequence[Call], observed: Sequence[Call]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the positions of the expected and the observed calls of each tool that both sides call."""
    observed_by_tool = _group_by_tool(observed)
    for name, rows in _group_by_tool(expected).items():
        if name in observed_by_tool:
            yield rows, observed_by_tool[name]


def _group_by_tool(calls: Sequence[Call]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        positions.setdefault(call.name, []).append(at)
    return positions


def find_accepted_calls(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[list[int]]:
    """Return for each expected call the positions of the observed calls that it accepts; equal calls share one list."""
    accepted: list[list[int]] = [[] for _ in expected]
    for rows, columns in _iter_tools(expected, observed):
        index = ArgumentIndex(observed, columns)
        cache: dict[Hashable, list[int]] = {}
        for row in rows:
            call = expected[row]
            cache_key: Hashable = (call.key, call.is_bare)
            if call.key is None and not call.is_bare:
                cache_key = row
            if cache_key not in cache:
                cache[cache_key] = _match_call(call, observed, columns, index, matcher)
            accepted[row] = cache[cache_key]
    return accepted


def _match_call(
    call: Call, observed: Sequence[Call], columns: list[int], index: ArgumentIndex, matcher: CallMatcher
) -> list[int]:
    candidates: Sequence[int] = columns
    rule = matcher.get_rule(call.name)
    if call.has_args and is_by_argument(rule) and not matcher.accepts_any_args(call):
        may_be_absent = get_argument_rule(rule) in (WITHIN, IGNORE)
        for argument, value in call.args.items():
            own = get_argument_rule(rule, argument)
            # An operator cannot compare an absent value, so the rule for all others decides.
            or_absent = own == WITHIN or (may_be_absent and isinstance(own, Operator))
            positions = index.find_candidates(argument, value, own, or_absent=or_absent)
            if positions is not None and len(positions) < len(candidates):
                candidates = sorted(positions)

    verdicts: dict[Hashable, bool] = {}
    accepted = []
    for at in candidates:
        cache_key: Hashable = at if observed[at].key is None else (observed[at].key,)
        if cache_key not in verdicts:
            verdicts[cache_key] = matcher.accepts(call, observed[at])
        if verdicts[cache_key]:
            accepted.append(at)
    return accepted


def pair_most(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    partners: Partners = [None] * len(expected)
    for rows, columns in _iter_tools(expected, observed):
        calls = [expected[row] for row in rows]
        others = [observed[column] for column in columns]
        matches: Partners
        if all(matcher.accepts_any_args(call) for call in calls):
            matches = [at if at < len(others) else None for at in range(len(calls))]
        elif matcher.get_rule(calls[0].name) == EQUAL and all(call.key is not None for call in (*calls, *others)):
            # Equal calls are counted, because each of a thousand accepts a thousand.
            unpaired: dict[Hashable, list[int]] = {}
            for at in range(len(others) - 1, -1, -1):
                unpaired.setdefault(others[at].key, []).append(at)
            matches = [unpaired[call.key].pop() if unpaired.get(call.key) else None for call in calls]
        else:
            matches = maximum_matching(find_accepted_calls(calls, others, matcher), len(others))
        for row, match in zip(rows, matches, strict=True):
            partners[row] = None if match is None else columns[match]
    return partners


def pair_most_in_order(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> Partners:
    """Pair as many calls as possible without crossing."""
    return longest_common_subsequence(find_accepted_calls(expected, observed, matcher), len(observed))


def pair_best(
    expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher, weigh: Callable[[float], float] = float
) -> Partners:
    """Pair calls so that the sum of the scores is the highest possible."""
    partners: Partners = [None] * len(expected)
    for all_rows, all_columns in _iter_tools(expected, observed):
        rows = all_rows
        columns = all_columns
        if len(rows) * len(columns) > _MOST_SCORED and matcher.get_rule(expected[rows[0]].name) == EQUAL:
            # The share of different arguments is a metric, so a best pairing exists that pairs all equal calls.
            matches = pair_most([expected[row] for row in rows], [observed[column] for column in columns], matcher)
            for row, match in zip(rows, matches, strict=True):
                partners[row] = None if match is None else columns[match]
            used = set(partners)
            rows = [row for row in rows if partners[row] is None]
            columns = [column for column in columns if column not in used]
        _refuse_many_pairs(len(rows) * len(columns), matcher)
        calls = [observed[column] for column in columns]
        costs = [[-score for score in _score_calls(expected[row], calls, matcher, weigh)] for row in rows]
        for row, own_costs, best in zip(rows, costs, optimal_assignment(costs), strict=True):
            if best is not None and own_costs[best] < 0:
                partners[row] = columns[best]
    return partners


def _score_calls(
    call: Call, others: Sequence[Call], matcher: CallMatcher, weigh: Callable[[float], float] = float
) -> list[int]:
    """Return the scores of a call and several observed ones, each at most ``SCALE``."""
    return [round(weigh(matcher.score(call, other)) * SCALE) for other in others]


def _refuse_many_pairs(pairs: int, matcher: CallMatcher) -> None:
    most = _MOST_SCORED if matcher.rules == EQUAL else _MOST_SCORED // _RULE_FACTOR
    if pairs > most:
        raise PartError(
            f"{pairs:,} pairs of calls are too many to score, at most {most:,}: take credit='whole' or"
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
    while head < min(len(expected), len(observed)):
        if _score_calls(expected[head], observed[head : head + 1], matcher) != [SCALE]:
            break
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
    columns_by_tool = _group_by_tool(observed)
    calls_by_tool = {name: [observed[column] for column in columns] for name, columns in columns_by_tool.items()}
    scored = sum(len(columns_by_tool.get(call.name, ())) for call in expected)
    _refuse_many_pairs(max(scored, len(expected) * len(observed) // _OTHER_TOOL_FACTOR), matcher)
    previous = [0] * (len(observed) + 1)
    steps = []
    for call in expected:
        gains = [unlike] * len(observed)
        if call.name in columns_by_tool:
            scores = _score_calls(call, calls_by_tool[call.name], matcher, weigh)
            for column, score in zip(columns_by_tool[call.name], scores, strict=True):
                gains[column] += score

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
