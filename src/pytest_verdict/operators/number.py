"""Operators on numbers, in exact decimal arithmetic.

A float stands for its shortest decimal form, so 1.1 is within ten percent of 1 and 0.1 + 0.2 is not 0.3. NaN passes
nothing; a bool is not a number; an infinity equals itself and is within no tolerance of anything else.
"""

import functools
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import model_validator

from pytest_verdict.core.kernel import run
from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Needs, OmitWhenDefault, Operator, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.numbers import EXACT, as_decimal, as_exact as to_decimal
from pytest_verdict.operators.exact_number import ExactNumber, Tolerance, as_exact, as_written
from pytest_verdict.operators.normalized_sides import must_be, normalize_sides, unusable

NOT_A_NUMBER: Final = "not_a_number"
NOT_A_RANGE: Final = "not_a_range"
NOT_A_CHANGE: Final = "not_a_change"
RANGE: Final = "a pair [min, max] or a mapping with min, max or both"

_LARGEST_PLAIN: Final = 10**100
_PLAIN: Final = frozenset({int, float})

Number = int | float | Decimal
"""A side that was read: an int or float as it is if it is finite and at most a googol, otherwise exact."""
ToleranceMode = Literal["relative", "absolute"]
Decay = Literal["linear", "quadratic"]

_FALLS: Final = Needs(lambda operator: operator.zero_at is not None, "only with zero_at does the score fall")
_ABOVE_ZERO: Final = Needs(lambda operator: as_exact(operator.zero_at) > 0, "take a distance above 0")


class _GradedOperator(Operator):
    @property
    def is_graded(self) -> bool:
        return getattr(self, "zero_at", None) is not None

    def score(self, observed: Any, expected: Any = None) -> float:
        """Return the score of observed, from 0.0 to 1.0; the arguments are in the order of template primitives.

        Args:
            observed: The observed value.
            expected: The expected value, unless a setting replaces it.

        Returns:
            The score.

        Example:
            >>> NumericTolerance(tolerance=0, zero_at=0.2).score(110, 100)
            0.5
        """
        return run(self, expected, observed).score


class _Numeric(_GradedOperator):
    kind: ClassVar[str] = "number"
    _no_limit: ClassVar[float | None] = None

    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        sides = normalize_sides(expected, observed, self.normalize)
        first = _read_number(sides.expected)
        second = _read_number(sides.observed)
        if first is None or second is None:
            return sides.unreadable(NOT_A_NUMBER, "a number", expected, (first is None, second is None))
        if first == self._no_limit:
            requirement = "a finite number, because every number passes"
            return sides.unreadable(NOT_A_NUMBER, requirement, expected, (True, False))
        return sides.outcome(self._score(first, second), details=functools.partial(self._details, first, second))

    def _score(self, expected: Number, observed: Number) -> float:
        raise NotImplementedError

    def _details(self, expected: Number, observed: Number) -> dict[str, Any]:
        return {"distance": as_written(_difference(expected, observed).copy_abs())}


class NumericExact(_Numeric):
    """Both numbers have the same decimal value.

    Args:
        normalize: Normalizers for evidence that is text, such as ``["strip_thousands_separators"]`` (default: none).

    Example:
        >>> [compare("numeric_exact", 0.3, text).score for text in ("0.30", 0.1 + 0.2)]
        [1.0, 0.0]
    """

    name: ClassVar[str] = "numeric_exact"

    def _score(self, expected: Number, observed: Number) -> float:
        return float(is_within(expected, observed, 0, "absolute"))


class NumericTolerance(_Numeric):
    """The numbers differ by at most a tolerance; the limit itself passes.

    Args:
        tolerance: At least 0. In mode ``relative`` a fraction of the expected number (0.1 is ten percent), so only zero
            matches an expected zero; in mode ``absolute`` a distance.
        mode: ``relative`` or ``absolute`` (default: ``relative``).
        normalize: Normalizers for evidence that is text (default: none).
        zero_at: The distance from expected at which the score is 0.0, in the same mode; beyond the tolerance the score
            falls up to there (default: none, so it is 0.0 at once).
        decay: How the score falls: ``linear``, or ``quadratic``, which is slower at first (default: ``linear``).

    Example:
        >>> compare("numeric_tolerance", 1, 1.1, tolerance=0.1).details
        {'distance': '0.1', 'margin': '0'}
        >>> compare("numeric_tolerance", 100, 110, tolerance=0.05, zero_at=0.25).score
        0.75
    """

    name: ClassVar[str] = "numeric_tolerance"
    needs: ClassVar[Mapping[str, Needs]] = {"decay": _FALLS}

    tolerance: Tolerance
    mode: ToleranceMode = "relative"
    zero_at: OmitWhenDefault[Tolerance | None] = None
    decay: OmitWhenDefault[Decay] = "linear"

    @model_validator(mode="after")
    def _check_zero_at(self) -> Self:
        if self.zero_at is not None and as_exact(self.zero_at) <= as_exact(self.tolerance):
            raise ValueError(f"zero_at={self.zero_at} must be greater than tolerance={self.tolerance}")
        return self

    def _score(self, expected: Number, observed: Number) -> float:
        if is_within(expected, observed, self.tolerance, self.mode):
            return 1.0
        distance = _difference(expected, observed).copy_abs()
        if self.zero_at is None or not distance.is_finite():
            return 0.0
        full = Fraction(_limit(expected, self.tolerance, self.mode))
        return _fade(Fraction(distance) - full, Fraction(_limit(expected, self.zero_at, self.mode)) - full, self.decay)

    def _details(self, expected: Number, observed: Number) -> dict[str, Any]:
        return _tolerance_details(expected, observed, self.tolerance, self.mode)


class NumericSimilarity(_Numeric):
    """The numbers are similar: the score is one minus their distance over the sum of their sizes.

    It is symmetric: 95 for 100 scores as 100 for 95. Two zeros score 1.0, numbers with different signs 0.0. This is
    ``NumericDiff`` of autoevals, in exact arithmetic. The default threshold is 0.9.

    Args:
        normalize: Normalizers for evidence that is text (default: none).

    Example:
        >>> compare("numeric_similarity", 60, 100).score
        0.75
    """

    name: ClassVar[str] = "numeric_similarity"

    @property
    def is_graded(self) -> bool:
        return True

    def default_threshold(self) -> float:
        return 0.9

    def _score(self, expected: Number, observed: Number) -> float:
        return similarity_of_numbers(expected, observed)


class _Limit(_Numeric):
    needs: ClassVar[Mapping[str, Needs]] = {"zero_at": _ABOVE_ZERO, "mode": _FALLS, "decay": _FALLS}
    _is_lowest: ClassVar[bool] = True
    _no_limit: ClassVar[float | None] = -math.inf

    exclusive: bool = False
    zero_at: OmitWhenDefault[Tolerance | None] = None
    mode: OmitWhenDefault[ToleranceMode] = "absolute"
    decay: OmitWhenDefault[Decay] = "linear"

    def _score(self, expected: Number, observed: Number) -> float:
        width = None if self.zero_at is None else _limit(expected, self.zero_at, self.mode)
        return _score_margin(self._margin(expected, observed), width, self.decay, exclusive=self.exclusive)

    def _details(self, expected: Number, observed: Number) -> dict[str, Any]:
        return {"margin": as_written(self._margin(expected, observed))}

    def _margin(self, expected: Number, observed: Number) -> Decimal:
        if self._is_lowest:
            return _difference(observed, expected)
        return _difference(expected, observed)


class NumericMinimum(_Limit):
    """Observed is at least expected.

    Args:
        exclusive: Whether observed must be greater than expected.
        normalize: Normalizers for evidence that is text (default: none).
        zero_at: The distance on the wrong side at which the score is 0.0, as for `NumericRange`.
        mode: Whether ``zero_at`` is ``absolute`` or ``relative`` to the expected number (default: ``absolute``).
        decay: How the score falls, as for `NumericTolerance`.

    Example:
        >>> compare("numeric_minimum", 10, 12).details
        {'margin': '2'}
    """

    name: ClassVar[str] = "numeric_minimum"
    version: ClassVar[int] = 2


class NumericMaximum(_Limit):
    """Observed is at most expected.

    It has the settings of `NumericMinimum`.

    Example:
        >>> compare("numeric_maximum", 10, 10, exclusive=True).score
        0.0
    """

    name: ClassVar[str] = "numeric_maximum"
    version: ClassVar[int] = 2
    _is_lowest: ClassVar[bool] = False
    _no_limit: ClassVar[float | None] = math.inf


class NumericRange(_GradedOperator):
    """Observed is one of two bounds or between them; an exclusive bound is outside.

    Args:
        min: The lower bound. If ``min`` or ``max`` is set, the settings replace expected; otherwise expected is a pair
            ``[min, max]`` or a mapping with ``min`` and ``max``, in which a missing or null bound is open.
        max: The upper bound, likewise.
        exclusive_min: Whether the lower bound is outside the range.
        exclusive_max: Whether the upper bound is outside the range.
        normalize: Normalizers for evidence that is text (default: none).
        zero_at: The distance outside at which the score is 0.0; up to there it falls (default: none, so it is 0.0 at once).
        decay: How the score falls, as for `NumericTolerance`.

    Example:
        >>> compare("numeric_range", None, 10.5, min=1, max=10).details
        {'distance': '0.5', 'margin': '-0.5'}
        >>> compare("numeric_range", [1, 10], 5).score
        1.0
    """

    name: ClassVar[str] = "numeric_range"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "number"
    expected_settings: ClassVar[tuple[str, ...]] = ("min", "max")
    needs: ClassVar[Mapping[str, Needs]] = {
        "exclusive_min": Needs(lambda operator: operator.min is not None or operator.max is None, "set min as well"),
        "exclusive_max": Needs(lambda operator: operator.max is not None or operator.min is None, "set max as well"),
        "zero_at": _ABOVE_ZERO,
        "decay": _FALLS,
    }

    min: ExactNumber | None = None
    max: ExactNumber | None = None
    exclusive_min: bool = False
    exclusive_max: bool = False
    normalize: Normalization = ()
    zero_at: OmitWhenDefault[Tolerance | None] = None
    decay: OmitWhenDefault[Decay] = "linear"

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self._is_empty(_read_number(self.min), _read_number(self.max)):
            raise ValueError(f"no number lies between min={self.min} and max={self.max}; min must be below max")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        bounds = bounds_of(expected)
        if bounds is None:
            return unusable(NOT_A_RANGE, RANGE, expected)
        sides = normalize_sides(bounds, [observed], self.normalize)
        sides.observed = sides.observed[0]
        low, high = (_read_number(bound) for bound in sides.expected)
        number = _read_number(sides.observed)
        if self._is_empty(low, high):
            return sides.outcome(0.0, [NOT_A_RANGE], error=must_be("bounds between which a number lies", expected))
        unreadable = [low is None, high is None] != [bound is None for bound in sides.expected]
        if unreadable or number is None:
            return sides.unreadable(NOT_A_NUMBER, "bounds that are numbers", expected, (unreadable, number is None))
        if low in {None, -math.inf} and high in {None, math.inf}:
            return sides.outcome(0.0, [NOT_A_RANGE], error=must_be("a range outside of which numbers lie", expected))

        margins = []
        if low is not None:
            margins.append((_difference(number, low), self.exclusive_min))
        if high is not None:
            margins.append((_difference(high, number), self.exclusive_max))
        width = None if self.zero_at is None else as_exact(self.zero_at)
        score = min(_score_margin(margin, width, self.decay, exclusive=exclusive) for margin, exclusive in margins)
        margin = min(margin for margin, _ in margins)
        distance = margin.copy_abs() if margin < 0 else Decimal(0)
        return sides.outcome(score, details={"distance": as_written(distance), "margin": as_written(margin)})

    def _is_empty(self, low: Number | None, high: Number | None) -> bool:
        if low is None or high is None:
            return False
        width = _difference(high, low)
        return width < 0 or (width == 0 and (self.exclusive_min or self.exclusive_max))


class Delta(PassFailOperator):
    """Observed changed by an expected amount: after minus before is the expected change.

    Expected is the change; observed is a mapping with ``before`` and ``after``, or a pair ``[before, after]``.

    Args:
        tolerance: How far the change may be from the expected one, at least 0 (default: 0).
        mode: ``absolute``, or ``relative`` to the expected change (default: ``absolute``).
        normalize: Normalizers for evidence that is text (default: none).

    Example:
        >>> compare("delta", -20, {"before": 100, "after": 80}).details
        {'change': '-20', 'distance': '0', 'margin': '0'}
    """

    name: ClassVar[str] = "delta"
    kind: ClassVar[str] = "number"
    needs: ClassVar[Mapping[str, Needs]] = {
        "mode": Needs(lambda operator: "tolerance" in operator.model_fields_set, "set a tolerance as well")
    }

    tolerance: Tolerance = 0
    mode: ToleranceMode = "absolute"
    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        pair: list[Any] = []
        if isinstance(observed, Mapping) and {"before", "after"} <= observed.keys():
            pair = [observed["before"], observed["after"]]
        elif isinstance(observed, list | tuple) and len(observed) == 2:
            pair = list(observed)
        sides = normalize_sides([expected], pair, self.normalize)
        amount = _read_number(sides.expected[0])
        if not pair and amount is not None:
            return Outcome(0.0, notes=(NOT_A_CHANGE,))
        # The change between infinities has no value.
        finite = [number for number in map(as_decimal, sides.observed) if number is not None and number.is_finite()]
        if amount is None or len(finite) < 2:
            return sides.unreadable(NOT_A_NUMBER, "a number", expected, (amount is None, len(finite) < 2))
        change = EXACT.subtract(finite[1], finite[0])
        score = float(is_within(amount, change, self.tolerance, self.mode))
        measures = _tolerance_details(amount, change, self.tolerance, self.mode)
        return sides.outcome(score, details={"change": as_written(change), **measures})


def _read_number(value: Any) -> Number | None:
    if type(value) in _PLAIN and -_LARGEST_PLAIN < value < _LARGEST_PLAIN:
        number: Number = value
        return number
    exact = as_decimal(value)
    return None if exact is None or exact.is_nan() else exact


def is_within(expected: Number, observed: Number, tolerance: ExactNumber, mode: ToleranceMode) -> bool:
    """Return whether two numbers differ by at most a tolerance, exactly."""
    if (
        not isinstance(expected, Decimal)
        and not isinstance(observed, Decimal)
        and not isinstance(tolerance, str | Decimal)
    ):
        distance = abs(expected - observed)
        limit = tolerance if mode == "absolute" else tolerance * abs(expected)
        # Each number and operation is off by at most 2**-53 of its size (1.1e-16), or by 1e-323 near zero; together by
        # less than 5 * 2**-53. So floats decide unless distance and limit are closer than 9 * 2**-53.
        if abs(limit - distance) > 1e-15 * (abs(expected) + abs(observed) + limit) + 1e-300:
            return distance < limit
    exact_distance = _difference(expected, observed).copy_abs()
    if not exact_distance:
        return True
    return exact_distance.is_finite() and exact_distance <= _limit(expected, tolerance, mode)


def _difference(first: Number, second: Number) -> Decimal:
    first = to_decimal(first)
    second = to_decimal(second)
    # Decimal arithmetic refuses to subtract equal infinities.
    if first == second:
        return Decimal(0)
    return EXACT.subtract(first, second)


def similarity_of_numbers(expected: Number, observed: Number) -> float:
    """Return one minus the distance of two numbers over the sum of their sizes."""
    distance = _difference(expected, observed).copy_abs()
    if not distance.is_finite() or not distance:
        return float(not distance)
    sizes = [Fraction(to_decimal(number).copy_abs()) for number in (expected, observed)]
    return _fade(Fraction(distance), sum(sizes, Fraction()), "linear")


def _limit(expected: Number, tolerance: ExactNumber, mode: ToleranceMode) -> Decimal:
    limit = as_exact(tolerance)
    if mode == "relative":
        return EXACT.multiply(limit, to_decimal(expected).copy_abs())
    return limit


def _tolerance_details(
    expected: Number, observed: Number, tolerance: ExactNumber, mode: ToleranceMode
) -> dict[str, Any]:
    distance = _difference(expected, observed).copy_abs()
    details = {"distance": as_written(distance)}
    if to_decimal(expected).is_finite() and distance.is_finite():
        details["margin"] = as_written(EXACT.subtract(_limit(expected, tolerance, mode), distance))
    return details


def _score_margin(margin: Decimal, width: Decimal | None, decay: Decay, *, exclusive: bool) -> float:
    """Return the score of a number by its margin, which is negative beyond the limit."""
    if margin > 0 or (margin == 0 and not exclusive):
        return 1.0
    if width is None or not margin.is_finite() or not width.is_finite():
        return 0.0
    return _fade(Fraction(margin.copy_abs()), Fraction(width), decay)


def _fade(excess: Fraction, width: Fraction, decay: Decay) -> float:
    """Return the score beyond a limit: below 1.0, and 0.0 from the width on."""
    if excess >= width:
        return 0.0
    share = excess / width
    if decay == "quadratic":
        share *= share
    return min(float(1 - share), math.nextafter(1.0, 0.0))


def bounds_of(value: Any) -> list[Any] | None:
    """Return the two bounds of a range; None for an open one."""
    bounds = [None, None]
    if isinstance(value, Mapping) and {*value} <= {"min", "max"}:
        bounds = [value.get("min"), value.get("max")]
    elif isinstance(value, list | tuple) and len(value) == 2:
        bounds = list(value)
    return None if bounds == [None, None] else bounds
