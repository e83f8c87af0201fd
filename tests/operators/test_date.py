"""Dates: nothing comes from today, the locale or the machine."""

import datetime
import json

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values import dates
from pytest_verdict.core.values.dates import ReadDate
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
from refusals import refused

DAY = datetime.date(2024, 1, 15)


@pytest.mark.parametrize(
    "observed",
    [
        "2024-01-15",
        "20240115",
        "2024-W03-1",
        " 2024-01-15 ",
        "January 15, 2024",
        "on January 15th, 2024",
        "15 Jan 24",
        "15/01/2024",
        "15.1.2024",
        "2024/01/15",
        "2024-01-15 10am",
        "2024-01-15T23:59:59Z",
        "2024-01-15T23:59:00-05:00",
        "2024-01-15 23:59 EST",
        DAY,
        datetime.datetime(2024, 1, 15, 23, 59),
    ],
    ids=repr,
)
def test_date_match_reads(observed):
    result = compare("date_match", "2024-01-15", observed)
    assert (result.passed, result.notes) == (True, [])
    assert compare("date_match", observed, DAY).passed


@pytest.mark.parametrize(
    "observed",
    [
        "March 2024",
        "2024",
        "2024-03",
        "5",
        "10:00",
        "Friday",
        "Friday March 2024",
        "29 February",
        "2024-W03",
        "2024W03",
    ],
    ids=repr,
)
def test_missing_parts_never_come_from_today(observed):
    result = compare("date_match", observed, observed)
    assert (result.score, result.notes) == (0.0, ["date_incomplete"])
    assert result.details == {"date_incomplete": ["expected", "observed"]}


@pytest.mark.parametrize(
    "observed",
    [
        "",
        "soon",
        "circa 2024",
        "2024-02-30",
        "9" * 20,
        "9" * 500,
        "nan",
        None,
        20240115,
        True,
        [],
        "2024-01-15T10:00+25:00",
    ],
    ids=lambda value: repr(value)[:30],
)
@pytest.mark.parametrize(
    "operator", [DateMatch(), DateTolerance(tolerance=10**12, unit="minutes"), DateRange(min="0001-01-01")], ids=str
)
def test_what_is_no_date_fails_with_a_note(operator, observed):
    result = refused(operator, "2024-01-15", observed, "not_a_date", verdict="fail")
    assert (result.notes, result.details) == (["not_a_date"], {"not_a_date": ["observed"]})


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-W03-1", "2024-01-15"),
        ("2024W031", "2024-01-15"),
        ("2020-W53-7", "2021-01-03"),
        ("2026-W01-1", "2025-12-29"),
        ("2024-W53-1", None),
        ("2024-W03-8", None),
    ],
)
def test_iso_week_dates(text, day):
    if day is None:
        refused("date_match", "2024-01-15", text, "not_a_date", verdict="fail")
    else:
        assert compare("date_match", day, text).passed
        assert compare("date_match", text, day).details == {"expected_date": day, "observed_date": day}


def test_a_week_with_a_time_is_no_instant():
    refused("date_match", "2024-01-15", "2024-W03T10:00", "date_incomplete", verdict="fail")
    refused("date_match", "2024-01-15", "2024-W03", "not_a_date", verdict="fail", format="%d/%m/%Y")


@pytest.mark.parametrize(
    ("observed", "distance"),
    [
        ("2024-01-15T08:29:45Z", "0"),
        ("2024-01-15T08:30:45+00:00", "60"),
        ("2024-01-15T10:00:15+01:30:30", "0"),
        ("20240115T100000+013015", "0"),
    ],
)
def test_an_offset_may_have_seconds(observed, distance):
    result = compare("date_tolerance", "2024-01-15T10:00:00+01:30:15", observed, tolerance=0, unit="minutes")
    assert (result.passed, result.details["distance"]) == (distance == "0", distance)


@given(text=st.text(alphabet="0123456789 -/.:,apmTZJanMonFeb+W", max_size=20))
def test_no_text_raises(text):
    assert compare("date_match", "2024-01-15", text).outcome.error is None


def test_a_year_of_two_digits_does_not_depend_on_the_year():
    assert compare("date_match", "2068-12-31", "31/12/68").passed
    assert compare("date_match", "1969-12-31", "31/12/69").passed


def test_the_zone_of_the_machine_names_no_zone(monkeypatch):
    monkeypatch.setattr("time.tzname", ("EST", "EDT"))
    assert compare("date_tolerance", "2024-01-15 10:00", "2024-01-15 10:00 EST", tolerance=1).notes == [
        "timezone_unknown"
    ]


@pytest.mark.parametrize(
    ("observed", "month_first", "day_first", "notes"),
    [
        ("01/02/2024", "2024-01-02", "2024-02-01", ["date_ambiguous"]),
        ("1.2.2024", "2024-01-02", "2024-02-01", ["date_ambiguous"]),
        ("02/02/2024", "2024-02-02", "2024-02-02", []),
        ("15/01/2024", "2024-01-15", "2024-01-15", []),
        ("2024/01/02", "2024-01-02", "2024-01-02", []),
        ("2024-01-02 10am", "2024-01-02", "2024-01-02", []),
    ],
)
def test_day_and_month_that_could_be_swapped(observed, month_first, day_first, notes):
    for expected, setting in ((month_first, False), (day_first, True)):
        result = compare("date_match", expected, observed, day_first=setting)
        assert (result.passed, result.notes) == (True, notes)


@pytest.mark.parametrize(
    ("format", "expected", "observed", "passes"),
    [
        pytest.param("%d/%m/%Y", "15/01/2024", "15/01/2024", True, id="both-in-the-format"),
        pytest.param("%d/%m/%Y", "2024-01-15", "15/01/2024", True, id="expected-in-iso"),
        pytest.param("%d/%m/%Y", DAY, "15/01/2024", True, id="expected-is-a-date"),
        pytest.param("%d/%m/%Y", "15/01/2024", "2024-01-15", False, id="observed-must-have-the-format"),
        pytest.param("%d %B %Y", "2024-05-15", "15 may 2024", True, id="english-month"),
        pytest.param("%d%b%Y", "2024-01-15", "15Jan2024", True, id="short-month"),
        pytest.param("%Y-%m-%d %H:%M", "2024-01-15", "2024-01-15 10:00", True, id="with-time"),
        pytest.param("%Y %j", "2024-01-15", "2024 015", True, id="day-of-year"),
    ],
)
def test_date_match_with_a_format(format, expected, observed, passes):
    assert compare("date_match", expected, observed, format=format).passed is passes


def test_a_format_comes_before_iso_and_says_when_they_differ():
    result = compare("date_match", "2024-01-02", "2024-01-02", format="%Y-%d-%m")
    assert (result.passed, result.notes) == (True, ["date_ambiguous"])


@pytest.mark.parametrize(
    "format",
    ["", "%H:%M", "%m/%Y", "%A %d/%m/%Y", "%c", "%x", "%d/%m/%Y %p", "%Q", "%Y-%m-%d%", "%Y-%m-%d %d", "%b %m %d %Y"],
)
def test_a_format_gives_a_whole_date_in_every_locale(format):
    with pytest.raises(SettingsError, match="format"):
        DateMatch(format=format)


@pytest.mark.parametrize(
    ("settings", "expected", "observed", "passes", "notes"),
    [
        pytest.param({"tolerance": 3}, "2024-01-15", "2024-01-18", True, [], id="limit"),
        pytest.param({"tolerance": 3}, "2024-01-18", "2024-01-15", True, [], id="limit-before"),
        pytest.param({"tolerance": 3}, "2024-01-15", "2024-01-19", False, [], id="beyond"),
        pytest.param({"tolerance": 1}, "2024-01-15", "2024-01-16T23:59", True, [], id="days-are-calendar-days"),
        pytest.param({"tolerance": 1}, "2024-01-15", "2024-01-16T23:59Z", True, [], id="calendar-days-need-no-zone"),
        pytest.param({"tolerance": 1}, "2024-01-15T00:00", "2024-01-16T00:01", False, [], id="instants-need-24-hours"),
        pytest.param(
            {"tolerance": 5, "unit": "minutes"}, "2024-01-15 10:00", "2024-01-15 10:05", True, [], id="minutes"
        ),
        pytest.param(
            {"tolerance": 5, "unit": "minutes"}, "2024-01-15 10:00", "2024-01-15 10:05:01", False, [], id="second"
        ),
        pytest.param({"tolerance": 24, "unit": "hours"}, "2024-01-15", "2024-01-16", True, [], id="midnights"),
        pytest.param({"tolerance": 0}, "2024-01-15T10:00Z", "2024-01-15T12:00+02:00", True, [], id="one-instant"),
        pytest.param(
            {"tolerance": 1},
            "2024-01-15T10:00",
            "2024-01-15T10:00Z",
            False,
            ["timezone_mismatch"],
            id="aware-and-naive",
        ),
        pytest.param(
            {"tolerance": 1, "unit": "hours"},
            "2024-01-15",
            "2024-01-15T00:00Z",
            False,
            ["timezone_mismatch"],
            id="date-aware",
        ),
        pytest.param(
            {"tolerance": 1},
            "2024-01-15 10:00",
            "2024-01-15 10:00 EST",
            False,
            ["timezone_unknown"],
            id="name-of-a-zone",
        ),
        pytest.param(
            {"tolerance": 1}, "2024-01-15 10:00", "2024-01-15 10:00 GMT+3", False, ["timezone_unknown"], id="posix-sign"
        ),
        pytest.param({"tolerance": 10**15}, "0001-01-01", "9999-12-31", True, [], id="a-tolerance-beyond-timedelta"),
        pytest.param({"tolerance": 10**15}, datetime.datetime.min, datetime.datetime.max, True, [], id="all-of-time"),
    ],
)
def test_date_tolerance(settings, expected, observed, passes, notes):
    result = compare("date_tolerance", expected, observed, **settings)
    assert (result.passed, result.notes) == (passes, notes)


def test_the_evidence_of_a_date_tolerance():
    days = compare("date_tolerance", "2024-01-15", "2024-01-20", tolerance=3).details
    assert days == {"distance": "5", "margin": "-2", "measured_in": "days"}
    seconds = compare(
        "date_tolerance", "2024-01-15T10:00", "2024-01-15T10:00:00.5", tolerance=1, unit="minutes"
    ).details
    assert seconds == {"distance": "0.5", "margin": "59.5", "measured_in": "seconds"}


@pytest.mark.parametrize(
    "settings", [{}, {"tolerance": -1}, {"tolerance": 1.5}, {"tolerance": True}, {"tolerance": 1, "unit": "weeks"}]
)
def test_wrong_tolerances_are_refused(settings):
    with pytest.raises(SettingsError, match=r"tolerance|unit"):
        DateTolerance(**settings)


@given(
    day=st.dates(datetime.date(1, 2, 1), datetime.date(9999, 11, 30)),
    tolerance=st.integers(0, 25),
    sign=st.sampled_from([1, -1]),
)
def test_the_limit_in_days_passes_on_both_sides(day, tolerance, sign):
    operator = DateTolerance(tolerance=tolerance)
    assert operator.evaluate(day, day + sign * datetime.timedelta(tolerance)).score == 1.0
    assert operator.evaluate(day, (day + sign * datetime.timedelta(tolerance + 1)).isoformat()).score == 0.0


@pytest.mark.parametrize(
    ("settings", "expected", "observed", "passes", "notes"),
    [
        pytest.param({"min": "2024-01-01", "max": "2024-12-31"}, "N/A", "2024-12-31", True, [], id="last-day"),
        pytest.param(
            {"min": "2024-01-01", "max": "2024-12-31"}, None, "2024-12-31T23:59", True, [], id="whole-last-day"
        ),
        pytest.param({"min": "2024-01-01", "max": "2024-12-31"}, None, "1 January 2025", False, [], id="after"),
        pytest.param({"min": "2024-01-01"}, None, "2024-01-01T00:00Z", True, [], id="day-bound-needs-no-zone"),
        pytest.param({"max": "2024-01-01T10:00"}, None, "2024-01-01T10:01", False, [], id="time-bound"),
        pytest.param(
            {"max": "2024-01-01T10:00"}, None, "2024-01-01T09:00Z", False, ["timezone_mismatch"], id="no-offset"
        ),
        pytest.param({"min": datetime.date(2024, 1, 1)}, None, "2023-12-31", False, [], id="date-as-setting"),
        pytest.param({}, ["2024-01-01", None], "2024-06-01", True, [], id="pair-as-expected"),
        pytest.param({}, {"max": DAY}, "2024-06-01", False, [], id="mapping-as-expected"),
        pytest.param({}, ["2024-12-31", "2024-01-01"], "2024-06-01", False, ["not_a_range"], id="inverted-evidence"),
        pytest.param({}, "2024-01-01", "2024-06-01", False, ["not_a_range"], id="no-range"),
        pytest.param({}, [None, None], "2024-06-01", False, ["not_a_range"], id="no-bounds"),
        pytest.param({}, ["March 2024", None], "2024-06-01", False, ["date_incomplete"], id="incomplete-bound"),
        pytest.param({}, ["x", None], "2024-06-01", False, ["not_a_date"], id="unreadable-bound"),
    ],
)
def test_date_range(settings, expected, observed, passes, notes):
    result = compare("date_range", expected, observed, **settings)
    assert (result.passed, result.notes) == (passes, notes)


@pytest.mark.parametrize(
    "settings",
    [
        {"min": "bogus"},
        {"max": "March 2024"},
        {"min": "1/2/2024"},
        {"min": 5},
        {"min": "2024-02-01", "max": "2024-01-01"},
    ],
    ids=repr,
)
def test_wrong_bounds_are_refused(settings):
    with pytest.raises(SettingsError, match=r"min|max"):
        DateRange(**settings)


def test_bounds_in_settings_survive_json():
    operator = DateRange(min=DAY, max=datetime.datetime(2024, 6, 1, 10, tzinfo=datetime.UTC))
    assert operator.settings() == {"min": "2024-01-15", "max": "2024-06-01T10:00:00+00:00", "day_first": False}
    assert DateRange(**json.loads(json.dumps(operator.settings()))) == operator


@given(
    st.integers(0, 40),
    st.sampled_from([*dates._MONTHS, "Jan", "sep", "SEPT", "mai", "Ma"]),
    st.integers(900, 10_100),
    st.sampled_from(["{0} {1} {2}", "{1} {0}, {2}", "{1} {0} {2}", "{0:02} {1} {2}", "{0}. {1} {2}", " {0} {1} {2}"]),
)
def test_a_date_with_a_named_month_is_what_dateutil_reads(day, month, year, form):
    text = form.format(day, month, year)
    found = dates._read_named(text)
    assert found is None or found == dates._read_free(text, day_first=False) == dates._read_free(text, day_first=True)


def test_the_usual_forms_are_read_at_once():
    assert dates._read_named("1 May 2024") == dates._read_named("may 01, 2024") == ReadDate(datetime.date(2024, 5, 1))
