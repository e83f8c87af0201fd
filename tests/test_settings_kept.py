"""Operators made by name are kept with their settings, and told apart by the types of these."""

from __future__ import annotations

import pytest

from pytest_verdict import OperatorRegistry, compare
from pytest_verdict.core.registry import REGISTRY


@pytest.mark.parametrize(
    ("settings", "others"),
    [
        ({"tolerance": 1}, [{"tolerance": 1.0}, {"tolerance": 2}, {"tolerance": 1, "mode": "absolute"}]),
        ({"tolerance": 0.0}, [{"tolerance": -0.0}, {"tolerance": 0}]),
    ],
)
def test_settings_that_are_equal_and_not_the_same_are_told_apart(settings, others):
    kept = REGISTRY.build("numeric_tolerance", settings)
    assert REGISTRY.build("numeric_tolerance", settings) is kept
    assert all(REGISTRY.build("numeric_tolerance", other) is not kept for other in others)


@pytest.mark.parametrize("wrong", [True, "x", -1, float("nan"), None, ["1"]])
def test_a_wrong_setting_is_refused_however_often_a_right_one_was_given(wrong):
    compare("numeric_tolerance", 1, 1, tolerance=1)
    for _ in range(2):
        with pytest.raises(Exception, match="tolerance"):
            compare("numeric_tolerance", 1, 1, tolerance=wrong)


def test_a_list_that_changes_is_another_setting():
    given = ["foo"]
    assert compare("contains_any", None, "foo", substrings=given).passed
    given[0] = "bar"
    assert not compare("contains_any", None, "foo", substrings=given).passed
    given[0] = "foo"
    assert compare("contains_any", None, "foo", substrings=given).passed


def test_an_operator_that_is_defined_again_is_the_new_one():
    registry = OperatorRegistry()

    def define(answer):
        def always(expected, observed, *, strict: bool = False):
            return answer

        registry.add(always, name="always")

    define(answer=True)
    assert registry.build("always", {"strict": True}).evaluate(1, 2).score == 1.0
    define(answer=False)
    assert registry.build("always", {"strict": True}).evaluate(1, 2).score == 0.0


def test_no_more_are_kept_than_a_thousand():
    registry = OperatorRegistry()
    registry.add(lambda expected, observed, *, level=0: observed >= level, name="at_least")
    made = [registry.build("at_least", {"level": level}) for level in range(3_000)]
    assert [operator.evaluate(0, 1_500).score for operator in made[1_499:1_502]] == [1.0, 1.0, 0.0]
    assert len(registry.built) <= 1_024
