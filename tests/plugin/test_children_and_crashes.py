"""Children, crashes and interruptions: what is recorded, under which id, and what the session says of itself."""

from __future__ import annotations

import hashlib
import os

import pytest
from harness import PEAK

from modes import serial_and_workers

FORK = """
import multiprocessing
from pytest_verdict import compare

def work(number):
    for _ in range(8000):
        compare("exact", "x" * 50, "x" * 50)

def test_before(): compare("exact", 0, 0)
def test_pool():
    compare("exact", 1, 1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(work, [1, 2])
    compare("exact", 2, 2)
def test_after(): compare("exact", 3, 3)
"""


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@serial_and_workers("args", "-n1")
def test_child_process_writes_no_records(harness, args):
    # A fork beside threads, which xdist has, is warned of from Python 3.12 on.
    run = harness.run(FORK, "--verify-report", "-Wignore::DeprecationWarning", *args, process=True)
    assert run.outcomes == {"passed": 3}
    run.check_agreement()
    assert [record["observed"] for record in run.records] == [0, 1, 2, 3]
    assert hashlib.sha256(run.records_bytes).hexdigest() == run.report["records"]["sha256"]


@pytest.mark.ci
def test_memory_stays_flat_after_disk_is_full(harness):
    run = harness.run(
        {
            "conftest.py": """
import resource, signal
def pytest_collection_finish():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
""",
            "test_it.py": f"""{PEAK}
from pytest_verdict import compare
def test_m():
    before = peak()
    for _ in range(30_000): compare("exact", "x" * 500, "x" * 500)
    Path("grown").write_text(str(peak() - before))
""",
        },
        "--verify-report",
        "-p",
        "no:cacheprovider",
        process=True,
    )
    assert run.status == 1
    assert int((run.path / "grown").read_text()) < 20_000


@serial_and_workers("args", "-n2")
def test_ids_are_unique_if_test_is_collected_twice(harness, args):
    run = harness.run(
        """
from pytest_verdict import compare
def test_a(): compare("exact", 1, 1)
""",
        "--keep-duplicates",
        "test_it.py",
        "test_it.py",
        "--verify-report",
        *args,
    )
    assert run.outcomes == {"passed": 2}
    run.check_agreement()


@pytest.mark.ci
def test_interrupt_in_last_teardown_is_incomplete(harness):
    run = harness.run(
        """
import pytest
from harness import PEAK
@pytest.fixture(scope="session", autouse=True)
def session():
    yield
    raise KeyboardInterrupt
def test_a(): pass
""",
        "--verify-report",
        process=True,
    )
    assert run.status == pytest.ExitCode.INTERRUPTED
    assert not run.report["complete"]


def test_usage_error_keeps_earlier_report(harness):
    harness.run("from pytest_verdict import compare\ndef test_a(): compare('exact', 1, 1)\n", "--verify-report")
    run = harness.run("", "no_such_file.py", "--verify-report")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert len(run.records) == 1


@pytest.mark.ci
def test_rerun_by_xdist_has_two_attempts(harness):
    run = harness.run(
        """
import os, pathlib
from pytest_verdict import compare
def test_once():
    compare("exact", {"attempt": 1, "ordinal": 1}, {"attempt": 1, "ordinal": 1})
    if not pathlib.Path("crashed").exists():
        pathlib.Path("crashed").touch()
        os._exit(1)
def test_other(): compare("exact", 2, 2)
""",
        "-n1",
        "--dist=loadfile",
        "--verify-report",
    )
    run.check_agreement()
    (test,) = [test for test in run.report["tests"] if test["test"].endswith("test_once")]
    assert test["attempts"] == ["failed", "passed"]
    assert next((record["attempt"], record["ordinal"], record["observed"]) for record in run.records) == (
        2,
        1,
        {"attempt": 1, "ordinal": 1},
    )


def test_setup_and_teardown_errors_are_reported(harness):
    run = harness.run(
        """
import pytest
from harness import PEAK
@pytest.fixture
def a():
    yield
    raise OSError("down")
@pytest.fixture
def b(a): raise OSError("up")
@pytest.fixture
def c(a): pytest.skip("no")
def test_a(b): pass
def test_b(c): pass
""",
        "--verify-report",
    )
    assert run.report["totals"]["teardown_errors"] == 2


@pytest.mark.parametrize("dist", [pytest.param("load", marks=pytest.mark.ci), "loadfile"])
@pytest.mark.parametrize(("value", "before"), [pytest.param(1, "passed", marks=pytest.mark.ci), (2, "failed")])
def test_outcome_before_crash_in_teardown_counts(harness, dist, value, before):
    run = harness.run(
        f"""
import os, pathlib, pytest
from pytest_verdict import assert_matches, compare

@pytest.fixture
def dies():
    yield
    if not pathlib.Path("died").exists():
        pathlib.Path("died").touch()
        os._exit(1)

def test_it(dies): assert_matches("exact", 1, {value})
def test_after(): compare("exact", 2, 2)
""",
        "-n1",
        f"--dist={dist}",
        "--verify-report",
    )
    run.check_agreement()
    (test,) = [test for test in run.report["tests"] if test["test"].endswith("test_it")]
    assert test["attempts"] == [before, "failed", *([before] if dist == "loadfile" else [])]
    assert run.report["complete"]
