"""Sessions that go wrong: no record is lost, and every count agrees."""

from __future__ import annotations

import gc
import os
import signal

import pytest

from modes import serial_and_workers
from pytest_verdict.pytest_plugin import controller
from pytest_verdict.report.building import build
from pytest_verdict.report.journal import read_journal

WAIT = """
import pathlib, threading, time
from pytest_verdict import assert_matches, compare

def test_before():
    compare("exact", "before", "before")

def test_interrupted():
    compare("exact", "pending", "pending")
    pathlib.Path("ready").touch()
    time.sleep(30)

def test_after():
    compare("exact", "after", "after")
"""


def observed(run) -> list[object]:
    return [record["observed"] for record in run.records]


@pytest.mark.ci
def test_crashed_worker_is_reported(harness):
    run = harness.run(
        """
import os, pytest
from pytest_verdict import compare

@pytest.mark.parametrize("number", range(8))
def test_number(number):
    compare("exact", number, number)
    if number == 3:
        os._exit(1)
""",
        "-n2",
        "--verify-report",
    )
    assert run.status == 1
    run.check_agreement()
    assert run.totals() == {"total": 8, "passed": 7, "failed": 1}
    assert observed(run) == [0, 1, 2, 4, 5, 6, 7]
    (crashed,) = [test for test in run.report["tests"] if test["outcome"] == "failed"]
    assert crashed["test"] == "test_it.py::test_number[3]"
    assert crashed["crashed"]
    failure = run.case("test_number[3]").find("failure")
    assert failure.get("type") == "verdict.WorkerCrash"
    assert "crashed while running" in failure.text


@pytest.mark.ci
@pytest.mark.parametrize("dist", ["load", "loadfile"])
def test_crash_stays_a_failure_after_rerun(harness, dist):
    """With ``loadfile`` xdist runs the whole file again, also the test that crashed; pytest has counted that failure."""
    run = harness.run(
        """
import os, pathlib, pytest
from pytest_verdict import compare

@pytest.fixture
def prepared(): compare("exact", "sent with the setup", "sent with the setup")

def test_once(prepared):
    compare("exact", 1, 1)
    if not pathlib.Path("crashed").exists():
        pathlib.Path("crashed").touch()
        os._exit(1)

def test_after(): compare("exact", 2, 2)
""",
        "-n1",
        f"--dist={dist}",
        "--verify-report",
    )
    assert run.status == pytest.ExitCode.TESTS_FAILED
    run.check_agreement()
    assert run.tests() == {"test_once": "failed", "test_after": "passed"}
    assert run.report["tests"][0]["crashed"]
    assert run.report["tests"][0]["attempts"] == (["failed"] if dist == "load" else ["failed", "passed"])
    assert run.case("test_once").find("failure").get("type") == "verdict.WorkerCrash"
    assert run.case("test_once").find("flakyFailure") is None


@pytest.mark.ci
def test_keyboard_interrupt_keeps_records(harness):
    run = harness.run(
        """
import pytest
from pytest_verdict import compare

@pytest.fixture(scope="module", autouse=True)
def module():
    yield
    compare("exact", "torn down", "torn down")

def test_before(): compare("exact", 1, 1)
def test_interrupted():
    compare("exact", 2, 2)
    raise KeyboardInterrupt
def test_after(): pass
""",
        "--verify-report",
        process=True,
    )
    assert run.status == pytest.ExitCode.INTERRUPTED
    assert run.tests() == {"test_before": "passed", "test_interrupted": "unfinished"}
    assert observed(run) == [1, 2, "torn down"]
    assert not run.report["complete"]
    assert run.report["totals"]["tests_without_result"] == 1
    assert run.case("test_interrupted").find("failure").get("type") == "verdict.Unfinished"
    assert "the report is not complete" in run.stdout
    assert not (run.folder / "journal").exists()


@pytest.mark.ci
@serial_and_workers("args", "-p", "xdist", "-n1")
def test_control_c_keeps_records(harness, args):
    run = harness.interrupt(WAIT, "--verify-report", *args, by=signal.SIGINT, group=True)
    assert run.status != 0
    assert "INTERNALERROR" not in run.stdout
    assert run.tests()["test_before"] == "passed"
    assert "before" in observed(run)
    assert "after" not in observed(run)
    assert not run.report["complete"]


@pytest.mark.parametrize(
    "by", [pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.ci), pytest.param(signal.SIGKILL, id="SIGKILL")]
)
def test_killed_session_is_rebuilt_from_journal(harness, by):
    run = harness.interrupt(WAIT, "--verify-report", by=by)
    assert run.status == -by
    assert not (run.folder / "report.json").exists()
    journal = read_journal(run.folder / "journal")
    build(journal, run.folder, run=journal.run, profile="ci")
    assert run.tests() == {"test_before": "passed", "test_interrupted": "unfinished"}
    assert observed(run) == ["before"]
    assert run.report["tests"][1]["line"] == 8
    assert not run.report["complete"]
    run.check_agreement()

    after = harness.run({"test_it.py": "def test_it(): pass\n"}, "--verify-report")
    assert after.totals() == {"total": 1, "passed": 1}
    assert "interrupted session was kept in verify-report/journal.interrupted" in after.stdout
    assert read_journal(run.folder / "journal.interrupted").entries[0].test == "test_it.py::test_before"


@pytest.mark.ci
def test_interleaved_records_survive_a_kill(harness):
    """Of two workers one may have finished a test while the records of the other's lie before it."""
    run = harness.interrupt(
        {
            "test_long.py": """
import pathlib, time, pytest
from pytest_verdict import compare

@pytest.fixture
def prepared(): compare("exact", "prepared", "prepared")

def test_long(prepared):
    time.sleep(60)
""",
            "test_short.py": """
import pathlib, time
from pytest_verdict import compare

def test_short():
    time.sleep(0.5)
    compare("exact", "short", "short")

def test_next():
    time.sleep(0.5)
    pathlib.Path("ready").touch()
    time.sleep(60)
""",
        },
        "-p",
        "xdist",
        "-n2",
        "--dist=loadfile",
        "--verify-report",
        by=signal.SIGKILL,
        group=True,
    )
    journal = read_journal(run.folder / "journal")
    build(journal, run.folder, run=journal.run, profile="ci")
    assert run.tests() == {"test_long": "unfinished", "test_short": "passed", "test_next": "unfinished"}
    assert observed(run) == ["prepared", "short"]


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(("-x",), id="-x"),
        pytest.param(("--maxfail=1", "-n1"), id="--maxfail under xdist", marks=pytest.mark.ci),
    ],
)
def test_session_that_stops_early_is_incomplete(harness, args):
    run = harness.run(
        """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.fixture(scope="session", autouse=True)
def session():
    yield
    compare("exact", "torn down", "torn down")

def test_fails(): assert_matches("exact", 1, 2)
def test_never_1(): assert_matches("exact", 3, 3)
def test_never_2(): assert_matches("exact", 4, 4)
def test_never_3(): assert_matches("exact", 5, 5)
""",
        *args,
        "--verify-report",
    )
    run.check_agreement()
    assert run.totals("failed")["failed"] == 1
    assert not run.report["complete"]
    assert run.report["totals"]["tests_without_result"] + run.report["totals"]["tests"]["total"] == 4
    assert "torn down" in observed(run)


@serial_and_workers("args", "-n1")
def test_only_the_last_attempt_counts(harness, args):
    run = harness.run(
        """
import pytest
from pytest_verdict import assert_matches, compare

runs = []

@pytest.fixture
def torn():
    yield
    compare("exact", "torn", "torn")

def test_flaky(torn):
    runs.append(1)
    assert_matches("exact", 3, len(runs))

def test_never(): assert_matches("exact", 1, 2)
def test_always(): assert_matches("exact", 1, 1)
""",
        "-p",
        "rerunfailures",
        "--reruns=2",
        "--verify-report",
        *args,
    )
    run.check_agreement()
    assert run.totals() == {"total": 3, "passed": 2, "failed": 1}
    assert [test["attempts"] for test in run.report["tests"]] == [
        ["rerun", "rerun", "passed"],
        ["rerun", "rerun", "failed"],
        ["passed"],
    ]
    flaky = [(r["attempt"], r["ordinal"], r["observed"]) for r in run.records if "flaky" in r["test"]]
    assert flaky == [(1, 1, 1), (1, 2, "torn"), (2, 1, 2), (2, 2, "torn"), (3, 1, 3), (3, 2, "torn")]
    assert run.report["totals"]["comparisons"] == {"total": 4, "pass": 3, "fail": 1, "error": 0}
    assert len(run.case("test_flaky").findall("flakyFailure")) == 2
    assert run.case("test_flaky").find("failure") is None
    assert len(run.case("test_never").findall("rerunFailure")) == 2
    assert "expected 3, got 1" in run.case("test_flaky").find("flakyFailure/stackTrace").text


@pytest.mark.ci
@pytest.mark.parametrize("args", [(), ("--keep-duplicates", "test_it.py", "test_it.py")], ids=["alone", "called alike"])
def test_interrupted_rerun_is_unfinished(harness, args):
    run = harness.run(
        """
from pytest_verdict import assert_matches

runs = []

def test_it():
    runs.append(1)
    if len(runs) == 2:
        raise KeyboardInterrupt
    assert_matches("exact", 1, 2)
""",
        "-p",
        "rerunfailures",
        "--reruns=2",
        "--verify-report",
        *args,
        process=True,
    )
    assert not run.report["complete"]
    assert [test["attempts"] for test in run.report["tests"]] == [["rerun", "unfinished"]]
    assert run.totals() == {"total": 1, "unfinished": 1}


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="pytest has subtests of its own since 9.0")
def test_native_subtests_belong_to_their_test(harness):
    run = harness.run(
        """
from pytest_verdict import assert_matches

def test_subtests(subtests):
    assert_matches("exact", 0, 0)
    for number in range(3):
        with subtests.test(number=number):
            assert_matches("exact", number, 1)

def test_all_pass(subtests):
    with subtests.test("alone"):
        assert_matches("exact", 1, 1)
""",
        "--verify-report",
    )
    run.check_agreement()
    assert run.tests() == {"test_subtests": "failed", "test_all_pass": "passed"}
    assert run.report["totals"]["subtests"] == {"passed": 2, "failed": 2, "skipped": 0, "xfailed": 0}
    assert run.report["tests"][0]["subtests"] == {"passed": 1, "failed": 2}
    assert [record["ordinal"] for record in run.records] == [1, 2, 3, 4, 1]
    failure = run.case("test_subtests").find("failure")
    assert "expected 0, got 1" in failure.text


@pytest.mark.skipif(pytest.version_tuple < (9, 0), reason="pytest has subtests of its own since 9.0")
def test_unittest_with_failed_subtest_fails(harness):
    """pytest's closing line counts the subtest only, and the test itself as passed; a CI system must see it fail."""
    run = harness.run(
        """
import unittest
from pytest_verdict import assert_matches

class TestCase(unittest.TestCase):
    def test_subtests(self):
        for number in (1, 2):
            with self.subTest(number=number):
                assert_matches("exact", 1, number)
""",
        "--verify-report",
    )
    assert run.outcomes == {"failed": 1, "passed": 1}
    assert run.tests() == {"test_subtests": "failed"}
    assert run.report["totals"]["subtests"]["failed"] == 1
    assert "expected 1, got 2" in run.case("test_subtests").findtext("failure")
    assert [record["observed"] for record in run.records] == [1, 2]


@pytest.mark.ci
def test_unittest_threads_async_and_doctest(harness):
    run = harness.run(
        {
            "test_case.py": """
import unittest
from pytest_verdict import assert_matches

class TestCase(unittest.TestCase):
    def setUp(self): assert_matches("exact", "setUp", "setUp")
    def test_passes(self): assert_matches("exact", 1, 1)
    def test_fails(self): assert_matches("exact", 1, 2)
    @unittest.skip("not now")
    def test_skipped(self): pass
""",
            "test_threads.py": """
import threading
from concurrent.futures import ThreadPoolExecutor
from pytest_verdict import assert_matches, compare

def test_threads():
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: compare("exact", number, number), range(200)))
    lone = threading.Thread(target=compare, args=("exact", "thread", "thread"))
    lone.start()
    lone.join()

def test_in_a_thread_it_fails_the_test():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(assert_matches, "exact", 1, 2).result()
""",
            "test_async.py": """
import anyio, asyncio, pytest
from pytest_verdict import assert_matches, compare

@pytest.fixture(scope="module")
def anyio_backend(): return "asyncio"

@pytest.mark.anyio
async def test_anyio_1():
    async with anyio.create_task_group() as group:
        for number in range(3):
            group.start_soon(one, number)

@pytest.mark.anyio
async def test_anyio_2(): compare("exact", "second", "second")

@pytest.mark.asyncio(loop_scope="module")
async def test_asyncio_1(): await asyncio.gather(*(one(number) for number in range(3)))

@pytest.mark.asyncio(loop_scope="module")
async def test_asyncio_2(): assert_matches("exact", 1, 2)

async def one(number):
    await asyncio.sleep(0)
    compare("exact", number, number)
""",
            "documented.py": """
def documented():
    '''
    >>> from pytest_verdict import compare
    >>> compare("exact", "doctest", "doctest").passed
    True
    '''
""",
        },
        "-p",
        "anyio",
        "-p",
        "asyncio",
        "-o",
        "asyncio_default_fixture_loop_scope=function",
        "--doctest-modules",
        "--verify-report",
    )
    run.check_agreement()
    assert run.tests() == {
        "documented.documented": "passed",
        "test_anyio_1": "passed",
        "test_anyio_2": "passed",
        "test_asyncio_1": "passed",
        "test_asyncio_2": "failed",
        "test_passes": "passed",
        "test_fails": "failed",
        "test_skipped": "skipped",
        "test_threads": "passed",
        "test_in_a_thread_it_fails_the_test": "failed",
    }
    made: dict[str, int] = {}
    for record in run.records:
        name = record["test"].rpartition("::")[2]
        made[name] = made.get(name, 0) + 1
    assert made == {
        "documented.documented": 1,
        "test_anyio_1": 3,
        "test_anyio_2": 1,
        "test_asyncio_1": 3,
        "test_asyncio_2": 1,
        "test_passes": 2,
        "test_fails": 2,
        "test_threads": 201,
        "test_in_a_thread_it_fails_the_test": 1,
    }
    threads = [record["ordinal"] for record in run.records if record["test"].endswith("test_threads")]
    assert threads == list(range(1, 202))


def test_comparisons_of_outliving_thread_stay_with_their_test(harness):
    run = harness.run(
        {
            "conftest.py": """
import threading

go, done = threading.Event(), threading.Event()

def pytest_runtest_logfinish(nodeid):
    if "test_starts" in nodeid:
        go.set()
        done.wait(10)
""",
            "test_it.py": """
import threading
from conftest import done, go
from pytest_verdict import compare

def late():
    go.wait(10)
    compare("exact", "late", "late")
    done.set()

def test_starts():
    compare("exact", 1, 1)
    threading.Thread(target=late, daemon=True).start()

def test_other():
    compare("exact", 2, 2)
""",
        },
        "--verify-report",
    )
    run.check_agreement()
    assert [(r["test"].rpartition("::")[2], r["ordinal"], r["observed"]) for r in run.records] == [
        ("test_starts", 1, 1),
        ("test_starts", 2, "late"),
        ("test_other", 1, 2),
    ]
    assert [test["comparisons"]["pass"] for test in run.report["tests"]] == [2, 1]


def test_comparison_without_python_caller_has_no_line(harness):
    """So it is with a thread or a greenlet whose first call is `compare`."""
    run = harness.run(
        """
import _thread, sys, threading, time
from pytest_verdict import Operator, Outcome, compare

began = threading.Event()

class Tells(Operator):
    name = "tells"
    def evaluate(self, expected, observed):
        began.set()
        return Outcome(1.0)

def test_it():
    thread = _thread.start_new_thread(compare, (Tells(), "first", "call"))
    assert began.wait(10)
    while thread in sys._current_frames():
        time.sleep(0.001)
""",
        "--verify-report",
    )
    run.check_agreement()
    assert [(record["observed"], record["path"], record["line"]) for record in run.records] == [("call", "", 0)]


def test_collection_error_is_an_error(harness):
    files = {
        "test_broken.py": "import does_not_exist\n",
        "test_fine.py": "def test_fine(): pass\n",
        "test_skipped.py": "import pytest\npytest.importorskip('does_not_exist')\n",
    }
    run = harness.run(files, "--continue-on-collection-errors", "--verify-report")
    run.check_agreement()
    assert run.totals() == {"total": 3, "passed": 1, "error": 1, "skipped": 1}
    assert "does_not_exist" in run.case("test_broken").findtext("error")
    stopped = harness.run("", "--verify-report")
    stopped.check_agreement()
    assert stopped.status == pytest.ExitCode.INTERRUPTED
    assert stopped.totals() == {"total": 2, "error": 1, "skipped": 1}
    assert not stopped.report["complete"]


@pytest.mark.parametrize(
    "option",
    ["--collect-only", "--fixtures", "--markers", "--help", "--version", "--setup-only", "--setup-plan"],
)
def test_session_without_test_run_writes_nothing(harness, option):
    run = harness.run("def test_it(): pass\n", option, "--verify-report")
    assert run.status == 0
    assert not run.folder.exists()


def test_session_without_tests_writes_empty_report(harness):
    run = harness.run({"readme.txt": ""}, "--verify-report")
    assert run.status == pytest.ExitCode.NO_TESTS_COLLECTED
    run.check_agreement()
    assert run.totals() == {"total": 0} or run.totals() == {}
    assert run.records_bytes == b""


def test_session_without_comparisons_writes_report(harness):
    run = harness.run("def test_it(): pass\n", "--verify-report")
    run.check_agreement()
    assert run.totals() == {"total": 1, "passed": 1}
    assert "0 comparisons" in run.stdout


@pytest.mark.ci
def test_concurrent_sessions_in_one_folder(harness):
    until_go = WAIT.replace("    time.sleep(30)", "    while not pathlib.Path('go').exists(): time.sleep(0.02)")
    first = harness.start(until_go, "--verify-report")
    for _ in range(500):
        if (harness.path / "ready").exists() or first.poll() is not None:
            break
        signal.sigtimedwait([], 0.02)
    second = harness.run("", "-k", "test_after", "--verify-report")
    assert second.status == pytest.ExitCode.USAGE_ERROR
    assert f"another session is writing its report to {harness.path / 'verify-report'}" in second.output
    assert "--verify-report-dir" in second.output
    assert "Traceback" not in second.output
    other = harness.run("", "-k", "test_after", "--verify-report-dir=other")
    assert other.status == 0
    assert (harness.path / "other/report.json").exists()
    (harness.path / "go").touch()
    first.communicate(timeout=30)
    assert first.returncode == 0
    assert second.totals() == {"total": 3, "passed": 3}


@pytest.mark.parametrize("place", ["file/below", "/proc/nowhere"])
def test_unwritable_folder_is_a_usage_error(harness, place):
    harness.write({"file": "not a folder"})
    run = harness.run("def test_it(): pass\n", f"--verify-report-dir={place}")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"the verification report cannot be written to {harness.path / place}" in run.output
    assert "Traceback" not in run.output


def test_project_folder_called_journal_is_untouched(harness):
    harness.write({"journal/__init__.py": "", "journal/records.jsonl": "mine"})
    run = harness.run("def test_it(): pass\n", "--verify-report-dir=.")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"{harness.path / 'journal'} is no journal of a session, for it holds __init__.py" in run.output
    assert "give the report a folder of its own with --verify-report-dir" in run.output
    assert "Traceback" not in run.output
    assert (harness.path / "journal/records.jsonl").read_text() == "mine"
    assert not (harness.path / ".lock").exists()


@pytest.mark.ci
def test_full_disk_fails_the_session(harness):
    files = {
        "conftest.py": """
import resource, signal

def pytest_collection_finish():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
""",
        "test_it.py": """
import pytest
from pytest_verdict import compare

@pytest.mark.parametrize("number", range(5))
def test_it(number): compare("exact", "x" * 10_000, "x" * 10_000)
""",
    }
    run = harness.run(files, "-p", "no:cacheprovider", "--verify-report", process=True)
    assert run.status == pytest.ExitCode.TESTS_FAILED
    assert run.outcomes == {"passed": 5}
    assert "the verification report in verify-report is not complete, so this session does not pass" in run.stdout
    assert "File too large" in run.stdout
    assert "Traceback" not in run.output
    assert "Exception ignored" not in run.output
    assert not (run.folder / "report.json").exists()
    quiet = harness.run("", "-p", "no:cacheprovider", "-p", "no:terminal", "--verify-report", process=True)
    assert quiet.status == pytest.ExitCode.TESTS_FAILED
    assert "is not complete" in quiet.output


@pytest.mark.parametrize("name", ["report.json", "junit.xml", "records.jsonl"])
def test_irreplaceable_file_fails_the_session_and_keeps_journal(harness, name):
    """On Windows it is enough that another program has it open."""
    (harness.path / "verify-report" / name).mkdir(parents=True)
    files = "from pytest_verdict import compare\ndef test_it(): compare('exact', 1, 1)\n"
    run = harness.run(files, "--verify-report")
    assert run.status == pytest.ExitCode.TESTS_FAILED
    assert "is not complete" in run.stdout
    assert name in run.stdout
    assert "Traceback" not in run.output
    (run.folder / name).rmdir()
    journal = read_journal(run.folder / "journal")
    build(journal, run.folder, run=journal.run, profile="ci")
    assert observed(run) == [1]
    run.check_agreement()
    assert not list(run.folder.glob("*.new"))


def test_removed_report_folder_fails_the_session(harness):
    run = harness.run("import shutil\ndef test_it(): shutil.rmtree('verify-report')\n", "--verify-report")
    assert run.status == pytest.ExitCode.TESTS_FAILED
    assert "is not complete" in run.stdout


@pytest.mark.ci
def test_failing_plugin_does_not_lose_the_report(harness):
    harness.write({"conftest.py": "def pytest_sessionfinish(): raise OSError('another plugin')\n"})
    harness.write("from pytest_verdict import compare\ndef test_it(): compare('exact', 1, 1)\n")
    harness.pytester.runpytest_subprocess("-p", "verdict", "--verify-report")
    run = harness.run({"conftest.py": ""}, "--collect-only")
    assert observed(run) == [1]


@pytest.mark.parametrize("was_enabled", [True, False])
@pytest.mark.parametrize("problem", [None, OSError("no space")], ids=["written", "not written"])
def test_garbage_collection_is_paused_while_building(harness, monkeypatch, was_enabled, problem):
    while_building = []

    def observed_build(*arguments, **settings):
        while_building.append(gc.isenabled())
        if problem is not None:
            raise problem
        return build(*arguments, **settings)

    monkeypatch.setattr(controller, "build", observed_build)
    try:
        if not was_enabled:
            gc.disable()
        harness.run("def test_it(): pass", "--verify-report")
        assert (while_building, gc.isenabled()) == ([False], was_enabled)
    finally:
        gc.enable()


TEST = "from pytest_verdict import compare\ndef test_it(): compare('exact', 'NEW', 'NEW')\n"


@pytest.mark.parametrize(
    "by", [pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.ci), pytest.param(signal.SIGKILL, id="SIGKILL")]
)
def test_earlier_report_is_not_used_after_a_kill(harness, by):
    harness.run(TEST, "--verify-report")
    earlier = (harness.path / "verify-report/records.jsonl").read_bytes()
    run = harness.interrupt(WAIT, "--verify-report", by=by)
    names = sorted(path.name for path in run.folder.iterdir())
    assert names == [".gitignore", ".lock", "journal", "report.earlier"]
    assert (run.folder / "report.earlier/records.jsonl").read_bytes() == earlier
    after = harness.run({"test_it.py": TEST}, "--verify-report")
    names = sorted(path.name for path in after.folder.iterdir())
    assert names == [".gitignore", "journal.interrupted", "junit.xml", "records.jsonl", "report.json"]


def test_foreign_report_is_a_usage_error(harness):
    harness.write({"report.json": '{"mine": 1}'})
    run = harness.run(TEST, "--verify-report-dir=.")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert f"{harness.path / 'report.json'} was not written by this plugin" in run.output
    assert (harness.path / "report.json").read_text() == '{"mine": 1}'
    assert not (harness.path / "journal").exists()


@pytest.mark.skipif(os.name == "nt", reason="this system has no umask")
def test_files_follow_the_umask(harness):
    before = os.umask(0o027)
    try:
        run = harness.run(TEST, "--verify-report")
    finally:
        os.umask(before)
    rights = {path.name: path.stat().st_mode & 0o777 for path in run.folder.iterdir()}
    assert rights == dict.fromkeys((".gitignore", "junit.xml", "records.jsonl", "report.json"), 0o640)


def test_control_c_while_building_waits_without_traceback(harness, monkeypatch):
    def interrupted_build(*arguments, **settings):
        signal.raise_signal(signal.SIGINT)
        return build(*arguments, **settings)

    monkeypatch.setattr(controller, "build", interrupted_build)
    run = harness.run(TEST, "--verify-report")
    assert run.status == pytest.ExitCode.INTERRUPTED
    assert run.outcomes == {"passed": 1}
    run.check_agreement()
