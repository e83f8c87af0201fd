"""What a test reads of a comparison: which reads are a look, by the statement that they belong to.

Each line of ``values_used.txt`` and ``values_not_used.txt`` is a test; two bars begin a new line of it.
"""

import re
from pathlib import Path

import pytest

HEAD = """
import asyncio, collections, concurrent.futures, contextlib, contextvars, dataclasses, functools, itertools, json, math
import operator, os, queue, statistics, threading, traceback, types, unittest, unittest.mock, warnings
import pytest
from pytest_verdict import Comparator, ComparisonResult, MismatchError, UndecidedError, assert_matches, compare, expect
FAIL = ("exact", "Paris", "Rome")
ERROR = ("regex", "(", "a")
SIM = ("text_similarity", "kitten", "sitting")
DATE = ("date_match", "2024-01-01", "x")
def raising(): assert_matches(*FAIL)
def asserting(): assert compare(*FAIL)
def asserting_passed(): assert compare(*FAIL).passed
def asserting_expect(): assert "Rome" == expect("exact", "Paris")
def asserting_verdict(): assert compare(*FAIL).verdict == "pass"
def asserting_score(): assert compare(*SIM).score > 0.9
def asserting_error(): assert compare(*ERROR)
async def awrong(): assert compare(*FAIL)
def boom(r):
    if not r: raise AssertionError("no")
def boom2(r):
    if not r.passed: raise ValueError("no")
@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(2) as p: yield p
"""


def run_all(harness, file):
    """Return the cases that passed, and those that did not."""
    cases = (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
    text = HEAD
    for number, case in enumerate(cases):
        body = case.replace("||", "\n")
        fixtures = [name for name in ("pool", "comparator", "tmp_path") if re.search(rf"\b{name}\b", body)]
        text += f"\ndef test_{number}({', '.join(fixtures)}):\n" + re.sub("(?m)^", "    ", body) + "\n"
    plugins = ("no:threadexception", "no:unraisableexception", "no:logging", "no:cacheprovider")
    run = harness.run(
        text, "-q", "-rA", "--tb=no", "-W", "ignore", *(word for one in plugins for word in ("-p", one))
    )  # fmt: skip
    lines = re.findall(r"^(PASSED|FAILED|ERROR) test_it\.py::test_(\d+)", run.stdout, re.MULTILINE)
    failed = {cases[int(number)] for outcome, number in lines if outcome != "PASSED"}
    passed = {cases[int(number)] for _, number in lines} - failed
    assert len(passed | failed) == len(set(cases)), run.output
    return passed, failed


# Another session hears what threads raise.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.ci
def test_read_that_is_no_look_fails_its_test(harness):
    passed, _ = run_all(harness, "values_not_used.txt")
    assert passed == set()


@pytest.mark.ci
def test_read_that_is_a_look_does_not_fail_its_test(harness):
    _, failed = run_all(harness, "values_used.txt")
    assert failed == set()
