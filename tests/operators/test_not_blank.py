"""The operator ``not_blank``: there is an output, and nothing more is said of it."""

import math

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.laws import check_operator_laws
from pytest_verdict.operators import NotBlank
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
