"""The default settings that an explanation leaves out."""

from __future__ import annotations

from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.explanation.drawing import default_settings


def test_default_settings_come_from_the_class_of_the_operator():
    @REGISTRY.add
    def is_near_enough(expected, observed, *, apart: int = 3):
        return abs(expected - observed) <= apart

    assert default_settings("is_near_enough") == {"apart": 3}
    assert default_settings("nobody_has_it") == {}
