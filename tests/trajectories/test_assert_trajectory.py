"""`assert_trajectory`, alone and with the comparator of a test."""

# ruff: noqa: PT012 - the blocks of collect are what is tested

import pytest

from pytest_verdict import Comparator, MismatchError
from pytest_verdict.errors import SettingsError, ThresholdError
from pytest_verdict.trajectories import assert_trajectory

OBSERVED = ["login", "search", "buy"]


def test_match_returns_the_result():
    result = assert_trajectory(["buy", "search"], OBSERVED, name="shopping")
    assert (result.operator, result.passed, result.name) == ("trajectory_any_order", True, "shopping")


@pytest.mark.parametrize(
    ("order", "operator"),
    [
        ("any", "trajectory_any_order"),
        ("in_order", "trajectory_in_order"),
        ("exact", "trajectory_exact"),
        ("steps", "trajectory_steps"),
    ],
)
def test_order_selects_the_operator(order, operator):
    result = assert_trajectory(["a"], ["a"], order=order, args="ignore", name="first")
    assert (result.operator, result.name, result.settings["args"], result.passed) == (operator, "first", "ignore", True)


def test_unknown_order_raises():
    with pytest.raises(SettingsError, match=r"^Unknown order: 'inorder'\. Did you mean 'in_order'"):
        assert_trajectory(["a"], ["a"], order="inorder")


def test_mismatch_raises_with_the_explanation():
    with pytest.raises(MismatchError) as caught:
        assert_trajectory(["buy", "search"], OBSERVED, order="in_order", name="shopping")
    assert str(caught.value).startswith("trajectory_in_order 'shopping': call 2 search(…) is out of order")
    assert [result.operator for result in caught.value.results] == ["trajectory_in_order"]


def test_threshold_applies_to_the_call():
    turns = {"expected": [["a"], ["b"]], "observed": [["a"], []]}
    assert assert_trajectory(**turns, threshold=0.5, turns="mean").score == 0.5
    with pytest.raises(MismatchError):
        assert_trajectory(**turns, threshold=0.6, turns="mean")
    with pytest.raises(ThresholdError):
        assert_trajectory(**turns, threshold=0, turns="mean")


def test_collect_fails_at_the_end_of_the_block():
    comparator = Comparator()
    results = []
    checks = [(["pay"], "any", "first"), (["buy"], "any", None), (["buy"], "exact", "last")]
    with pytest.raises(MismatchError, match=r"^2 failed, 3 compared") as caught, comparator.collect():
        for expected, order, name in checks:
            results.append(assert_trajectory(expected, OBSERVED, order=order, comparator=comparator, name=name))
    assert [result.passed for result in results] == [False, True, False]
    assert list(caught.value.results) == [results[0], results[2]]


def test_without_comparator_collect_does_not_delay_the_failure():
    comparator = Comparator()
    with pytest.raises(MismatchError, match=r"^trajectory_any_order"), comparator.collect():
        assert_trajectory(["pay"], OBSERVED)


def test_comparator_defaults_apply_to_their_operator():
    strict = Comparator().with_defaults("trajectory_any_order", extras="forbid")
    with pytest.raises(MismatchError):
        assert_trajectory(["buy"], OBSERVED, comparator=strict)
    assert assert_trajectory(["buy"], OBSERVED, comparator=strict, extras="allow").settings["extras"] == "allow"
    assert assert_trajectory(["buy"], OBSERVED, order="in_order", comparator=strict).settings["extras"] == "allow"
    lenient = strict.with_defaults(threshold=0.5)
    assert assert_trajectory([["a"], ["b"]], [["a"], []], comparator=lenient, turns="mean").threshold == 0.5


@pytest.mark.parametrize("wrong", [{"order": "inorder"}, {"extra": "allow"}, {"args": "exat"}])
def test_wrong_setting_raises_inside_collect(wrong):
    comparator = Comparator()
    with pytest.raises(SettingsError), comparator.collect():
        assert_trajectory(["buy"], OBSERVED, comparator=comparator, **wrong)


def test_record_has_the_line_of_the_test(pytester):
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
    assert '"path":"test_record_has_the_line_of_the_test.py"' in line
