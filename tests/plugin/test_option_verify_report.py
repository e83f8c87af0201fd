"""``--verify-report``, ``--verify-report-dir`` and the ini key ``verdict_report_dir``."""

from __future__ import annotations

import json

import pytest
from harness import Run

TEST = "from pytest_verdict import compare\ndef test_it(): compare('exact', 1, 1)\n"
FILES = [".gitignore", "junit.xml", "records.jsonl", "report.json"]


def folder_names(run: Run) -> set[str]:
    return {path.name for path in run.path.iterdir() if (path / "report.json").exists()}


def test_flag_takes_no_value(harness):
    run = harness.run({"tests/test_it.py": TEST}, "--verify-report", "tests/")
    assert run.outcomes == {"passed": 1}
    assert sorted(path.name for path in run.folder.iterdir()) == FILES
    assert "1 comparison: 1 pass (100 %), 0 fail, 0 error" in run.stdout
    assert "report: verify-report/report.json" in run.stdout
    run.check_agreement()


def test_nothing_is_written_without_the_flag(harness):
    run = harness.run(TEST)
    assert folder_names(run) == set()
    assert "verification" not in run.stdout


@pytest.mark.parametrize(
    ("args", "ini", "place"),
    [
        (["--verify-report-dir=given/here"], "", "given/here"),
        (["--verify-report"], "verdict_report_dir = from/ini", "from/ini"),
        (["--verify-report-dir=given"], "verdict_report_dir = from/ini", "given"),
        ([], "verdict_report_dir = from/ini", None),
    ],
    ids=["option", "ini key", "the option wins", "the ini key alone asks for nothing"],
)
def test_folder_is_chosen_by_option_or_ini(harness, args, ini, place):
    run = harness.run({"pytest.ini": f"[pytest]\n{ini}\n", "test_it.py": TEST}, *args)
    found = [str(path.parent.relative_to(run.path)) for path in run.path.rglob("report.json")]
    assert found == ([] if place is None else [place])


def test_option_is_relative_to_cwd_and_ini_to_rootdir(harness, monkeypatch):
    harness.write({"pytest.ini": "[pytest]\n", "sub/test_it.py": TEST})
    monkeypatch.chdir(harness.path / "sub")
    harness.run("", "--verify-report")
    harness.run("", "--verify-report-dir=mine")
    assert (harness.path / "verify-report/report.json").exists()
    assert (harness.path / "sub/mine/report.json").exists()


def test_older_report_is_replaced(harness):
    harness.run(TEST, "--verify-report")
    run = harness.run(TEST.replace("1, 1", "2, 2"), "--verify-report")
    assert [record["observed"] for record in run.records] == [2]
    assert sorted(path.name for path in run.folder.iterdir()) == FILES


@pytest.mark.parametrize("quiet", ["-q", "-qq"])
def test_quiet_session_prints_less(harness, quiet):
    run = harness.run(TEST, quiet, "--verify-report")
    assert ("report: verify-report" in run.stdout) == (quiet == "-q")


def test_closing_section_lists_the_worst_first(harness):
    run = harness.run(
        """
from pytest_verdict import Operator, Outcome, compare

class Broken(Operator):
    name = "broken_one"
    kind = "text"
    def evaluate(self, expected, observed): raise OSError("no verdict")

def test_it():
    for number in range(6):
        compare("exact", "\\x1b[31m", number, name=f"number {number}")
    compare(Broken(), 1, 1)
""",
        "--verify-report",
    )
    lines = [line for line in run.stdout.split("= verification =")[1].splitlines() if line]
    assert lines[1] == "7 comparisons: 0 pass (0 %), 6 fail, 1 error"
    assert lines[2] == "not passed by operator: exact 6, broken_one 1"
    assert lines[3:5] == ["  broken_one: error: OSError: no verdict", "    test_it.py::test_it (line 12)"]
    assert lines[13] == "  ... and 2 more"
    assert "\x1b" not in run.stdout


def test_report_has_versions_and_arguments_only(harness, monkeypatch):
    monkeypatch.setenv("MY_SECRET", "hunter2")
    run = harness.run(TEST, "--verify-report", "-k", "it")
    assert {"pytest_verdict", "pytest", "python", "platform", "arguments", "started", "finished"} <= set(
        run.report["run"]
    )
    assert run.report["run"]["arguments"][-2:] == ["-k", "it"]
    assert "hunter2" not in json.dumps(run.report)


FAMILY = {
    "conftest.py": "import family\nfrom pytest_verdict import register_family\nregister_family(family)\n",
    "family.py": """
from pytest_verdict import hookimpl

@hookimpl
def report_writers(): return {"all.txt": "family:write"}

@hookimpl
def closing_lines(): return {"exact": "family:lines", "regex": "family:lines"}

def write(contents):
    yield f"{contents.run} {contents.records} {[vars_of(test) for test in contents.summary.tests]}"
    yield from (line.decode() for line in contents.inline)

def vars_of(test): return [str(entry) for entry in test.attempts]

def lines(records):
    for record in records:
        yield f"\\x1b[31m{record['expected']}"
        {}[record["observed"]]
""",
    "test_it.py": """
from pytest_verdict import assert_matches, compare

def test_it():
    compare("exact", "secret-1", "secret-1", name="secret-1")
    assert_matches("exact", 1, "secret-1")
""",
}


@pytest.mark.ci
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["one process", "a worker"])
def test_writers_of_other_packages_see_redacted_records(harness, workers):
    run = harness.run(FAMILY, "--verify-report", "-o", "verdict_redact=secret-[0-9]", "-k", "test_it", *workers)
    written = (run.folder / "all.txt").read_text()
    assert "secret-1" not in written
    assert '"value":"[redacted]"' in written
    assert "\\x1b[31m{'$type': 'redacted', 'value': '[redacted]'}" in run.stdout
    assert "closing lines family:lines cannot be shown: " in run.stdout
    assert "report: verify-report/report.json" in run.stdout
    assert run.status == pytest.ExitCode.TESTS_FAILED


def test_failing_writer_of_another_package_fails_the_session(harness):
    failing = FAMILY["family.py"].replace("def write(contents):", "def write(contents):\n    1 / 0")
    run = harness.run({**FAMILY, "family.py": failing, "test_it.py": TEST}, "--verify-report")
    assert run.status == pytest.ExitCode.TESTS_FAILED
    assert "so this session does not pass: all.txt was not written" in run.stdout
    assert "ZeroDivisionError" in run.stdout
    assert "1 comparison: 1 pass" in run.stdout
    assert sorted(path.name for path in run.folder.iterdir()) == FILES
    run.check_agreement()


def test_control_c_in_foreign_writer_keeps_our_report(harness):
    family = FAMILY["family.py"].replace("def write(contents):", "def write(contents):\n    raise KeyboardInterrupt")
    run = harness.run({**FAMILY, "family.py": family, "test_it.py": TEST}, "--verify-report")
    assert run.status != 0
    assert sorted(path.name for path in run.folder.iterdir()) == FILES
    run.check_agreement()


def test_report_folder_is_ignored_by_git(harness):
    run = harness.run(TEST, "--verify-report")
    assert "*" in (run.folder / ".gitignore").read_text().splitlines()
    (run.folder / ".gitignore").write_text("mine\n")
    harness.run("", "--verify-report")
    assert (run.folder / ".gitignore").read_text() == "mine\n"
    (run.folder / ".gitignore").unlink()
    harness.run("", "--verify-report")
    harness.run("", "--verify-report-dir=.")
    assert not (run.folder / ".gitignore").exists()
    assert not (harness.path / ".gitignore").exists()
