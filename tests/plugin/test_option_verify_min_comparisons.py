"""The option ``--verify-min-comparisons``, and comparisons that a test expected not to pass."""

from __future__ import annotations

import json

import pytest

from modes import serial_and_workers

TESTS = """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.mark.parametrize("number", range(3))
def test_it(number):
    assert_matches("exact", number, number)

def test_expects():
    assert not compare("exact", "Paris", "Rome")

def test_fails():
    assert_matches("exact", "Paris", "Oslo")
"""


@serial_and_workers("workers", "-n2")
@pytest.mark.parametrize(("least", "status"), [("4", 0), ("5", 1)])
def test_too_few_comparisons_fail_the_session(harness, workers, least, status):
    tests = TESTS.partition("def test_fails")[0]
    run = harness.run({"test_it.py": tests}, *workers, "--verify-min-comparisons", least)
    assert run.status == status
    assert ("4 comparisons made, but at least 5 needed: this session does not pass" in run.stdout) == bool(status)
    assert (harness.path / "verify-report" / "report.json").exists()


def test_session_without_tests_fails(harness):
    run = harness.run({"test_it.py": "def test_it(): pass\n"}, "--verify-min-comparisons=1")
    assert run.status == 1
    assert "0 comparisons made, but at least 1 needed" in run.stdout


def test_option_needs_a_number(harness):
    run = harness.run({"test_it.py": "def test_it(): pass\n"}, "--verify-min-comparisons=many")
    assert run.status == pytest.ExitCode.USAGE_ERROR


@serial_and_workers("workers", "-n2")
def test_expected_failures_are_counted_apart(harness, workers):
    run = harness.run({"test_it.py": TESTS}, *workers, "--verify-report")
    lines = run.stdout.splitlines()
    assert "5 comparisons: 3 pass (60 %), 2 fail, 0 error" in lines
    assert "1 comparison that did not pass was expected by the test" in lines
    names = [line for line in lines if line.startswith("    test_it.py::")]
    assert names[0].startswith("    test_it.py::test_fails (line ")
    assert names[0].endswith(")")
    assert names[1].startswith("    test_it.py::test_expects (line ")
    assert names[1].endswith("), expected by the test")
    report = json.loads((harness.path / "verify-report" / "report.json").read_text(encoding="utf-8"))
    assert report["totals"]["comparisons_expected_by_tests"] == 1


@pytest.mark.parametrize("number", ["-1", "-5"])
def test_a_negative_number_is_refused(harness, number):
    run = harness.run({"test_it.py": TESTS}, f"--verify-min-comparisons={number}")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"a whole number from 0 is needed, got '{number}'" in run.output
