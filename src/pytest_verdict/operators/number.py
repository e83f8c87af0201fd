"""Operators on numbers, in exact decimal arithmetic.

A float stands for its shortest decimal form, so 1.1 is within ten percent of 1 and 0.1 + 0.2 is not 0.3. NaN passes
nothing; a bool is not a number; an infinity equals itself and is within no tolerance of anything else.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import model_validator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import Later, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.operators.exact_number import ExactNumber, Tolerance, as_exact, as_written
from pytest_verdict.operators.surfaces import UNCHANGED, Surfaces, known_outcome, must_be, surfaces, unusable

NOT_A_NUMBER: Final = "not_a_number"
NOT_A_RANGE: Final = "not_a_range"
NOT_A_CHANGE: Final = "not_a_change"
RANGE: Final = "a pair [min, max] or a mapping with min, max or both"

_subtract: Final = EXACT.subtract
_BINARY: Final = frozenset({int, float})
ToleranceMode = Literal["relative", "absolute"]
Decay = Literal["linear", "quadratic"]


class _Numeric(Operator):
    kind: ClassVar[str] = "number"

    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        found = surfaces(expected, observed, self.normalize) if self.normalize else UNCHANGED
        sides = (found.expected, found.observed) if self.normalize else (expected, observed)
        wanted, given = map(_read, sides)
        if wanted is None or given is None:
            return found.unreadable(NOT_A_NUMBER, "a number", expected, (wanted is None, given is None))
        score, details = self._decide(wanted, given)
        return found.outcome(float(score), details=details) if self.normalize else known_outcome(float(score), details)

    def _glance(self, expected: Any, observed: Any) -> float | None:
        # Two of a kind are in the order of the decimals they stand for; of NaN nothing is true.
        is_usual = type(expected) in _BINARY and type(expected) is type(observed) and -1e300 < expected < 1e300
        return float(self._holds(expected, observed)) if is_usual and -1e300 < observed < 1e300 else None

    def _holds(self, expected: Any, observed: Any) -> bool:
        return bool(expected == observed)

    def _decide(self, expected: Decimal, observed: Decimal) -> tuple[float, dict[str, Any]]:
        raise NotImplementedError


class NumericExact(_Numeric):
    """Both numbers have the same decimal value.

    Args:
        normalize: Normalizers for evidence that is text, such as ``["strip_thousands_separators"]``; none unless given.

    Example:
        >>> [compare("numeric_exact", 0.3, text).score for text in ("0.30", 0.1 + 0.2)]
        [1.0, 0.0]
    """

    name: ClassVar[str] = "numeric_exact"

    def _decide(self, expected: Decimal, observed: Decimal) -> tuple[float, dict[str, Any]]:
        return self._holds(expected, observed), {"distance": as_written(_distance(expected, observed))}


class NumericTolerance(_Numeric):
    """The numbers differ by at most a tolerance; the limit itself passes.

    Args:
        tolerance: At least 0. In mode ``relative`` a fraction of the expected number (0.1 is ten percent), so that an
            expected zero demands zero; in mode ``absolute`` a distance.
        mode: ``relative`` unless given, or ``absolute``.
        normalize: Normalizers for evidence that is text; none unless given.
        zero_at: How far from expected the score is 0.0, in the same mode; it falls from the tolerance to there.
        decay: How it falls: ``linear`` unless given, or ``quadratic``, which is slower at first.

    Example:
        >>> compare("numeric_tolerance", 1, 1.1, tolerance=0.1).details
        {'distance': '0.1', 'margin': '0'}
        >>> compare("numeric_tolerance", 100, 110, tolerance=0.05, zero_at=0.25).score
        0.75
    """

    name: ClassVar[str] = "numeric_tolerance"

    tolerance: Tolerance
    mode: ToleranceMode = "relative"
    zero_at: Later[Tolerance | None] = None
    decay: Later[Decay] = "linear"

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.zero_at is not None and as_exact(self.zero_at) <= as_exact(self.tolerance):
            raise ValueError(f"zero_at={self.zero_at} must lie beyond tolerance={self.tolerance}")
        return self

    def _glance(self, expected: Any, observed: Any) -> float | None:
        limit = float(self.tolerance)
        if type(expected) not in _BINARY or type(observed) not in _BINARY or not 1e-100 < limit < 1e100:
            return None
        try:
            if self.mode == "relative":
                limit *= abs(expected)
            distance = abs(expected - observed)
            # All that reading decimals and rounding can change, twice over; of numbers that are not finite, nothing holds.
            doubt = (abs(expected) + abs(observed) + limit) * 1e-15 + 1e-200
        except OverflowError:
            return None
        return 1.0 if distance < limit - doubt else 0.0 if distance > limit + doubt else None

    def _decide(self, expected: Decimal, observed: Decimal) -> tuple[float, dict[str, Any]]:
        passed, details = _within(expected, observed, self.tolerance, self.mode)
        if passed or self.zero_at is None or not (distance := _distance(expected, observed)).is_finite():
            return passed, details
        unit = Fraction(expected.copy_abs()) if self.mode == "relative" else 1
        full, zero = (unit * Fraction(as_exact(limit)) for limit in (self.tolerance, self.zero_at))
        return _faded(Fraction(distance) - full, zero - full, self.decay), details


class _Limit(_Numeric):
    _is_lowest: ClassVar[bool] = True

    exclusive: bool = False
    zero_at: Later[Tolerance | None] = None
    mode: Later[ToleranceMode] = "absolute"
    decay: Later[Decay] = "linear"

    def _holds(self, expected: Any, observed: Any) -> bool:
        low, high = (expected, observed) if self._is_lowest else (observed, expected)
        return bool(low < high if self.exclusive else low <= high)

    def _decide(self, expected: Decimal, observed: Decimal) -> tuple[float, dict[str, Any]]:
        low, high = (expected, observed) if self._is_lowest else (observed, expected)
        margin = _difference(high, low)
        unit = Fraction(expected.copy_abs()) if self.mode == "relative" and expected.is_finite() else Fraction(1)
        score = float(self._holds(expected, observed)) or _outside(-margin, self.zero_at, self.decay, unit)
        return score, {"margin": as_written(margin)}


class NumericMinimum(_Limit):
    """Observed is at least expected.

    Args:
        exclusive: Whether observed must be greater than expected.
        normalize: Normalizers for evidence that is text; none unless given.
        zero_at: How far on the wrong side the score is 0.0, as for `NumericRange`.
        mode: Whether ``zero_at`` is ``absolute``, unless given, or ``relative`` to the expected number.
        decay: How the score falls, as for `NumericTolerance`.

    Example:
        >>> compare("numeric_minimum", 10, 12).details
        {'margin': '2'}
    """

    name: ClassVar[str] = "numeric_minimum"


class NumericMaximum(_Limit):
    """Observed is at most expected.

    Args:
        exclusive: Whether observed must be less than expected.
        normalize: Normalizers for evidence that is text; none unless given.
        zero_at: How far on the wrong side the score is 0.0, as for `NumericRange`.
        mode: Whether ``zero_at`` is ``absolute``, unless given, or ``relative`` to the expected number.
        decay: How the score falls, as for `NumericTolerance`.

    Example:
        >>> compare("numeric_maximum", 10, 10, exclusive=True).score
        0.0
    """

    name: ClassVar[str] = "numeric_maximum"
    _is_lowest: ClassVar[bool] = False


class NumericRange(Operator):
    """Observed lies between two bounds, which belong to the range unless they are exclusive.

    Args:
        min: The lower bound. As soon as one bound is a setting, the settings alone are the range; otherwise expected is a
            pair ``[min, max]`` or a mapping with ``min`` and ``max``, in which a missing or null bound is open.
        max: The upper bound, likewise.
        exclusive_min: Whether the lower bound is outside.
        exclusive_max: Whether the upper bound is outside.
        normalize: Normalizers for evidence that is text; none unless given.
        zero_at: How far outside the score is 0.0; up to there it falls. Without it nothing is left of it outside.
        decay: How it falls, as for `NumericTolerance`.

    Example:
        >>> compare("numeric_range", None, 10.5, min=1, max=10).details
        {'distance': '0.5', 'margin': '-0.5'}
        >>> compare("numeric_range", [1, 10], 5).score
        1.0
    """

    name: ClassVar[str] = "numeric_range"
    kind: ClassVar[str] = "number"
    instead_of_expected: ClassVar[tuple[str, ...]] = ("min", "max")

    min: ExactNumber | None = None
    max: ExactNumber | None = None
    exclusive_min: bool = False
    exclusive_max: bool = False
    normalize: Normalization = ()
    zero_at: Later[Tolerance | None] = None
    decay: Later[Decay] = "linear"

    @model_validator(mode="after")
    def _not_inverted(self) -> Self:
        low, high = _read(self.min), _read(self.max)
        if low is not None and high is not None and self._is_void(low, high):
            raise ValueError(f"no number lies between min={self.min} and max={self.max}; min must be below max")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        bounds = bounds_of(expected)
        if bounds is None:
            return unusable(NOT_A_RANGE, RANGE, expected)
        found = surfaces(bounds, [observed], self.normalize)
        found = found._replace(observed=found.observed[0])
        low, high = (_read(bound) for bound in found.expected)
        unreadable = [low is None, high is None] != [bound is None for bound in found.expected]
        given = _read(found.observed)
        if low is not None and high is not None and self._is_void(low, high):
            return found.outcome(0.0, [NOT_A_RANGE], error=must_be("bounds between which a number lies", expected))
        if unreadable or given is None:
            return found.unreadable(NOT_A_NUMBER, "bounds that are numbers", expected, (unreadable, given is None))
        return self._decide(found, low, high, given)

    def _is_void(self, low: Decimal, high: Decimal) -> bool:
        return low > high or (low == high and (self.exclusive_min or self.exclusive_max))

    def _decide(self, found: Surfaces, low: Decimal | None, high: Decimal | None, given: Decimal) -> Outcome:
        above = low is None or (given > low if self.exclusive_min else given >= low)
        below = high is None or (given < high if self.exclusive_max else given <= high)
        slacks = [_difference(given, low)] if low is not None else []
        slacks += [_difference(high, given)] if high is not None else []
        margin = min(slacks)
        distance = margin.copy_abs() if margin < 0 else Decimal(0)
        details = {"distance": as_written(distance), "margin": as_written(margin)}
        return found.outcome(float(above and below) or _outside(distance, self.zero_at, self.decay), details=details)


class Delta(Operator):
    """Observed changed by an expected amount: after minus before is the expected change.

    Expected is the change; observed is a mapping with ``before`` and ``after``, or a pair ``[before, after]``.

    Args:
        tolerance: How far the change may be from the expected one, at least 0; 0 unless given.
        mode: ``absolute`` unless given, or ``relative`` to the expected change.
        normalize: Normalizers for evidence that is text; none unless given.

    Example:
        >>> compare("delta", -20, {"before": 100, "after": 80}).details
        {'change': '-20', 'distance': '0', 'margin': '0'}
    """

    name: ClassVar[str] = "delta"
    kind: ClassVar[str] = "number"

    tolerance: Tolerance = 0
    mode: ToleranceMode = "absolute"
    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        pair = _pair(observed, "before", "after")
        found = surfaces([expected], pair or [], self.normalize)
        wanted = _read(found.expected[0])
        if pair is None and wanted is not None:
            return Outcome(0.0, notes=(NOT_A_CHANGE,))
        before, after = (_read(number) for number in found.observed or (None, None))
        # The change between infinities has no value.
        measured = before is not None and after is not None and before.is_finite() and after.is_finite()
        if wanted is None or before is None or after is None or not measured:
            return found.unreadable(NOT_A_NUMBER, "a number", expected, (wanted is None, not measured))
        change = EXACT.subtract(after, before)
        passed, details = _within(wanted, change, self.tolerance, self.mode)
        return found.outcome(1.0 if passed else 0.0, details={"change": as_written(change), **details})


def _read(value: Any) -> Decimal | None:
    number = as_decimal(value)
    return None if number is None or number.is_nan() else number


def _difference(left: Decimal, right: Decimal) -> Decimal:
    # Equal infinities have no difference in decimal arithmetic, but nothing lies between them.
    return Decimal(0) if left == right else _subtract(left, right)


def _distance(expected: Decimal, observed: Decimal) -> Decimal:
    return _difference(expected, observed).copy_abs()


def _within(
    expected: Decimal, observed: Decimal, tolerance: ExactNumber, mode: ToleranceMode
) -> tuple[bool, dict[str, Any]]:
    if not (expected.is_finite() and observed.is_finite()):
        return expected == observed, {"distance": as_written(_distance(expected, observed))}
    distance = _subtract(expected, observed) if expected > observed else _subtract(observed, expected)
    limit = as_exact(tolerance)
    if mode == "relative":
        limit = EXACT.multiply(limit, expected.copy_abs())
    return distance <= limit, {"distance": as_written(distance), "margin": as_written(_subtract(limit, distance))}


def _outside(distance: Decimal, zero_at: ExactNumber | None, decay: Decay, unit: Fraction = Fraction(1)) -> float:
    if zero_at is None or not distance.is_finite():
        return 0.0
    return _faded(Fraction(distance), Fraction(as_exact(zero_at)) * unit, decay)


def _faded(excess: Fraction, width: Fraction, decay: Decay) -> float:
    """Give what is left of the score beyond a limit, nothing from the width on; never 1.0, which is within it."""
    if excess >= width:
        return 0.0
    left = 1 - (excess / width) ** (2 if decay == "quadratic" else 1)
    return min(float(left), math.nextafter(1.0, 0.0))


def _pair(value: Any, first: str, second: str) -> list[Any] | None:
    if isinstance(value, Mapping):
        return [value[first], value[second]] if first in value and second in value else None
    return list(value) if isinstance(value, list | tuple) and len(value) == 2 else None


def bounds_of(value: Any) -> list[Any] | None:
    """Read the two bounds of a range, of which one may be open."""
    if isinstance(value, Mapping):
        pair = [value.get("min"), value.get("max")] if {*value} <= {"min", "max"} else None
    else:
        pair = _pair(value, "min", "max")
    return None if pair is None or pair == [None, None] else pair
