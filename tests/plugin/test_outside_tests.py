"""Failing comparisons of a conftest.py, a module or a hook, which belong to no test."""

from __future__ import annotations

import pytest

HEAD = 'import contextlib, pytest\nfrom pytest_verdict import assert_matches, compare, expect\nFAIL = ("exact", 1, 2)\n'
PASSES = HEAD + "def test_it(): pass\n"
TWO = PASSES + "def test_other(): pass\n"
SUPPRESSED = "with contextlib.suppress(AssertionError):\n    assert_matches(*FAIL)\n"
SECTION = "comparisons outside of tests that nothing looked at"

UNSEEN = {
    "conftest": {"conftest.py": HEAD + "compare(*FAIL)\n", "test_it.py": PASSES},
    "conftest, kept": {"conftest.py": HEAD + "RESULT = compare(*FAIL)\n", "test_it.py": PASSES},
    "conftest, error": {"conftest.py": HEAD + 'compare("regex", "(", "a").passed\n', "test_it.py": PASSES},
    "conftest, suppressed": {"conftest.py": HEAD + SUPPRESSED, "test_it.py": PASSES},
    "conftest of a folder": {"sub/conftest.py": HEAD + "compare(*FAIL)\n", "sub/test_it.py": PASSES},
    "plugin": {"conftest.py": 'pytest_plugins = ["mine"]\n', "mine.py": HEAD + "compare(*FAIL)\n", "test_it.py": PASSES},
    "module": {"test_it.py": PASSES + "compare(*FAIL)\n"},
    "module, printed": {"test_it.py": PASSES + "print(compare(*FAIL).passed)\n"},
    "module, suppressed": {"test_it.py": PASSES + SUPPRESSED},
    "class body": {"test_it.py": PASSES + "class TestIt:\n    result = compare(*FAIL)\n    def test_it(self): pass\n"},
    "decorator": {"test_it.py": HEAD + "@pytest.mark.skipif(compare(*FAIL) is None, reason='')\ndef test_it(): pass\n"},
    "imported helper": {"helper.py": HEAD + "compare(*FAIL)\n", "test_it.py": "import helper\n" + PASSES},
    "one of two": {"test_it.py": HEAD + "R = [compare(*FAIL) for _ in range(2)]\ndef test_it(): assert not R[0]\n"},
    "many": {"test_it.py": PASSES + "for n in range(2000): compare('exact', n, -1)\n"},
    "hook at the end": {"conftest.py": HEAD + "def pytest_sessionfinish(): compare(*FAIL)\n", "test_it.py": PASSES},
}  # fmt: skip
HOOKS = (
    *("pytest_configure", "pytest_sessionstart", "pytest_collection", "pytest_collection_modifyitems"),
    *("pytest_collection_finish", "pytest_generate_tests", "pytest_itemcollected", "pytest_runtestloop"),
    *("pytest_runtest_logstart", "pytest_runtest_logfinish", "pytest_runtest_logreport", "pytest_runtest_setup"),
    *("pytest_runtest_call", "pytest_runtest_teardown", "pytest_pyfunc_call", "pytest_fixture_setup"),
    *("pytest_runtest_protocol", "pytest_report_teststatus", "pytest_sessionfinish"),
)
SEEN = {
    "conftest": {"conftest.py": HEAD + "assert not compare(*FAIL)\n", "test_it.py": PASSES},
    "conftest, passes": {"conftest.py": HEAD + 'compare("exact", 1, 1)\n', "test_it.py": PASSES},
    "conftest, raises": {
        "conftest.py": HEAD + "with pytest.raises(AssertionError):\n    assert_matches(*FAIL)\n",
        "test_it.py": PASSES,
    },
    "conftest, read by a test": {
        "conftest.py": HEAD + "pytest.result = compare(*FAIL)\n",
        "test_it.py": HEAD + "def test_first(): pass\ndef test_it(): assert not pytest.result\n",
    },
    "module": {"test_it.py": HEAD + "R = compare(*FAIL)\ndef test_first(): pass\ndef test_it(): assert not R\n"},
    "parameters": {
        "test_it.py": HEAD
        + "R = [compare('exact', n, 9) for n in range(3)]\n"
        + "@pytest.mark.parametrize('one', R)\ndef test_it(one): assert not one\n"
    },
    "an expectation of a module": {
        "test_it.py": HEAD + "PARIS = expect('exact', 'Paris')\ndef test_it(): assert 'Paris' == PARIS\n"
    },
    "an expectation that is not needed": {"test_it.py": PASSES + "PARIS = expect('exact', 'Paris')\n"},
    "a condition": {
        "test_it.py": HEAD + "@pytest.mark.skipif(not compare(*FAIL), reason='x')\ndef test_it(): pass\n" + TWO
    },
    "a branch": {"conftest.py": HEAD + "if not compare(*FAIL).passed:\n    X = 1\n", "test_it.py": PASSES},
}


QUICK = ("conftest", "module", "hook at the end")
CASES = [case if case in QUICK else pytest.param(case, marks=pytest.mark.ci) for case in UNSEEN]


@pytest.mark.parametrize("case", CASES)
def test_session_does_not_pass(harness, case):
    run = harness.run(UNSEEN[case], "-W", "ignore")
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output
    assert SECTION in run.stdout


@pytest.mark.ci
@pytest.mark.parametrize("hook", HOOKS)
def test_comparison_of_a_hook_is_counted(harness, hook):
    tests = HEAD + "@pytest.fixture\ndef fixture(): pass\ndef test_it(fixture): pass\ndef test_other(): pass\n"
    run = harness.run({"conftest.py": f"{HEAD}def {hook}(): compare(*FAIL)\n", "test_it.py": tests})
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output


@pytest.mark.parametrize("case", ["module", *(pytest.param(case, marks=pytest.mark.ci) for case in SEEN)])
def test_comparison_that_was_looked_at_is_accepted(harness, case):
    run = harness.run(SEEN[case])
    assert run.status == pytest.ExitCode.OK, run.output
    assert SECTION not in run.stdout


def test_section_names_place_and_reason(harness):
    run = harness.run({"test_it.py": PASSES + "for n in range(7): compare('exact', n, 9)\n"})
    start = run.stdout.index(SECTION)
    assert run.stdout[start:].splitlines()[1:8] == [
        *(f"test_it.py:5: exact: expected {number}, got 9" for number in range(5)),
        "... and 2 more",
        "Assert on them in a test, or accept them by the ini key verdict_unread.",
    ]


@pytest.mark.ci
@pytest.mark.parametrize(("mode", "status"), [("warn", 0), ("ignore", 0)])
def test_ini_key_accepts_them(harness, mode, status):
    run = harness.run(UNSEEN["conftest"], "-o", f"verdict_unread={mode}")
    assert (run.status, SECTION in run.stdout) == (status, mode != "ignore")


@pytest.mark.ci
@pytest.mark.parametrize("arguments", [("--collect-only",), ("--setup-plan",), ("--help",), ("--fixtures",)])
def test_session_without_tests_is_silent(harness, arguments):
    run = harness.run(UNSEEN["module"], *arguments)
    assert run.status == pytest.ExitCode.OK
    assert SECTION not in run.stdout


def test_parameters_of_deselected_tests_are_accepted(harness):
    run = harness.run({"test_it.py": SEEN["parameters"]["test_it.py"] + "def test_other(): pass\n"}, "-k", "other")
    assert run.status == pytest.ExitCode.OK, run.output
    run = harness.run({"test_it.py": PASSES + "compare(*FAIL)\ndef test_other(): pass\n"}, "-k", "other")
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output


def test_other_parameters_of_deselected_tests_are_left_alone(harness):
    account = "class Account:\n    def settle(self): raise SystemExit('paid')\n"
    values = "@pytest.mark.parametrize('one', [Account(), compare(*FAIL)])\ndef test_it(one): assert not one\n"
    run = harness.run({"test_it.py": f"{HEAD}{account}{values}def test_other(): pass\n"}, "-k", "other")
    assert run.status == pytest.ExitCode.OK, run.output


LATER = HEAD + "R = compare(*FAIL)\ndef test_other(): pass\n"
SCOPED = HEAD + "@pytest.fixture(scope='module')\ndef result(): return compare(*FAIL)\ndef test_other(result): pass\n"
LOOKS = "def test_it(): assert not R\n"
LOOKS_AT_FIXTURE = "def test_it(result): assert not result\n"
LEFT_OUT = {
    "-k": (LATER + LOOKS, "-k", "other"),
    "-m": (LATER + "@pytest.mark.slow\n" + LOOKS, "-m", "not slow"),
    "--deselect": (LATER + LOOKS, "--deselect", "test_it.py::test_it"),
    "a node id": (LATER + LOOKS, "test_it.py::test_other"),
    "a skip": (LATER + "@pytest.mark.skip\n" + LOOKS,),
    "a skip in the test": (LATER + "def test_it():\n    pytest.skip()\n    assert not R\n",),
    "in a container": (LATER.replace("compare(*FAIL)", "{'a': [compare(*FAIL)]}") + LOOKS, "-k", "other"),
    "in a class": (HEAD + "class TestIt:\n    R = compare(*FAIL)\n    def test_other(self): pass\n"
                   "    def test_it(self): assert not self.R\n", "-k", "other"),
    "a fixture": (SCOPED + LOOKS_AT_FIXTURE, "-k", "other"),
    "a fixture and a skip": (SCOPED + "@pytest.mark.skip\n" + LOOKS_AT_FIXTURE,),
}  # fmt: skip


@pytest.mark.parametrize("case", ["-k", "a fixture", *(pytest.param(case, marks=pytest.mark.ci) for case in LEFT_OUT)])
def test_test_that_looks_may_be_left_out(harness, case):
    files, *arguments = LEFT_OUT[case]
    run = harness.run(files, *arguments, "-W", "ignore")
    assert run.status == pytest.ExitCode.OK, run.output


DROPPED = {
    "a statement": (PASSES + "compare(*FAIL)\ndef test_other(): pass\n", "-k", "other"),
    "printed": (PASSES + "print(compare(*FAIL).passed)\ndef test_other(): pass\n", "-k", "other"),
    "a fixture": (SCOPED.replace("return ", "") + LOOKS_AT_FIXTURE, "-k", "other"),
    "kept, and all tests ran": (LATER,),
    "kept by a fixture, and all tests ran": (SCOPED,),
    "kept, and the file is an argument": (LATER, "test_it.py"),
}


@pytest.mark.parametrize("case", [*list(DROPPED)[:1], *(pytest.param(one, marks=pytest.mark.ci) for one in DROPPED)])
def test_no_test_that_was_left_out_can_look(harness, case):
    files, *arguments = DROPPED[case]
    run = harness.run(files, *arguments, "-W", "ignore")
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output


def test_test_of_another_file_may_look(harness):
    looks = "import pytest\ndef test_it(): assert not pytest.result\n"
    files = {"conftest.py": f"{HEAD}pytest.result = compare(*FAIL)\n", "test_it.py": PASSES, "test_other.py": looks}
    assert harness.run(files, "test_it.py").status == pytest.ExitCode.OK
    assert harness.run((), ".").status == pytest.ExitCode.OK
    (harness.path / "test_other.py").unlink()
    assert harness.run((), ".").status == pytest.ExitCode.TESTS_FAILED


DIFFERENT = {
    "other values": "compare('exact', 1, os.getpid())",
    "only in one worker": "os.environ.get('PYTEST_XDIST_WORKER') == 'gw1' and compare(*FAIL)",
    "more in one worker": "[compare(*FAIL) for _ in range(1 + (os.environ.get('PYTEST_XDIST_WORKER') == 'gw1'))]",
}


@pytest.mark.ci
@pytest.mark.parametrize("case", DIFFERENT)
def test_workers_that_import_other_values(harness, case):
    run = harness.run({"test_it.py": f"import os\n{TWO}{DIFFERENT[case]}\n"}, "-n2")
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output
    looks = f"import os\n{TWO}R = compare('exact', 1, os.getpid())\ndef test_looks(): assert not R\n"
    assert harness.run(looks, "-n2").status == pytest.ExitCode.OK


@pytest.mark.ci
@pytest.mark.parametrize("case", ["module", "parameters", "conftest, read by a test"])
def test_one_worker_looks_for_all(harness, case):
    run = harness.run(SEEN[case], "-n2")
    assert run.status == pytest.ExitCode.OK, run.output


@pytest.mark.parametrize(
    "case",
    ["one of two", *(pytest.param(case, marks=pytest.mark.ci) for case in ("conftest", "module", "hook at the end"))],
)
def test_session_with_workers_does_not_pass(harness, case):
    run = harness.run(UNSEEN[case], "-n2")
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output
