"""The share of passed verdicts, decided by counts or by a confidence interval."""

import pytest

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError
from refusals import refused


def counts(passed, failed=0, error=0):
    return {"pass": passed, "fail": failed, "error": error}


def test_the_rate_is_the_share_of_all_verdicts():
    assert compare("pass_rate", 0.75, counts(2, 1)).details["rate"] == round(2 / 3, 6)


def test_undecided_errors_count_both_ways():
    assert compare("pass_rate", 0.75, counts(3, 0, 1), errors="undecided").verdict == "pass"
    assert compare("pass_rate", 0.75, counts(1, 2, 1), errors="undecided").verdict == "fail"
    refused("pass_rate", 0.75, counts(2, 1, 1), "inconclusive", errors="undecided")


def test_no_comparisons_are_inconclusive():
    assert "nothing was compared" in refused("pass_rate", 0.5, counts(0), "inconclusive").outcome.error


def test_confident_uses_the_interval():
    assert compare("pass_rate", 0.5, counts(20), confident=True).verdict == "pass"
    assert compare("pass_rate", 0.9, counts(0, 20), confident=True).verdict == "fail"
    assert (
        "passes without a failure" in refused("pass_rate", 0.9, counts(5), "inconclusive", confident=True).outcome.error
    )


@pytest.mark.parametrize("settings", [{"errors": "skip"}, {"confidence": 1.0}, {"attempts": [0]}], ids=str)
def test_invalid_settings_are_rejected(settings):
    with pytest.raises(SettingsError):
        compare("pass_rate", 0.5, counts(1), **settings)


def test_attempts_are_estimated():
    [two] = compare("pass_rate", 0.5, counts(3, 1), attempts=[2, 9]).details["attempts"]
    assert (two["k"], two["pass^k"], two["pass@k"]) == (2, 0.5, 1.0)


@pytest.mark.parametrize("passed", range(1, 9))
def test_interval_ends_are_rounded(passed):
    observed = {"pass": passed, "fail": 9 - passed, "error": 0}
    details = compare("pass_rate", 0.01, observed, attempts=[3]).details
    for name in ("pass^k_interval", "pass@k_interval"):
        ends = details["attempts"][0][name]
        assert ends == [round(end, 6) for end in ends]
        assert 0 <= ends[0] < ends[1] <= 1
