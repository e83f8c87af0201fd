"""Which observed calls each expected call accepts, and how much of it they deliver, without comparing each with each.

Without it a thousand calls of one tool would be compared with a thousand others.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.equality import content_key
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.operators.text import Exact
from pytest_verdict.trajectories.argument_rules import (
    CONTAINS,
    EQUAL,
    IGNORE,
    WITHIN,
    ArgumentRule,
    is_by_argument,
    rule_of_argument,
)
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, calls_of_each_tool

SCALE: Final = 10**9
"""A score of 1.0, and the cost of one call without a partner; in whole numbers, so that rounding cannot decide."""

_NO_NUMBER: Final = Decimal("Infinity")
_PLAIN: Final = frozenset({str, int, float, bool, type(None), Decimal})
_LACKING: Final = -1


@dataclass(frozen=True, slots=True)
class _Column:
    """What calls have under one name: the distinct values in a line, and the place there of the value of each call."""

    line: list[Any]
    known: dict[Hashable, int]
    places: list[int]
    calls: list[list[int]]
    untold: list[int]
    """The calls whose value may equal anything."""
    lacking: list[int]


_Test = tuple[_Column, int, int]
"""Between which places of a column a call is accepted."""


class ArgumentIndex:
    """The positions of calls by what their arguments hold; each column is made when it is first asked for."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._columns: dict[Hashable, _Column] = {}

    def test(self, argument: str, value: Any, rule: ArgumentRule) -> _Test | None:
        """Tell where the calls are whose value a rule may accept; None when that cannot be told."""
        # A rule may ask less of objects and lists than equality.
        if rule != EQUAL and isinstance(value, Mapping | list | tuple):
            return None
        limits = _window(rule, value)
        key = None if limits else _key(rule, value)
        if not limits and key is None:
            return None
        place = argument, bool(limits), id(rule) if isinstance(rule, Exact) else 0
        column = self._columns.get(place)
        if column is None:
            column = self._columns[place] = self._column(argument, None if limits else rule)
        if limits:
            return column, bisect_left(column.line, limits[0]), bisect_right(column.line, limits[1])
        at = column.known.get(key, len(column.line))
        return column, at, at + 1

    def near(self, argument: str, value: Any, rule: ArgumentRule, *, or_absent: bool = False) -> list[int] | None:
        """Find the calls whose value a rule may accept: perhaps too many, never too few; None when that cannot be told."""
        test = self.test(argument, value, rule)
        if test is None:
            return None
        column, low, high = test
        more = column.lacking if or_absent else ()
        return [*(at for calls in column.calls[low:high] for at in calls), *column.untold, *more]

    def _column(self, argument: str, rule: ArgumentRule | None) -> _Column:
        own = [(at, call.args[argument]) for at, call in enumerate(self._calls) if argument in call.args]
        keys = [(at, _number(value) if rule is None else _key(rule, value)) for at, value in own]
        distinct: list[Any] = list(dict.fromkeys(key for _, key in keys if key is not None))
        line = sorted(distinct) if rule is None else distinct
        known = {key: place for place, key in enumerate(line)}
        lacking = [at for at, call in enumerate(self._calls) if argument not in call.args]
        column = _Column(line, known, [_LACKING] * len(self._calls), [[] for _ in line], [], lacking)
        for at, key in keys:
            if key is None:
                column.untold.append(at)
            else:
                column.places[at] = known[key]
                column.calls[known[key]].append(at)
        return column


def _key(rule: ArgumentRule, value: Any) -> Hashable | None:
    """Give a key that two values share when a rule for equality accepts them."""
    if rule in (EQUAL, CONTAINS, WITHIN):
        return content_key(value)
    if not isinstance(rule, Exact) or type(rule).evaluate is not Exact.evaluate or type(value) is not str:
        return None
    text = normalize(value, rule.normalize)
    return content_key(text if rule.case_sensitive else text.casefold())


def _number(value: Any) -> Decimal | None:
    number = as_decimal(value) if type(value) in _PLAIN else None
    return number if number is not None and number.is_finite() else _NO_NUMBER if type(value) in _PLAIN else None


def _window(rule: ArgumentRule, expected: Any) -> tuple[Decimal, Decimal] | None:
    """Give the range outside of which an operator for numbers accepts nothing."""
    if type(rule) is not NumericTolerance or rule.normalize:
        return None
    middle, tolerance = _number(expected), _number(rule.tolerance)
    if middle is None or tolerance is None or not (middle.is_finite() and tolerance.is_finite()):
        return None
    reach = tolerance if rule.mode == "absolute" else EXACT.multiply(tolerance, abs(middle))
    return EXACT.subtract(middle, reach), EXACT.add(middle, reach)


def accepted_calls(expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> list[list[int]]:
    """List the positions of the observed calls that each expected call accepts; equal expected calls share one list."""
    found: list[list[int]] = [[] for _ in expected]
    for lefts, rights in calls_of_each_tool(expected, observed):
        accepted = _of_one_tool([expected[at] for at in lefts], [observed[at] for at in rights], matcher)
        distinct = {id(choices): choices for choices in accepted}
        positions = {key: [rights[at] for at in choices] for key, choices in distinct.items()}
        for left, choices in zip(lefts, accepted, strict=True):
            found[left] = positions[id(choices)]
    return found


def _of_one_tool(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[list[int]]:
    if matcher.rule(expected[0].name) == WITHIN and all(call.known for call in (*expected, *observed)):
        return _within(expected, observed, matcher)
    index = ArgumentIndex(observed)
    known: dict[Hashable, list[int]] = {}
    found = []
    for call in expected:
        key = (call.key, call.unstated) if call.key is not None or call.unstated else object()
        if key not in known:
            known[key] = _accepted_by(call, observed, index, matcher)
        found.append(known[key])
    return found


def _within(expected: list[Call], observed: list[Call], matcher: CallMatcher) -> list[list[int]]:
    # What observed has must be in expected, so here the observed calls look for their expected ones.
    index = ArgumentIndex(expected)
    found: list[list[int]] = [[] for _ in expected]
    for at, offer in enumerate(observed):
        values = (index.near(argument, value, CONTAINS) for argument, value in offer.args.items())
        for left in _shortest(len(expected), values):
            if matcher.accepts(expected[left], offer):
                found[left].append(at)
    return found


def _accepted_by(call: Call, observed: list[Call], index: ArgumentIndex, matcher: CallMatcher) -> list[int]:
    verdicts: dict[Hashable, bool] = {}
    accepted = []
    is_told = call.known and not matcher.demands_nothing(call)
    size = len(observed)
    for at in sorted(_shortest(size, _shortcuts(call, index, matcher))) if is_told else range(size):
        key = at if observed[at].key is None else (observed[at].key,)
        verdict = verdicts.get(key)
        if verdict is None:
            verdict = verdicts[key] = matcher.accepts(call, observed[at])
        if verdict:
            accepted.append(at)
    return accepted


def _shortest(size: int, shortcuts: Iterator[list[int] | None]) -> Sequence[int]:
    return min((choices for choices in shortcuts if choices is not None), key=len, default=range(size))


def _shortcuts(call: Call, index: ArgumentIndex, matcher: CallMatcher) -> Iterator[list[int] | None]:
    rule = matcher.rule(call.name)
    if not is_by_argument(rule):
        return
    may_be_absent = rule_of_argument(rule) in (WITHIN, IGNORE)
    for argument, value in call.args.items():
        own = rule_of_argument(rule, argument)
        # An operator says nothing of absence.
        or_absent = own == WITHIN or (may_be_absent and isinstance(own, Operator))
        yield index.near(argument, value, own, or_absent=or_absent)


class CallScores:
    """Scores of an expected call with observed ones, in whole numbers; as `CallMatcher.score` gives them one by one.

    ``worth`` says what a score counts.
    """

    def __init__(
        self,
        expected: Sequence[Call],
        observed: Sequence[Call],
        matcher: CallMatcher,
        worth: Callable[[float], float] = float,
    ) -> None:
        self._expected, self._observed, self._matcher, self._worth = expected, observed, matcher, worth
        self._index = ArgumentIndex(observed)
        self._shapes = [call.args.keys() if call.known else None for call in observed]

    def __call__(self, left: int, rights: Sequence[int]) -> list[int]:
        """Score an expected call with several observed calls of its tool, or with one of any tool."""
        call, shapes = self._expected[left], self._shapes
        tests = self._tests_of(call) if len(rights) > 1 else None
        if not tests:
            return [self._score(call, at) for at in rights]
        matched = [0] * len(rights)
        for column, low, high in tests:
            places = column.places
            matched = [count + (low <= places[at] < high) for count, at in zip(matched, rights, strict=True)]
        shares = [round(self._worth(count / len(tests)) * SCALE) for count in range(len(tests) + 1)]
        shape = call.args.keys()
        return [
            shares[count] if shapes[at] == shape else self._score(call, at)
            for count, at in zip(matched, rights, strict=True)
        ]

    def _score(self, call: Call, at: int) -> int:
        return round(self._worth(self._matcher.score(call, self._observed[at])) * SCALE)

    def _tests_of(self, call: Call) -> list[_Test] | None:
        """Give what decides on each argument; None where only the rules themselves can tell."""
        rule = self._matcher.rule(call.name)
        if self._matcher.demands_nothing(call) or not call.known or not is_by_argument(rule):
            return None
        tests = []
        for argument, value in call.args.items():
            own = rule_of_argument(rule, argument)
            if own == IGNORE:
                continue
            test = None if isinstance(own, Exact) else self._index.test(argument, value, own)
            if test is None or test[0].untold:
                return None
            tests.append(test)
        return tests
