"""Candidates: the observed calls that each expected call accepts, found without comparing each with each."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from pytest_verdict.core.operator import Operator
from pytest_verdict.trajectories.arguments import CONTAINS, EQUAL, IGNORE, OTHERS, WITHIN, rule_of_argument
from pytest_verdict.trajectories.keys import key_of
from pytest_verdict.trajectories.nearness import NumberLine, normal_key, window
from pytest_verdict.trajectories.relation import Call, Relation


def candidates(expected: Sequence[Call], observed: Sequence[Call], relation: Relation) -> list[list[int]]:
    """List the observed calls that each expected call accepts."""
    found: list[list[int]] = [[] for _ in expected]
    offered = by_name(observed)
    for name, lefts in by_name(expected).items():
        rights = offered.get(name)
        if not rights:
            continue
        wanted, offers = [expected[at] for at in lefts], [observed[at] for at in rights]
        for left, choices in zip(lefts, _of_one_tool(wanted, offers, relation), strict=True):
            found[left] = choices
        shared: dict[int, list[int]] = {}
        for left in lefts:
            local = found[left]
            if id(local) not in shared:
                shared[id(local)] = [rights[at] for at in local]
            found[left] = shared[id(local)]
    return found


def by_name(calls: Sequence[Call]) -> dict[str, list[int]]:
    """Sort calls by tool."""
    found: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        found.setdefault(call.name, []).append(at)
    return found


def same_tool(expected: Sequence[Call], observed: Sequence[Call]) -> list[list[int]]:
    """List the observed calls of the tool of each expected call."""
    offered = by_name(observed)
    return [offered.get(call.name, []) for call in expected]


def _of_one_tool(expected: list[Call], observed: list[Call], relation: Relation) -> list[list[int]]:
    if relation.rule(expected[0].name) == WITHIN and all(call.known for call in (*expected, *observed)):
        return _within(expected, observed, relation)
    offers = _Offers(observed, relation)
    known: dict[Hashable, list[int]] = {}
    found = []
    for call in expected:
        key = (call.key, call.unstated) if call.key is not None or call.unstated else object()
        if key not in known:
            known[key] = offers.accepted_by(call)
        found.append(known[key])
    return found


def _within(expected: list[Call], observed: list[Call], relation: Relation) -> list[list[int]]:
    # What observed has must be in expected, so here the observed calls look for their expected ones.
    columns = _Columns(expected)
    found: list[list[int]] = [[] for _ in expected]
    for at, offer in enumerate(observed):
        likely: Sequence[int] = range(len(expected))
        for argument, value in offer.args.items():
            choices = columns.with_value(argument, value)
            if choices is not None and len(choices) < len(likely):
                likely = choices
        for left in likely:
            if relation.accepts(expected[left], offer):
                found[left].append(at)
    return found


class _Offers:
    """The observed calls of one tool."""

    def __init__(self, observed: list[Call], relation: Relation) -> None:
        self._observed = observed
        self._relation = relation
        self._columns = _Columns(observed)

    def accepted_by(self, call: Call) -> list[int]:
        verdicts: dict[Hashable, bool] = {}
        accepted = []
        for at in self._likely(call):
            offer = self._observed[at]
            verdict = verdicts.get(offer.key) if offer.key is not None else None
            if verdict is None:
                verdict = self._relation.accepts(call, offer)
                if offer.key is not None:
                    verdicts[offer.key] = verdict
            if verdict:
                accepted.append(at)
        return accepted

    def _likely(self, call: Call) -> Sequence[int]:
        likely: Sequence[int] = range(len(self._observed))
        if not call.known or self._relation.demands_nothing(call):
            return likely
        for choices in self._shortcuts(call):
            if len(choices) < len(likely):
                likely = choices
        return sorted(likely)

    def _shortcuts(self, call: Call) -> Iterator[Sequence[int]]:
        rule = self._relation.rule(call.name)
        may_be_absent = rule_of_argument(rule, OTHERS) in (WITHIN, IGNORE)
        for argument, value in call.args.items():
            own = rule_of_argument(rule, argument)
            choices = None
            if own in (EQUAL, CONTAINS):
                choices = self._columns.with_value(argument, value)
            elif isinstance(own, Operator):
                choices = self._columns.near(argument, value, own)
                if choices is not None and may_be_absent:
                    choices += self._columns.without(argument)
            if choices is not None:
                yield choices


class _Columns:
    """Calls by the values of their arguments; each column is made when it is first asked for."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._by_value: dict[tuple[str, int], dict[Hashable, list[int]]] = {}
        self._lines: dict[str, NumberLine] = {}
        self._absent: dict[str, list[int]] = {}

    def with_value(self, argument: str, value: Any) -> list[int] | None:
        """Find the calls that may have an equal value; None when that cannot be told."""
        # Equality holds for objects and lists too, but a rule may ask less of them.
        key = None if isinstance(value, Mapping | list | tuple) else key_of(value)
        if key is None:
            return None
        column = self._by_value.get((argument, 0))
        if column is None:
            column = self._by_value[argument, 0] = _column((at, key_of(own)) for at, own in self._values(argument))
        # A value without a key may equal anything, so it stays in the running.
        return [*column.get(key, ()), *column.get(None, ())]

    def near(self, argument: str, value: Any, operator: Operator) -> list[int] | None:
        """Find the calls whose value an operator may accept; None when that cannot be told."""
        limits = window(operator, value)
        if limits is not None:
            if argument not in self._lines:
                self._lines[argument] = NumberLine(list(self._values(argument)))
            return self._lines[argument].between(*limits)
        key = normal_key(operator, value)
        if key is None:
            return None
        column = self._by_value.get((argument, id(operator)))
        if column is None:
            keys = ((at, normal_key(operator, own)) for at, own in self._values(argument))
            column = self._by_value[argument, id(operator)] = _column(keys)
        return [*column.get(key, ()), *column.get(None, ())]

    def without(self, argument: str) -> list[int]:
        """Find the calls that lack an argument."""
        if argument not in self._absent:
            self._absent[argument] = [at for at, call in enumerate(self._calls) if argument not in call.args]
        return self._absent[argument]

    def _values(self, argument: str) -> Iterator[tuple[int, Any]]:
        return ((at, call.args[argument]) for at, call in enumerate(self._calls) if argument in call.args)


def _column(keys: Iterator[tuple[int, Hashable | None]]) -> dict[Hashable, list[int]]:
    column: dict[Hashable, list[int]] = {}
    for at, key in keys:
        column.setdefault(key, []).append(at)
    return column
