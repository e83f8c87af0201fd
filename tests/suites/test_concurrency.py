"""Concurrent calls of adapters do not change the report."""

import signal
import time

import pytest
from scenarios import REPORT, suite

ADAPTERS = """
import asyncio, os, pathlib, threading, time

HERE = pathlib.Path(__file__).parent
LOCK = threading.Lock()
state = {"now": 0, "most": 0}

def log(text):
    with LOCK, (HERE / "calls.txt").open("a") as file:
        file.write(text + "\\n")

class Slow:
    def run(self, text, context):
        log(f"{os.getpid()} {text}")
        with LOCK:
            state["now"] += 1
            state["most"] = max(state["most"], state["now"])
            (HERE / "most.txt").write_text(str(state["most"]))
        time.sleep(context["metadata"].get("seconds", 0.2))
        with LOCK:
            state["now"] -= 1
        return text

async def later(text, context):
    log(text)
    await asyncio.sleep(context["metadata"].get("seconds", 0.2))
    return text

def hangs(text):
    (HERE / "ready").touch()
    time.sleep(60)

def fast(text):
    log(text)
    return text
"""


def files(adapter, count, *, changed=(), **head):
    changed = dict(changed)
    scenarios = [
        {"name": f"s{n}", "input": f"i{n}", "expected_output": f"i{n}", "scorer": "exact", **changed.get(n, {})}
        for n in range(count)
    ]
    return {
        "conftest.py": "",
        "my_agent.py": ADAPTERS,
        "a.verdict.yaml": suite(*scenarios, adapter=f"my_agent.{adapter}", **head),
    }


def called(run):
    path = run.path / "calls.txt"
    return sorted(line.split()[-1] for line in path.read_text().splitlines()) if path.exists() else []


@pytest.mark.ci
@pytest.mark.parametrize("adapter", ["Slow", "later"])
def test_scenarios_run_many_at_a_time(harness, adapter):
    began = time.monotonic()
    run = harness.run(files(adapter, 100, max_concurrency=20), REPORT)
    # One after the other they take 20 s; what is left above 1 s is the machine.
    assert time.monotonic() - began < 10
    assert run.outcomes == {"passed": 100}
    assert sorted(called(run)) == sorted(f"i{n}" for n in range(100))
    if adapter == "Slow":
        assert (run.path / "most.txt").read_text() == "20"


@pytest.mark.ci
def test_concurrency_does_not_change_the_records(harness):
    given = files(
        "Slow", 12, changed={n: {"metadata": {"seconds": 0.1 / (n + 1)}, "repeats": n % 3 + 1} for n in range(12)}
    )
    given["a.verdict.yaml"] = given["a.verdict.yaml"].replace("expected_output: i7", "expected_output: other")
    runs = [
        harness.run(given, REPORT, "-W", "ignore", *more)
        for more in (["--verify-concurrency=1"], ["--verify-concurrency=20"], ["-n2"])
    ]
    assert {str(run.outcomes) for run in runs} == {str({"failed": 1, "passed": 11})}
    assert len({run.records_bytes for run in runs}) == 1


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("given", "options", "ini", "most"),
    [
        ({}, [], "", "8"),
        ({}, [], "3", "3"),
        ({}, ["--verify-concurrency=5"], "3", "5"),
        ({"max_concurrency": 2}, [], "9", "2"),
        ({"max_concurrency": 2}, ["--verify-concurrency=5"], "", "2"),
        ({"max_concurrency": 6}, ["--verify-concurrency=4"], "", "4"),
        ({"max_concurrency": 1}, [], "", "1"),
    ],
)
def test_the_smaller_of_suite_and_option_holds(harness, given, options, ini, most):
    more = [f"-overdict_concurrency={ini}"] if ini else []
    run = harness.run(
        files("Slow", 20, changed={n: {"metadata": {"seconds": 0.05}} for n in range(20)}, **given), *options, *more
    )
    assert run.outcomes == {"passed": 20}
    assert (run.path / "most.txt").read_text() == most


@pytest.mark.parametrize("more", [["-overdict_concurrency=many"], ["-overdict_concurrency=0"]])
def test_invalid_number_of_calls_is_an_error(harness, more):
    run = harness.run(files("fast", 1), REPORT, *more)
    assert run.outcomes == {"errors": 1}
    assert "is a whole number from 1, got" in run.stdout


@pytest.mark.ci
def test_repeats_run_at_once_too(harness):
    began = time.monotonic()
    run = harness.run(files("Slow", 1, changed={0: {"repeats": 40}}, max_concurrency=20), REPORT)
    assert time.monotonic() - began < 5
    assert run.outcomes == {"passed": 1}


@pytest.mark.parametrize(("most", "calls"), [(1, 1), (3, 5)])
def test_a_stopped_session_wastes_only_the_calls_ahead(harness, most, calls):
    wrong = {0: {"expected_output": "other"}}
    run = harness.run(files("fast", 50, changed=wrong, max_concurrency=most), "-x")
    assert run.outcomes == {"failed": 1}
    assert 1 <= len(called(run)) <= calls


def test_deselected_scenarios_are_not_called(harness):
    assert called(harness.run(files("fast", 9, changed={4: {"tags": ["skip"]}}), "-k", "s3 or s4 or s5")) == [
        "i3",
        "i5",
    ]


def test_last_failed_calls_only_the_failed_scenarios(harness):
    given = files("fast", 9, changed={4: {"expected_output": "other"}})
    harness.run(given)
    (harness.path / "calls.txt").unlink()
    assert called(harness.run(given, "--lf")) == ["i4"]


@pytest.mark.ci
def test_a_scenario_that_is_run_again_is_called_again(harness):
    given = {**files("fast", 3, changed={1: {"expected_output": "other"}})}
    run = harness.run(given, "-p", "pytest_rerunfailures", "--reruns=2", process=True)
    assert called(run).count("i1") == 3
    assert sorted(set(called(run))) == ["i0", "i1", "i2"]


@pytest.mark.parametrize(
    "distribution",
    ["load", pytest.param("worksteal", marks=pytest.mark.ci), pytest.param("loadfile", marks=pytest.mark.ci)],
)
def test_no_worker_calls_what_another_one_runs(harness, distribution):
    run = harness.run(
        files("Slow", 30, changed={n: {"metadata": {"seconds": 0.05}} for n in range(30)}),
        "-n2",
        f"--dist={distribution}",
    )
    assert run.outcomes == {"passed": 30}
    # What one worker takes away from another may have been called by both.
    stolen = 7 if distribution == "worksteal" else 0
    assert 30 <= len(called(run)) <= 30 + stolen


@pytest.mark.ci
def test_ctrl_c_ends_the_session_at_once(harness):
    began = time.monotonic()
    run = harness.interrupt(files("hangs", 30), "--verify-report", by=signal.SIGINT)
    assert run.status == 2
    assert time.monotonic() - began < 15
    assert "KeyboardInterrupt" in run.stdout


@pytest.mark.ci
def test_each_call_has_its_own_time(harness):
    slow = {n: {"timeout_seconds": 0.5, "metadata": {"seconds": 30 if n == 2 else 0.2}} for n in range(12)}
    run = harness.run(files("Slow", 12, changed=slow, max_concurrency=2), REPORT)
    assert run.outcomes == {"passed": 11, "errors": 1}
    assert "the adapter took longer than 0.5 seconds" in run.stdout


def test_other_tests_between_scenarios_run_in_their_order(harness):
    given = {
        **files("fast", 2),
        "test_between.py": "def test_between(): pass",
        "z.verdict.yaml": files("fast", 3)["a.verdict.yaml"],
    }
    run = harness.run(given, "-v")
    assert run.outcomes == {"passed": 6}
    assert (
        run.stdout.index("a.verdict.yaml::s1")
        < run.stdout.index("test_between")
        < run.stdout.index("z.verdict.yaml::s0")
    )
