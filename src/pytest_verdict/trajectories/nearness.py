"""Shortcuts: where the calls must lie that a rule can accept, told from the values without asking the operator.

A shortcut may name too many calls, never too few; the operator itself decides on each. Without shortcuts a thousand calls of one
tool would be compared with a thousand others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from decimal import Decimal
from typing import Any

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.operators.text import Exact
from pytest_verdict.trajectories.keys import key_of


def normal_key(operator: Operator, value: Any) -> Hashable | None:
    """Give a key that two texts share when an operator for equality accepts them."""
    if not isinstance(operator, Exact) or type(operator).evaluate is not Exact.evaluate or type(value) is not str:
        return None
    text = normalize(value, operator.normalize)
    return key_of(text if operator.case_sensitive else text.casefold())


def window(operator: Operator, expected: Any) -> tuple[Decimal, Decimal] | None:
    """Give the range outside of which an operator for numbers accepts nothing."""
    if type(operator) is not NumericTolerance or operator.normalize:
        return None
    middle = as_decimal(expected)
    tolerance = as_decimal(operator.tolerance)
    if middle is None or not middle.is_finite() or tolerance is None or not tolerance.is_finite():
        return None
    reach = tolerance if operator.mode == "absolute" else EXACT.multiply(tolerance, abs(middle))
    return EXACT.subtract(middle, reach), EXACT.add(middle, reach)


class NumberLine:
    """Positions of calls by the number that one of their arguments holds."""

    def __init__(self, values: Sequence[tuple[int, Any]]) -> None:
        numbers = [(as_decimal(value), at) for at, value in values]
        finite = sorted((number, at) for number, at in numbers if number is not None and number.is_finite())
        self._numbers = [number for number, _ in finite]
        self._places = [at for _, at in finite]

    def between(self, low: Decimal, high: Decimal) -> list[int]:
        """Give the positions of the numbers in a range, its ends included."""
        return self._places[bisect_left(self._numbers, low) : bisect_right(self._numbers, high)]
