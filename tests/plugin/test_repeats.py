"""The marker ``verdict_repeat`` and its options: one item, several attempts, one verdict."""

from __future__ import annotations

import json

import pytest

from modes import serial_and_workers
from pytest_verdict.cli import main
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import replay_file
from pytest_verdict.runs.numbers import read_answers
from pytest_verdict.runs.run import read_run
from pytest_verdict.summaries.reading import comparisons
from written_page import WrittenPage

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

@pytest.fixture(scope="module")
def compares():
    assert_matches("exact", 1, 1)

@pytest.fixture(scope="module")
def closes_badly():
    yield
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
    "teardown error of the module": ("@repeat(2)\ndef test(closes_badly): answer(1)", "pe", 2, "error", ""),
    "comparison of the module": (
        "@repeat(2)\ndef test(compares, attempt): answer(1); assert attempt == 1",
        "pf",
        2,
        "failed",
        "flaky no compared answer differs",
    ),
    "hypothesis in a class": (
        ("import hypothesis\n@repeat(2)\nclass Test:\n    @hypothesis.given(hypothesis.strategies.booleans())\n"
        "    @hypothesis.settings(database=None)\n    def test(self, x): assert x in {True, False}"),
        "pp",
        2,
        "passed",
        "",
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
        ("@repeat(3, at_least=2)\ndef test(attempt, subtests):\n    with subtests.test('a'): answer(int(attempt == 2))\n"
        "    with subtests.test('b'): answer(int(attempt == 2))\n"), "fpf", 3, "failed", "flaky 1 of 3",
    ),
    "subtests among passes": (
        ("@repeat(3, at_least=2)\ndef test(attempt, subtests):\n    with subtests.test('a'): answer(1)\n"
        "    with subtests.test('b'): assert attempt != 2"), "pfp", 3, "passed", "flaky 2 of 3",
    ),
    "class": (
        "@repeat(2)\nclass Test:\n    def setup_method(self): self.x = 1\n    def test(self): answer(self.x)",
        "pp", 2, "passed", "",
    ),
    "parameter": ("@repeat(2)\n@pytest.mark.parametrize('x', [2])\ndef test(x): answer(x)", "fff", 1, "failed", "reproducible"),
    "unittest": (
        ("@repeat(3)\nclass Test(unittest.TestCase):\n    seen = []\n    def setUp(self): self.seen.append(1)\n"
        "    def test(self): self.assertLess(len(self.seen), 3)"), "ppf", 3, "failed", "flaky 2 of 3",
    ),
    "instance": (
        ("@repeat(3)\nclass Test:\n    seen = 0\n    def setup_method(self): self.seen += 1\n"
        "    def test(self): assert self.seen == 1; self.seen = 5"), "ppp", 3, "passed", "",
    ),
    "static method": (
        "@repeat(2)\nclass Test:\n    @staticmethod\n    def test(attempt): answer(attempt)", "pf", 2, "failed", "flaky",
    ),
    "applied marker": (
        ("@repeat(3, at_least=2)\ndef test(request, attempt):\n    if attempt == 1: request.applymarker(fails)\n"
        "    answer(int(attempt == 2)); assert ('xfail' in request.keywords) == (attempt == 1)"),
        "xpf", 3, "failed", "flaky 1 of 3",
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


@pytest.mark.ci
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
    # A baseline, a diff and a summary take the attempt that decided, not one that only diagnosed.
    last = {test["test"]: test.get("repeats", {}).get("attempt", len(test["attempts"])) for test in tests}
    counted = [record["id"] for record in run.records if record["attempt"] == last[record["test"]]]
    assert [json.loads(one.line)["id"] for one in read_run(run.folder).comparisons] == counted
    assert [one.record["id"] for one in comparisons(read_report(run.folder), keys=True)] == counted
    assert sum(run.report["totals"]["comparisons"][name] for name in ("pass", "fail", "error")) == len(counted)
    bare = harness.path / "bare.jsonl"
    bare.write_text("".join(json.dumps(record) + "\n" for record in run.records))
    decisions = {record["id"] for record in run.records if record["operator"] == "pass_rate"}
    for place in (run.folder, bare):
        assert [part.row["id"] for part in read_answers(str(place))] == [one for one in counted if one not in decisions]
    outcomes = [case[3] for case in CASES.values()]
    # pytest counts a test and its teardown, and a test and its subtests.
    subtests = run.report["totals"]["subtests"]["failed"]
    assert run.outcomes == {
        "passed": outcomes.count("passed") + 2,
        "failed": outcomes.count("failed") + subtests,
        "errors": outcomes.count("error"),
        **{name: outcomes.count(name) for name in ("skipped", "xfailed", "xpassed")},
        **{name: number for name, number in run.outcomes.items() if name.startswith("subtests")},
    }


SCOPES = """
import pytest
from pytest_verdict import assert_matches

made = {"module": 0, "function": 0}

@pytest.fixture(scope="module")
def wide():
    made["module"] += 1
    yield
    print("module ends")

@pytest.fixture
def narrow(wide, tmp_path):
    made["function"] += 1
    return tmp_path

def test_one(narrow, record_property, capsys):
    assert not list(narrow.iterdir())
    (narrow / "file").touch()
    record_property("number", made["function"])
    print("out", made["function"])

def test_two(narrow):
    assert made["module"] == 1
    assert 4 <= made["function"] <= 6

@pytest.mark.verdict_repeat(1)
def test_three(wide):
    assert made["module"] == 1
"""


def test_function_fixtures_are_new_and_wider_ones_are_not(harness):
    run = harness.run(
        SCOPES,
        "--verdict-repeat",
        "3",
        "--verify-report",
        "-o",
        "junit_logging=all",
        "--junit-xml=own.xml",
        "-o",
        "junit_family=xunit1",
    )
    run.check_agreement()
    assert run.status == 0
    assert [len(test["attempts"]) for test in run.report["tests"]] == [3, 3, 1]
    assert run.report["run"]["test_properties"] == {"test_it.py::test_one": [["number", "3"]]}
    assert (harness.path / "own.xml").read_text().count("<testcase") == 3
    assert "2 repeated tests passed in all of 6 attempts" in run.stdout
    names = {one.get("name"): one.get("value") for one in run.case("test_one").iter("property")}
    assert names["verdict.repeats.needs"] == "3 of 3"
    assert names["verdict.repeats.verdict"] == "pass"


FLAKY = f"""{HEAD}
def test_flaky(attempt):
    answer(attempt % 2)

def test_steady(attempt):
    answer(1)

def test_bad(attempt):
    answer(2)
"""


@pytest.mark.parametrize(
    ("arguments", "attempts", "lines"),
    [
        ((), [2, 4, 3], ["flaky: test_it.py::test_flaky: 1 of 2", "reproducible: test_it.py::test_bad: 0 of 1"]),
        (("-o", "verdict_diagnose=0"), [2, 4, 1], ["fail: test_it.py::test_bad: 0 of 1 passed"]),
        (("-o", "verdict_diagnose=3"), [2, 4, 4], ["0 of 3 more attempts passed"]),
        (("--verdict-repeat-budget", "0"), [1, 1, 1], ["undecided: test_it.py::test_flaky", "session is used up"]),
        (("--verdict-repeat-budget", "3"), [2, 3, 1], ["test_steady: 3 of 3 passed, needs 4 of 4: undecided after 3"]),
        (("--verdict-repeat-budget", "100"), [2, 4, 3], ["1 repeated test passed in all of 4 attempts"]),
        (("-x",), [2], ["flaky: test_it.py::test_flaky"]),
        (("-v",), [2, 4, 3], ["pass: test_it.py::test_steady: 4 of 4 passed, needs 4 of 4: passed after 4"]),
        (("-k", "steady"), [4], ["1 repeated test passed in all of 4 attempts"]),
    ],
)
def test_options(harness, arguments, attempts, lines):
    run = harness.run(FLAKY, "--verify-report", "--verdict-repeat", "4", *arguments)
    assert [len(test["attempts"]) for test in run.report["tests"]] == attempts
    assert [line for line in lines if line not in run.stdout] == []
    assert run.status == (0 if "-k" in arguments else 1)
    assert list(map(str, replay_file(RecordsFile(str(run.folder))).findings)) == []


def test_without_a_report_the_verdict_is_the_same(harness):
    run = harness.run(FLAKY, "--verdict-repeat", "4", "-q", "--tb=no")
    assert run.outcomes == {"failed": 2, "passed": 1}
    assert "flaky: test_it.py::test_flaky: 1 of 2 passed, needs 4 of 4: failed after 2 of at most 4" in run.stdout
    assert not run.folder.exists()


@pytest.mark.parametrize(
    ("content", "arguments", "words"),
    [
        (
            "@repeat('5')\ndef test_it(): pass",
            (),
            "test_it.py::test_it: verdict_repeat: the number of attempts must be",
        ),
        ("@repeat(5, at_lest=3)\ndef test_it(): pass", (), "unknown argument 'at_lest'"),
        ("@repeat()\nclass Test(unittest.TestCase):\n    def test_it(self): pass", (), "verdict_repeat(5), got 0"),
        ("def test_it(): pass", ("--verdict-repeat", "0"), "a whole number from 1 is needed, got '0'"),
        ("def test_it(): pass", ("--verdict-repeat", "10001"), "test_it.py::test_it: --verify-repeat: the number of"),
        ("def test_it(): pass", ("--verdict-repeat-budget", "-1"), "a whole number from 0 is needed, got '-1'"),
        ("def test_it(): pass", ("-o", "verdict_diagnose=some"), "verdict_diagnose: a whole number from 0 to 9999"),
        ("def one():\n    '''>>> 1'''", ("--verdict-repeat", "2", "--doctest-modules"), "and this is a DoctestItem"),
        (
            "@repeat(2)\ndef test_it(): pass",
            ("-p", "rerunfailures", "--reruns", "1"),
            "--reruns runs a failed test again",
        ),
        (
            "@repeat(2)\n@pytest.mark.flaky\ndef test_it(): pass",
            ("-p", "rerunfailures"),
            "the marker flaky runs a failed",
        ),
        (
            "@repeat(2)\ndef test_it(): pass",
            ("-p", "rerunfailures", "-o", "reruns=1"),
            "the ini key reruns runs a failed",
        ),
    ],
)
def test_refused_at_collection(harness, content, arguments, words):
    run = harness.run(f"{HEAD}\n{content}\n", "--verify-report", *arguments)
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert words in run.output
    assert "Traceback" not in run.output


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("@pytest.mark.flaky\n@repeat(2)\ndef test_it(): pass", ()),
        ("@repeat(2)\ndef test_it(): pass", ("-p", "rerunfailures")),
        ("@repeat(1)\n@pytest.mark.flaky\ndef test_it(): pass", ("-p", "rerunfailures")),
        ("def test_it(): pass", ("-p", "rerunfailures", "--reruns", "1")),
        ("@repeat('5')\ndef test_other(): pass\ndef test_it(): pass", ("-k", "not other")),
        ("@repeat(2)\ndef test_it(): pass", ("--setup-only",)),
        ("@repeat(2)\ndef test_it(): pass", ("--collect-only",)),
        ("@repeat(2)\ndef test_it(): pass", ("--strict-markers", "-p", "no:terminal")),
        ("@repeat(2)\ndef test_it(): pass", ("-s",)),
        ("@repeat(2)\ndef test_it(): pass", ("-p", "no:subtests")),
    ],
)
def test_legitimate_neighbours(harness, content, arguments):
    assert harness.run(f"{HEAD}\n{content}\n", *arguments).status == 0


def test_marker_of_pytest_retry_is_refused(harness):
    option = "def pytest_addoption(parser): parser.addoption('--retries', type=int)\n"
    content = f"{HEAD}\n@repeat(2)\n@pytest.mark.flaky(retries=2)\ndef test_it(): pass\n"
    run = harness.run({"conftest.py": option, "test_it.py": content})
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "the marker flaky runs a failed test again" in run.output


def test_a_suite_sets_its_own_repeats(harness):
    suite = "suite:\n  name: s\n  scenarios:\n    - {name: a, input: b, expected_output: c}\n"
    run = harness.run({"s.verdict.yaml": suite}, "--verdict-repeat", "2")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "this is a ScenarioItem; leave it out of the selection. A suite sets `repeats:` itself" in run.output


def test_secrets_stay_out_of_the_decision(harness):
    content = f"{HEAD}\n@repeat(2)\ndef test_it(): assert False, 'the key sk-12345678 is wrong'"
    run = harness.run({"test_it.py": content, "pytest.ini": "[pytest]\nverdict_redact = sk-\\d+\n"}, "--verify-report")
    assert "always: AssertionError: the key" in run.stdout.split("= repeats =")[1]
    for path in run.folder.iterdir():
        assert b"sk-12345678" not in path.read_bytes()
    assert "sk-12345678" not in run.stdout.split("= repeats =")[1].split("= short test")[0]


STOPPED = f"""{HEAD}
import os

def test_before(): answer(1)

@repeat(5)
def test_it(attempt):
    answer(1)
    if attempt == 3:
        STOP

def test_after(): answer(1)
"""


@pytest.mark.ci
def test_interrupt_leaves_no_verdict(harness):
    run = harness.run(STOPPED.replace("STOP", "raise KeyboardInterrupt"), "--verify-report", process=True)
    assert run.status == pytest.ExitCode.INTERRUPTED
    assert "unfinished: test_it.py::test_it: 2 attempts ended, and the session before a verdict" in run.stdout
    (test,) = [test for test in run.report["tests"] if test["test"].endswith("test_it")]
    assert (test["outcome"], test["attempts"]) == ("unfinished", ["passed", "passed", "unfinished"])
    assert "repeats" not in test
    assert not run.report["complete"]
    assert list(map(str, replay_file(RecordsFile(str(run.folder))).findings)) == []


@pytest.mark.ci
def test_killed_session_keeps_the_attempts_that_ended(harness):
    run = harness.run(STOPPED.replace("STOP", "os._exit(9)"), "--verify-report", process=True)
    assert run.status == 9
    assert main(["report", str(run.folder)]) == 0
    (test,) = [test for test in run.report["tests"] if test["test"].endswith("test_it")]
    assert (test["outcome"], test["attempts"]) == ("unfinished", ["passed", "passed", "unfinished"])
    assert sum(record["test"].endswith("test_it") for record in run.records) == 2
    assert not run.report["complete"]


def test_pdb_opens_once(harness):
    quiet = "class Quiet:\n    def __init__(self, **_): pass\n    def reset(self): print('opened')\n"
    quiet += "    def interaction(self, *_): pass\n    quitting = False\n"
    files = {"test_it.py": f"{HEAD}\n@repeat(3)\ndef test_it(): answer(2)", "quiet.py": quiet}
    harness.monkeypatch.syspath_prepend(harness.path)
    run = harness.run(files, "--pdb", "--pdbcls=quiet:Quiet")
    assert run.stdout.count("opened") == 1
    assert "fail: test_it.py::test_it: 0 of 1 passed" in run.stdout


@pytest.mark.ci
def test_bad_argument_in_a_worker_is_an_error_of_the_test(harness):
    run = harness.run(f"{HEAD}\n@repeat('5')\ndef test_it(): pass\ndef test_other(): pass", "-n2")
    assert run.outcomes == {"errors": 1, "passed": 1}
    assert "verdict_repeat: the number of attempts must be a whole number from 1 to 10000, got '5'" in run.stdout


@pytest.mark.ci
def test_worker_that_dies_in_an_attempt_fails_the_test(harness):
    run = harness.run(STOPPED.replace("STOP", "os._exit(9)"), "--verify-report", "-n2")
    tests = {test["test"].rpartition("::")[2]: test for test in run.report["tests"]}
    assert tests["test_it"]["outcome"] == "failed"
    assert tests["test_it"]["crashed"]
    assert tests["test_it"]["attempts"] == ["passed", "passed", "failed"]
    assert tests["test_before"]["outcome"] == tests["test_after"]["outcome"] == "passed"
    assert list(map(str, replay_file(RecordsFile(str(run.folder))).findings)) == []


SLOW = f"""{HEAD}
import time

@repeat(3, at_least=2)
def test_it(attempt):
    answer(1)
    if attempt == 2:
        time.sleep(20)

def test_after(): answer(1)
"""


def test_timeout_by_a_signal_is_an_attempt_that_raised(harness):
    pytest.importorskip("pytest_timeout", reason="pytest-timeout is not installed")
    run = harness.run(SLOW, "--verify-report", "-p", "pytest_timeout", "--timeout=0.3", "--timeout-method=signal")
    (test,) = [test for test in run.report["tests"] if test["test"].endswith("test_it")]
    assert (test["outcome"], test["attempts"]) == ("passed", ["passed", "failed", "passed"])
    assert "flaky: test_it.py::test_it: 2 of 3 passed, 1 raised, needs 2 of 3: passed after 3" in run.stdout
    assert run.status == 0
    run = harness.run(SLOW.replace(", at_least=2", ""), "-p", "pytest_timeout", "--timeout=0.3")
    assert run.status == 1
    assert "1 of 2 passed, 1 raised, needs 3 of 3: failed after 2" in run.stdout


@pytest.mark.ci
def test_timeout_by_a_thread_ends_the_session_without_a_verdict(harness):
    pytest.importorskip("pytest_timeout", reason="pytest-timeout is not installed")
    options = ("-p", "pytest_timeout", "--timeout=1", "--timeout-method=thread")
    run = harness.run(SLOW, "--verify-report", *options, process=True)
    assert run.status not in {0, 5}
    assert main(["report", str(run.folder)]) == 0
    tests = {test["test"].rpartition("::")[2]: test for test in run.report["tests"]}
    assert tests["test_it"]["outcome"] == "unfinished"
    assert tests["test_it"]["attempts"][0] == "passed"
    assert not run.report["complete"]


LAST_FAILED = f"""{HEAD}
@repeat(3, at_least=2)
def test_good(attempt): answer(attempt % 2)

@repeat(2)
def test_bad(): answer(2)

def test_plain(): answer(1)
"""


@pytest.mark.ci
@pytest.mark.parametrize(
    ("options", "tests", "status"),
    [
        (["-p", "cacheprovider", "--lf"], ["test_bad"], 1),
        (["-p", "cacheprovider", "--ff"], ["test_bad", "test_good", "test_plain"], 1),
        (["-p", "no:cacheprovider"], ["test_good", "test_bad", "test_plain"], 1),
        (["-p", "cacheprovider", "--sw"], ["test_bad"], 2),
    ],
    ids=["lf", "ff", "no cache", "sw"],
)
def test_cache_knows_tests_and_no_attempts(harness, options, tests, status):
    harness.run(LAST_FAILED, *options[:2])
    if "--sw" in options:
        harness.run((), *options)
    run = harness.run((), "--verify-report", *options)
    assert run.status == status
    assert [test["test"].rpartition("::")[2] for test in run.report["tests"] if test["attempts"]] == tests
    attempts = {test["test"].rpartition("::")[2]: len(test["attempts"]) for test in run.report["tests"]}
    assert attempts["test_bad"] == 3


SCOPED = f"""{HEAD}
made = defaultdict(list)

@pytest.fixture(scope="session")
def whole(): made["whole"].append(1)

@pytest.fixture(scope="class")
def wide(whole, request):
    made["wide"].append(request.cls.__name__)
    yield
    made["wide ended"].append(request.cls.__name__)

@pytest.fixture(params=["a", "b"])
def letter(wide, request):
    made[request.param].append(1)
    return request.param

@repeat(2)
@pytest.mark.parametrize("x", [1, 2])
class TestOne:
    def test_it(self, letter, x): answer(1)

class TestTwo(TestOne):
    pass

def test_counts():
    assert made == {{
        "whole": [1], "wide": ["TestOne", "TestTwo"], "wide ended": ["TestOne", "TestTwo"], "a": [1] * 8, "b": [1] * 8,
    }}
"""


@serial_and_workers("mode", "-n2", "--dist=loadfile")
def test_parametrized_classes_with_wider_fixtures(harness, mode):
    run = harness.run(SCOPED, "--verify-report", *mode)
    assert run.status == 0, run.output
    attempts = [len(test["attempts"]) for test in run.report["tests"]]
    assert attempts == [2] * 8 + [1]
    assert len({test["test"] for test in run.report["tests"]}) == 9


def test_page_has_a_line_for_each_repeated_test(harness):
    run = harness.run(FLAKY, "--verify-report", "--verdict-repeat", "4", "-o", "verdict_html=always")
    facts = dict(WrittenPage(run.folder / "report.html").about["facts"])
    lines = {name: text for name, text in facts.items() if name.startswith("repeats of ")}
    assert [*lines] == [f"repeats of test_it.py::test_{name}" for name in ("flaky", "bad", "steady")]
    flaky, bad, steady = lines.values()
    assert flaky.startswith("flaky: 1 of 2 passed, needs 4 of 4: failed after 2 of at most 4; the true rate is from ")
    assert flaky.endswith("; the answers differ")
    assert bad.startswith("reproducible: 0 of 1 passed, needs 4 of 4: failed after 1 of at most 4")
    assert steady.startswith("pass: 4 of 4 passed, needs 4 of 4: passed after 4; ")
    page = WrittenPage(
        harness.run("def test_it(): pass", "--verify-report", "-o", "verdict_html=always").folder / "report.html"
    )
    assert not any(name.startswith("repeats") for name, _ in page.about["facts"])
