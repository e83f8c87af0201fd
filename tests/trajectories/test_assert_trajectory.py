"""`assert_trajectory`, alone and with the comparator of a test."""

# ruff: noqa: PT012 - the blocks of collect are what is tested

import pytest

from pytest_verdict import Comparator, MismatchError
from pytest_verdict.errors import SettingsError, ThresholdError
from pytest_verdict.trajectories import assert_trajectory

OBSERVED = ["login", "search", "buy"]


def test_what_matches_gives_its_result():
    result = assert_trajectory(["buy", "search"], OBSERVED, name="shopping")
    assert (result.operator, result.passed, result.name) == ("trajectory_any_order", True, "shopping")


def test_what_does_not_match_fails_with_the_block_of_every_comparison():
    with pytest.raises(MismatchError) as caught:
        assert_trajectory(["buy", "search"], OBSERVED, order="in_order", name="shopping")
    assert str(caught.value).startswith("trajectory_in_order 'shopping': call 2 search(…) is out of order")
    assert [result.operator for result in caught.value.results] == ["trajectory_in_order"]


def test_a_lower_threshold_is_that_of_the_call():
    turns = {"expected": [["a"], ["b"]], "observed": [["a"], []]}
    assert assert_trajectory(**turns, threshold=0.5, turns="mean").score == 0.5
    with pytest.raises(MismatchError):
        assert_trajectory(**turns, threshold=0.6, turns="mean")
    with pytest.raises(ThresholdError):
        assert_trajectory(**turns, threshold=0, turns="mean")


def test_inside_collect_the_test_fails_at_the_end_of_the_block():
    comparator = Comparator()
    results = []
    checks = [(["pay"], "any", "first"), (["buy"], "any", None), (["buy"], "exact", "last")]
    with pytest.raises(MismatchError, match=r"^2 failed, 3 compared") as caught, comparator.collect():
        for expected, order, name in checks:
            results.append(assert_trajectory(expected, OBSERVED, order=order, comparator=comparator, name=name))
    assert [result.passed for result in results] == [False, True, False]
    assert list(caught.value.results) == [results[0], results[2]]


def test_without_a_comparator_the_block_of_another_one_does_not_wait():
    comparator = Comparator()
    with pytest.raises(MismatchError, match=r"^trajectory_any_order"), comparator.collect():
        assert_trajectory(["pay"], OBSERVED)


def test_the_defaults_of_the_comparator_hold_for_its_operator():
    strict = Comparator().with_defaults("trajectory_any_order", extras="forbid")
    with pytest.raises(MismatchError):
        assert_trajectory(["buy"], OBSERVED, comparator=strict)
    assert assert_trajectory(["buy"], OBSERVED, comparator=strict, extras="allow").settings["extras"] == "allow"
    assert assert_trajectory(["buy"], OBSERVED, order="in_order", comparator=strict).settings["extras"] == "allow"
    lenient = strict.with_defaults(threshold=0.5)
    assert assert_trajectory([["a"], ["b"]], [["a"], []], comparator=lenient, turns="mean").threshold == 0.5


@pytest.mark.parametrize("wrong", [{"order": "inorder"}, {"extra": "allow"}, {"args": "exat"}])
def test_a_mistake_raises_and_is_never_collected(wrong):
    comparator = Comparator()
    with pytest.raises(SettingsError), comparator.collect():
        assert_trajectory(["buy"], OBSERVED, comparator=comparator, **wrong)


def test_the_record_says_where_the_test_compared(pytester):
    pytester.makepyfile(
        """
        from pytest_verdict.trajectories import assert_trajectory

        def test_shopping(comparator):
            with comparator.collect():
                assert_trajectory(["buy"], ["buy"], comparator=comparator)
        """
    )
    pytester.runpytest_inprocess("--verify-report", "-p", "no:asyncio").assert_outcomes(passed=1)
    (line,) = (pytester.path / "verify-report" / "records.jsonl").read_text().splitlines()
    assert '"line":5' in line
    assert '"path":"test_the_record_says_where_the_test_compared.py"' in line
