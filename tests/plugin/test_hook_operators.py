"""The hook ``pytest_verdict_operators``."""

from __future__ import annotations

from modes import serial_and_workers

CONFTEST = """
import pytest
from pytest_verdict import Operator, Outcome

class SameLength{n}(Operator):
    name = "same_length_{n}"
    kind = "text"

    def evaluate(self, expected, observed):
        return Outcome(float(len(expected) == len(observed)))

@pytest.hookimpl({how})
def pytest_verdict_operators(registry):
    registry.add(SameLength{n})
"""
TEST = """
from pytest_verdict import assert_matches, compare

def test_it():
    assert_matches("same_length_{n}", "abc", "xyz")
    assert not compare("same_length_{n}", "abc", "x")
"""


@serial_and_workers("args", "-n1")
def test_operators_of_initial_and_late_conftest_are_found(harness, args):
    files = {
        "conftest.py": CONFTEST.format(n=1, how=""),
        "test_top.py": TEST.format(n=1),
        "late/conftest.py": CONFTEST.format(n=2, how=""),
        "late/test_late.py": TEST.format(n=2),
    }
    run = harness.run(files, "--verify-report", *args)
    assert run.outcomes == {"passed": 2}
    run.check_agreement()
    assert [entry["operator"] for entry in run.report["operators"]] == ["same_length_1", "same_length_2"]


def test_conftest_works_without_the_plugin(harness):
    files = {"conftest.py": CONFTEST.format(n=3, how="optionalhook=True"), "test_it.py": "def test_it(): pass\n"}
    harness.write(files)
    result = harness.pytester.runpytest_subprocess("-p", "no:verdict")
    result.assert_outcomes(passed=1)


def test_duplicate_name_is_rejected(harness):
    conftest = """
def pytest_verdict_operators(registry):
    registry.add(lambda expected, observed: 1.0, name="exact")
"""
    harness.write({"conftest.py": conftest, "test_it.py": "def test_it(): pass\n"})
    result = harness.pytester.runpytest_subprocess("-p", "verdict")
    assert result.ret != 0
    assert "the name 'exact' is already registered" in str(result.stdout) + str(result.stderr)
