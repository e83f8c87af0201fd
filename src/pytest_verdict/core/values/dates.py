"""Dates in text, read in the same way on every day, in every locale and on every machine.

ISO 8601 comes first, then the free forms that python-dateutil reads in English. No part is filled in from today: a part that
the text does not have is missing, and a year of two digits is 1969 to 2068, as in POSIX.
"""

import contextlib
import datetime
import functools
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_verdict.errors import allowed

NOT_A_DATE: Final = "not_a_date"
DATE_INCOMPLETE: Final = "date_incomplete"

# No date is longer, and dateutil is slow on long texts.
_LONGEST: Final = 200
# dateutil fills missing parts in from each of these. Every part differs, so the two results differ as well; both years have
# a 29 February, and the days are in different weeks, for dates with the name of a weekday.
_FILLERS: Final = (datetime.datetime(2000, 1, 1, 0, 0), datetime.datetime(2004, 2, 15, 11, 11))  # noqa: DTZ001 - never compared
_WEEK: Final = re.compile(r"[0-9]{4}-?W[0-9]{2}(?!-?[0-9])")
_YEAR_FIRST: Final = re.compile(r"\s*[0-9]{4}(?![0-9])")
# "GMT+3" is three hours behind in POSIX and dateutil, but three hours ahead for most authors, so it is no zone.
_SIGNED_ZONE: Final = re.compile(r":[0-9]{2}.*?([A-Za-z]{3,5}[+-][0-9]+)")
_DIRECTIVES: Final = frozenset("YymbBdjHMSfz")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NAME: Final = f"({'|'.join(f'{month}|{month[:3]}' for month in _MONTHS)})"
_NAMED: Final = re.compile(
    rf"(?:([0-9]{{1,2}}) {_NAME}|{_NAME} ([0-9]{{1,2}}),?) ([1-9][0-9]{{3}})", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class ReadDate:
    """A date that was read."""

    day: datetime.date
    moment: datetime.datetime | None = None
    ambiguous: bool = False
    zone: str | None = None


def read_date(value: Any, *, day_first: bool = False) -> ReadDate | str:
    """Read a date, or return a note."""
    if isinstance(value, datetime.datetime):
        return _with_time(value)
    if isinstance(value, datetime.date):
        return ReadDate(value)
    if not isinstance(value, str) or len(value) > _LONGEST or _has_other_digits(value):
        return NOT_A_DATE
    if _WEEK.match(value.strip()):
        return DATE_INCOMPLETE
    return _read_iso(value) or _read_named(value) or _read_free(value, day_first=day_first)


def read_formatted(value: Any, form: str, *, or_iso: bool = False) -> ReadDate | str:
    """Read a date in a strptime format, with English names of months."""
    if not isinstance(value, str) or len(value) > _LONGEST or _has_other_digits(value):
        return read_date(value)
    iso = _read_iso(value) if or_iso else None
    try:
        moment = datetime.datetime.strptime(*_with_numbered_month(value.strip(), form))  # noqa: DTZ007 - an offset is optional
    except (ValueError, OverflowError):
        return iso or NOT_A_DATE
    date = _with_time(moment) if "%H" in form else ReadDate(moment.date())
    if iso is not None and iso.day != date.day:
        return replace(date, ambiguous=True)
    return date


def check_format_directives(form: str) -> str:
    """Return a strptime format; refuse one that has no whole date or depends on the locale."""
    directives = [name for name in re.findall(r"%(.?)", form, re.DOTALL) if name != "%"]
    for name in directives:
        if name not in _DIRECTIVES:
            raise ValueError(
                f"{'%' + name!r} in {form!r} is unknown, or its meaning depends on the locale."
                + allowed("directive", f"%{name}", [f"%{directive}" for directive in _DIRECTIVES])
            )
    kinds = ["m" if name in "bB" else name.lower() if name in "Yy" else name for name in directives]
    if len(set(kinds)) < len(kinds):
        raise ValueError(f"{form!r} gives one part of the date twice")
    if not ({"y", "m", "d"} <= set(kinds) or {"y", "j"} <= set(kinds)):
        raise ValueError(f"{form!r} must give a whole date: a year (%Y), a month (%m, %b, %B) and a day (%d)")
    return form


def _has_other_digits(text: str) -> bool:
    return any(sign.isnumeric() and not sign.isascii() for sign in text)


def _with_numbered_month(text: str, form: str) -> tuple[str, str]:
    # strptime would read the names in the language of the locale.
    directive = next((name for name in ("%B", "%b") if name in form), None)
    if directive is None:
        return text, form
    names = [month if directive == "%B" else month[:3] for month in _MONTHS]
    numbers = {name.lower(): f"{number:02}" for number, name in enumerate(names, 1)}
    text = re.sub("|".join(names), lambda match: numbers[match[0].lower()], text, count=1, flags=re.IGNORECASE)
    return text, form.replace(directive, "%m")


def _with_time(moment: datetime.datetime, *, ambiguous: bool = False, zone: str | None = None) -> ReadDate:
    offset = moment.utcoffset()
    fixed_zone = None if offset is None else datetime.timezone(offset)
    return ReadDate(moment.date(), moment.replace(tzinfo=fixed_zone), ambiguous, zone)


def _read_iso(text: str) -> ReadDate | None:
    stripped = text.strip()
    if _WEEK.match(stripped):
        # Python would return the Monday of the week.
        return None
    with contextlib.suppress(ValueError):
        return ReadDate(datetime.date.fromisoformat(stripped))
    with contextlib.suppress(ValueError):
        return _with_time(datetime.datetime.fromisoformat(stripped))
    return None


def _read_named(text: str) -> ReadDate | None:
    """Read the most common English forms, 1 May 2024 and May 1, 2024, which dateutil would parse four times."""
    match = _NAMED.fullmatch(text)
    if match is None:
        return None
    day, name, other_name, other_day, year = match.groups()
    month = next(at for at, month in enumerate(_MONTHS, 1) if month.startswith((name or other_name).title()))
    try:
        return ReadDate(datetime.date(int(year), month, int(day or other_day)))
    except ValueError:
        return None


def _read_free(text: str, *, day_first: bool) -> ReadDate | str:
    # After a year comes the month; dateutil would swap month and day.
    year_first = _YEAR_FIRST.match(text) is not None
    try:
        moment, other, zone = _parse_free(text, day_first=day_first and not year_first)
        swapped = moment
        if not year_first:
            swapped = _parse_free(text, day_first=not day_first)[0]
        if moment.date() != other.date():
            return DATE_INCOMPLETE
        ambiguous = swapped.date() != moment.date()
        if moment.hour != other.hour:
            return ReadDate(moment.date(), ambiguous=ambiguous, zone=zone)
        return _with_time(moment, ambiguous=ambiguous, zone=zone)
    except Exception:  # noqa: BLE001 - dateutil raises many kinds of exceptions
        return NOT_A_DATE


def _parse_free(text: str, *, day_first: bool) -> tuple[datetime.datetime, datetime.datetime, str | None]:
    unknown: list[str] = []

    def offset_of(name: str | None, offset: int | None) -> int | None:
        # dateutil would look the name up in the zone of this machine.
        if offset is None and name:
            unknown.append(name)
        return offset

    parse = functools.partial(_free_parser().parse, text, dayfirst=day_first, tzinfos=offset_of)
    first, second = (parse(default=filler) for filler in _FILLERS)
    signed = _SIGNED_ZONE.search(text)
    return first, second, signed.group(1) if signed else next(iter(unknown), None)


@functools.cache
def _free_parser() -> Any:
    from dateutil.parser import parser, parserinfo

    class FixedCentury(parserinfo):
        def convertyear(self, year: int, century_specified: bool = False) -> int:  # noqa: FBT001, FBT002 - dateutil's signature
            """Return the full year; dateutil would use the current one."""
            if year >= 100 or century_specified:
                return year
            return year + (1900 if year >= 69 else 2000)

    return parser(FixedCentury())
