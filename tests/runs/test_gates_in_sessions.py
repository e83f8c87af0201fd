"""Sessions with gates: what the terminal and the report say, the exit status, and attempts to pass all the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import Harness, import_for_good

from modes import serial_and_workers
from pytest_verdict.cli import main
from pytest_verdict.report.statements import statements

import_for_good("core", "operators", "pytest_plugin", "report", "runs", "datasets", "extraction", "suites", "templates")


@pytest.fixture
def harness(pytester, monkeypatch):
    return Harness(pytester, monkeypatch)


TESTS = """
import json

import pytest
from pytest_verdict import compare

pytestmark = pytest.mark.verdict_unread("ignore")

@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_number(number):
    compare("numeric_exact", 1, 2 if number == 7 else 1)

class TestTexts:
    def test_city(self):
        compare("exact", "Paris", "Paris")
        compare("exact", "Paris", "Rome")
        compare("exact", "Paris", "Paris")

    @pytest.mark.skip
    def test_later(self):
        compare("exact", "Paris", "Paris")
"""
INI = "[pytest]\nmarkers = slow\n"
SERIAL_AND_XDIST = serial_and_workers("workers", "-n2")

LINES = {
    "operator:numeric_* >= 90%": "9 of 10 comparisons passed, 0 errors, 0.9 [0.5549, 0.9975], met",
    "operator:numeric_* >= 90% @ 0.8": "9 of 10 comparisons passed, 0 errors, 0.9 [0.6631, 0.9896], missed (inconclusive)",
    "marker:slow >= 0.91": "9 of 10 comparisons passed, 0 errors, 0.9 [0.5549, 0.9975], missed",
    "test:*::TestTexts::* >= 2/3": "2 of 3 comparisons passed, 0 errors, 0.6666 [0.0942, 0.9916], met",
    "case:* >= 2/3": "10 of 11 tests passed, 0 errors, 0.909 [0.5872, 0.9978], missed: test_it.py::test_number[7]",
    "pinned:*test_number[[]7]": "error: no comparison belongs to '*test_number[[]7]', did you mean",
    "pinned:*test_number[7]": "0 of 1 comparison passed, 0 errors, 0 [0, 0.975], missed: test_it.py::test_number[7]",
    "pinned:*::test_later": "0 of 1 comparison passed, 1 error, 0 [0, 0.975], missed: test_it.py::TestTexts::test_later",
    "marker:slw >= 0.5": "error: no comparison belongs to 'slw', did you mean 'slow'?; the markers of this session are"
    " parametrize, slow, verdict_unread",
    "field:year >= 0.5": "error: nothing was compared that has template fields",
    "operator:exakt >= 0.5": "error: no comparison belongs to 'exakt', did you mean 'exact'?; the operators of this session are"
    " exact, numeric_exact",
}


@SERIAL_AND_XDIST
def test_every_gate_has_a_line_and_an_entry_that_replay_counts_again(harness, workers, capsys):
    gates = [f"--verify-gate={gate}" for gate in LINES]
    run = harness.run({"test_it.py": TESTS, "pytest.ini": INI}, *workers, *gates)
    assert run.status == 1
    lines = [line for line in run.stdout.splitlines() if line.startswith("gate ")]
    assert len(lines) == len(LINES)
    for (gate, line), found in zip(LINES.items(), lines, strict=True):
        assert found.startswith(f"gate {gate}: {line}")
    assert [entry["gate"] for entry in run.report["gates"]] == list(LINES)
    run.check_agreement()
    report = harness.path / "verify-report" / "report.json"
    report.write_text(report.read_text().replace('"pass": 9, "fail": 1', '"pass": 10, "fail": 0'))
    assert main(["replay", str(report.parent)]) == 1
    assert "gates[0].pass: says 10, and 9 follows from the records" in capsys.readouterr().out


@SERIAL_AND_XDIST
@pytest.mark.parametrize(("rate", "status"), [("0.9", 0), ("0.91", 1)])
def test_the_exit_status_follows_the_line(harness, workers, rate, status):
    ini = f"{INI}verdict_gate =\n  marker:slow >= 0.5\n  operator:numeric_* >= {rate}\n"
    run = harness.run({"test_it.py": TESTS, "pytest.ini": ini}, *workers)
    assert run.status == status
    assert f", {'missed' if status else 'met'}\n" in run.stdout.partition(f"gate operator:numeric_* >= {rate}: ")[2]


def test_without_the_ini_gates_there_is_no_report(harness):
    ini = f"{INI}verdict_gate = operator:numeric_* >= 0.99\n"
    assert harness.run({"test_it.py": TESTS, "pytest.ini": ini}, "-o", "verdict_gate=").status == 0
    assert not (harness.path / "verify-report").exists()


def test_a_gate_that_is_met_excuses_no_test(harness):
    test = "from pytest_verdict import assert_matches\ndef test_it(): assert_matches('exact', 1, 2)\n"
    run = harness.run({"test_it.py": test}, "--verify-gate=operator:exact >= 0.000001", "--verify-gate=test:* >= 1")
    assert run.status == 1
    test = "from pytest_verdict import compare\ndef test_it():\n    compare('exact', 1, 1)\n    assert False\n"
    run = harness.run({"test_it.py": test}, "--verify-gate=operator:exact >= 1")
    assert run.status == 1
    assert "1 of 1 comparison passed, 0 errors, 1 [0.025, 1], met" in run.stdout


def test_quiet_sessions_say_why_they_failed(harness):
    gates = ("--verify-gate=marker:slow >= 0.5", "--verify-gate=marker:slow >= 0.95")
    run = harness.run({"test_it.py": TESTS, "pytest.ini": INI}, "-qq", *gates)
    assert run.status == 1
    assert [line for line in run.stdout.splitlines() if line.startswith("gate ")] == [
        "gate marker:slow >= 0.95: 9 of 10 comparisons passed, 0 errors, 0.9 [0.5549, 0.9975], missed"
    ]
    run = harness.run((), "-p", "no:terminal", *gates)
    assert run.status == 1
    assert run.stderr.startswith("gate marker:slow >= 0.95: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--verify-gate=operators:exact >= 0.5"],
            "ERROR: a gate of this session cannot be read: 'operators:exact >= 0.5': unknown ",
        ),
        (["--verify-gate", "operator:exact"], "'operator:exact' is not a gate. A gate is "),
        (["-o", "verdict_gate=operator:exact >= 95"], "'operator:exact >= 95': the rate must be above 0"),
        (["-n2", "--verify-gate=exact"], "'exact' is not a gate"),
        (
            ["--verify-gate=test:*s3cret* >= 1", "-o", "verdict_redact=s3cret"],
            "a gate of this session holds what verdict_redact matches",
        ),
    ],
)
def test_invalid_gate_stops_pytest_before_the_first_test(harness, arguments, said):
    run = harness.run({"test_it.py": TESTS, "pytest.ini": INI}, *arguments)
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert said in run.output
    assert not (harness.path / "verify-report").exists()


BREAKS_OFF = """
import os, pytest
from pytest_verdict import compare

pytestmark = pytest.mark.verdict_unread("ignore")

@pytest.mark.parametrize("number", range(20))
def test_it(number):
    compare("exact", 1, 1)
    if number == 3:
        END
"""
GATE = "--verify-gate=operator:exact >= 0.000001"


@pytest.mark.parametrize(
    ("end", "arguments"),
    [
        ("assert False", ("-x",)),
        pytest.param("assert False", ("-x", "-n2"), marks=pytest.mark.ci),
        ("raise KeyboardInterrupt", ()),
        ("os._exit(0)", ("-n2",)),
        pytest.param("os._exit(0)", ("-n2", "--max-worker-restart=0"), marks=pytest.mark.ci),
        # xdist ends with an internal error then.
        ("pytest.exit('enough', returncode=0)", ()),
    ],
)
def test_a_session_that_breaks_off_does_not_pass(harness, end, arguments):
    run = harness.run(
        {"test_it.py": BREAKS_OFF.replace("END", end)}, *arguments, GATE, process=end == "raise KeyboardInterrupt"
    )
    assert run.status != 0
    assert "error: the session, or one of its tests, did not come to its end" in run.stdout


@pytest.mark.ci
def test_a_worker_that_crashed_and_was_replaced_leaves_its_comparisons_counted(harness):
    tests = BREAKS_OFF.replace("END", "compare('exact', 1, 2); os._exit(0)")
    run = harness.run(
        {"test_it.py": tests}, "-n2", "-o", "verdict_flush=comparison", "--verify-gate=operator:exact >= 1"
    )
    assert run.status == 1
    assert "20 of 21 comparisons passed, 0 errors, 0.9523 [0.7618, 0.9988], error: the session, or one of" in run.stdout


@SERIAL_AND_XDIST
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-k", "nothing_of_this_name"), "error: nothing was compared that has operators"),
        (("-k", "test_city"), "error: no comparison belongs to 'numeric_*'"),
        (("-m", "not slow"), "error: no comparison belongs to 'numeric_*'"),
        (("--deselect", "test_it.py"), "error: nothing was compared that has operators"),
    ],
)
def test_gate_on_deselected_tests_does_not_pass(harness, arguments, said, workers):
    gate = "--verify-gate=operator:numeric_* >= 0.1"
    run = harness.run({"test_it.py": TESTS, "pytest.ini": INI}, *workers, *arguments, gate)
    assert run.status == 1
    assert said in run.stdout


def test_a_session_without_tests_does_not_pass(harness):
    run = harness.run({"test_it.py": ""}, GATE)
    assert run.status == 1
    assert "error: nothing was compared that has operators" in run.stdout


@pytest.mark.ci
def test_only_the_last_attempt_counts(harness):
    pytest.importorskip("pytest_rerunfailures", reason="pytest-rerunfailures is not installed")
    tests = """
from pytest_verdict import assert_matches

attempts = []

def test_it():
    attempts.append(1)
    assert_matches("exact", 2, len(attempts))
"""
    run = harness.run(
        tests, "-p", "pytest_rerunfailures", "--reruns=1", "--verify-gate=operator:exact >= 1", process=True
    )
    assert run.status == 0
    assert "1 of 1 comparison passed" in run.stdout


ANSWERS = """
import json

import pytest
from pytest_verdict import compare
from pytest_verdict.operators import read_criteria
from pytest_verdict.suites import check_dataset
from pytest_verdict.templates import BaseAnswer, NumericExact, VerifiedField

pytestmark = pytest.mark.verdict_unread("ignore")

class Answer(BaseAnswer):
    year: int = VerifiedField("The year", ground_truth=2016, verify_with=NumericExact())
    month: int = VerifiedField("The month", ground_truth=5, verify_with=NumericExact())

@pytest.mark.parametrize("reply", ['{"year": 2016, "month": 4}', '{"year": 2016, "month": 5}', '{"year": '])
def test_answer(answer_template, reply):
    answer_template(Answer).verify(reply)

def test_criteria():
    criteria = read_criteria("criteria.yaml")
    for said in ("please", "now"):
        compare(criteria.operator, criteria.expected, said)

def test_rows():
    rows = [{"want": "a", "got": "a"}, {"want": "b", "got": "c"}, {"want": "d"}]
    check_dataset(rows, "exact", {"expected": "$.want", "observed": "$.got"}, pass_rate=0.3)
"""
CRITERIA = """
id: manners
version: 1
criteria:
  - {id: polite, version: 1, severity: minor, operator: contains_any, expected: [please]}
"""


def test_fields_criteria_and_rows_that_could_not_be_compared(harness):
    counts = {
        "field:year >= 2/3": (2, 0, 1, "met"),
        "field:Answer.month >= 2/3": (1, 1, 1, "missed"),
        "field:* >= 1/2": (3, 1, 2, "met"),
        "criterion:polite >= 1/2": (1, 1, 0, "met"),
        "criterion:manners.* >= 1": (1, 1, 0, "missed"),
        "operator:exact >= 1/2": (1, 1, 1, "missed"),
        "operator:pass_rate >= 1": (1, 0, 0, "met"),
        "test:*test_rows >= 1/3": (1, 1, 1, "met"),
    }
    files = {"test_it.py": ANSWERS, "criteria.yaml": CRITERIA}
    run = harness.run(files, *(f"--verify-gate={gate}" for gate in counts))
    found = {
        entry["gate"]: (entry["pass"], entry["fail"], entry["error"], entry["verdict"]) for entry in run.report["gates"]
    }
    assert found == counts
    run.check_agreement()


@pytest.mark.ci
def test_the_rebuilt_report_of_a_killed_session_has_its_gates(harness, capsys):
    gates = (GATE, "--verify-gate=marker:verdict_unread >= 1")
    run = harness.run({"test_it.py": BREAKS_OFF.replace("END", "os._exit(9)")}, *gates, process=True)
    assert run.status == 9
    assert main(["report", str(run.folder)]) == 0
    assert [(gate["verdict"], gate["pass"]) for gate in run.report["gates"]] == [("error", 3)] * 2
    assert main(["replay", str(run.folder)]) == 0
    capsys.readouterr()


def test_a_missed_gate_is_no_passed_result_in_the_bundle(harness, capsys):
    results = {}
    for rate in ("0.5", "0.95"):
        run = harness.run({"test_it.py": TESTS, "pytest.ini": INI}, f"--verify-gate=marker:slow >= {rate}")
        assert main(["bundle", str(run.folder), "-o", f"{rate}.zip"]) == 0
        results[rate] = statements(run.folder)["test-result.intoto.json"]["predicate"]["result"]
    assert results == {"0.5": "PASSED", "0.95": "FAILED"}
    capsys.readouterr()


REGRESSES = """
import os, pytest
from pytest_verdict import compare

pytestmark = pytest.mark.verdict_unread("ignore")

@pytest.mark.parametrize("number", range(6))
def test_it(number):
    compare("exact", 0, number % int(os.environ["MODEL"]))
"""


@SERIAL_AND_XDIST
def test_a_session_that_regressed_against_its_baseline_does_not_pass(harness, workers, monkeypatch, capsys):
    monkeypatch.setenv("MODEL", "2")
    assert harness.run({"test_it.py": REGRESSES}, "--verify-report-dir=earlier").status == 0
    run = harness.run((), *workers, "--verify-baseline=earlier")
    assert run.status == 0
    assert "baseline earlier: 0 regressions, met" in run.stdout
    monkeypatch.setenv("MODEL", "3")
    run = harness.run((), *workers, "--verify-baseline", "earlier")
    assert run.status == 1
    missed = (
        "test_it.py::test_it[2] exact, test_it.py::test_it[4] exact; in full: pytest-verdict diff earlier verify-report"
    )
    assert f"baseline earlier: 2 regressions, missed: {missed}" in run.stdout
    assert main(["diff", "earlier", "verify-report"]) == 1
    capsys.readouterr()


@pytest.mark.ci
def test_a_baseline_that_says_nothing_of_a_session_does_not_pass_it(harness, monkeypatch):
    monkeypatch.setenv("MODEL", "2")
    harness.run({"test_it.py": REGRESSES}, "--verify-report-dir=earlier")
    harness.run({"test_other.py": TESTS, "pytest.ini": INI}, "test_other.py", "--verify-report-dir=other")
    run = harness.run((), "test_it.py", "--verify-baseline=other")
    assert run.status == 1
    assert "baseline other: error: " in run.stdout
    assert "have no comparison in common" in run.stdout
    ending = REGRESSES.replace("    compare", "    number == 5 and pytest.exit('enough', returncode=0)\n    compare")
    run = harness.run({"test_it.py": ending}, "test_it.py", "--verify-baseline=earlier")
    assert run.status == 1
    assert "baseline earlier: 0 regressions, error: the session, or one of its tests" in run.stdout


def test_a_baseline_is_somewhere_else(harness):
    run = harness.run({"test_it.py": TESTS, "pytest.ini": INI}, "--verify-baseline=nowhere")
    assert run.status == pytest.ExitCode.USAGE_ERROR
    assert "--verify-baseline: " in run.output
    assert "nowhere: there is no such file; name a records.jsonl or the folder of a report" in run.output
    harness.run((), "--verify-report")
    before = harness.path.joinpath("verify-report", "records.jsonl").read_bytes()
    for given in ("verify-report", "verify-report/records.jsonl"):
        run = harness.run((), f"--verify-baseline={given}")
        assert run.status == pytest.ExitCode.USAGE_ERROR
        assert f"this session writes to {given} itself; keep the baseline in another folder" in run.output
    assert harness.path.joinpath("verify-report", "records.jsonl").read_bytes() == before


@pytest.mark.ci
def test_a_baseline_after_a_blank_hides_no_gates(harness):
    ini = f"{INI}verdict_gate = operator:numeric_* >= 0.95\n"
    project, outside = harness.path / "project", harness.path / "outside"
    outside.mkdir()
    harness.write({"project/test_it.py": TESTS, "project/pytest.ini": ini})
    command = [sys.executable, "-m", "pytest", "-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
    for arguments, status in (
        (["-o", "verdict_gate=", "--verify-report-dir=../outside"], 0),
        (["--verify-baseline=../outside"], 1),
        (["--verify-baseline", "../outside"], pytest.ExitCode.USAGE_ERROR),
    ):
        found = subprocess.run([*command, *arguments], cwd=project, capture_output=True, text=True, check=False)
        assert found.returncode == status, found.stdout + found.stderr
    assert "--verify-baseline ../outside made pytest look for its configuration there and miss " in found.stderr


@pytest.mark.parametrize(("rate", "status"), [("0.9", 0), ("0.91", 1)])
def test_parts_leave_the_decision_to_merge(harness, rate, status, capsys):
    gates = (f"--verify-gate=operator:numeric_* >= {rate}", "--verify-gate=pinned:*test_city", "-p", "no:cacheprovider")
    files = {"test_it.py": TESTS.replace('"Rome"', '"Paris"'), "pytest.ini": INI}
    parts = [("1", "test_it.py::test_number"), ("2", "test_it.py::TestTexts")]
    for part, tests in parts:
        run = harness.run(files, *gates, tests, f"--verify-shard={part}/2", f"--verify-report-dir=part{part}")
        assert run.status == 0
        assert run.stdout.count("in this part alone: pytest-verdict merge decides") == 2
    assert main(["merge", "part1", "part2", "-o", "whole"]) == status
    said = capsys.readouterr().out
    assert "9 of 10 comparisons passed, 0 errors, 0.9 [0.5549, 0.9975], " + ("missed" if status else "met") in said
    assert "gate pinned:*test_city: 3 of 3 comparisons passed, 0 errors, 1 [0.2924, 1], met" in said
    whole = harness.run(files, *gates)
    assert json.loads((harness.path / "whole" / "report.json").read_text())["gates"] == whole.report["gates"]
    harness.run(files, *gates[1:], parts[1][1], "--verify-shard=2/2", "--verify-report-dir=part2")
    assert main(["merge", "part1", "part2", "-o", "other"]) == 2
    assert "do not agree about the gates" in capsys.readouterr().err


@pytest.mark.ci
def test_parts_of_pytest_split_and_xdist_leave_the_decision_to_merge(harness, capsys):
    gate = "--verify-gate=operator:numeric_* >= 0.91"
    files = {"test_it.py": TESTS.replace('"Rome"', '"Paris"'), "pytest.ini": INI}
    statuses = []
    for group in ("1", "2"):
        split = ("-p", "pytest_split.plugin", "--splits=2", f"--group={group}", "-n2")
        run = harness.run(files, gate, *split, f"--verify-report-dir=group{group}")
        assert "in this part alone: pytest-verdict merge decides" in run.stdout
        statuses.append(run.status)
    assert statuses == [0, 0]
    assert main(["merge", "group1", "group2", "-o", "whole"]) == 1
    assert "9 of 10 comparisons passed, 0 errors, 0.9 [0.5549, 0.9975], missed" in capsys.readouterr().out
