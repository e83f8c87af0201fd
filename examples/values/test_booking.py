"""Values out of a model's answer, which was asked to read a booking from an e-mail. One date of birth is wrong, and fails."""

import datetime
import json
from pathlib import Path

from pytest_verdict import assert_matches

REPLY = json.loads(Path(__file__).with_name("reply.json").read_text(encoding="utf-8"))

PASSENGERS = [
    {"name": "Ada Berg", "born": "1990-04-05", "seat": "12A"},
    {"name": "Noah Berg", "born": "2019-08-12", "seat": "12B"},
    {"name": "Ida Berg", "born": "2021-02-28", "seat": "12C"},
]


def test_departure():
    assert_matches("date_match", datetime.date(2027, 3, 12), REPLY["flight"]["departs"])


def test_price():
    assert_matches("numeric_exact", 1249.9, REPLY["price"], normalize=["strip_thousands_separators"])


def test_passengers():
    assert_matches("exact", PASSENGERS, REPLY["passengers"])
