"""Values from the reply of a model that booked a flight. Two of them are wrong."""

import datetime
import json
from pathlib import Path

from pytest_verdict import assert_matches

REPLY = json.loads(Path(__file__).with_name("reply.json").read_text(encoding="utf-8"))

PASSENGERS = [
    {"name": "Ada Berg", "born": "1990-04-05", "seat": "12A"},
    {"name": "Noah Berg", "born": "2019-08-12", "seat": "12B"},
]
MESSAGE = """\
Dear Ms Berg,
your two seats to Paris are booked.
Please be at gate B7 at 8:40.
Have a good flight."""


def test_departure():
    assert_matches("date_match", datetime.date(2027, 3, 12), REPLY["departs"])


def test_price():
    assert_matches(
        "numeric_tolerance",
        1250,
        REPLY["price"],
        tolerance=0.001,
        normalize=["strip_thousands_separators"],
    )


def test_booking(comparator):
    with comparator.collect():
        comparator.assert_matches(
            "exact", PASSENGERS, REPLY["passengers"], name="people"
        )
        comparator.assert_matches("exact", MESSAGE, REPLY["message"], name="message")
