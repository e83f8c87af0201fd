"""The hook ``pytest_verdict_operators``."""

from __future__ import annotations

import pytest

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


@pytest.mark.ci
def test_conftest_works_without_the_plugin(harness):
    files = {"conftest.py": CONFTEST.format(n=3, how="optionalhook=True"), "test_it.py": "def test_it(): pass\n"}
    harness.write(files)
    result = harness.pytester.runpytest_subprocess("-p", "no:verdict")
    result.assert_outcomes(passed=1)


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("added", "message"),
    [
        ('lambda expected, observed: 1.0, name="exact"', "the name 'exact' is already registered for another operator"),
        ("3", "an operator is a class derived from Operator or a function, got 3"),
        ('lambda expected, observed: 1.0, name="no name"', "needs a name such as 'same_length', got 'no name'"),
    ],
)
@pytest.mark.parametrize("folder", ["", "late/"])
def test_a_wrong_operator_is_a_usage_error(harness, added, message, folder):
    conftest = f"def pytest_verdict_operators(registry):\n    registry.add({added})\n"
    files = {f"{folder}conftest.py": conftest, f"{folder}test_it.py": "def test_it(): pass\n"}
    run = harness.run(files)
    # A conftest.py in a folder is imported while tests are collected.
    assert run.status == (pytest.ExitCode.INTERRUPTED if folder else pytest.ExitCode.USAGE_ERROR)
    assert message in run.output
    assert "INTERNALERROR" not in run.output


SKIPPING = """
import pytest
from pytest_verdict import Operator, UndecidedError, assert_matches, compare

class Skipping(Operator):
    name = "skipping"

    def evaluate(self, expected, observed):
        {raised}

def test_it():
    assert_matches(Skipping(), 1, 1)

def test_expects_an_error():
    assert "not now" in compare(Skipping(), 1, 1).error
"""


@pytest.mark.parametrize(
    "raised", ["pytest.skip('not now')", "pytest.xfail('not now')", "raise __import__('unittest').SkipTest('not now')"]
)
def test_an_operator_that_skips_is_an_error(harness, raised):
    run = harness.run(SKIPPING.format(raised=raised))
    assert run.outcomes == {"failed": 1, "passed": 1}
    assert "skipping: error: " in run.output
