"""Statistics of counts of verdicts: exact intervals, pass^k and pass@k, and the operator `pass_rate`."""

from math import comb

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.operators.pass_rate import all_of_next, any_of_next, exact_interval, repeats_without_failure


@pytest.mark.parametrize(
    ("passed", "total", "confidence", "interval"),
    [
        # Of R: binom.test(8, 10), and so on.
        (8, 10, 0.95, (0.4439045, 0.9747893)),
        (0, 10, 0.95, (0.0, 0.3084971)),
        (10, 10, 0.95, (0.6915029, 1.0)),
        (1, 1, 0.95, (0.025, 1.0)),
        (50, 100, 0.95, (0.3983211, 0.6016789)),
    ],
)
def test_known_intervals(passed, total, confidence, interval):
    assert exact_interval(passed, total, confidence) == pytest.approx(interval, abs=2e-6)


def tail(total, rate, numbers):
    return sum(comb(total, n) * rate**n * (1 - rate) ** (total - n) for n in numbers)


@given(
    st.integers(1, 60).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_the_ends_are_those_of_the_definition(counts, confidence):
    passed, total = counts
    low, high = exact_interval(passed, total, confidence)
    assert 0.0 <= low <= passed / total <= high <= 1.0
    if passed:
        assert tail(total, low, range(passed, total + 1)) == pytest.approx((1 - confidence) / 2, abs=1e-4)
    if passed < total:
        assert tail(total, high, range(passed + 1)) == pytest.approx((1 - confidence) / 2, abs=1e-4)


def test_many_rows_have_a_narrow_interval():
    low, high = exact_interval(950_000, 1_000_000)
    assert 0.9495 < low < 0.95 < high < 0.9505


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_estimates_of_attempts(numbers):
    passed, total, k = numbers
    every, one = all_of_next(passed, total, k), any_of_next(passed, total, k)
    assert 0.0 <= every <= one <= 1.0
    if k == 1:
        assert every == one == pytest.approx(passed / total, abs=1e-6)


@given(st.floats(0.01, 0.99), st.sampled_from([0.8, 0.95, 0.99]))
def test_how_many_repeats_would_do(rate, confidence):
    number = repeats_without_failure(rate, confidence)
    assert exact_interval(number, number, confidence)[0] >= rate - 2e-6
    if number > 1:
        assert exact_interval(number - 1, number - 1, confidence)[0] < rate


@pytest.mark.parametrize(
    ("expected", "counts", "settings", "verdict"),
    [
        (0.75, (3, 1, 0), {}, "pass"),
        (0.76, (3, 1, 0), {}, "fail"),
        (1, (3, 0, 1), {}, "fail"),
        (1, (3, 0, 1), {"errors": "undecided"}, "error"),
        (0.5, (1, 2, 1), {"errors": "undecided"}, "error"),
        (0.5, (2, 1, 1), {"errors": "undecided"}, "pass"),
        (5 / 6, (5, 1, 0), {}, "pass"),
        (0.9, (36, 0, 0), {"confident": True}, "pass"),
        (0.9, (35, 0, 0), {"confident": True}, "error"),
        (0.9, (0, 5, 0), {"confident": True}, "fail"),
        (0.5, (0, 0, 0), {}, "error"),
        (1.5, (1, 0, 0), {}, "error"),
        (True, (1, 0, 0), {}, "error"),
    ],
)
def test_pass_rate(expected, counts, settings, verdict):
    observed = dict(zip(("pass", "fail", "error"), counts, strict=True))
    assert compare("pass_rate", expected, observed, **settings).verdict == verdict


@pytest.mark.parametrize(
    "observed", [None, [3, 1], {"pass": 1}, {"pass": 1, "fail": 0, "error": -1}, {"pass": True, "fail": 0, "error": 0}]
)
def test_invalid_counts_fail_with_a_note(observed):
    assert compare("pass_rate", 0.5, observed).notes == ["not_counts"]
