"""Dates: nothing comes from today, the locale or the machine."""

import datetime
import json

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
from refusals import refused

DAY = datetime.date(2024, 1, 15)


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
    "operator", [DateMatch(), DateTolerance(tolerance=10**9, unit="minutes"), DateRange(min="0001-01-02")], ids=str
)
def test_not_a_date_fails_with_note(operator, observed):
    result = refused(operator, operator.effective_expected("2024-01-15"), observed, "not_a_date", verdict="fail")
    assert (result.notes, result.details) == (["not_a_date"], {"not_a_date": ["observed"]})


# Bounds with and without offset, an instant, the verdict and the notes: days are compared as they are written, instants as
# instants, and an instant without an offset is never compared with one that has it.
ZONES = [
    (["2024-01-01", "2024-01-31"], "2024-01-31T23:59-12:00", "pass", []),
    (["2024-01-01", "2024-01-31"], "2024-02-01T00:30+14:00", "fail", []),
    (["2024-01-01T10:00Z", None], "2024-01-01T11:30+01:00", "pass", []),
    (["2024-01-01T10:00Z", None], "2024-01-01T10:30+01:00", "fail", []),
    ([None, "2024-01-01T10:00+05:30"], "2024-01-01T04:30Z", "pass", []),
    ([None, "2024-01-01T10:00+05:30"], "2024-01-01T04:31Z", "fail", []),
    (["2024-01-01T10:00Z", None], "2024-01-01T11:00", "fail", ["timezone_mismatch"]),
    (["2024-01-01T10:00", None], "2024-01-01T11:00Z", "fail", ["timezone_mismatch"]),
    (["2024-01-01T10:00", None], "2024-01-01T10:00", "pass", []),
    (["2024-01-01", "2024-01-31T12:00Z"], "2024-01-31T12:30+01:00", "pass", []),
    (["2024-01-01", "2024-01-31T12:00Z"], "2024-01-31T12:30", "fail", ["timezone_mismatch"]),
    (["2024-01-01T00:00Z", None], "2024-01-01", "pass", []),
    (["2024-01-01 10:00 EST", None], "2024-01-01", "pass", []),
    (["2024-01-01 10:00 EST", None], "2024-01-01T12:00Z", "error", ["timezone_unknown"]),
]


@pytest.mark.parametrize(("bounds", "observed", "verdict", "notes"), ZONES)
def test_date_range_across_time_zones(bounds, observed, verdict, notes):
    result = compare("date_range", bounds, observed)
    assert (result.verdict, result.notes) == (verdict, notes)


def test_details_name_incomplete_sides():
    assert compare("date_match", "2024", "March 2024").details == {"date_incomplete": ["expected", "observed"]}


def test_details_have_the_parsed_dates():
    result = compare("date_match", "2020-W53-7", "2021-01-03")
    assert result.details == {"expected_date": "2021-01-03", "observed_date": "2021-01-03"}


def test_week_with_time_is_incomplete():
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
def test_offset_may_have_seconds(observed, distance):
    result = compare("date_tolerance", "2024-01-15T10:00:00+01:30:15", observed, tolerance=0, unit="minutes")
    assert (result.passed, result.details["distance"]) == (distance == "0", distance)


@given(text=st.text(alphabet="0123456789 -/.:,apmTZJanMonFeb+W", max_size=20))
def test_no_text_raises(text):
    assert compare("date_match", "2024-01-15", text).outcome.error is None


def test_two_digit_year_does_not_depend_on_today():
    assert compare("date_match", "2068-12-31", "31/12/68").passed
    assert compare("date_match", "1969-12-31", "31/12/69").passed


def test_local_time_zone_name_is_unknown(monkeypatch):
    monkeypatch.setattr("time.tzname", ("EST", "EDT"))
    assert compare("date_tolerance", "2024-01-15 10:00", "2024-01-15 10:00 EST", tolerance=1).notes == [
        "timezone_unknown"
    ]


def test_format_wins_over_iso_with_note_if_they_differ():
    result = compare("date_match", "2024-01-02", "2024-01-02", format="%Y-%d-%m")
    assert (result.passed, result.notes) == (True, ["date_ambiguous"])


@pytest.mark.parametrize(
    "format",
    ["", "%H:%M", "%m/%Y", "%A %d/%m/%Y", "%c", "%x", "%d/%m/%Y %p", "%Q", "%Y-%m-%d%", "%Y-%m-%d %d", "%b %m %d %Y"],
)
def test_format_must_be_a_whole_date_in_every_locale(format):
    with pytest.raises(SettingsError, match="format"):
        DateMatch(format=format)


def test_date_tolerance_details():
    days = compare("date_tolerance", "2024-01-15", "2024-01-20", tolerance=3).details
    assert days == {"distance": "5", "margin": "-2", "measured_in": "days"}
    seconds = compare(
        "date_tolerance", "2024-01-15T10:00", "2024-01-15T10:00:00.5", tolerance=1, unit="minutes"
    ).details
    assert seconds == {"distance": "0.5", "margin": "59.5", "measured_in": "seconds"}


@pytest.mark.parametrize(
    "settings", [{}, {"tolerance": -1}, {"tolerance": 1.5}, {"tolerance": True}, {"tolerance": 1, "unit": "weeks"}]
)
def test_date_tolerance_rejects_invalid_settings(settings):
    with pytest.raises(SettingsError, match=r"tolerance|unit"):
        DateTolerance(**settings)


@given(
    day=st.dates(datetime.date(1, 2, 1), datetime.date(9999, 11, 30)),
    tolerance=st.integers(0, 25),
    sign=st.sampled_from([1, -1]),
)
def test_date_tolerance_includes_the_limit_on_both_sides(day, tolerance, sign):
    operator = DateTolerance(tolerance=tolerance)
    assert operator.evaluate(day, day + sign * datetime.timedelta(tolerance)).score == 1.0
    assert operator.evaluate(day, (day + sign * datetime.timedelta(tolerance + 1)).isoformat()).score == 0.0


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
def test_date_range_rejects_invalid_bounds(settings):
    with pytest.raises(SettingsError, match=r"min|max"):
        DateRange(**settings)


def test_date_range_bounds_round_trip():
    operator = DateRange(min=DAY, max=datetime.datetime(2024, 6, 1, 10, tzinfo=datetime.UTC))
    assert operator.settings() == {"min": "2024-01-15", "max": "2024-06-01T10:00:00+00:00", "day_first": False}
    assert DateRange(**json.loads(json.dumps(operator.settings()))) == operator


@pytest.mark.parametrize(
    ("observed", "passes"),
    [("2024-01-15T10:00:02", True), ("2024-01-15T09:59:58", True), ("2024-01-15T10:00:02.001", False)],
)
def test_date_tolerance_in_seconds_includes_its_limit(observed, passes):
    result = compare("date_tolerance", "2024-01-15T10:00:00", observed, tolerance=2, unit="seconds")
    assert result.passed is passes
