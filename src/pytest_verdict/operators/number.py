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

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import OmitWhenDefault, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.numbers import EXACT, as_decimal
from pytest_verdict.operators.exact_number import ExactNumber, Tolerance, as_exact, as_written
from pytest_verdict.operators.normalized_sides import NormalizedSides, must_be, normalize_sides, unusable

NOT_A_NUMBER: Final = "not_a_number"
NOT_A_RANGE: Final = "not_a_range"
NOT_A_CHANGE: Final = "not_a_change"
RANGE: Final = "a pair [min, max] or a mapping with min, max or both"

_subtract: Final = EXACT.subtract
ToleranceMode = Literal["relative", "absolute"]
Decay = Literal["linear", "quadratic"]


class _Numeric(Operator):
    kind: ClassVar[str] = "number"

    normalize: Normalization = ()

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        sides = normalize_sides(expected, observed, self.normalize)
        left = _read(sides.expected)
        right = _read(sides.observed)
        if left is None or right is None:
            return sides.unreadable(NOT_A_NUMBER, "a number", expected, (left is None, right is None))
        return sides.outcome(self._score(left, right), details=functools.partial(self._details, left, right))

    def _score(self, expected: Decimal, observed: Decimal) -> float:
        raise NotImplementedError

    def _details(self, expected: Decimal, observed: Decimal) -> dict[str, Any]:
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

    def _score(self, expected: Decimal, observed: Decimal) -> float:
        return float(expected == observed)

    def _details(self, expected: Decimal, observed: Decimal) -> dict[str, Any]:
        return {"distance": as_written(_distance(expected, observed))}


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
    zero_at: OmitWhenDefault[Tolerance | None] = None
    decay: OmitWhenDefault[Decay] = "linear"

    @model_validator(mode="after")
    def _falls(self) -> Self:
        if self.zero_at is not None and as_exact(self.zero_at) <= as_exact(self.tolerance):
            raise ValueError(f"zero_at={self.zero_at} must lie beyond tolerance={self.tolerance}")
        return self

    def _score(self, expected: Decimal, observed: Decimal) -> float:
        if _is_within(expected, observed, self.tolerance, self.mode):
            return 1.0
        distance = _distance(expected, observed)
        if self.zero_at is None or not distance.is_finite():
            return 0.0
        full, zero = (Fraction(_limit(expected, setting, self.mode)) for setting in (self.tolerance, self.zero_at))
        return _faded(Fraction(distance) - full, zero - full, self.decay)

    def _details(self, expected: Decimal, observed: Decimal) -> dict[str, Any]:
        return _tolerance_details(expected, observed, self.tolerance, self.mode)


class _Limit(_Numeric):
    _is_lowest: ClassVar[bool] = True

    exclusive: bool = False
    zero_at: OmitWhenDefault[Tolerance | None] = None
    mode: OmitWhenDefault[ToleranceMode] = "absolute"
    decay: OmitWhenDefault[Decay] = "linear"

    def _score(self, expected: Decimal, observed: Decimal) -> float:
        margin = self._margin(expected, observed)
        if margin > 0 or (margin == 0 and not self.exclusive):
            return 1.0
        unit = Fraction(1)
        if self.mode == "relative" and expected.is_finite():
            unit = Fraction(expected.copy_abs())
        return _outside(-margin, self.zero_at, self.decay, unit)

    def _details(self, expected: Decimal, observed: Decimal) -> dict[str, Any]:
        return {"margin": as_written(self._margin(expected, observed))}

    def _margin(self, expected: Decimal, observed: Decimal) -> Decimal:
        if self._is_lowest:
            return _difference(observed, expected)
        return _difference(expected, observed)


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
    expected_settings: ClassVar[tuple[str, ...]] = ("min", "max")

    min: ExactNumber | None = None
    max: ExactNumber | None = None
    exclusive_min: bool = False
    exclusive_max: bool = False
    normalize: Normalization = ()
    zero_at: OmitWhenDefault[Tolerance | None] = None
    decay: OmitWhenDefault[Decay] = "linear"

    @model_validator(mode="after")
    def _not_inverted(self) -> Self:
        low = _read(self.min)
        high = _read(self.max)
        if low is not None and high is not None and self._is_void(low, high):
            raise ValueError(f"no number lies between min={self.min} and max={self.max}; min must be below max")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        bounds = bounds_of(expected)
        if bounds is None:
            return unusable(NOT_A_RANGE, RANGE, expected)
        found = normalize_sides(bounds, [observed], self.normalize)
        found.observed = found.observed[0]
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

    def _decide(self, found: NormalizedSides, low: Decimal | None, high: Decimal | None, given: Decimal) -> Outcome:
        above = low is None or (given > low if self.exclusive_min else given >= low)
        below = high is None or (given < high if self.exclusive_max else given <= high)
        slacks = []
        if low is not None:
            slacks = [_difference(given, low)]
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
        found = normalize_sides([expected], pair or [], self.normalize)
        wanted = _read(found.expected[0])
        if pair is None and wanted is not None:
            return Outcome(0.0, notes=(NOT_A_CHANGE,))
        before, after = (_read(number) for number in found.observed or (None, None))
        # The change between infinities has no value.
        measured = before is not None and after is not None and before.is_finite() and after.is_finite()
        if wanted is None or before is None or after is None or not measured:
            return found.unreadable(NOT_A_NUMBER, "a number", expected, (wanted is None, not measured))
        change = EXACT.subtract(after, before)
        passed = _is_within(wanted, change, self.tolerance, self.mode)
        measures = _tolerance_details(wanted, change, self.tolerance, self.mode)
        return found.outcome(float(passed), details={"change": as_written(change), **measures})


def _read(value: Any) -> Decimal | None:
    number = as_decimal(value)
    return None if number is None or number.is_nan() else number


def _difference(left: Decimal, right: Decimal) -> Decimal:
    # Equal infinities have no difference in decimal arithmetic, but nothing lies between them.
    if left == right:
        return Decimal(0)
    return _subtract(left, right)


def _distance(expected: Decimal, observed: Decimal) -> Decimal:
    return _difference(expected, observed).copy_abs()


def _limit(expected: Decimal, tolerance: ExactNumber, mode: ToleranceMode) -> Decimal:
    limit = as_exact(tolerance)
    if mode == "relative":
        return EXACT.multiply(limit, expected.copy_abs())
    return limit


def _is_within(expected: Decimal, observed: Decimal, tolerance: ExactNumber, mode: ToleranceMode) -> bool:
    if not (expected.is_finite() and observed.is_finite()):
        return expected == observed
    return _distance(expected, observed) <= _limit(expected, tolerance, mode)


def _tolerance_details(
    expected: Decimal, observed: Decimal, tolerance: ExactNumber, mode: ToleranceMode
) -> dict[str, Any]:
    distance = _distance(expected, observed)
    if not (expected.is_finite() and observed.is_finite()):
        return {"distance": as_written(distance)}
    margin = _subtract(_limit(expected, tolerance, mode), distance)
    return {"distance": as_written(distance), "margin": as_written(margin)}


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
        if first in value and second in value:
            return [value[first], value[second]]
        return None
    if isinstance(value, list | tuple) and len(value) == 2:
        return list(value)
    return None


def bounds_of(value: Any) -> list[Any] | None:
    """Read the two bounds of a range, of which one may be open."""
    if isinstance(value, Mapping):
        pair = None
        if {*value} <= {"min", "max"}:
            pair = [value.get("min"), value.get("max")]
    else:
        pair = _pair(value, "min", "max")
    if pair is None or pair == [None, None]:
        return None
    return pair
