"""The example of README.md gives the counts that README.md promises."""

import json
from pathlib import Path

from junitparser import JUnitXml

CAPITALS = Path(__file__).resolve().parents[2] / "examples" / "capitals"


def test_capitals(pytester):
    pytester.copy_example(str(CAPITALS))
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
    assert "observed: 'Sydney'" in failed[0].result[0].text
