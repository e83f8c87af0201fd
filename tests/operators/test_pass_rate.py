"""Whether enough verdicts passed, decided by the counts alone or by a confidence interval."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from refusals import refused


def counts(passed, failed=0, error=0):
    return {"pass": passed, "fail": failed, "error": error}


@pytest.mark.parametrize(
    ("expected", "observed", "verdict"),
    [
        (0.75, counts(3, 1), "pass"),
        (0.75, counts(2, 1), "fail"),
        (0.75, counts(3, 0, 1), "pass"),
        (0.76, counts(3, 0, 1), "fail"),
        (1, counts(2), "pass"),
        (1.0, counts(2, 0, 1), "fail"),
        (0.01, counts(0, 5), "fail"),
    ],
    ids=str,
)
def test_the_share_of_all_verdicts_decides(expected, observed, verdict):
    result = compare("pass_rate", expected, observed)
    total = sum(observed.values())
    assert (result.verdict, result.details["rate"]) == (verdict, round(observed["pass"] / total, 6))


def test_an_error_may_have_been_either():
    assert compare("pass_rate", 0.75, counts(3, 0, 1), errors="undecided").verdict == "pass"
    assert compare("pass_rate", 0.75, counts(1, 2, 1), errors="undecided").verdict == "fail"
    refused("pass_rate", 0.75, counts(2, 1, 1), "inconclusive", errors="undecided")


def test_nothing_compared_decides_nothing():
    assert "nothing was compared" in refused("pass_rate", 0.5, counts(0), "inconclusive").outcome.error


def test_the_interval_decides_when_asked():
    assert compare("pass_rate", 0.5, counts(20), confident=True).verdict == "pass"
    assert compare("pass_rate", 0.9, counts(0, 20), confident=True).verdict == "fail"
    assert (
        "passes without a failure" in refused("pass_rate", 0.9, counts(5), "inconclusive", confident=True).outcome.error
    )


@pytest.mark.parametrize("rate", [0, 1.0001, -0.5, True, "0.5", None, float("nan")], ids=repr)
def test_what_is_no_share_is_an_error(rate):
    refused("pass_rate", rate, counts(1), "not_a_rate")


@pytest.mark.parametrize(
    "observed",
    [None, [1, 2, 3], {"pass": 1}, {**counts(1), "skip": 0}, counts(-1), counts(True), counts(1.0), counts("1")],
    ids=repr,
)
def test_what_are_no_counts_is_a_fail(observed):
    refused("pass_rate", 0.5, observed, "not_counts", verdict="fail")


@pytest.mark.parametrize("settings", [{"errors": "skip"}, {"confidence": 1.0}, {"attempts": [0]}], ids=str)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(SettingsError):
        compare("pass_rate", 0.5, counts(1), **settings)


def test_estimates_of_further_attempts():
    [two] = compare("pass_rate", 0.5, counts(3, 1), attempts=[2, 9]).details["attempts"]
    assert (two["k"], two["pass^k"], two["pass@k"]) == (2, 0.5, 1.0)


def test_the_ends_of_intervals_have_six_digits():
    observed = {"pass": 7, "fail": 2, "error": 0}
    (estimate,) = compare("pass_rate", 0.1, observed, attempts=[3]).details["attempts"]
    for name in ("pass^k_interval", "pass@k_interval"):
        assert estimate[name] == [round(end, 6) for end in estimate[name]]
        assert 0 < estimate[name][0] < estimate[name][1] < 1
