"""The replies of an assistant about two capitals. The one for Australia is wrong."""

import json
from pathlib import Path

import pytest

from pytest_verdict import assert_matches

ANSWERS = json.loads(
    Path(__file__).with_name("answers.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("country", "capital"), [("France", "Paris"), ("Australia", "Canberra")]
)
def test_capital(country, capital):
    assert_matches(
        "normalized_exact", expected=capital, observed=ANSWERS[country]["reply"]
    )


def test_population_of_paris():
    population = ANSWERS["France"]["population"]
    assert_matches(
        "numeric_tolerance",
        2_100_000,
        population,
        tolerance=0.01,
        normalize=["strip_thousands_separators"],
    )


def test_facts_about_paris():
    assert_matches(
        "json_canonical",
        {"founded": -250, "river": "Seine"},
        ANSWERS["France"]["facts"],
    )
