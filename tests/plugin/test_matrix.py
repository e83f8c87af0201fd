"""However the tests are run, the same comparisons make the same report."""

from __future__ import annotations

import re

import pytest
from harness import Run, structure

FILES = {
    "sub/test_one.py": """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.fixture
def prepared():
    assert_matches("exact", "setup", "setup")
    yield
    assert_matches("exact", "teardown", "teardown")

@pytest.mark.parametrize("number", range(6))
def test_numbers(number, prepared):
    for other in range(4):
        assert compare("exact", number, other, name=f"{number} and {other}").passed == (number == other)
    if number == 5:
        pytest.fail("this is five")

class TestClass:
    @pytest.mark.xdist_group("together")
    @pytest.mark.parametrize("address", ["a@b", "plain", "x::y", "a/b.c"])
    def test_grouped(self, address):
        assert_matches("normalized_exact", address, f" {address} ")

@pytest.mark.xdist_group("together")
def test_grouped_alone():
    assert compare("exact", {"b": {3, 1, 2}}, {"b": {2, 3, 1}}).passed
""",
    "test_two.py": """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

@pytest.mark.xfail(reason="known")
def test_xfail(): assert_matches("exact", 1, 2)

@pytest.mark.xfail
def test_xpass(): assert_matches("exact", 1, 1)

@pytest.mark.xfail(strict=True, reason="surely")
def test_xpass_strict(): assert_matches("exact", 1, 1)

@pytest.fixture
def broken(): raise OSError("no setup")

def test_setup_error(broken): pass

@pytest.fixture
def breaks():
    yield
    raise OSError("no teardown")

def test_teardown_error(breaks): assert_matches("exact", 1, 1)

def test_call_and_teardown(breaks): assert_matches("exact", 1, 2, name="both")
""",
    "test_three.py": "import pytest\npytest.skip('the whole module', allow_module_level=True)\n",
}
EXPECTED = {
    "passed": 10,
    "failed": 3,
    "error": 2,
    "skipped": 2,
    "xfailed": 1,
    "xpassed": 1,
    "total": 19,
}


@pytest.fixture(scope="module")
def seen() -> dict[str, Run]:
    return {}


def without_times(run: Run) -> str:
    return re.sub(r' time(stamp)?="[^"]*"', "", (run.folder / "junit.xml").read_text())


@pytest.mark.parametrize(
    "args",
    [
        "serial",
        "-n2",
        *(
            pytest.param(args, marks=pytest.mark.ci)
            for args in [
                "-p no:terminal -p no:junitxml -p no:cacheprovider",
                "-n2 --dist=loadfile",
                "-n2 --dist=loadscope -p no:junitxml",
                "-n2 --dist=loadgroup",
                "-n2 --dist=worksteal -p no:terminal -p no:cacheprovider",
            ]
        ),
    ],
)
def test_reports_agree_in_every_mode(harness, seen, args):
    run = harness.run(FILES, "--verify-report", *([] if args == "serial" else args.split()))
    assert run.status == pytest.ExitCode.TESTS_FAILED
    run.check_agreement()
    assert run.totals() == EXPECTED
    first = seen.setdefault("serial", run)
    assert run.records_bytes == first.records_bytes
    assert structure(run.report) == structure(first.report)
    assert without_times(run) == without_times(first)
    assert run.report["complete"]
    assert "no teardown" in run.case("test_call_and_teardown").findtext("failure")


def test_every_worker_runs_every_test(harness):
    run = harness.run("def test_it(): pass\n", "-n2", "--dist=each", "--verify-report")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "--dist=each runs every test in every worker; a report has one result of each" in run.output
