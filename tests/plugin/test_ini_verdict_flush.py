"""The ini key ``verdict_flush``, and what is said of comparisons that a dying process took along."""

from __future__ import annotations

import pytest

from pytest_verdict.cli import main

DIES = """
import os
from pytest_verdict import compare

def test_before(): compare("exact", "before", "before")
def test_dies():
    for number in range(3):
        compare("exact", number, number)
    os._exit(9)
"""


def ini(value: str) -> dict[str, str]:
    return {"pytest.ini": f"[pytest]\nverdict_flush = {value}\n", "test_it.py": DIES}


@pytest.mark.parametrize(("value", "kept"), [pytest.param("test", [], marks=pytest.mark.ci), ("comparison", [0, 1, 2])])
def test_crashed_worker_leaves_flushed_records(harness, value, kept):
    run = harness.run(ini(value), "-n1", "--verify-report")
    run.check_agreement()
    assert [record["observed"] for record in run.records] == ["before", *kept]
    told = "comparisons of its last phase are lost; verdict_flush = comparison hands each one over at once"
    assert (told in run.case("test_dies").findtext("failure")) == (told in run.stdout) == (not kept)


@pytest.mark.parametrize(("value", "kept"), [pytest.param("test", 1, marks=pytest.mark.ci), ("comparison", 4)])
def test_crashed_session_leaves_flushed_records(harness, capsys, value, kept):
    process = harness.start(ini(value), "--verify-report")
    process.communicate(timeout=30)
    assert main(["report", str(harness.path / "verify-report")]) == 0
    told = capsys.readouterr().out
    assert f"comparisons: {kept} pass" in told
    assert "comparisons of unfinished tests may be lost" in told


def test_invalid_value_is_a_usage_error(harness):
    run = harness.run(ini("line"), "--verify-report")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "verdict_flush: test or comparison is needed, got 'line'" in run.output
    assert not run.folder.exists()


def test_thread_comparisons_are_sent_with_the_next_of_the_main_thread(harness):
    test = """
from threading import Thread
from pytest_verdict import compare

def test_it():
    threads = [Thread(target=compare, args=("exact", number, number)) for number in range(5)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    compare("exact", 5, 5)
"""
    run = harness.run({**ini("comparison"), "test_it.py": test}, "--verify-report")
    run.check_agreement()
    assert sorted(record["observed"] for record in run.records) == [*range(6)]
