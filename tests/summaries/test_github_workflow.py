"""A session in a workflow of GitHub: the summary of the job and the annotations, in one process and with workers."""

from __future__ import annotations

import re

import pytest
from hostile_session import SESSION

FAILING = """
import pytest
from pytest_verdict import assert_matches

@pytest.mark.parametrize("n", range({}))
def test_it(n):
    assert_matches("exact", -1, n)
"""


@pytest.fixture
def workflow(harness, monkeypatch):
    path = harness.path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(harness.path.parent))
    return path


def unescaped(text):
    for form, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(form, character)
    return text


def annotations(stdout):
    """Read the commands of a log as the runner does."""
    found = []
    for line in re.split(r"\r\n|\r|\n", stdout):
        match = re.fullmatch(r"::(\w[\w-]*) ?(.*?)::(.*)", line.lstrip())
        if match:
            properties = dict(part.split("=", 1) for part in match.group(2).split(","))
            given = {name: unescaped(value) for name, value in properties.items()}
            found.append((match.group(1), given, unescaped(match.group(3))))
    return found


@pytest.mark.ci
@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "workers"])
def test_nine_annotations_and_how_many_more(harness, workflow, workers):
    run = harness.run(FAILING.format(12), "--verify-report", "--tb=no", *workers)
    found = annotations(run.stdout)
    assert [kind for kind, *_ in found] == ["error"] * 10
    place = f"{harness.path.name}/test_it.py"
    assert found[3][1] == {"file": place, "line": "7", "title": "test_it.py::test_it[3]"}
    assert found[3][2].split("\n")[0] == "exact: expected -1, got 3"
    assert found[9][1:] == ({"title": "pytest-verdict"}, "and 3 more tests that did not pass")
    text = workflow.read_text()
    assert text.startswith("## pytest-verdict: 12 of 12 tests did not pass\n")
    assert text.count("<details") == 12
    assert text.count("<details open>") == 10


@pytest.mark.ci
def test_with_and_without_workers_the_summary_has_the_same_bytes(harness, workflow):
    harness.run(FAILING.format(3), "--verify-report")
    first = workflow.read_bytes()
    workflow.unlink()
    harness.run("", "--verify-report", "-n2")
    assert workflow.read_bytes() == first


def test_a_second_session_of_a_step_appends(harness, workflow):
    workflow.write_text("of another tool\n")
    harness.run(FAILING.format(1), "--verify-report")
    harness.run("def test_it(): pass\n", "--verify-report")
    text = workflow.read_text()
    assert text.startswith("of another tool\n## pytest-verdict: 1 of 1 test did not pass\n")
    assert text.count("## pytest-verdict: no test failed") == 1


@pytest.mark.ci
def test_hostile_text_is_no_command(harness, workflow):
    run = harness.run(SESSION, "--verify-report", "--tb=no", "-rN", "-q", "-p", "no:cacheprovider")
    found = annotations(run.stdout)
    assert len(found) == 10
    assert {kind for kind, *_ in found} == {"error"}
    assert all(given.keys() <= {"file", "line", "title"} for _, given, _ in found)
    section = run.stdout.partition("= verification =")[2]
    assert not [line for line in section.splitlines() if "##[" in line and not line.startswith("::error ")]
    assert workflow.stat().st_size <= 256 * 1024


@pytest.mark.parametrize("quiet", ["-q", "-qqq", "-p no:terminal"])
def test_quiet_sessions_tell_it_too(harness, workflow, quiet):
    run = harness.run(FAILING.format(1), "--verify-report", *quiet.split())
    assert workflow.is_file()
    assert len(annotations(run.stdout)) == (0 if "terminal" in quiet else 1)


def test_nothing_is_written_without_report_or_variables(harness, workflow, monkeypatch):
    harness.run(FAILING.format(1))
    monkeypatch.delenv("GITHUB_ACTIONS")
    run = harness.run("", "--verify-report")
    assert not workflow.exists()
    assert annotations(run.stdout) == []


def test_a_summary_that_cannot_be_written_leaves_report_and_exit_status(harness, workflow, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(harness.path))
    run = harness.run("def test_it(): pass\n", "--verify-report")
    assert run.status == 0
    assert "the GitHub summary was not written: " in run.stdout
    run.check_agreement()


def test_the_command_tells_the_same_as_the_session(harness, workflow, summary):
    run = harness.run(FAILING.format(11), "--verify-report", "--tb=no")
    text = workflow.read_text()
    workflow.unlink()
    out = summary(run.folder, "github", "--root", harness.path.name)[1]
    assert workflow.read_text() == text
    assert out in run.stdout


def test_summary_has_collection_errors_and_tests_without_comparison(harness, workflow):
    files = {
        "test_bad.py": "import nothing_there\n",
        "test_it.py": "\ndef test_it():\n    assert 1 == 2, 'a, b: 100 %'\n",
    }
    run = harness.run(files, "--verify-report", "--continue-on-collection-errors")
    found = {given["file"].partition("/")[2]: (given.get("line"), text) for _, given, text in annotations(run.stdout)}
    assert found["test_bad.py"] == (None, "collection failed")
    assert found["test_it.py"] == ("2", "AssertionError: a, b: 100 %")
