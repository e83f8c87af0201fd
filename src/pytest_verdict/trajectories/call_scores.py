"""How much of each expected call the observed ones deliver, for very many pairs: what one value tells is read once per value."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.operators.text import Exact, NormalizedExact
from pytest_verdict.trajectories.accepted_calls import equality_key, window
from pytest_verdict.trajectories.alignment import SCALE
from pytest_verdict.trajectories.argument_rules import (
    EQUAL,
    IGNORE,
    ArgumentRule,
    counted_arguments,
    rule_of_argument,
)
from pytest_verdict.trajectories.call_matcher import Call, CallMatcher, key_of

_NO_NUMBER: Final = Decimal("Infinity")
_PLAIN: Final = frozenset({str, int, float, bool, type(None), Decimal})


class _Column(NamedTuple):
    # The distinct values of one argument of a tool, and for each observed call the place of its value; -1 for none.
    line: list[Any]
    places: dict[Hashable, int]
    ranks: list[int]


_Test = tuple[list[int], int, int]
"""The places of all values of an argument, and between which of them an expected call accepts one."""


class CallScores:
    """Scores of an expected call with observed ones, in whole numbers; as `CallMatcher.score` gives them one by one."""

    def __init__(self, expected: Sequence[Call], observed: Sequence[Call], matcher: CallMatcher) -> None:
        self._expected = expected
        self._observed = observed
        self._matcher = matcher
        self._shapes = [frozenset(call.args) if call.known else None for call in observed]
        self._columns: dict[Hashable, _Column | None] = {}
        self._tests: dict[int, list[_Test] | None] = {}
        self._shares: dict[Hashable, list[int] | None] = {}

    def __call__(self, left: int, rights: Sequence[int]) -> list[int]:
        """Score an expected call with several observed calls of its tool, or with one of any tool."""
        call, shapes = self._expected[left], self._shapes
        if left not in self._tests:
            self._tests[left] = self._tests_of(call)
        tests = self._tests[left] if len(rights) > 1 else None
        shares = {shape: self._share(call, shape) for shape in {shapes[at] for at in rights}} if tests else {}
        if not tests or None in shares.values():
            return [round(self._matcher.score(call, self._observed[at]) * SCALE) for at in rights]
        matched = [0] * len(rights)
        for ranks, low, high in tests:
            matched = [found + (low <= ranks[at] < high) for found, at in zip(matched, rights, strict=True)]
        return [shares[shapes[at]][found] for found, at in zip(matched, rights, strict=True)]  # type: ignore[index]

    def _share(self, call: Call, shape: frozenset[str] | None) -> list[int] | None:
        place = call.name, frozenset(call.args), shape
        if place not in self._shares:
            offered = call.args if shape is None else shape
            count = counted_arguments(self._matcher.rule(call.name), call.args, offered)
            full = 0 if shape is None else SCALE
            shares = [round(found / count * full) for found in range(count + 1)] if count else [full]
            self._shares[place] = None if count is None else shares
        return self._shares[place]

    def _tests_of(self, call: Call) -> list[_Test] | None:
        """Give what decides on each argument; None where only the rules themselves can tell."""
        if self._matcher.demands_nothing(call) or not call.known:
            return None
        rule, tests = self._matcher.rule(call.name), []
        for argument, value in call.args.items():
            own = rule_of_argument(rule, argument)
            test = None if own == IGNORE else self._test(call, argument, value, own)
            if test is not None:
                tests.append(test)
            elif own != IGNORE:
                return None
        return tests

    def _test(self, call: Call, argument: str, value: Any, own: ArgumentRule) -> _Test | None:
        limits = window(own, value) if type(value) in _PLAIN else None
        read = _number if limits else _reader(own, value)
        key = read(value) if read else None
        if read is None or key is None or key == ("text", ""):
            return None
        place = call.name, argument, id(own) if isinstance(own, Operator) else EQUAL
        if place not in self._columns:
            self._columns[place] = self._column(call.name, argument, read)
        column = self._columns[place]
        if column is None:
            return None
        if limits:
            return column.ranks, bisect_left(column.line, limits[0]), bisect_right(column.line, limits[1])
        at = column.places.get(key)
        return (column.ranks, 0, 0) if at is None else (column.ranks, at, at + 1)

    def _column(self, tool: str, argument: str, read: Callable[[Any], Hashable | None]) -> _Column | None:
        holders = [at for at, call in enumerate(self._observed) if call.name == tool and argument in call.args]
        keys = {at: read(self._observed[at].args[argument]) for at in holders}
        distinct = dict.fromkeys(keys.values())
        if None in distinct:
            return None
        line: list[Any] = sorted(distinct) if read is _number else list(distinct)
        places = {key: at for at, key in enumerate(line)}
        return _Column(line, places, [places[keys[at]] if at in keys else -1 for at in range(len(self._observed))])


def _number(value: Any) -> Decimal | None:
    if type(value) not in _PLAIN:
        return None
    number = as_decimal(value)
    return number if number is not None and number.is_finite() else _NO_NUMBER


def _reader(own: ArgumentRule, value: Any) -> Callable[[Any], Hashable | None] | None:
    """Give what makes keys that are equal exactly where the rule accepts a value."""
    if isinstance(own, Operator):
        is_equality = type(own) in {Exact, NormalizedExact} and type(value) is str
        return (lambda other: equality_key(own, other)) if is_equality else None
    return key_of if own == EQUAL or not isinstance(value, Mapping | list | tuple) else None
