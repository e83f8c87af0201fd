"""What did not come from two values: an output that is there, a comparison that could not be made, what a scorer said."""

import math

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import UndecidedError, compare
from pytest_verdict.laws import check_operator_laws
from pytest_verdict.operators import NotBlank
from pytest_verdict.operators.evidence import not_compared
from pytest_verdict.session import publish
from refusals import refused

BLANK = [None, "", " ", "\n\t\u00a0\u2003\x1f", {}, [], (), set(), b"", math.nan]
THERE = ["a", " a ", 0, 0.0, False, {"a": None}, [""], [None], b"\0", math.inf, {0}, "\u200b"]


@pytest.mark.parametrize("observed", BLANK, ids=repr)
def test_what_is_blank_is_refused(observed):
    for expected in (None, observed, "a"):
        refused("not_blank", expected, observed, "blank", verdict="fail")


@pytest.mark.parametrize("observed", THERE, ids=repr)
def test_what_is_there_passes(observed):
    result = compare("not_blank", "whatever", observed)
    assert (result.verdict, result.score, result.notes, result.expected) == ("pass", 1.0, [], None)


@given(st.text(max_size=5))
def test_a_text_is_blank_when_no_character_is_anything_but_blank(text):
    assert compare("not_blank", None, text).passed == compare("regex", r"\S", text, mode="search").passed


def test_its_settings_say_all_that_is_expected():
    assert not NotBlank().needs_expected()


def test_it_keeps_the_laws():
    check_operator_laws(NotBlank(), examples=50)


def test_the_reason_is_the_error():
    result = publish(not_compared("the adapter raised OSError", "Paris", instead_of="exact", name="row 7"))
    assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
    assert (result.outcome.error, result.name) == ("the adapter raised OSError", "row 7")
    assert (result.expected, result.settings) == ("Paris", {"instead_of": "exact"})


@pytest.mark.parametrize("observed", [None, True, 1.0, {"passed": True}], ids=repr)
def test_nothing_makes_it_pass(observed):
    result = compare("not_compared", observed, observed)
    assert (result.verdict, result.outcome.error) == ("error", "no reason was recorded")
    with pytest.raises(UndecidedError):
        assert not result


@pytest.mark.parametrize(
    ("said", "verdict", "score"),
    [
        ({"score": 1.0, "passed": None}, "pass", 1.0),
        ({"score": 0.25}, "fail", 0.25),
        ({"passed": True}, "pass", 1.0),
        ({"passed": False}, "fail", 0.0),
        ({"score": 0.1, "passed": True}, "pass", 1.0),
        ({"score": 0.9, "passed": False}, "fail", 0.0),
    ],
    ids=str,
)
def test_passed_decides_before_the_score(said, verdict, score):
    result = compare("scorer_verdict", None, said)
    assert (result.verdict, result.score) == (verdict, score)


@pytest.mark.parametrize(
    "said",
    [
        {},
        None,
        "yes",
        {"score": True},
        {"score": 1.5},
        {"score": "1"},
        {"score": float("nan")},
        {"score": 1, "passed": "yes"},
    ],
    ids=str,
)
def test_anything_else_is_an_error(said):
    result = compare("scorer_verdict", None, said)
    assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
