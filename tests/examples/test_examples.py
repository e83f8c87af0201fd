"""The examples do what their pages promise: each has one test that fails, and says why on its first line."""

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from pytest_verdict.cli import main

pytestmark = pytest.mark.usefixtures("few_plugins")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

# The folder, how many tests pass, and what the failure says.
FOLDERS = {
    "blind": (1, "INCONSISTENT"),
    "capitals": (3, "normalized_exact: expected 'Canberra', got 'Sydney'"),
    "dataset": (0, "6 of 8 rows passed, 1 failed, 1 could not be compared"),
    "suite": (2, "'You find the invoice in your account under Bills.'"),
    "template": (0, "2015"),
    "trajectory": (2, "93.0"),
    "values": (2, "exact 'people': $[1].born: '2019-08-12' -> '2019-08-21'"),
}


def test_every_example_is_tested_and_shown():
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir() and not path.name.startswith((".", "__"))}
    assert folders == set(FOLDERS)
    page = (EXAMPLES.parent / "docs" / "how-to" / "examples.md").read_text(encoding="utf-8")
    assert [name for name in folders if f"$ pytest examples/{name}" not in page] == []


# The pages of the documentation run them too.
FAST = {"capitals", "suite", "template"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in FAST else pytest.mark.ci) for name in FOLDERS])
def test_one_test_fails_and_every_record_replays(name, pytester, capsys):
    passed, message = FOLDERS[name]
    pytester.copy_example(str(EXAMPLES / name))
    result = pytester.runpytest_subprocess("--verify-report")
    result.assert_outcomes(passed=passed, failed=1)
    assert message in result.stdout.str()
    capsys.readouterr()
    assert main(["replay", str(pytester.path / "verify-report")]) == 0
    assert "identical" in capsys.readouterr().out


def test_capitals(pytester):
    pytester.copy_example(str(EXAMPLES / "capitals"))
    result = pytester.runpytest_subprocess("--verify-report")
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == 1

    folder = pytester.path / "verify-report"
    report = json.loads((folder / "report.json").read_text("utf-8"))
    assert report["complete"]
    assert report["totals"]["comparisons"] == {"total": 4, "pass": 3, "fail": 1, "error": 0}

    junit = JUnitXml.fromfile(str(folder / "junit.xml"))
    assert (junit.tests, junit.failures, junit.errors) == (4, 1, 0)
    failed = [case for suite in junit for case in suite if case.result]
    assert [case.name for case in failed] == ["test_capital[Australia-Canberra]"]
    assert "got 'Sydney'" in failed[0].result[0].text
