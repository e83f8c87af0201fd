"""The usual settings that an explanation leaves out: those of our operators stand in a file, so that none is imported for them.

``python tests/explanation/test_usual_settings.py`` writes it from the operators.
"""

from __future__ import annotations

import json
import pathlib

from pytest_verdict import explanation
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.explanation.drawing import settings_by_class, usual_settings

FILE = pathlib.Path(explanation.__file__).with_name("usual_settings.json")


def generated() -> str:
    """Write what the file is to hold."""
    named = {**FAMILIES.own("operators"), **FAMILIES.own("recorded_operators")}
    ours = sorted(name for name in named if REGISTRY.find(name).__module__.startswith("pytest_verdict."))
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(settings_by_class(name))}" for name in ours)
    return f"{{\n{lines}\n}}\n"


def test_the_file_is_what_the_operators_say():
    assert FILE.read_text(encoding="utf-8") == generated(), "run python tests/explanation/test_usual_settings.py"


def test_the_settings_of_other_operators_are_asked_of_their_class():
    @REGISTRY.add
    def is_near_enough(expected, observed, *, apart: int = 3):
        return abs(expected - observed) <= apart

    assert usual_settings("is_near_enough") == {"apart": 3}
    assert usual_settings("nobody_has_it") == {}


if __name__ == "__main__":
    FILE.write_text(generated(), encoding="utf-8")
