"""How much of each expected call the observed ones deliver, for very many pairs: what one value tells is read once per value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.trajectories.accepted_calls import window
from pytest_verdict.trajectories.alignment import SCALE
from pytest_verdict.trajectories.argument_rules import EQUAL, IGNORE, ArgumentRule, is_by_argument, rule_of_argument
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, key_of

_NO_NUMBER: Final = Decimal("Infinity")
_PLAIN: Final = frozenset({str, int, float, bool, type(None), Decimal})

_Column = tuple[list[Any], dict[Hashable, int], list[int]]
"""The distinct values of an argument of a tool, their places, and the place of the value of each observed call, -1 for none."""

_Test = tuple[list[int], int, int]
"""The places of the values of all observed calls, and between which of them an expected call accepts one."""


class CallScores:
    """Scores of an expected call with observed ones, in whole numbers; as `CallMatcher.score` gives them one by one."""

    def __init__(self, expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> None:
        self._expected = expected
        self._observed = observed
        self._matcher = matcher
        self._shapes = [call.args.keys() if call.known else None for call in observed]
        self._columns: dict[Hashable, _Column | None] = {}
        self._tests: dict[int, list[_Test] | None] = {}

    def __call__(self, left: int, rights: Sequence[int]) -> list[int]:
        """Score an expected call with several observed calls of its tool, or with one of any tool."""
        call, observed, shapes = self._expected[left], self._observed, self._shapes
        if left not in self._tests:
            self._tests[left] = self._tests_of(call)
        tests, score = self._tests[left] if len(rights) > 1 else None, self._matcher.score
        if not tests:
            return [round(score(call, observed[at]) * SCALE) for at in rights]
        matched = [0] * len(rights)
        for places, low, high in tests:
            matched = [count + (low <= places[at] < high) for count, at in zip(matched, rights, strict=True)]
        shares, shape = [round(count / len(tests) * SCALE) for count in range(len(tests) + 1)], call.args.keys()
        return [
            shares[count] if shapes[at] == shape else round(score(call, observed[at]) * SCALE)
            for count, at in zip(matched, rights, strict=True)
        ]

    def _tests_of(self, call: Call) -> list[_Test] | None:
        """Give what decides on each argument; None where only the rules themselves can tell."""
        rule = self._matcher.rule(call.name)
        if self._matcher.demands_nothing(call) or not call.known or not is_by_argument(rule):
            return None
        rules = {argument: rule_of_argument(rule, argument) for argument in call.args}
        tests = [self._test(call, argument, own) for argument, own in rules.items() if own != IGNORE]
        return None if None in tests else [test for test in tests if test]

    def _test(self, call: Call, argument: str, own: ArgumentRule) -> _Test | None:
        value = call.args[argument]
        limits = window(own, value) if type(value) in _PLAIN else None
        if limits is None and (
            isinstance(own, Operator) or (own != EQUAL and isinstance(value, Mapping | list | tuple))
        ):
            return None
        read = _number if limits else key_of
        place = call.name, argument, id(own) if limits else EQUAL
        if place not in self._columns:
            self._columns[place] = self._column(call.name, argument, read)
        column, key = self._columns[place], read(value)
        if column is None or key is None:
            return None
        if limits:
            return column[2], bisect_left(column[0], limits[0]), bisect_right(column[0], limits[1])
        at = column[1].get(key, -2)
        return column[2], at, at + 1

    def _column(self, tool: str, argument: str, read: Callable[[Any], Hashable | None]) -> _Column | None:
        calls = [call if call.name == tool and argument in call.args else None for call in self._observed]
        keys = [call and (read(call.args[argument]),) for call in calls]
        distinct = dict.fromkeys(key[0] for key in keys if key)
        if None in distinct:
            return None
        line: list[Any] = sorted(distinct) if read is _number else list(distinct)
        places = {key: at for at, key in enumerate(line)}
        return line, places, [places[key[0]] if key else -1 for key in keys]


def _number(value: Any) -> Decimal | None:
    number = as_decimal(value) if type(value) in _PLAIN else None
    return number if number is not None and number.is_finite() else _NO_NUMBER if type(value) in _PLAIN else None
