"""Operators on dates: text in ISO 8601 or free English form, dates and datetimes.

No part of a date comes from today: a text such as "March 2024" fails with the note ``date_incomplete``. When day and month
could be swapped, the month comes first unless ``day_first`` is set, and the note ``date_ambiguous`` says so.
"""

import datetime
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from pytest_verdict.core.operator import Needs, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.dates import ReadDate, check_format_directives, read_date, read_formatted
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
_UNITS: Final = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_CALENDAR: Final = (datetime.date.max - datetime.date.min).days * _UNITS["days"]


class DateMatch(PassFailOperator):
    """Both sides are the same calendar date; a time and an offset are ignored.

    Args:
        format: A strptime format for observed text; expected is read in it or as ISO 8601. Names of months are English;
            directives that depend on the locale are refused (default: none, any known form of a date is read).
        day_first: Whether 1/2/2024 is 1 February.

    Example:
        >>> compare("date_match", "2024-01-15", "January 15, 2024").score
        1.0
        >>> compare("date_match", "2024-01-15", "15/01/2024", format="%d/%m/%Y").score
        1.0
    """

    name: ClassVar[str] = "date_match"
    kind: ClassVar[str] = "date"
    needs: ClassVar[Mapping[str, Needs]] = {
        "day_first": Needs(lambda operator: operator.format is None, "the format has the order of day and month")
    }

    format: Annotated[str, AfterValidator(check_format_directives)] | None = None
    day_first: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if self.format is None:
            first = read_date(expected, day_first=self.day_first)
            second = read_date(observed, day_first=self.day_first)
        else:
            first = read_formatted(expected, self.format, or_iso=True)
            second = read_formatted(observed, self.format)
        if isinstance(first, str) or isinstance(second, str):
            return _unreadable(expected, first, second)
        details = {"expected_date": first.day.isoformat(), "observed_date": second.day.isoformat()}
        return Outcome(float(first.day == second.day), notes=_ambiguity(first, second), details=details)


class DateTolerance(PassFailOperator):
    """The dates differ by at most a number of days, hours, minutes or seconds; the limit itself passes.

    With the unit ``days``, calendar days are counted if a side has no time. Otherwise instants are compared: a date without
    a time is its midnight, and either both sides have an offset or neither has.

    Args:
        tolerance: A whole number of at least 0.
        unit: ``days``, ``hours``, ``minutes`` or ``seconds`` (default: ``days``).
        day_first: Whether 1/2/2024 is 1 February.

    Example:
        >>> compare("date_tolerance", "2024-01-15", "2024-01-18", tolerance=3).details["margin"]
        '0'
    """

    name: ClassVar[str] = "date_tolerance"
    kind: ClassVar[str] = "date"
    needs: ClassVar[Mapping[str, Needs]] = {
        "tolerance": Needs(
            lambda operator: operator.tolerance * _UNITS[operator.unit] < _CALENDAR, "every date is within it"
        )
    }

    tolerance: Annotated[int, Field(strict=True, ge=0)]
    unit: Literal["days", "hours", "minutes", "seconds"] = "days"
    day_first: bool = False

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        first = read_date(expected, day_first=self.day_first)
        second = read_date(observed, day_first=self.day_first)
        if isinstance(first, str) or isinstance(second, str):
            return _unreadable(expected, first, second)
        notes = _ambiguity(first, second)
        if self.unit == "days" and (first.moment is None or second.moment is None):
            distance = Decimal(abs((second.day - first.day).days))
            details = _measure(distance, self.tolerance, "days")
            return Outcome(float(distance <= self.tolerance), notes=notes, details=details)

        if first.zone:
            return unusable(TIMEZONE_UNKNOWN, _KNOWN_ZONE, expected, notes=notes)
        problem = _find_zone_problem(first, second)
        if problem is not None:
            return Outcome(0.0, notes=(problem, *notes))
        distance = _seconds_between(first, second)
        limit = self.tolerance * _UNITS[self.unit]
        return Outcome(float(distance <= limit), notes=notes, details=_measure(distance, limit, "seconds"))


def _as_bound(value: Any) -> Any:
    if value is None:
        return None
    date = read_date(value)
    if isinstance(date, str) or date.ambiguous or date.zone:
        raise ValueError(f"takes a date such as '2024-12-31' or '2024-12-31T10:00', got {value!r}")
    return (date.moment or date.day).isoformat()


class DateRange(PassFailOperator):
    """Observed is one of two dates or between them.

    A bound without a time is a whole day: every time on the day of ``max`` is inside. If a bound and observed both have a
    time, instants are compared, and either both have an offset or neither has.

    Args:
        min: The first date. If ``min`` or ``max`` is set, the settings replace expected; otherwise expected is a pair
            ``[min, max]`` or a mapping with ``min`` and ``max``, in which a missing or null bound is open.
        max: The last date, likewise.
        day_first: Whether 1/2/2024 is 1 February, in evidence.

    Example:
        >>> compare("date_range", ["2024-01-01", "2024-12-31"], "2024-12-31T10:00").score
        1.0
    """

    name: ClassVar[str] = "date_range"
    version: ClassVar[int] = 2
    kind: ClassVar[str] = "date"
    expected_settings: ClassVar[tuple[str, ...]] = ("min", "max")

    min: Annotated[datetime.date | str | None, BeforeValidator(_as_bound)] = None
    max: Annotated[datetime.date | str | None, BeforeValidator(_as_bound)] = None
    day_first: bool = False

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        low, high = _read_bounds([self.min, self.max], day_first=False)
        if isinstance(low, str) or isinstance(high, str):
            return self
        problem = _find_disorder(low, high)
        if problem is not None:
            raise ValueError(f"no date lies between min={self.min} and max={self.max} ({problem}); min must come first")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        bounds = bounds_of(expected)
        if bounds is None:
            return unusable(NOT_A_RANGE, RANGE, expected)
        low, high = _read_bounds(bounds, day_first=self.day_first)
        date = read_date(observed, day_first=self.day_first)
        if isinstance(low, str) or isinstance(high, str) or isinstance(date, str):
            return _unreadable(expected, low if isinstance(low, str) else high, date)
        return _decide_range(expected, low, high, date)


def _read_bounds(bounds: list[Any], *, day_first: bool) -> list[ReadDate | str | None]:
    return [None if bound is None else read_date(bound, day_first=day_first) for bound in bounds]


def _decide_range(expected: Any, low: ReadDate | None, high: ReadDate | None, date: ReadDate) -> Outcome:
    bounds = [bound for bound in (low, high) if bound is not None]
    notes = _ambiguity(*bounds, date)
    days = low and low.day, high and high.day
    if days in {(datetime.date.min, None), (None, datetime.date.max), (datetime.date.min, datetime.date.max)}:
        return unusable(NOT_A_RANGE, "a range outside of which some date lies", expected, notes=notes)
    if _find_disorder(low, high) is not None:
        return unusable(NOT_A_RANGE, "bounds between which a date lies", expected, notes=notes)
    if date.moment is not None and any(bound.zone and bound.moment is not None for bound in bounds):
        return unusable(TIMEZONE_UNKNOWN, _KNOWN_ZONE, expected, notes=notes)

    score = 1.0
    zone_problems: dict[str, None] = {}
    details = {"observed_date": date.day.isoformat()}
    for first, second in ((low, date), (date, high)):
        problem = _find_disorder(first, second)
        if problem is None or first is None or second is None:
            continue
        score = 0.0
        if problem != _INVERTED:
            zone_problems[problem] = None
        elif first.moment is None or second.moment is None:
            details |= _measure(Decimal((first.day - second.day).days), 0, "days")
        else:
            details |= _measure(_seconds_between(first, second), 0, "seconds")
    return Outcome(score, notes=(*zone_problems, *notes), details=details)


def _measure(distance: Decimal, limit: int, unit: str) -> dict[str, str]:
    margin = EXACT.subtract(Decimal(limit), distance)
    return {"distance": as_written(distance), "margin": as_written(margin), "measured_in": unit}


def _seconds_between(first: ReadDate, second: ReadDate) -> Decimal:
    microseconds = abs(_instant(second) - _instant(first)) // _MICROSECOND
    return EXACT.scaleb(Decimal(microseconds), -6)


def _find_disorder(first: ReadDate | None, second: ReadDate | None) -> str | None:
    if first is None or second is None:
        return None
    if first.moment is None or second.moment is None:
        return _INVERTED if first.day > second.day else None
    return _find_zone_problem(first, second) or (_INVERTED if _instant(first) > _instant(second) else None)


def _find_zone_problem(first: ReadDate, second: ReadDate) -> str | None:
    if first.zone or second.zone:
        return TIMEZONE_UNKNOWN
    if (_instant(first).tzinfo is None) != (_instant(second).tzinfo is None):
        return TIMEZONE_MISMATCH
    return None


def _instant(date: ReadDate) -> datetime.datetime:
    return date.moment or datetime.datetime.combine(date.day, _MIDNIGHT)


def _ambiguity(*dates: ReadDate) -> tuple[str, ...]:
    return (DATE_AMBIGUOUS,) if any(date.ambiguous for date in dates) else ()


def _unreadable(expected: Any, first: ReadDate | str | None, second: ReadDate | str) -> Outcome:
    sides: dict[str, list[str]] = {}
    for side, date in (("expected", first), ("observed", second)):
        if isinstance(date, str):
            sides.setdefault(date, []).append(side)
    error = must_be("a whole date, such as '2024-12-31'", expected) if isinstance(first, str) else None
    return Outcome(0.0, notes=tuple(sides), details=sides, error=error)
