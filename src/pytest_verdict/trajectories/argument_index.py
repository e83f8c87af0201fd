"""`ArgumentIndex`: calls by the values of their arguments.

It tells where the calls must lie that a rule can accept, from the values alone. It may name too many calls, never too few; the
rule itself decides on each. Without it a thousand calls of one tool would be compared with a thousand others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.operators.text import Exact
from pytest_verdict.trajectories.call import Call
from pytest_verdict.trajectories.value_keys import key_of


class ArgumentIndex:
    """The positions of calls by what their arguments hold; each column is made when it is first asked for."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._by_value: dict[tuple[str, int], dict[Hashable, list[int]]] = {}
        self._lines: dict[str, _NumberLine] = {}
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
        limits = _window(operator, value)
        if limits is not None:
            if argument not in self._lines:
                self._lines[argument] = _NumberLine(self._values(argument))
            return self._lines[argument].between(*limits)
        key = _normal_key(operator, value)
        if key is None:
            return None
        column = self._by_value.get((argument, id(operator)))
        if column is None:
            keys = ((at, _normal_key(operator, own)) for at, own in self._values(argument))
            column = self._by_value[argument, id(operator)] = _column(keys)
        return [*column.get(key, ()), *column.get(None, ())]

    def without(self, argument: str) -> list[int]:
        """Find the calls that lack an argument."""
        if argument not in self._absent:
            self._absent[argument] = [at for at, call in enumerate(self._calls) if argument not in call.args]
        return self._absent[argument]

    def _values(self, argument: str) -> Iterator[tuple[int, Any]]:
        return ((at, call.args[argument]) for at, call in enumerate(self._calls) if argument in call.args)


def _column(keys: Iterable[tuple[int, Hashable | None]]) -> dict[Hashable, list[int]]:
    column: dict[Hashable, list[int]] = {}
    for at, key in keys:
        column.setdefault(key, []).append(at)
    return column


def _normal_key(operator: Operator, value: Any) -> Hashable | None:
    """Give a key that two texts share when an operator for equality accepts them."""
    if not isinstance(operator, Exact) or type(operator).evaluate is not Exact.evaluate or type(value) is not str:
        return None
    text = normalize(value, operator.normalize)
    return key_of(text if operator.case_sensitive else text.casefold())


def _window(operator: Operator, expected: Any) -> tuple[Decimal, Decimal] | None:
    """Give the range outside of which an operator for numbers accepts nothing."""
    if type(operator) is not NumericTolerance or operator.normalize:
        return None
    middle, tolerance = as_decimal(expected), as_decimal(operator.tolerance)
    if middle is None or not middle.is_finite() or tolerance is None or not tolerance.is_finite():
        return None
    reach = tolerance if operator.mode == "absolute" else EXACT.multiply(tolerance, abs(middle))
    return EXACT.subtract(middle, reach), EXACT.add(middle, reach)


class _NumberLine:
    """The positions of calls by the number that one of their arguments holds."""

    def __init__(self, values: Iterable[tuple[int, Any]]) -> None:
        numbers = [(as_decimal(value), at) for at, value in values]
        finite = sorted((number, at) for number, at in numbers if number is not None and number.is_finite())
        self._numbers = [number for number, _ in finite]
        self._places = [at for _, at in finite]

    def between(self, low: Decimal, high: Decimal) -> list[int]:
        """Give the positions of the numbers in a range, its ends included."""
        return self._places[bisect_left(self._numbers, low) : bisect_right(self._numbers, high)]
