"""Failing comparisons of a conftest.py, a module or a hook, which belong to no test: they raise where they are made."""

from __future__ import annotations

import pytest

HEAD = 'import contextlib, pytest\nfrom pytest_verdict import assert_matches, compare, expect\nFAIL = ("exact", 1, 2)\n'
PASSES = HEAD + "def test_it(): pass\n"
MESSAGE = "outside of a test; compare in a test or in a fixture, or accept it by the ini key verdict_unread"

REFUSED = {
    "conftest": {"conftest.py": HEAD + "compare(*FAIL)\n", "test_it.py": PASSES},
    "conftest, read": {"conftest.py": HEAD + "assert not compare(*FAIL)\n", "test_it.py": PASSES},
    "conftest, error": {"conftest.py": HEAD + 'compare("regex", "(", "a").passed\n', "test_it.py": PASSES},
    "conftest of a folder": {"sub/conftest.py": HEAD + "compare(*FAIL)\n", "sub/test_it.py": PASSES},
    "plugin": {"conftest.py": 'pytest_plugins = ["mine"]\n', "mine.py": HEAD + "compare(*FAIL)\n", "test_it.py": PASSES},
    "module": {"test_it.py": PASSES + "compare(*FAIL)\n"},
    "class body": {"test_it.py": PASSES + "class TestIt:\n    result = compare(*FAIL)\n    def test_it(self): pass\n"},
    "decorator": {"test_it.py": HEAD + "@pytest.mark.skipif(compare(*FAIL) is None, reason='')\ndef test_it(): pass\n"},
    "parameters": {
        "test_it.py": HEAD
        + "R = [compare('exact', n, 9) for n in range(3)]\n"
        + "@pytest.mark.parametrize('one', R)\ndef test_it(one): assert not one\n"
    },
    "imported helper": {"helper.py": HEAD + "compare(*FAIL)\n", "test_it.py": "import helper\n" + PASSES},
    "hook at the end": {"conftest.py": HEAD + "def pytest_sessionfinish(): compare(*FAIL)\n", "test_it.py": PASSES},
}  # fmt: skip
HOOKS = (
    *("pytest_configure", "pytest_sessionstart", "pytest_collection", "pytest_collection_modifyitems"),
    *("pytest_collection_finish", "pytest_generate_tests", "pytest_itemcollected", "pytest_runtestloop"),
    *("pytest_runtest_logstart", "pytest_runtest_logfinish", "pytest_runtest_logreport", "pytest_runtest_setup"),
    *("pytest_runtest_call", "pytest_runtest_teardown", "pytest_pyfunc_call", "pytest_fixture_setup"),
    *("pytest_runtest_protocol", "pytest_report_teststatus", "pytest_sessionfinish"),
)
ACCEPTED = {
    "conftest, passes": {"conftest.py": HEAD + 'compare("exact", 1, 1)\n', "test_it.py": PASSES},
    "conftest, raises": {
        "conftest.py": HEAD + "with pytest.raises(AssertionError):\n    assert_matches('exact', 1, 1)\n    assert 0\n",
        "test_it.py": PASSES,
    },
    "an expectation of a module": {
        "test_it.py": HEAD + "PARIS = expect('exact', 'Paris')\ndef test_it(): assert 'Paris' == PARIS\n"
    },
    "an expectation that is not needed": {"test_it.py": PASSES + "PARIS = expect('exact', 'Paris')\n"},
}
QUICK = ("conftest", "module", "hook at the end")
CASES = [case if case in QUICK else pytest.param(case, marks=pytest.mark.ci) for case in REFUSED]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.ci)], ids=["serial", "workers"])
def test_session_does_not_pass(harness, case, workers):
    run = harness.run(REFUSED[case], *workers, "-W", "ignore", process=True)
    assert run.status != pytest.ExitCode.OK, run.output
    assert MESSAGE in run.output


@pytest.mark.ci
@pytest.mark.parametrize("hook", HOOKS)
def test_comparison_of_a_hook_does_not_pass(harness, hook):
    tests = HEAD + "@pytest.fixture\ndef fixture(): pass\ndef test_it(fixture): pass\ndef test_other(): pass\n"
    run = harness.run(
        {"conftest.py": f"{HEAD}def {hook}(): compare(*FAIL)\n", "test_it.py": tests}, process=True
    )  # fmt: skip
    assert run.status != pytest.ExitCode.OK, run.output


@pytest.mark.ci
@pytest.mark.parametrize("case", ACCEPTED)
def test_what_does_not_fail_is_accepted(harness, case):
    run = harness.run(ACCEPTED[case])
    assert run.status == pytest.ExitCode.OK, run.output


@pytest.mark.ci
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["serial", "workers"])
def test_parameters_that_pass_are_accepted(harness, workers):
    run = harness.run(REFUSED["parameters"], *workers, process=True)
    assert "exact: expected 0, got 9" in run.output
    assert f"made at test_it.py:4, {MESSAGE}" in run.output
    for mode in ("warn", "ignore"):
        run = harness.run((), *workers, "-o", f"verdict_unread={mode}", "-W", "default", process=True)
        assert run.status == pytest.ExitCode.OK, run.output
        assert (MESSAGE in run.output) == (mode == "warn")
    passing = REFUSED["parameters"]["test_it.py"].replace("n, 9", "n, n").replace("assert not one", "assert one")
    run = harness.run({"test_it.py": passing}, *workers, process=True)
    assert run.status == pytest.ExitCode.OK, run.output


@pytest.mark.ci
@pytest.mark.parametrize("mode", ["warn", "ignore"])
def test_ini_key_accepts_them(harness, mode):
    run = harness.run(REFUSED["conftest"], "-o", f"verdict_unread={mode}", "-W", "default")
    assert run.status == pytest.ExitCode.OK, run.output


SCOPED = HEAD + "@pytest.fixture(scope='module')\ndef result(): return compare(*FAIL)\ndef test_other(result): pass\n"
LOOKS_AT_FIXTURE = "def test_it(result): assert not result\n"
LEFT_OUT = {
    "-k": (SCOPED + LOOKS_AT_FIXTURE, "-k", "other"),
    "-m": (SCOPED + "@pytest.mark.slow\n" + LOOKS_AT_FIXTURE, "-m", "not slow"),
    "--deselect": (SCOPED + LOOKS_AT_FIXTURE, "--deselect", "test_it.py::test_it"),
    "a node id": (SCOPED + LOOKS_AT_FIXTURE, "test_it.py::test_other"),
    "a skip": (SCOPED + "@pytest.mark.skip\n" + LOOKS_AT_FIXTURE,),
    "in a container": (SCOPED.replace("compare(*FAIL)", "{'a': [compare(*FAIL)]}") + LOOKS_AT_FIXTURE, "-k", "other"),
}  # fmt: skip


@pytest.mark.parametrize("case", ["-k", *(pytest.param(case, marks=pytest.mark.ci) for case in LEFT_OUT)])
def test_test_that_looks_at_a_fixture_may_be_left_out(harness, case):
    files, *arguments = LEFT_OUT[case]
    run = harness.run(files, *arguments, "-W", "ignore")
    assert run.status == pytest.ExitCode.OK, run.output


@pytest.mark.ci
@pytest.mark.parametrize(
    ("files", "arguments"),
    [(SCOPED.replace("return ", "") + LOOKS_AT_FIXTURE, ("-k", "other")), (SCOPED, ())],
    ids=["dropped", "all tests ran"],
)
def test_no_test_that_was_left_out_can_look_at_a_fixture(harness, files, arguments):
    run = harness.run(files, *arguments, "-W", "ignore")
    assert run.status == pytest.ExitCode.TESTS_FAILED, run.output
