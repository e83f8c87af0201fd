"""Dates in text, read the same way on every day, in every locale and on every machine.

ISO 8601 is tried first, then the free forms that python-dateutil reads in English. Nothing is ever taken from today: a part
that the text does not state is missing, and a year of two digits is 1969 to 2068, as POSIX has it.
"""

import datetime
import functools
import re
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_verdict.errors import allowed

NOT_A_DATE: Final = "not_a_date"
DATE_INCOMPLETE: Final = "date_incomplete"

# No date is longer; dateutil takes long over long text.
_LONGEST: Final = 200
# Each part differs, both years have a 29 February, and the days lie in different weeks, so that a part which was filled in
# shows as a difference, even one that dateutil moved to a named weekday.
_FILLERS: Final = (datetime.datetime(2000, 1, 1, 0, 0), datetime.datetime(2004, 2, 15, 11, 11))  # noqa: DTZ001 - never compared
_WEEK: Final = re.compile(r"[0-9]{4}-?W[0-9]{2}(?!-?[0-9])")
_YEAR_FIRST: Final = re.compile(r"\s*[0-9]{4}(?![0-9])")
# To dateutil "GMT+3" is three hours behind, as POSIX has it, and to most authors three hours ahead: it tells no zone.
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
    """A date as it was written."""

    day: datetime.date
    moment: datetime.datetime | None = None
    ambiguous: bool = False
    zone: str | None = None


def read_date(value: Any, *, day_first: bool = False) -> ReadDate | str:
    """Read a date."""
    if isinstance(value, datetime.datetime):
        return _with_time(value)
    if isinstance(value, datetime.date):
        return ReadDate(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return NOT_A_DATE
    if _WEEK.match(value.strip()):
        return DATE_INCOMPLETE
    return _read_iso(value) or _read_named(value) or _read_free(value, day_first=day_first)


def read_formatted(value: Any, form: str, *, or_iso: bool = False) -> ReadDate | str:
    """Read a date in a strptime format; names of months are English in every locale."""
    if not isinstance(value, str) or len(value) > _LONGEST:
        return read_date(value)
    iso = _read_iso(value) if or_iso else None
    try:
        moment = datetime.datetime.strptime(*_with_numbered_month(value.strip(), form))  # noqa: DTZ007 - an offset is optional
    except (ValueError, OverflowError):
        return iso or NOT_A_DATE
    if "%H" in form:
        found = _with_time(moment)
    else:
        found = ReadDate(moment.date())
    if iso is not None and iso.day != found.day:
        return replace(found, ambiguous=True)
    return found


def checked_format(form: str) -> str:
    """Accept a strptime format that gives a whole date and depends on no locale."""
    directives = [name for name in re.findall(r"%(.?)", form, re.DOTALL) if name != "%"]
    for name in directives:
        if name not in _DIRECTIVES:
            raise ValueError(
                f"{'%' + name!r} in {form!r} is unknown, or its meaning depends on the locale."
                + allowed("directive", f"%{name}", [f"%{known}" for known in _DIRECTIVES])
            )
    kinds = ["m" if name in "bB" else name.lower() if name in "Yy" else name for name in directives]
    if len(set(kinds)) < len(kinds):
        raise ValueError(f"{form!r} gives one part of the date twice")
    if not ({"y", "m", "d"} <= set(kinds) or {"y", "j"} <= set(kinds)):
        raise ValueError(f"{form!r} must give a whole date: a year (%Y), a month (%m, %b, %B) and a day (%d)")
    return form


def _with_numbered_month(text: str, form: str) -> tuple[str, str]:
    # strptime would look for the names in the language of the locale.
    directive = next((name for name in ("%B", "%b") if name in form), None)
    if directive is None:
        return text, form
    names = [month if directive == "%B" else month[:3] for month in _MONTHS]
    numbers = {name.lower(): f"{number:02}" for number, name in enumerate(names, 1)}
    found = re.search("|".join(names), text, re.IGNORECASE)
    if found is not None:
        text = text[: found.start()] + numbers[found.group().lower()] + text[found.end() :]
    return text, form.replace(directive, "%m")


def _with_time(moment: datetime.datetime, *, ambiguous: bool = False, zone: str | None = None) -> ReadDate:
    offset = moment.utcoffset()
    if offset is None:
        fixed = None
    else:
        fixed = datetime.timezone(offset)
    return ReadDate(moment.date(), moment.replace(tzinfo=fixed), ambiguous, zone)


def _read_iso(text: str) -> ReadDate | None:
    stripped = text.strip()
    if _WEEK.match(stripped):
        # Python would take the Monday of a week for the date.
        return None
    try:
        return ReadDate(datetime.date.fromisoformat(stripped))
    except ValueError:
        pass
    try:
        return _with_time(datetime.datetime.fromisoformat(stripped))
    except ValueError:
        return None


def _read_named(text: str) -> ReadDate | None:
    """Read the most common English form at once, for which dateutil is asked four times: 1 May 2024, or May 1, 2024."""
    found = _NAMED.fullmatch(text)
    if found is None:
        return None
    day, name, other_name, other_day, year = found.groups()
    month = next(at for at, month in enumerate(_MONTHS, 1) if month.startswith((name or other_name).title()))
    try:
        return ReadDate(datetime.date(int(year), month, int(day or other_day)))
    except ValueError:
        return None


def _read_free(text: str, *, day_first: bool) -> ReadDate | str:
    # Where the year comes first the month follows; dateutil would swap them too.
    year_first = _YEAR_FIRST.match(text) is not None
    try:
        found, other, zone = _parsed(text, day_first=day_first and not year_first)
        if year_first:
            swapped = found
        else:
            swapped = _parsed(text, day_first=not day_first)[0]
        if found.date() != other.date():
            return DATE_INCOMPLETE
        ambiguous = swapped.date() != found.date()
        if found.hour != other.hour:
            return ReadDate(found.date(), ambiguous=ambiguous, zone=zone)
        return _with_time(found, ambiguous=ambiguous, zone=zone)
    except Exception:  # noqa: BLE001 - dateutil raises many kinds of exceptions on text that is no date
        return NOT_A_DATE


def _parsed(text: str, *, day_first: bool) -> tuple[datetime.datetime, datetime.datetime, str | None]:
    unknown: list[str] = []

    def offset_of(name: str | None, offset: int | None) -> int | None:
        # dateutil would look a name up among those of this machine's own zone.
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
            """Place a year of two digits without asking which year it is."""
            if year >= 100 or century_specified:
                return year
            return year + (1900 if year >= 69 else 2000)

    return parser(FixedCentury())
