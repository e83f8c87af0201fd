"""The marker ``verdict_repeat`` and its options: one item, several attempts, one verdict."""

from __future__ import annotations

import json

import pytest

from modes import serial_and_workers
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import replay_file
from pytest_verdict.runs.run import read_run

HEAD = """
import asyncio, itertools, unittest
from collections import defaultdict
import pytest
from pytest_verdict import assert_matches, compare

numbers = defaultdict(lambda: itertools.count(1))
repeat = pytest.mark.verdict_repeat
fails = pytest.mark.xfail
strict = pytest.mark.xfail(strict=True)

@pytest.fixture
def attempt(request):
    return next(numbers[request.node.name])

@pytest.fixture
def broken():
    raise OSError("no model")

@pytest.fixture
def breaks_after(attempt):
    yield
    if attempt == 2:
        raise OSError("cannot close")

@pytest.fixture
def anyio_backend():
    return "asyncio"

def answer(value, name="city"):
    assert_matches("exact", expected=1, observed=value, name=name)
"""

# A test; the attempts of its report (p, f, e, s for skipped, x for xfailed, X for xpassed, with the one that decided in
# capitals unless it is X); pytest's outcome; and the words of the closing line.
CASES = {
    "all": ("@repeat(3)\ndef test(attempt): answer(1)", "ppp", 3, "passed", ""),
    "first": ("@repeat(3)\ndef test(attempt): answer(2)", "fff", 1, "failed", "reproducible 0 of 1"),
    "second": ("@repeat(5)\ndef test(attempt): answer(attempt)", "pf", 2, "failed", "flaky 1 of 2"),
    "diagnosed": ("@repeat(5)\ndef test(attempt): answer(2 if attempt == 1 else 1)", "fp", 1, "failed", "flaky 0 of 1"),
    "at least": ("@repeat(4, at_least=2)\ndef test(attempt): answer(attempt % 2)", "pfp", 3, "passed", "flaky 2 of 3"),
    "too few": ("@repeat(4, at_least=3)\ndef test(attempt): answer(attempt % 2)", "pfpf", 4, "failed", "flaky 2 of 4"),
    "never": ("@repeat(4, at_least=3)\ndef test(attempt): answer(2)", "fff", 2, "failed", "reproducible 0 of 2"),
    "once": ("@repeat(1)\ndef test(attempt): answer(2)", "f", 0, "failed", ""),
    "plain assert": ("@repeat(3)\ndef test(attempt): assert attempt < 3", "ppf", 3, "failed", "no compared answer"),
    "good rate": ("@repeat(20, rate=0.9, against=0.3)\ndef test(attempt): answer(1)", "ppp", 3, "passed", ""),
    "bad rate": (
        "@repeat(20, rate=0.9, against=0.3)\ndef test(attempt): answer(2)", "fff", 2, "failed", "reproducible 0 of 2",
    ),
    "undecided": (
        "@repeat(4, rate=0.9, against=0.3)\ndef test(attempt): answer(1 if attempt != 2 else 2)",
        "pff", 3, "failed", "undecided 2 of 3",
    ),
    "raises": (
        "@repeat(3)\ndef test(attempt):\n    if attempt == 2: raise ConnectionError('gone')\n    answer(1)",
        "pf", 2, "failed", "flaky 1 of 2 passed, 1 raised",
    ),
    "setup error": ("@repeat(3)\ndef test(broken): pass", "eee", 1, "error", "reproducible 1 raised always: OSError"),
    "teardown error": ("@repeat(3)\ndef test(breaks_after): answer(1)", "pe", 2, "error", "flaky 1 raised"),
    "teardown error among passes": (
        "@repeat(3, at_least=2)\ndef test(breaks_after): answer(1)", "pep", 3, "passed", "flaky 2 of 3 passed, 1 raised",
    ),
    "unread": ("@repeat(3)\ndef test(): compare('exact', 1, 2)", "fff", 1, "failed", "reproducible"),
    "judge": (
        "@repeat(3, at_least=2)\ndef test(attempt): assert_matches('exact', 2 if attempt == 1 else 1, 1, name='judge')",
        "fpp", 3, "passed", "flaky the same answer, but another verdict: exact 'judge' is not deterministic",
    ),
    "skipped": ("@repeat(3)\ndef test(): pytest.skip('no key')", "s", 0, "skipped", ""),
    "skipped by a mark": ("@repeat(3)\n@pytest.mark.skip\ndef test(): pass", "s", 0, "skipped", ""),
    "skipped later": (
        "@repeat(3)\ndef test(attempt):\n    if attempt == 2: pytest.skip('quota')", "ps", 2, "skipped", "skipped 1 of 1",
    ),
    "skipped after a failure": (
        "@repeat(4, at_least=2)\ndef test(attempt):\n    answer(1 if attempt == 1 else 2) if attempt < 3 else pytest.skip()",
        "pff", 3, "failed", "undecided attempt 3 was skipped",
    ),
    "xfail": ("@repeat(3)\n@fails\ndef test(): answer(2)", "x", 1, "xfailed", "fail 0 of 1"),
    "xfail later": ("@repeat(3)\n@fails\ndef test(attempt): answer(attempt)", "Xx", 2, "xfailed", "flaky 1 of 2"),
    "xpass": ("@repeat(3)\n@fails\ndef test(): answer(1)", "XXX", 3, "xpassed", ""),
    "strict xpass": ("@repeat(2)\n@strict\ndef test(): answer(1)", "ff", 2, "failed", ""),
    "strict xfail": ("@repeat(3)\n@strict\ndef test(): answer(2)", "x", 1, "xfailed", "fail 0 of 1"),
    "xfail inside": (
        "@repeat(3, at_least=2)\ndef test(attempt):\n    if attempt == 1: pytest.xfail('known')\n    answer(1)",
        "xpp", 3, "passed", "flaky 2 of 3",
    ),
    "asyncio": ("@repeat(2)\n@pytest.mark.asyncio\nasync def test(attempt): answer(attempt)", "pf", 2, "failed", "flaky"),
    "anyio": ("@repeat(2)\n@pytest.mark.anyio\nasync def test(attempt): answer(attempt)", "pf", 2, "failed", "flaky"),
    "subtests": (
        "@repeat(3, at_least=2)\ndef test(attempt, subtests):\n    with subtests.test('a'): answer(int(attempt == 2))\n"
        "    with subtests.test('b'): answer(int(attempt == 2))\n", "fpf", 3, "failed", "flaky 1 of 3",
    ),
    "subtests among passes": (
        "@repeat(3, at_least=2)\ndef test(attempt, subtests):\n    with subtests.test('a'): answer(1)\n"
        "    with subtests.test('b'): assert attempt != 2", "pfp", 3, "passed", "flaky 2 of 3",
    ),
    "class": (
        "@repeat(2)\nclass Test:\n    def setup_method(self): self.x = 1\n    def test(self): answer(self.x)",
        "pp", 2, "passed", "",
    ),
    "parameter": ("@repeat(2)\n@pytest.mark.parametrize('x', [2])\ndef test(x): answer(x)", "fff", 1, "failed", "reproducible"),
    "unittest": (
        "@repeat(3)\nclass Test(unittest.TestCase):\n    seen = []\n    def setUp(self): self.seen.append(1)\n"
        "    def test(self): self.assertLess(len(self.seen), 3)", "ppf", 3, "failed", "flaky 2 of 3",
    ),
    "unittest sub": (
        "@repeat(3)\nclass Test(unittest.TestCase):\n    def test(self):\n        with self.subTest(): self.assertEqual(1, 2)",
        "fff", 1, "failed", "reproducible",
    ),
}  # fmt: skip
LETTERS = dict(zip("pfesxX", ("passed", "failed", "error", "skipped", "xfailed", "xpassed"), strict=True))
PLUGINS = ("-p", "asyncio", "-p", "anyio", "-W", "ignore")


def files():
    return {f"test_{number:02}.py": f"{HEAD}\n{case[0]}\n" for number, case in enumerate(CASES.values())}


@serial_and_workers("mode", "-n2")
def test_every_kind_of_test(harness, mode):
    run = harness.run(files(), "--verify-report", *PLUGINS, *mode)
    tests = run.report["tests"]
    assert len(tests) == len(CASES) == len(list(run.junit.iter("testcase")))
    assert list(map(str, replay_file(RecordsFile(str(run.folder))).findings)) == []
    observed = {}
    expected = {}
    for (name, (_, attempts, deciding, outcome, words)), test in zip(CASES.items(), tests, strict=True):
        repeats = test.get("repeats", {"attempt": 0, "verdict": "", "stability": "", "summary": ""})
        word = "undecided" if repeats["verdict"] == "error" else repeats["stability"] or repeats["verdict"]
        line = f"{word}: {test['test']}: {repeats['summary']}"
        missing = [part for part in words.split() if part not in line]
        observed[name] = test["attempts"], test["outcome"], repeats["attempt"], line in run.stdout, missing
        expected[name] = [LETTERS[letter] for letter in attempts], outcome, deciding, bool(words), []
        numbers = {record["attempt"] for record in run.records if record["test"] == test["test"]}
        assert numbers <= set(range(1, len(attempts) + 1))
    assert observed == expected
    outcomes = [case[3] for case in CASES.values()]
    # pytest counts a test and its teardown, and a test and its subtests.
    subtests = run.report["totals"]["subtests"]["failed"]
    assert run.outcomes == {
        "passed": outcomes.count("passed") + 1,
        "failed": outcomes.count("failed") + subtests,
        "errors": outcomes.count("error"),
        **{name: outcomes.count(name) for name in ("skipped", "xfailed", "xpassed")},
        **{name: number for name, number in run.outcomes.items() if name.startswith("subtests")},
    }
