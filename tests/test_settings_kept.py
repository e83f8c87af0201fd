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
def test_equal_settings_of_other_types_are_cached_apart(settings, others):
    kept = REGISTRY.build("numeric_tolerance", settings)
    assert REGISTRY.build("numeric_tolerance", settings) is kept
    assert all(REGISTRY.build("numeric_tolerance", other) is not kept for other in others)


@pytest.mark.parametrize("wrong", [True, "x", -1, float("nan"), None, ["1"]])
def test_invalid_setting_is_rejected_after_a_cached_one(wrong):
    compare("numeric_tolerance", 1, 1, tolerance=1)
    for _ in range(2):
        with pytest.raises(Exception, match="tolerance"):
            compare("numeric_tolerance", 1, 1, tolerance=wrong)


def test_changed_list_is_another_cache_key():
    given = ["foo"]
    assert compare("contains_any", None, "foo", substrings=given).passed
    given[0] = "bar"
    assert not compare("contains_any", None, "foo", substrings=given).passed
    given[0] = "foo"
    assert compare("contains_any", None, "foo", substrings=given).passed


def test_redefined_operator_replaces_the_cached_one():
    registry = OperatorRegistry()

    def define(answer):
        def always(expected, observed, *, strict: bool = False):
            return answer

        registry.add(always, name="always")

    define(answer=True)
    assert registry.build("always", {"strict": True}).evaluate(1, 2).score == 1.0
    define(answer=False)
    assert registry.build("always", {"strict": True}).evaluate(1, 2).score == 0.0


def test_cache_is_bounded():
    registry = OperatorRegistry()
    registry.add(lambda expected, observed, *, level=0: observed >= level, name="at_least")
    made = [registry.build("at_least", {"level": level}) for level in range(3_000)]
    assert [operator.evaluate(0, 1_500).score for operator in made[1_499:1_502]] == [1.0, 1.0, 0.0]
    assert len(registry._built) <= 1_024
