"""Operators on dates: text in ISO 8601 or free English form, dates and datetimes.

Nothing comes from today. A text such as "March 2024" is ``date_incomplete`` and fails. Where day and month could be
swapped the month comes first, unless ``day_first`` is set, and the note ``date_ambiguous`` says so.
"""

import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.dates import ReadDate, checked_format, read_date, read_formatted
from pytest_verdict.core.values.numbers import EXACT
from pytest_verdict.operators.exact_number import as_written
from pytest_verdict.operators.normalized_sides import must_be, unusable
from pytest_verdict.operators.number import NOT_A_RANGE, RANGE, bounds_of

DATE_AMBIGUOUS: Final = "date_ambiguous"
TIMEZONE_MISMATCH: Final = "timezone_mismatch"
TIMEZONE_UNKNOWN: Final = "timezone_unknown"

_KNOWN_ZONE: Final = "a time with an offset, such as +02:00, or without a zone"
_INVERTED: Final = "inverted"
_MIDNIGHT: Final = datetime.time()
_MICROSECOND: Final = datetime.timedelta(microseconds=1)
_UNITS: Final = {"days": 86_400, "hours": 3_600, "minutes": 60}


class DateMatch(Operator):
    """Both texts name the same calendar date.

    The date is the one that is written, each in its own zone: a time and an offset are read and left out.

    Args:
        format: A strptime format for observed text; expected is read in it or as ISO 8601. Names of months are English;
            directives that depend on the locale are refused. Without a format both sides are read freely.
        day_first: Whether 1/2/2024 is 1 February.

    Example:
        >>> compare("date_match", "2024-01-15", "January 15, 2024").score
        1.0
        >>> compare("date_match", "2024-01-15", "15/01/2024", format="%d/%m/%Y").score
        1.0
    """

    name: ClassVar[str] = "date_match"
    kind: ClassVar[str] = "date"

    format: Annotated[str, AfterValidator(checked_format)] | None = None
    day_first: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if self.format is None:
            left, right = (read_date(side, day_first=self.day_first) for side in (expected, observed))
        else:
            left, right = read_formatted(expected, self.format, or_iso=True), read_formatted(observed, self.format)
        if isinstance(left, str) or isinstance(right, str):
            return _unreadable(expected, left, right)
        details = {"expected_date": left.day.isoformat(), "observed_date": right.day.isoformat()}
        return Outcome(1.0 if left.day == right.day else 0.0, notes=_ambiguity(left, right), details=details)


class DateTolerance(Operator):
    """The dates differ by at most a number of days, hours or minutes; the limit itself passes.

    In days, whole calendar dates are counted as soon as one side has no time. Otherwise instants are compared, a date
    without a time being its midnight, and both sides must have an offset or neither.

    Args:
        tolerance: A whole number of at least 0.
        unit: ``days`` unless given, ``hours`` or ``minutes``.
        day_first: Whether 1/2/2024 is 1 February.

    Example:
        >>> compare("date_tolerance", "2024-01-15", "2024-01-18", tolerance=3).details["margin"]
        '0'
    """

    name: ClassVar[str] = "date_tolerance"
    kind: ClassVar[str] = "date"

    tolerance: Annotated[int, Field(strict=True, ge=0)]
    unit: Literal["days", "hours", "minutes"] = "days"
    day_first: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        left, right = (read_date(side, day_first=self.day_first) for side in (expected, observed))
        if isinstance(left, str) or isinstance(right, str):
            return _unreadable(expected, left, right)
        notes = _ambiguity(left, right)
        if self.unit == "days" and (left.moment is None or right.moment is None):
            days = abs((right.day - left.day).days)
            return self._outcome(Decimal(days), Decimal(self.tolerance), "days", notes)
        problem = _incomparable(left, right)
        if left.zone:
            return unusable(TIMEZONE_UNKNOWN, _KNOWN_ZONE, expected, notes=notes)
        if problem is not None:
            return Outcome(0.0, notes=(problem, *notes))
        return self._outcome(_seconds(left, right), Decimal(self.tolerance * _UNITS[self.unit]), "seconds", notes)

    def _outcome(self, distance: Decimal, limit: Decimal, measure: str, notes: tuple[str, ...]) -> Outcome:
        margin = EXACT.subtract(limit, distance)
        details = {"distance": as_written(distance), "margin": as_written(margin), "measured_in": measure}
        return Outcome(1.0 if distance <= limit else 0.0, notes=notes, details=details)


def _bound(value: Any) -> Any:
    if value is None:
        return None
    found = read_date(value)
    if isinstance(found, str) or found.ambiguous or found.zone:
        raise ValueError(f"takes a date such as '2024-12-31' or '2024-12-31T10:00', got {value!r}")
    return (found.moment or found.day).isoformat()


class DateRange(Operator):
    """Observed lies between two dates, both of which belong to the range.

    A bound without a time is a whole day: every time on the day of ``max`` is inside. Where a bound and observed both have a
    time, instants are compared, and both must have an offset or neither.

    Args:
        min: The first date. As soon as one bound is a setting, the settings alone are the range; otherwise expected is a
            pair ``[min, max]`` or a mapping with ``min`` and ``max``, in which a missing or null bound is open.
        max: The last date, likewise.
        day_first: Whether 1/2/2024 is 1 February, in evidence.

    Example:
        >>> compare("date_range", ["2024-01-01", "2024-12-31"], "2024-12-31T10:00").score
        1.0
    """

    name: ClassVar[str] = "date_range"
    kind: ClassVar[str] = "date"
    expected_settings: ClassVar[tuple[str, ...]] = ("min", "max")

    min: Annotated[datetime.date | str | None, BeforeValidator(_bound)] = None
    max: Annotated[datetime.date | str | None, BeforeValidator(_bound)] = None
    day_first: bool = False

    @model_validator(mode="after")
    def _not_inverted(self) -> Self:
        low, high = (_read_bound(bound, day_first=False) for bound in (self.min, self.max))
        problem = None if isinstance(low, str) or isinstance(high, str) else _disorder(low, high)
        if problem is not None:
            raise ValueError(f"no date lies between min={self.min} and max={self.max} ({problem}); min must come first")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        pair = bounds_of(expected)
        if pair is None:
            return unusable(NOT_A_RANGE, RANGE, expected)
        low, high = (_read_bound(bound, day_first=self.day_first) for bound in pair)
        given = read_date(observed, day_first=self.day_first)
        unread = next((bound for bound in (low, high) if isinstance(bound, str)), None)
        if isinstance(low, str) or isinstance(high, str) or isinstance(given, str):
            return _unreadable(expected, unread, given)
        return _decide_range(expected, low, high, given)


def _decide_range(expected: Any, low: ReadDate | None, high: ReadDate | None, given: ReadDate) -> Outcome:
    bounds = [bound for bound in (low, high) if bound is not None]
    notes = _ambiguity(*bounds, given)
    if _disorder(low, high) is not None:
        return unusable(NOT_A_RANGE, "bounds between which a date lies", expected, notes=notes)
    if given.moment is not None and any(bound.zone and bound.moment is not None for bound in bounds):
        return unusable(TIMEZONE_UNKNOWN, _KNOWN_ZONE, expected, notes=notes)
    pairs = ((low, given), (given, high))
    problems = [problem for problem in (_disorder(*pair) for pair in pairs) if problem is not None]
    zones = tuple(dict.fromkeys(problem for problem in problems if problem != _INVERTED))
    details = {"observed_date": given.day.isoformat()}
    for first, second in pairs:
        if _disorder(first, second) == _INVERTED and first is not None and second is not None:
            details |= _outside(first, second)
    return Outcome(0.0 if problems else 1.0, notes=(*zones, *notes), details=details)


def _outside(first: ReadDate, second: ReadDate) -> dict[str, str]:
    whole = first.moment is None or second.moment is None
    distance = Decimal((first.day - second.day).days) if whole else _seconds(first, second)
    measure = "days" if whole else "seconds"
    return {"distance": as_written(distance), "margin": as_written(-distance), "measured_in": measure}


def _seconds(left: ReadDate, right: ReadDate) -> Decimal:
    microseconds = abs(_instant(right) - _instant(left)) // _MICROSECOND
    return EXACT.scaleb(Decimal(microseconds), -6)


def _disorder(first: ReadDate | None, second: ReadDate | None) -> str | None:
    if first is None or second is None:
        return None
    if first.moment is None or second.moment is None:
        return _INVERTED if first.day > second.day else None
    return _incomparable(first, second) or (_INVERTED if _instant(first) > _instant(second) else None)


def _incomparable(left: ReadDate, right: ReadDate) -> str | None:
    if left.zone or right.zone:
        return TIMEZONE_UNKNOWN
    aware = [_instant(side).tzinfo is not None for side in (left, right)]
    return TIMEZONE_MISMATCH if aware[0] != aware[1] else None


def _instant(found: ReadDate) -> datetime.datetime:
    return found.moment or datetime.datetime.combine(found.day, _MIDNIGHT)


def _ambiguity(*found: ReadDate) -> tuple[str, ...]:
    return (DATE_AMBIGUOUS,) if any(side.ambiguous for side in found) else ()


def _unreadable(expected: Any, read: ReadDate | str | None, observed: ReadDate | str) -> Outcome:
    sides: dict[str, list[str]] = {}
    for side, found in (("expected", read), ("observed", observed)):
        if isinstance(found, str):
            sides.setdefault(found, []).append(side)
    error = must_be("a whole date, such as '2024-12-31'", expected) if isinstance(read, str) else None
    return Outcome(0.0, notes=tuple(sides), details=sides, error=error)


def _read_bound(bound: Any, *, day_first: bool) -> ReadDate | str | None:
    return None if bound is None else read_date(bound, day_first=day_first)
