"""Saved outputs of adapters, with which another session continues."""

import json
import os
import signal
import time

import pytest
from scenarios import suite

AGENT = """
import pathlib, threading, time
from pytest_verdict.suites import AgentResult, ToolCall

HERE = pathlib.Path(__file__).parent
LOCK = threading.Lock()

class Reply:
    def __init__(self, text):
        self.text = text

class Agent:
    def run(self, text, context):
        with LOCK, (HERE / "calls.txt").open("a") as file:
            file.write(f"{text}/{context['repeat']}\\n")
        if text == "hangs" and not (HERE / "ready").exists():
            (HERE / "ready").touch()
            time.sleep(60)
        if text == "breaks" and not (HERE / "mended").exists():
            raise ConnectionError("gone")
        calls = [ToolCall("search", {"q": text}, [1])]
        return AgentResult(text, calls, token_usage={"n": (1, 2)}, raw_response=Reply(text), reasoning_trace=["so"])
"""


def files(*inputs, **head):
    scenarios = [
        {
            "name": f"s{n}",
            "input": text,
            "expected_output": text,
            "expected_tools": ["search"],
            "scorers": ["exact", CALLS],
        }
        for n, text in enumerate(inputs)
    ]
    return {
        "conftest.py": "",
        "my_agent.py": AGENT,
        "a.verdict.yaml": suite(*scenarios, adapter="my_agent.Agent", **head),
    }


CALLS = {"operator": "trajectory_exact"}


def called(run):
    path = run.path / "calls.txt"
    found = sorted(path.read_text().split()) if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def outputs(run):
    return [json.loads(line) for line in (run.folder / "outputs.jsonl").read_text().splitlines()]


@pytest.mark.ci
@pytest.mark.parametrize("more", [[], ["-n2"]], ids=["alone", "workers"])
def test_a_killed_session_is_taken_up_where_it_ended(harness, more):
    given = files("a", "b", "c", "hangs", "d", "e", max_concurrency=8)
    harness.write(given)
    process = harness.start({}, "--verify-report", *(("-p", "xdist", *more) if more else ()))
    ready, saved = harness.path / "ready", harness.path / "verify-report/journal/outputs.jsonl"
    deadline = time.monotonic() + 30
    while (
        not (ready.exists() and saved.exists() and len(saved.read_text().splitlines()) >= 3)
        and time.monotonic() < deadline
    ):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    had = {row["name"] for row in map(json.loads, saved.read_text().splitlines())}
    (harness.path / "calls.txt").unlink()
    run = harness.run({}, "--verify-resume", *more)
    assert run.outcomes == {"passed": 6}
    names = {"s0": "a", "s1": "b", "s2": "c", "s3": "hangs", "s4": "d", "s5": "e"}
    assert len(had) >= 3
    assert called(run) == sorted(f"{text}/1" for name, text in names.items() if name not in had)
    whole = harness.run({}, "--verify-report-dir=whole")
    assert run.records_bytes == (whole.path / "whole/records.jsonl").read_bytes()
    assert (run.folder / "outputs.jsonl").read_bytes() == (whole.path / "whole/outputs.jsonl").read_bytes()


def test_half_a_line_is_no_output(harness):
    given = files("a", "b")
    run = harness.run(given, "--verify-report")
    called(run)
    journal = run.folder / "journal.interrupted"
    journal.mkdir()
    text = (run.folder / "outputs.jsonl").read_text()
    (journal / "outputs.jsonl").write_text(text[: len(text) // 2 + 30])
    (run.folder / "outputs.jsonl").unlink()
    run = harness.run({}, "--verify-resume")
    assert (run.outcomes, called(run)) == ({"passed": 2}, ["b/1"])


def test_only_what_is_missing_is_called(harness):
    run = harness.run(files("a", "breaks", "c", repeats=2), "--verify-report")
    assert run.outcomes == {"passed": 2, "errors": 1}
    assert len(called(run)) == 6
    (run.path / "mended").touch()
    run = harness.run({}, "--verify-resume")
    assert run.outcomes == {"passed": 3}
    assert called(run) == ["breaks/1", "breaks/2"]
    run = harness.run({}, "--verify-resume")
    assert (run.outcomes, called(run)) == ({"passed": 3}, [])
    # Without the option everything is called.
    assert len(called(harness.run({}, "--verify-report"))) == 6


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("change", "again"),
    [
        (lambda text: text.replace("input: b", "input: other"), ["other/1"]),
        (lambda text: text.replace("name: s\n", "name: other\n"), ["a/1", "b/1"]),
        (lambda text: text.replace("my_agent.Agent", "my_agent:Agent"), ["a/1", "b/1"]),
        (lambda text: text.replace("- name: s1", "- metadata: {a: 1}\n    name: s1"), ["b/1"]),
        (lambda text: text.replace("expected_output: b", "expected_output: other"), []),
    ],
    ids=["input", "suite", "adapter", "metadata", "expected"],
)
def test_the_answer_to_another_question_is_not_taken(harness, change, again):
    given = files("a", "b")
    called(harness.run(given, "--verify-report"))
    changed = change(given["a.verdict.yaml"])
    assert changed != given["a.verdict.yaml"]
    assert called(harness.run({"a.verdict.yaml": changed}, "--verify-resume")) == again


@pytest.mark.ci
def test_a_report_is_a_recording(harness):
    given = files("a", "b", repeats=2)
    first = harness.run(given, "--verify-report")
    records = first.records_bytes
    assert [(row["name"], row["repeat"]) for row in outputs(first)] == [("s0", 1), ("s0", 2), ("s1", 1), ("s1", 2)]
    called(first)
    for _ in range(2):
        again = harness.run({}, "--verify-report", "--verify-adapter=recorded:verify-report")
        assert (again.outcomes, called(again), again.records_bytes) == ({"passed": 2}, [], records)
    run = harness.run({}, "--verify-resume")
    assert (run.outcomes, called(run)) == ({"passed": 2}, [])
    assert "has no recorded output for the scenario 's0'" in harness.run({}, "--verify-adapter=recorded:.").stdout


def test_redacted_outputs_are_not_saved(harness):
    run = harness.run(files("a", "the-hunter2-key"), "--verify-report", "-overdict_redact=hunter2")
    assert [row["name"] for row in outputs(run)] == ["s0"]
    assert "hunter2" not in "".join(path.read_text() for path in run.folder.rglob("*") if path.is_file())
    called(run)
    assert called(harness.run({}, "--verify-resume", "-overdict_redact=hunter2")) == ["the-hunter2-key/1"]


def test_without_a_report_nothing_is_saved(harness):
    run = harness.run(files("a"))
    assert run.outcomes == {"passed": 1}
    assert not run.folder.exists()


def test_a_folder_with_a_file_of_that_name_is_refused(harness):
    harness.write({"verify-report/outputs.jsonl": "mine\n"})
    run = harness.run(files("a"), "--verify-report")
    assert "outputs.jsonl was not written by this plugin" in run.stderr
