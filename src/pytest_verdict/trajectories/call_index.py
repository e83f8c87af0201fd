"""Which observed calls each expected call accepts, and their scores, without comparing every pair.

Without an index, a thousand calls of one tool would be compared with a thousand others.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, NamedTuple

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
    group_by_tool,
    is_by_argument,
)

SCALE: Final = 10**9
"""A score of 1.0, and the cost of one call without a partner; scores are whole numbers, so that rounding cannot decide."""

_NO_NUMBER: Final = Decimal("Infinity")
_PLAIN_TYPES: Final = frozenset({str, int, float, bool, type(None), Decimal})
_NO_SLOT: Final = -1


@dataclass(frozen=True, slots=True)
class _Column:
    """The values of one argument in all calls; each distinct value has a slot."""

    keys: list[Any]
    """The keys of the distinct values by slot, sorted if they are numbers."""
    slots: dict[Hashable, int]
    slot_of_call: list[int]
    calls_in_slot: list[list[int]]
    without_key: list[int]
    """Calls whose value may equal any other."""
    absent: list[int]
    """Calls without the argument."""


class _SlotRange(NamedTuple):
    """The slots of a column whose values a rule may accept."""

    column: _Column
    start: int
    stop: int


class ArgumentIndex:
    """The positions of calls by the values of their arguments; each column is built when it is first used."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._columns: dict[Hashable, _Column] = {}

    def find_slots(self, argument: str, value: Any, rule: ArgumentRule) -> _SlotRange | None:
        """Return the slots of the values that a rule may accept; None if the rule cannot be indexed."""
        # A rule other than equality may accept objects and lists with another key.
        if rule != EQUAL and isinstance(value, Mapping | list | tuple):
            return None

        limits = _get_limits(rule, value)
        if limits is not None:
            column = self._get_column(argument, None)
            return _SlotRange(column, bisect_left(column.keys, limits[0]), bisect_right(column.keys, limits[1]))
        key = _content_key(rule, value)
        if key is None:
            return None
        column = self._get_column(argument, rule)
        slot = column.slots.get(key, len(column.keys))
        return _SlotRange(column, slot, slot + 1)

    def find_calls(self, argument: str, value: Any, rule: ArgumentRule, *, or_absent: bool = False) -> list[int] | None:
        """Return the calls whose value a rule may accept, and perhaps more; None if the rule cannot be indexed."""
        slots = self.find_slots(argument, value, rule)
        if slots is None:
            return None
        column = slots.column
        positions = [at for calls in column.calls_in_slot[slots.start : slots.stop] for at in calls]
        positions += column.without_key
        if or_absent:
            positions += column.absent
        return positions

    def _get_column(self, argument: str, rule: ArgumentRule | None) -> _Column:
        """Return the column of an argument under a rule for equality, or of numbers if there is no rule."""
        cache_key = (argument, rule is None, id(rule) if isinstance(rule, Exact) else 0)
        if cache_key not in self._columns:
            self._columns[cache_key] = self._build_column(argument, rule)
        return self._columns[cache_key]

    def _build_column(self, argument: str, rule: ArgumentRule | None) -> _Column:
        absent = [at for at, call in enumerate(self._calls) if argument not in call.args]
        key_of_call: dict[int, Any] = {}
        for at, call in enumerate(self._calls):
            if argument in call.args:
                value = call.args[argument]
                key_of_call[at] = _parse_number(value) if rule is None else _content_key(rule, value)

        keys: list[Any] = list(dict.fromkeys(key for key in key_of_call.values() if key is not None))
        if rule is None:
            keys.sort()
        slots = {key: slot for slot, key in enumerate(keys)}
        column = _Column(keys, slots, [_NO_SLOT] * len(self._calls), [[] for _ in keys], [], absent)
        for at, key in key_of_call.items():
            if key is None:
                column.without_key.append(at)
            else:
                column.slot_of_call[at] = slots[key]
                column.calls_in_slot[slots[key]].append(at)
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


def find_accepted_calls(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[list[int]]:
    """Return for each expected call the positions of the observed calls that it accepts; equal calls share one list."""
    positions: list[list[int]] = [[] for _ in expected]
    for lefts, rights in group_by_tool(expected, observed):
        accepted = _match_one_tool([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        shared: dict[int, list[int]] = {}
        for left, matches in zip(lefts, accepted, strict=True):
            if id(matches) not in shared:
                shared[id(matches)] = [rights[at] for at in matches]
            positions[left] = shared[id(matches)]
    return positions


def _match_one_tool(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[list[int]]:
    if matcher.get_rule(expected[0].name) == WITHIN and all(call.has_args for call in (*expected, *observed)):
        return _match_within(expected, observed, matcher)

    index = ArgumentIndex(observed)
    cache: dict[Hashable, list[int]] = {}
    accepted = []
    for call in expected:
        cache_key: Hashable = object()
        if call.key is not None or call.is_bare:
            cache_key = (call.key, call.is_bare)
        if cache_key not in cache:
            cache[cache_key] = _match_one_call(call, observed, index, matcher)
        accepted.append(cache[cache_key])
    return accepted


def _match_within(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[list[int]]:
    # Each observed argument is in expected, so the observed calls look up the expected ones.
    index = ArgumentIndex(expected)
    accepted: list[list[int]] = [[] for _ in expected]
    for at, call in enumerate(observed):
        candidates = (index.find_calls(argument, value, CONTAINS) for argument, value in call.args.items())
        for left in _choose_shortest(candidates, len(expected)):
            if matcher.accepts(expected[left], call):
                accepted[left].append(at)
    return accepted


def _match_one_call(call: Call, observed: list[Call], index: ArgumentIndex, matcher: CallMatcher) -> list[int]:
    candidates: Sequence[int] = range(len(observed))
    if call.has_args and not matcher.accepts_any_args(call):
        candidates = sorted(_choose_shortest(_iter_candidates(call, index, matcher), len(observed)))

    verdicts: dict[Hashable, bool] = {}
    accepted = []
    for at in candidates:
        cache_key = at if observed[at].key is None else (observed[at].key,)
        if cache_key not in verdicts:
            verdicts[cache_key] = matcher.accepts(call, observed[at])
        if verdicts[cache_key]:
            accepted.append(at)
    return accepted


def _iter_candidates(call: Call, index: ArgumentIndex, matcher: CallMatcher) -> Iterator[list[int] | None]:
    """Yield for each argument the calls whose value its rule may accept."""
    rule = matcher.get_rule(call.name)
    if not is_by_argument(rule):
        return
    may_be_absent = get_argument_rule(rule) in (WITHIN, IGNORE)
    for argument, value in call.args.items():
        own = get_argument_rule(rule, argument)
        # An operator cannot compare an absent value, so the rule for all others decides.
        or_absent = own == WITHIN or (may_be_absent and isinstance(own, Operator))
        yield index.find_calls(argument, value, own, or_absent=or_absent)


def _choose_shortest(candidates: Iterator[list[int] | None], size: int) -> Sequence[int]:
    indexed = (positions for positions in candidates if positions is not None)
    return min(indexed, key=len, default=range(size))


class CallScores:
    """Scores of expected calls with observed ones, as `CallMatcher.score` computes them one by one.

    ``weigh`` converts each score before it becomes a whole number.
    """

    def __init__(
        self,
        expected: Sequence[Call],
        observed: Sequence[Call],
        matcher: CallMatcher,
        weigh: Callable[[float], float] = float,
    ) -> None:
        self._expected = expected
        self._observed = observed
        self._matcher = matcher
        self._weigh = weigh
        self._index = ArgumentIndex(observed)
        self._argument_names = [call.args.keys() if call.has_args else None for call in observed]

    def __call__(self, left: int, rights: Sequence[int]) -> list[int]:
        """Return the scores of an expected call with several observed calls of its tool, or with one of any tool."""
        call = self._expected[left]
        ranges = None
        if len(rights) > 1:
            ranges = self._find_slots(call)
        if not ranges:
            return [self._score(call, at) for at in rights]

        matches = [0] * len(rights)
        for column, start, stop in ranges:
            slots = column.slot_of_call
            matches = [count + (start <= slots[at] < stop) for count, at in zip(matches, rights, strict=True)]
        scores = [round(self._weigh(count / len(ranges)) * SCALE) for count in range(len(ranges) + 1)]
        names = call.args.keys()
        return [
            scores[count] if self._argument_names[at] == names else self._score(call, at)
            for count, at in zip(matches, rights, strict=True)
        ]

    def _score(self, call: Call, at: int) -> int:
        return round(self._weigh(self._matcher.score(call, self._observed[at])) * SCALE)

    def _find_slots(self, call: Call) -> list[_SlotRange] | None:
        """Return the slots that decide on each argument; None if a rule cannot be indexed exactly."""
        rule = self._matcher.get_rule(call.name)
        if self._matcher.accepts_any_args(call) or not call.has_args or not is_by_argument(rule):
            return None
        ranges = []
        for argument, value in call.args.items():
            own = get_argument_rule(rule, argument)
            if own == IGNORE:
                continue
            if isinstance(own, Exact):
                return None
            slots = self._index.find_slots(argument, value, own)
            if slots is None or slots.column.without_key:
                return None
            ranges.append(slots)
        return ranges
