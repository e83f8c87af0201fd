"""The observed calls that each expected call accepts, found without comparing each with each.

`ArgumentIndex` tells where the calls must lie that a rule can accept, from the values of their arguments alone. It may name too
many calls, never too few; the rule itself decides on each. Without it a thousand calls of one tool would be compared with a
thousand others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
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
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, calls_of_each_tool, key_of


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
        values = (index.near(argument, value, EQUAL) for argument, value in offer.args.items())
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
    likely: Sequence[int] = range(size)
    for choices in shortcuts:
        if choices is not None and len(choices) < len(likely):
            likely = choices
    return likely


def _shortcuts(call: Call, index: ArgumentIndex, matcher: CallMatcher) -> Iterator[list[int] | None]:
    rule = matcher.rule(call.name)
    if not is_by_argument(rule):
        return
    may_be_absent = rule_of_argument(rule) in (WITHIN, IGNORE)
    for argument, value in call.args.items():
        own = rule_of_argument(rule, argument)
        choices = index.near(argument, value, own)
        # An operator says nothing of absence.
        if choices is not None and may_be_absent and isinstance(own, Operator):
            choices = [*choices, *index.without(argument)]
        yield choices


class ArgumentIndex:
    """The positions of calls by what their arguments hold; each column is made when it is first asked for."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._columns: dict[tuple[str, int], dict[Hashable, list[int]]] = {}
        self._numbers: dict[str, list[tuple[Decimal, int]]] = {}
        self._absent: dict[str, list[int]] = {}

    def near(self, argument: str, value: Any, rule: ArgumentRule) -> list[int] | None:
        """Find the calls whose value a rule may accept; None when that cannot be told."""
        limits = window(rule, value)
        if limits is not None:
            return self._between(argument, *limits)
        # Equality holds for objects and lists too, but a rule may ask less of them.
        key = None if isinstance(value, Mapping | list | tuple) else _key(rule, value)
        if key is None:
            return None
        place = (argument, id(rule) if isinstance(rule, Operator) else 0)
        if place not in self._columns:
            column = self._columns[place] = {}
            for at, own in self._values(argument):
                column.setdefault(_key(rule, own), []).append(at)
        column = self._columns[place]
        # A value without a key may equal anything, so it stays in the running.
        return [*column.get(key, ()), *column.get(None, ())]

    def without(self, argument: str) -> list[int]:
        """Find the calls that lack an argument."""
        if argument not in self._absent:
            self._absent[argument] = [at for at, call in enumerate(self._calls) if argument not in call.args]
        return self._absent[argument]

    def _between(self, argument: str, low: Decimal, high: Decimal) -> list[int]:
        if argument not in self._numbers:
            found = ((as_decimal(value), at) for at, value in self._values(argument))
            self._numbers[argument] = sorted(
                (number, at) for number, at in found if number is not None and number.is_finite()
            )
        line = self._numbers[argument]
        return [at for _, at in line[bisect_left(line, (low, 0)) : bisect_right(line, (high, len(self._calls)))]]

    def _values(self, argument: str) -> Iterator[tuple[int, Any]]:
        return ((at, call.args[argument]) for at, call in enumerate(self._calls) if argument in call.args)


def _key(rule: ArgumentRule, value: Any) -> Hashable | None:
    """Give a key that two values share when a rule for equality accepts them."""
    if rule in (EQUAL, CONTAINS):
        return key_of(value)
    if not isinstance(rule, Exact) or type(rule).evaluate is not Exact.evaluate or type(value) is not str:
        return None
    text = normalize(value, rule.normalize)
    return key_of(text if rule.case_sensitive else text.casefold())


def window(rule: ArgumentRule, expected: Any) -> tuple[Decimal, Decimal] | None:
    """Give the range outside of which an operator for numbers accepts nothing."""
    if type(rule) is not NumericTolerance or rule.normalize:
        return None
    middle, tolerance = as_decimal(expected), as_decimal(rule.tolerance)
    if middle is None or not middle.is_finite() or tolerance is None or not tolerance.is_finite():
        return None
    reach = tolerance if rule.mode == "absolute" else EXACT.multiply(tolerance, abs(middle))
    return EXACT.subtract(middle, reach), EXACT.add(middle, reach)
