"""Operators on numbers: exact decimals, inclusive limits, and nothing that only looks like a number."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.number import (
    Delta,
    NumericExact,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericTolerance,
)

inf, nan = float("inf"), float("nan")


@pytest.mark.parametrize(
    "value", [True, None, "", "abc", "1,000", "5%", "0x10", nan, "nan", [], {}, Decimal("sNaN"), "1e999999"], ids=repr
)
@pytest.mark.parametrize(
    "operator",
    [NumericExact(), NumericTolerance(tolerance=1), NumericMinimum(), NumericMaximum(), NumericRange(max=1)],
    ids=str,
)
def test_not_a_number_fails_with_note(operator, value):
    result = compare(operator, 1, value)
    assert (result.score, result.notes, result.details["not_a_number"]) == (0.0, ["not_a_number"], ["observed"])


def test_details_name_both_sides_that_are_not_numbers():
    result = compare("numeric_exact", "x", None)
    assert not result.passed
    assert result.details["not_a_number"] == ["expected", "observed"]


def test_thousands_separators_are_normalized():
    result = compare("numeric_exact", 1000, "1,000", normalize=["strip_thousands_separators"])
    assert result.passed
    assert result.normalization == ["strip_thousands_separators"]
    assert result.observed_surface == "1000"


def test_numeric_tolerance_details():
    details = compare("numeric_tolerance", 37.0, 36.8, tolerance=0.5, mode="absolute").details
    assert details == {"distance": "0.2", "margin": "0.3"}


def test_decimal_context_is_ignored():
    with localcontext() as context:
        context.prec = 2
        context.capitals = 0
        result = compare("numeric_tolerance", 1000, "1000.5", tolerance="0.5", mode="absolute")
    assert result.passed
    assert result.details == {"distance": "0.5", "margin": "0"}


def test_decimal_context_is_ignored_beyond_limits():
    observed = Decimal("1.23456789")
    with localcontext() as context:
        context.prec = 2
        outcomes = [
            NumericMaximum(zero_at=1).evaluate(1, observed),
            NumericRange(max=1, zero_at=1).evaluate(None, observed),
            NumericTolerance(tolerance=0, zero_at=1, mode="absolute").evaluate(1, observed),
        ]
        margins = [outcome.details["margin"] for outcome in outcomes]
    assert [outcome.score for outcome in outcomes] == [0.76543211] * 3
    assert margins == ["-0.23456789"] * 3


near_floats = st.floats(-1e12, 1e12)


@given(
    expected=near_floats,
    tolerance=st.floats(0, 1e6),
    steps=st.integers(-40, 40),
    mode=st.sampled_from(["absolute", "relative"]),
)
def test_floats_near_the_limit_are_compared_exactly(expected, tolerance, steps, mode):
    width = tolerance if mode == "absolute" else tolerance * abs(expected)
    observed = expected + width
    for _ in range(abs(steps)):
        observed = math.nextafter(observed, math.inf if steps > 0 else -math.inf)
    limit = Fraction(repr(tolerance))
    if mode == "relative":
        limit *= abs(Fraction(repr(expected)))
    is_near = abs(Fraction(repr(observed)) - Fraction(repr(expected))) <= limit
    operator = NumericTolerance(tolerance=tolerance, mode=mode)
    assert operator.evaluate(expected, observed).score == float(is_near)
    assert NumericExact().evaluate(expected, observed).score == float(expected == observed)


numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9)


@given(expected=numbers, tolerance=numbers.map(abs), excess=st.sampled_from(["0", "1e-60"]))
def test_numeric_tolerance_limit_is_exact(expected, tolerance, excess):
    operator = NumericTolerance(tolerance=tolerance, mode="absolute")
    for sign in (1, -1):
        observed = Fraction(expected) + sign * (Fraction(tolerance) + Fraction(excess))
        written = f"{int(observed * 10**120)}e-120"
        assert operator.evaluate(str(expected), written).score == (1.0 if excess == "0" else 0.0)


@given(expected=numbers, observed=numbers, tolerance=numbers.map(abs))
def test_absolute_tolerance_is_symmetric(expected, observed, tolerance):
    operator = NumericTolerance(tolerance=tolerance, mode="absolute")
    assert operator.evaluate(expected, observed).score == operator.evaluate(observed, expected).score


@pytest.mark.parametrize("tolerance", [-1, nan, inf, "x", True, None, "-0.1", Fraction(1, 3), "1e9999"], ids=repr)
@pytest.mark.parametrize("operator", ["numeric_tolerance", "delta"])
def test_tolerance_must_be_finite_and_not_negative(operator, tolerance):
    with pytest.raises(SettingsError, match="tolerance"):
        compare(operator, 1, 1, tolerance=tolerance)


def test_numeric_tolerance_rejects_missing_tolerance_and_unknown_mode():
    with pytest.raises(SettingsError, match="'tolerance' is required"):
        NumericTolerance()
    with pytest.raises(SettingsError, match="'relative' or 'absolute'"):
        NumericTolerance(tolerance=1, mode="percent")


@pytest.mark.parametrize(
    "value", [0.1, 5, "0.10", Decimal("0.12345678901234567890"), 10**30, Decimal("1e-40")], ids=repr
)
def test_numeric_settings_round_trip(value):
    operator = NumericTolerance(tolerance=value)
    assert NumericTolerance(**json.loads(json.dumps(operator.settings()))) == operator
    assert operator.evaluate(1, Decimal(1) + Decimal(str(value))).score == 1.0


def test_numeric_range_expected_bounds_must_be_numbers():
    result = compare("numeric_range", [1, nan], 5)
    assert result.details["not_a_number"] == ["expected"]


@pytest.mark.parametrize(
    "settings",
    [{"min": 10, "max": 1}, {"min": 1, "max": 1, "exclusive_max": True}, {"min": nan}, {"max": inf}, {"min": "x"}],
    ids=repr,
)
def test_numeric_range_rejects_empty_range(settings):
    with pytest.raises(SettingsError, match=r"min|max"):
        NumericRange(**settings)


def test_numeric_range_records_bounds_as_expected():
    result = compare("numeric_range", None, 12, min=1, max=10)
    assert result.expected == {"min": 1, "max": 10}
    assert result.details == {"distance": "2", "margin": "-2"}


def test_delta_details_have_the_change():
    assert compare("delta", 1, [0.1, 0.4]).details["change"] == "0.3"
    assert Delta() == Delta(tolerance=0.0)


@pytest.mark.parametrize(
    ("name", "expected", "observed", "margin"),
    [
        ("numeric_minimum", 10, 12, "2"),
        ("numeric_minimum", 10, "9.9", "-0.1"),
        ("numeric_minimum", -1, 1, "2"),
        ("numeric_minimum", 10, inf, "Infinity"),
        ("numeric_minimum", inf, inf, "0"),
        ("numeric_maximum", 10, 12, "-2"),
        ("numeric_maximum", 10, 9.9, "0.1"),
    ],
)
def test_minimum_and_maximum_record_the_margin(name, expected, observed, margin):
    assert compare(name, expected, observed).details == {"margin": margin}
    assert compare(name, expected, observed, exclusive=True).details == {"margin": margin}


@pytest.mark.parametrize(
    ("observed", "score"),
    [(100, 1.0), (105, 1.0), (95, 1.0), (110, 0.75), (85, 0.5), (125, 0.0), (60, 0.0), (float("inf"), 0.0)],
)
def test_graded_score_falls_linearly(observed, score):
    settings = {"tolerance": 0.05, "zero_at": 0.25}
    assert compare("numeric_tolerance", 100, observed, **settings).score == score
    absolute = {"tolerance": 5, "zero_at": 25, "mode": "absolute"}
    assert compare("numeric_tolerance", 100, observed, **absolute).score == score
    assert compare("numeric_tolerance", 100, observed, 0.5, **settings).passed is (score >= 0.5)
    assert compare("numeric_tolerance", 100, observed, **settings).passed is (score == 1.0)


NUMBERS = st.decimals(-1000, 1000, places=3)


@given(NUMBERS, NUMBERS, NUMBERS, st.sampled_from(["relative", "absolute"]))
def test_graded_score_is_monotone(expected, one, other, mode):
    plain = {"tolerance": "0.001", "mode": mode}
    nearer, farther = sorted((one, other), key=lambda number: abs(number - expected))
    scores = [
        compare("numeric_tolerance", expected, number, zero_at="0.5", **plain).score for number in (nearer, farther)
    ]
    assert scores[0] >= scores[1]
    assert (scores[0] == 1.0) is compare("numeric_tolerance", expected, nearer, **plain).passed


def test_graded_range_score_is_below_one_outside():
    score = {n: compare("numeric_range", [1, 10], n, zero_at=4).score for n in (1, 10, 11, 0, 13, 14, -3, float("nan"))}
    assert list(score.values()) == [1.0, 1.0, 0.75, 0.75, 0.25, 0.0, 0.0, 0.0]
    edge = compare("numeric_range", [1, 10], 10, exclusive_max=True, zero_at=4)
    assert 0.99 < edge.score < 1.0
    assert not edge.passed
    assert compare("numeric_range", [1, 10], "10." + "0" * 40 + "1", zero_at=4).verdict == "fail"
    assert compare("numeric_range", [1, None], float("-inf"), zero_at=4).score == 0.0
    assert compare("numeric_tolerance", float("inf"), 5, tolerance=1, zero_at=4, mode="absolute").score == 0.0


def test_zero_at_is_recorded_and_must_exceed_tolerance():
    assert "zero_at" not in compare("numeric_tolerance", 1, 1, tolerance=1, zero_at=None).settings
    assert compare("numeric_tolerance", 1, 1, tolerance=1, zero_at="1.5").settings["zero_at"] == 1.5
    for wrong in (1, 0.5, -1, "x"):
        with pytest.raises(SettingsError, match="zero_at"):
            NumericTolerance(tolerance=1, zero_at=wrong)


@pytest.mark.parametrize(("operator", "wrong"), [("numeric_minimum", -1), ("numeric_maximum", 1)])
def test_graded_minimum_and_maximum_fall_beyond_limit(operator, wrong):
    def score(distance, **settings):
        return compare(operator, 10, 10 + wrong * distance, **settings).score

    assert [score(distance, zero_at=4) for distance in (-5, 0, 1, 3, 4, float("inf"))] == [
        1.0,
        1.0,
        0.75,
        0.25,
        0.0,
        0.0,
    ]
    assert score(1) == 0.0
    assert 0.99 < score(0, zero_at=4, exclusive=True) < 1.0
    assert compare(operator, wrong * float("-inf"), wrong * float("inf"), zero_at=4).score == 0.0
