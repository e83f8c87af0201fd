"""A dozen popular plugins in one session: outcomes are the same with and without a report."""

from __future__ import annotations

import importlib.util
from collections import Counter

import pytest
from lxml import etree

pytestmark = pytest.mark.ci

TESTS = """
import asyncio, unittest, time
import pytest
from hypothesis import given, settings, strategies as st
from pytest_verdict import assert_matches, compare, expect

@pytest.mark.parametrize("n", range(5))
def test_pass(n): assert_matches("exact", n, n)
def test_fail(): assert_matches("exact", 1, 2)
def test_assert(): assert compare("exact", 1, 2)
def test_unread(): compare("exact", 1, 2)
def test_error(): assert compare("regex", "(", "a")
def test_skip():
    assert not compare("exact", 1, 2); pytest.skip("x")
@pytest.mark.skip
def test_marked(): pass
@pytest.mark.xfail
def test_xfail(): assert_matches("exact", 1, 2)
@pytest.mark.xfail
def test_xpass(): assert_matches("exact", 1, 1)
@pytest.mark.xfail(strict=True)
def test_xstrict(): pass
@pytest.fixture
def broken(): assert_matches("exact", 1, 2)
def test_setup_error(broken): pass
@pytest.fixture
def down():
    yield
    assert_matches("exact", 1, 2)
def test_teardown_error(down): assert_matches("exact", 1, 1)
def test_both(down): assert_matches("exact", 1, 2)
TRIES = {}
@pytest.mark.flaky(reruns=2)
def test_flaky():
    TRIES["a"] = TRIES.get("a", 0) + 1
    assert_matches("exact", 2, TRIES["a"])
@pytest.mark.flaky(reruns=1)
def test_flaky_fails(): assert_matches("exact", 1, 2)
@pytest.mark.timeout(0.3)
def test_timeout():
    assert_matches("exact", 1, 1); time.sleep(1)
@pytest.mark.asyncio
async def test_asyncio(): assert_matches("exact", 1, 1); await asyncio.sleep(0)
@pytest.mark.asyncio
async def test_asyncio_fails(): assert_matches("exact", 1, 2)
@pytest.fixture
def anyio_backend(): return "asyncio"
@pytest.mark.anyio
async def test_anyio(): assert_matches("exact", 1, 1)
@pytest.mark.anyio
async def test_anyio_fails(): assert_matches("exact", 1, 2)
def test_benchmark(benchmark): assert benchmark(lambda: 1) == expect("exact", 1)
def test_benchmark_fails(benchmark): assert_matches("exact", 2, benchmark(lambda: 1))
def test_subtests(subtests):
    for n in range(3):
        with subtests.test(n=n): assert_matches("exact", n, 1)
class Case(unittest.TestCase):
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n): assert_matches("exact", n, 1)
    def test_fails(self): self.assertTrue(compare("exact", 1, 2))
    @unittest.expectedFailure
    def test_expected(self): assert_matches("exact", 1, 2)
    @unittest.skip("x")
    def test_skipped(self): pass
@given(st.integers(0, 9))
@settings(database=None, deadline=None, derandomize=True, max_examples=20)
def test_hypothesis(n): assert_matches("numeric_maximum", 9, n)
@given(st.integers(0, 9))
@settings(database=None, deadline=None, derandomize=True, max_examples=20)
def test_hypothesis_fails(n): assert_matches("numeric_maximum", 5, n)
def test_check():
    check = pytest.importorskip("pytest_check")
    check.is_false(compare("exact", 1, 2))
    with check.check: assert_matches("exact", 1, 2)
def test_mock():
    from unittest import mock
    with mock.patch("os.getcwd", return_value="x"): assert_matches("exact", 1, 1)
@pytest.mark.parametrize("n", range(4))
def test_more(n): assert compare("exact", n, 2).passed in {n == 2}
"""
# The module of each plugin, its distribution, and arguments that make it act.
PLUGINS = {
    "xdist": ("pytest-xdist", ("-n2",)),
    "pytest_cov": ("pytest-cov", ("--cov=test_it", "--cov-report=")),
    "pytest_randomly": ("pytest-randomly", ("-p", "randomly", "--randomly-seed=1")),
    "pytest_rerunfailures": ("pytest-rerunfailures", ("--reruns=1",)),
    "pytest_retry": ("pytest-retry", ()),
    "pytest_timeout": ("pytest-timeout", ("--timeout=20",)),
    "pytest_asyncio": ("pytest-asyncio", ()),
    "anyio": ("anyio", ()),
    "pytest_benchmark": ("pytest-benchmark", ("--benchmark-disable",)),
    "pytest_html": ("pytest-html", ("--html=out.html",)),
    "allure_pytest": ("allure-pytest", ("--alluredir=allure",)),
    "pytest_sugar": ("pytest-sugar", ()),
    "pytest_split": ("pytest-split", ("--splits=1", "--group=1")),
    "pytest_subtests": ("pytest-subtests", ()),
    "pytest_instafail": ("pytest-instafail", ("--instafail",)),
    "pytest_check": ("pytest-check", ()),
    "pytest_mock": ("pytest-mock", ()),
}
INSTALLED = [name for name in PLUGINS if importlib.util.find_spec(name)]


def test_all_plugins_are_installed():
    missing = [distribution for name, (distribution, _) in PLUGINS.items() if name not in INSTALLED]
    if missing:
        pytest.skip(f"tested without {', '.join(missing)}, which are not installed")


def run_with(harness, names, *more):
    arguments = [argument for name in names for argument in PLUGINS[name][1]]
    absent = [] if "pytest_randomly" in names else ["-p", "no:randomly"]
    if "xdist" not in names:
        absent += ["-p", "no:xdist"]
    harness.monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    run = harness.run(
        {"test_it.py": TESTS}, "-q", "-W", "ignore", "--tb=no", "--junitxml=pytest.xml", *absent, *arguments, *more, process=True
    )  # fmt: skip
    cases = etree.parse(harness.path / "pytest.xml").iter("testcase")
    outcomes = Counter((case.get("name"), *sorted({child.tag for child in case} - {"properties"})) for case in cases)
    return run, outcomes


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([name for name in INSTALLED if name not in {"xdist", "pytest_retry"}], id="together"),
        pytest.param([name for name in INSTALLED if name != "pytest_retry"], id="together, with workers"),
        pytest.param([name for name in INSTALLED if name in {"pytest_retry", "pytest_asyncio"}], id="retry"),
    ],
)
def test_outcomes_are_the_same_with_a_report(harness, names):
    run, outcomes = run_with(harness, names)
    assert sum(outcomes.values()) > 35, run.output
    reported, outcomes_with_report = run_with(harness, names, "--verify-report")
    assert outcomes_with_report == outcomes, reported.output
    assert (reported.status, reported.outcomes) == (run.status, run.outcomes), reported.output
    reported._check_records()
    reported._check_folder()


@pytest.mark.skipif("pytest_retry" not in INSTALLED, reason="pytest-retry is not installed")
def test_attempts_of_pytest_retry(harness):
    tests = """
import pytest
from pytest_verdict import assert_matches
TRIES = []
@pytest.mark.flaky(retries=3)
def test_it():
    TRIES.append(1)
    assert_matches("exact", 3, len(TRIES))
"""
    harness.monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    run = harness.run(tests, "-p", "no:rerunfailures", "--verify-report", process=True)
    assert run.status == pytest.ExitCode.OK, run.output
    [test] = run.report["tests"]
    assert (test["outcome"], test["attempts"][0], len(test["attempts"])) == ("passed", "rerun", 3)
