"""``pytest-verdict diff`` of sessions in which a test passed first and then does not reach its comparison."""

from __future__ import annotations

import json
import re

import pytest

from pytest_verdict.cli import main
from session_fixtures import import_for_good

import_for_good("core", "operators", "pytest_plugin", "report", "runs")

# Each test compares once. A test runs its line only in the later session.
LINES = {
    "raises": "raise ValueError('no reply')",
    "asserts": "assert [] == ['reply']",
    "fails": "pytest.fail('given up')",
    "exits": "raise SystemExit(1)",
    "asks_a_missing_fixture": "request.getfixturevalue('nothing')",
    "is_skipped": "pytest.skip('no key')",
    "needs_a_module": "pytest.importorskip('there_is_no_such_module')",
    "is_expected_to_fail": "pytest.xfail('known')",
    "returns": "return",
    "loops_over_nothing": "comparisons = []",
    "compares_something_else_and_raises": "assert compare('exact', 5, 5, name='else').passed; raise OSError('gone')",
    "compares_something_else": "assert compare('exact', 5, 5, name='else').passed; return",
    "is_retried": "assert_matches('exact', 'other', 'values', name='first')",
    "is_as_before": "pass",
}
MARKED = {
    "skipped": "skip('not now')",
    "skipped_if": "skipif(True, reason='no network')",
    "xfails_without_running": "xfail(run=False, reason='hangs')",
    "uses_a_fixture_that_raises": "usefixtures('broken')",
    "uses_a_fixture_that_skips": "usefixtures('absent')",
}
HEAD = """
import os, pytest
from pytest_verdict import assert_matches, compare
LATER = "LATER" in os.environ

@pytest.fixture
def broken(): raise OSError("refused")
@pytest.fixture
def absent(): pytest.skip("no service")
"""
TEST = """
def test_{name}(request):
    comparisons = [("exact", "{name}", "{name}")]
    if LATER:
        {line}
    for comparison in comparisons:
        assert_matches(*comparison)
"""
MARKED_TEST = """
@(pytest.mark.{mark} if LATER else pytest.mark.usual)
def test_{name}():
    assert_matches("exact", "{name}", "{name}")
"""
FILES = {
    "test_import.py": "import os\nif 'LATER' in os.environ: raise ImportError('no module')\n",
    "test_syntax.py": "import os\nif 'LATER' in os.environ: exec('def')\n",
    "test_module_skip.py": "import os, pytest\nif 'LATER' in os.environ: pytest.skip('all', allow_module_level=True)\n",
}
BODY = "from pytest_verdict import assert_matches\ndef test_it(): assert_matches('exact', '{0}', '{0}')\n"
SELECTED = """
{head}
if not LATER:
    def test_removed(): assert_matches("exact", "removed", "removed")
    def test_old_name(): assert_matches("exact", "renamed", "renamed")
    def test_old_failing_name(): assert_matches("exact", "failing", "failing")
else:
    def test_new_name(): assert_matches("exact", "renamed", "renamed")
    def test_new_failing_name(): assert compare("exact", "failing", "failing", name="another").passed

@pytest.mark.parametrize("row", [1] if LATER else [1, 2])
def test_row(row): assert_matches("exact", row, row)

@pytest.mark.slow
def test_deselected(): assert_matches("exact", "deselected", "deselected")

def test_failed_before(): assert_matches("exact", 1, 2)
def test_turns():
    assert_matches("exact", 1, 2 if LATER else 1, name="turned")
    assert_matches("exact", 3, 3, name="after it")
def test_compares_less():
    assert_matches("exact", 1, 1, name="stays")
    if not LATER:
        assert_matches("exact", 2, 2, name="goes")
"""
REGRESSED = [
    "raises", "asserts", "fails", "exits", "asks_a_missing_fixture", "uses_a_fixture_that_raises", "is_retried",
    "compares_something_else_and_raises",
]  # fmt: skip
LOST = [
    "is_skipped", "needs_a_module", "is_expected_to_fail", "returns", "loops_over_nothing", "skipped", "skipped_if",
    "xfails_without_running", "uses_a_fixture_that_skips",
]  # fmt: skip
CLASSES = {
    **{f"test_it.py::test_{name}": "regressed" for name in REGRESSED},
    **{f"test_it.py::test_{name}": "no longer compared" for name in LOST},
    "test_import.py::test_it": "regressed",
    "test_syntax.py::test_it": "regressed",
    "test_module_skip.py::test_it": "no longer compared",
    "test_some.py::test_removed": "not run",
    "test_some.py::test_old_failing_name": "not run",
    "test_some.py::test_row[2]": "not run",
    "test_some.py::test_deselected": "not run",
    # Nothing is lost: the test has another name, its author took a comparison away, or it failed before this one.
    "test_some.py::test_old_name": "removed",
    "test_some.py::test_turns": "removed",
    "test_some.py::test_compares_less": "removed",
    "test_it.py::test_compares_something_else": "removed",
}


@pytest.fixture
def sessions(harness, monkeypatch, capsys):
    """Run both sessions, and give the folder and a function that compares them."""
    tests = [TEST.format(name=name, line=line) for name, line in LINES.items()]
    tests += [MARKED_TEST.format(name=name, mark=mark) for name, mark in MARKED.items()]
    files = {name: text + BODY.format(name) for name, text in FILES.items()}
    files |= {"test_it.py": HEAD + "".join(tests), "test_some.py": SELECTED.format(head=HEAD)}
    files["pytest.ini"] = "[pytest]\nmarkers =\n  slow: slow\n  usual: usual\n"
    harness.run(files, "--verify-report-dir=earlier", "-p", "no:cacheprovider")
    monkeypatch.setenv("LATER", "1")
    later = ("--continue-on-collection-errors", "-m", "not slow", "-p", "no:cacheprovider")
    run = harness.run((), "--verify-report-dir=later", "--verify-baseline=earlier", *later)
    capsys.readouterr()

    def compare_runs(*arguments, new="later"):
        status = main(["diff", "earlier", new, *arguments])
        out, err = capsys.readouterr()
        assert not err
        return status, out

    return run, compare_runs


@pytest.mark.ci
def test_a_comparison_that_is_not_reached_any_more_is_no_removed_one(sessions):
    run, compare_runs = sessions

    status, text = compare_runs("--format", "json")
    changes = json.loads(text)["changes"]
    one_sided = {change["test"]: change["class"] for change in changes if "new" not in change}
    assert (status, one_sided) == (1, CLASSES)
    reasons = {change["test"]: change.get("reason", "") for change in changes if "new" not in change}
    assert reasons["test_it.py::test_raises"] == "not reached, because the test did not pass: ValueError: no reply"
    assert reasons["test_it.py::test_skipped"] == "not reached, because the test was skipped: not now"
    assert reasons["test_it.py::test_returns"] == "the test passed and compared nothing"

    # A session may select tests, and its closing line says how many comparisons it did not run.
    number = len(REGRESSED) + len(LOST) + 3 + 1
    assert f"baseline earlier: {number} regressions, missed" in run.stdout

    assert compare_runs("--fail-on", "fixed")[0] == 0
    for kind in ("regressed", "lost", "not-run"):
        assert compare_runs("--fail-on", kind)[0] == 1
    _, text = compare_runs()
    assert "test_raises, exact 'raises': pass: not reached, because the test did not pass: ValueError: no" in text
    _, text = compare_runs("--format", "markdown")
    assert "ValueError: no reply" in text
    assert compare_runs("--format", "html")[0] == 1
    assert re.search(r"written: diff\.html", compare_runs("--format", "html")[1])


def test_a_session_that_selects_tests_says_so_beside_its_baseline(harness):
    harness.run({"test_it.py": BODY.format("a") + BODY.format("b").replace("_it", "_b")}, "--verify-report-dir=earlier")
    run = harness.run((), "-k", "test_b", "--verify-report-dir=later", "--verify-baseline=earlier")
    assert run.status == 0
    assert "baseline earlier: 0 regressions, 1 comparison of the baseline not run, met" in run.stdout
    assert main(["diff", "earlier", "later"]) == 1
    assert main(["diff", "earlier", "later", "--fail-on", "regressed,lost"]) == 0


def test_one_part_of_a_session_has_not_lost_the_other_parts(harness):
    harness.run({"test_it.py": BODY.format("a") + BODY.format("b").replace("_it", "_b")}, "--verify-report-dir=earlier")
    harness.run((), "-k", "test_b", "--verify-shard=1/2", "--verify-report-dir=later")
    assert main(["diff", "earlier", "later"]) == 0


@pytest.mark.ci
@pytest.mark.parametrize("form", ["terminal", "json", "markdown", "html"])
def test_a_session_that_lost_every_comparison_is_compared(harness, monkeypatch, form):
    harness.run({"test_import.py": FILES["test_import.py"] + BODY.format("a")}, "--verify-report-dir=earlier")
    monkeypatch.setenv("LATER", "1")
    harness.run((), "--verify-report-dir=later", "-p", "no:cacheprovider")
    assert main(["diff", "earlier", "later", "--statistics", "--format", form]) == 1
