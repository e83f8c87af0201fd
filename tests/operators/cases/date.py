"""Dates and times."""

import datetime

from operators.cases import case

CASES = [
    case("date_match", "2024-05-01", "1 May 2024", "pass"),
    case("date_match", "2024-05-01", "someday", "fail", "not_a_date"),
    case("date_match", "2024-01-15", "2024-01-15", "pass"),
    case("date_match", "2024-01-15", "20240115", "pass"),
    case("date_match", "2024-01-15", "2024-W03-1", "pass"),
    case("date_match", "2024-01-15", " 2024-01-15 ", "pass"),
    case("date_match", "2024-01-15", "January 15, 2024", "pass"),
    case("date_match", "2024-01-15", "on January 15th, 2024", "pass"),
    case("date_match", "2024-01-15", "15 Jan 24", "pass"),
    case("date_match", "2024-01-15", "15/01/2024", "pass"),
    case("date_match", "2024-01-15", "15.1.2024", "pass"),
    case("date_match", "2024-01-15", "2024/01/15", "pass"),
    case("date_match", "2024-01-15", "2024-01-15 10am", "pass"),
    case("date_match", "2024-01-15", "2024-01-15T23:59:59Z", "pass"),
    case("date_match", "2024-01-15", "2024-01-15T23:59:00-05:00", "pass"),
    case("date_match", "2024-01-15", "2024-01-15 23:59 EST", "pass"),
    case("date_match", "2024-01-15", datetime.date(2024, 1, 15), "pass"),
    case("date_match", "2024-01-15", datetime.datetime(2024, 1, 15, 23, 59), "pass"),
    case("date_match", "March 2024", "March 2024", "error", "date_incomplete"),
    case("date_match", "2024", "2024", "error", "date_incomplete"),
    case("date_match", "2024-03", "2024-03", "error", "date_incomplete"),
    case("date_match", "5", "5", "error", "date_incomplete"),
    case("date_match", "10:00", "10:00", "error", "date_incomplete"),
    case("date_match", "Friday", "Friday", "error", "date_incomplete"),
    case("date_match", "Friday March 2024", "Friday March 2024", "error", "date_incomplete"),
    case("date_match", "29 February", "29 February", "error", "date_incomplete"),
    case("date_match", "2024-W03", "2024-W03", "error", "date_incomplete"),
    case("date_match", "2024W03", "2024W03", "error", "date_incomplete"),
    case("date_match", "2024-01-15", "2024W031", "pass"),
    case("date_match", "2021-01-03", "2020-W53-7", "pass"),
    case("date_match", "2025-12-29", "2026-W01-1", "pass"),
    case("date_match", "2024-01-15", "2024-W53-1", "fail", "not_a_date"),
    case("date_match", "2024-01-15", "2024-W03-8", "fail", "not_a_date"),
    case("date_match", "15/01/2024", "15/01/2024", "pass", format="%d/%m/%Y"),  # both in the format
    case("date_match", "2024-01-15", "15/01/2024", "pass", format="%d/%m/%Y"),  # expected in iso
    case("date_match", datetime.date(2024, 1, 15), "15/01/2024", "pass", format="%d/%m/%Y"),  # expected is a date
    case(
        "date_match", "15/01/2024", "2024-01-15", "fail", "not_a_date", format="%d/%m/%Y"
    ),  # observed must have the format
    case("date_match", "2024-05-15", "15 may 2024", "pass", format="%d %B %Y"),  # english month
    case("date_match", "2024-01-15", "15Jan2024", "pass", format="%d%b%Y"),  # short month
    case("date_match", "2024-01-15", "2024-01-15 10:00", "pass", format="%Y-%m-%d %H:%M"),  # with time
    case("date_match", "2024-01-15", "2024 015", "pass", format="%Y %j"),  # day of year
    case("date_match", "2024-01-02", "01/02/2024", "pass", "date_ambiguous"),
    case("date_match", "2024-02-01", "01/02/2024", "pass", "date_ambiguous", day_first=True),
    case("date_match", "2024-01-02", "1.2.2024", "pass", "date_ambiguous"),
    case("date_match", "2024-02-01", "1.2.2024", "pass", "date_ambiguous", day_first=True),
    case("date_match", "2024-02-02", "02/02/2024", "pass"),
    case("date_match", "2024-02-02", "02/02/2024", "pass", day_first=True),
    case("date_match", "2024-01-15", "15/01/2024", "pass", day_first=True),
    case("date_match", "2024-01-02", "2024/01/02", "pass"),
    case("date_match", "2024-01-02", "2024/01/02", "pass", day_first=True),
    case("date_match", "2024-01-02", "2024-01-02 10am", "pass"),
    case("date_match", "2024-01-02", "2024-01-02 10am", "pass", day_first=True),
    case("date_match", "ignored", "2024-01-01", "error", "not_a_date"),
    case("date_match", "March 2024", "x", "error", "date_incomplete", "not_a_date"),
    case("date_match", "2024-02-30", "30/02/2024", "error", "not_a_date", format="%d/%m/%Y"),
    case("date_match", "2024-01-01", "soon", "fail", "not_a_date"),
    case("date_range", ["2024-01-01", "2024-12-31"], "2024-05-01", "pass"),
    case("date_range", "N/A", "2024-12-31", "pass", min="2024-01-01", max="2024-12-31"),  # last day
    case("date_range", None, "2024-12-31T23:59", "pass", min="2024-01-01", max="2024-12-31"),  # whole last day
    case("date_range", None, "1 January 2025", "fail", min="2024-01-01", max="2024-12-31"),  # after
    case("date_range", None, "2024-01-01T00:00Z", "pass", min="2024-01-01"),  # day bound needs no zone
    case("date_range", None, "2024-01-01T10:01", "fail", max="2024-01-01T10:00"),  # time bound
    case("date_range", None, "2024-01-01T09:00Z", "fail", "timezone_mismatch", max="2024-01-01T10:00"),  # no offset
    case("date_range", None, "2023-12-31", "fail", min=datetime.date(2024, 1, 1)),  # date as setting
    case("date_range", ["2024-01-01", None], "2024-06-01", "pass"),  # pair as expected
    case("date_range", {"max": datetime.date(2024, 1, 15)}, "2024-06-01", "fail"),  # mapping as expected
    case("date_range", ["2024-12-31", "2024-01-01"], "2024-06-01", "error", "not_a_range"),  # inverted evidence
    case("date_range", "2024-01-01", "2024-06-01", "error", "not_a_range"),  # no range
    case("date_range", [None, None], "2024-06-01", "error", "not_a_range"),  # no bounds
    case("date_range", ["March 2024", None], "2024-06-01", "error", "date_incomplete"),  # incomplete bound
    case("date_range", ["x", None], "2024-06-01", "error", "not_a_date"),  # unreadable bound
    case("date_range", [None, "x"], "y", "error", "not_a_date"),
    case("date_range", ["2024-01-15 10:00 EST", None], "2024-06-01 10:00", "error", "timezone_unknown"),
    case("date_range", ["2024-01-01", None], "x", "fail", "not_a_date"),
    case("date_tolerance", "2024-05-01", "2024-05-03", "fail", tolerance=1),
    case("date_tolerance", "2024-01-15", "2024-01-18", "pass", tolerance=3),  # limit
    case("date_tolerance", "2024-01-18", "2024-01-15", "pass", tolerance=3),  # limit before
    case("date_tolerance", "2024-01-15", "2024-01-19", "fail", tolerance=3),  # beyond
    case("date_tolerance", "2024-01-15", "2024-01-16T23:59", "pass", tolerance=1),  # days are calendar days
    case("date_tolerance", "2024-01-15", "2024-01-16T23:59Z", "pass", tolerance=1),  # calendar days need no zone
    case("date_tolerance", "2024-01-15T00:00", "2024-01-16T00:01", "fail", tolerance=1),  # instants need 24 hours
    case("date_tolerance", "2024-01-15 10:00", "2024-01-15 10:05", "pass", tolerance=5, unit="minutes"),  # minutes
    case("date_tolerance", "2024-01-15 10:00", "2024-01-15 10:05:01", "fail", tolerance=5, unit="minutes"),  # second
    case("date_tolerance", "2024-01-15", "2024-01-16", "pass", tolerance=24, unit="hours"),  # midnights
    case("date_tolerance", "2024-01-15T10:00Z", "2024-01-15T12:00+02:00", "pass", tolerance=0),  # one instant
    case(
        "date_tolerance", "2024-01-15T10:00", "2024-01-15T10:00Z", "fail", "timezone_mismatch", tolerance=1
    ),  # aware and naive
    case(
        "date_tolerance", "2024-01-15", "2024-01-15T00:00Z", "fail", "timezone_mismatch", tolerance=1, unit="hours"
    ),  # date aware
    case(
        "date_tolerance", "2024-01-15 10:00", "2024-01-15 10:00 EST", "fail", "timezone_unknown", tolerance=1
    ),  # name of a zone
    case(
        "date_tolerance", "2024-01-15 10:00", "2024-01-15 10:00 GMT+3", "fail", "timezone_unknown", tolerance=1
    ),  # posix sign
    case("date_tolerance", "0001-01-01", "9999-12-31", "fail", tolerance=3652057),  # a tolerance beyond timedelta
    case("date_tolerance", datetime.datetime.min, datetime.datetime.max, "fail", tolerance=3652057),  # all of time
    case("date_tolerance", 5, "2024-01-01", "error", "not_a_date", tolerance=1),
    case("date_tolerance", "2024-01-15 10:00 EST", "2024-01-15 10:00", "error", "timezone_unknown", tolerance=1),
    case("date_tolerance", "2024-01-01", "March 2024", "fail", "date_incomplete", tolerance=1),
    case("date_tolerance", "2024-01-15 10:00", "2024-01-15T10:00Z", "fail", "timezone_mismatch", tolerance=1),
    case("date_match", "January 15, 2024", datetime.date(2024, 1, 15), "pass"),
]
