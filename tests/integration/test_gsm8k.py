"""2,638 model solutions to grade-school problems, each with the publisher's own word on whether it is right."""

import json

from public_data import GSM8K
from pytest_verdict import compare

SOLUTIONS = GSM8K.path
pytestmark = GSM8K.needed

# Right answers that `exact` takes for wrong: one side has a separator of thousands, the other has none.
WRITTEN_OTHERWISE = {
    "gsm8k-0419-175b_finetuning": ("3000", "3,000"),
    "gsm8k-0610-175b_verification": ("65,960", "65960"),
    "gsm8k-0642-175b_verification": ("10,800", "10800"),
    "gsm8k-0829-175b_verification": ("14,000", "14000"),
    "gsm8k-0997-175b_verification": ("6,600", "6600"),
    "gsm8k-1009-175b_verification": ("1,875", "1875"),
}

SESSION = f"""
import json
from pathlib import Path

import pytest

ROWS = [json.loads(line) for line in Path({str(SOLUTIONS)!r}).read_text("utf-8").splitlines()]
RIGHT = [row for row in ROWS if row["is_correct"]]


def answer(text):
    return text.rpartition("A:")[2].strip()


def test_right_solutions(comparator):
    with comparator.collect():
        for row in RIGHT:
            name = f"{{row['id']}}-{{row['model']}}"
            comparator.assert_matches("exact", answer(row["ground_truth"]), answer(row["solution"]), name=name)
"""


def _rows():
    return [json.loads(line) for line in SOLUTIONS.read_text("utf-8").splitlines()]


def _answer(text):
    return text.rpartition("A:")[2].strip()


def _disagreements(operator, **settings):
    found = {}
    for row in _rows():
        expected, observed = _answer(row["ground_truth"]), _answer(row["solution"])
        if compare(operator, expected, observed, **settings).passed != row["is_correct"]:
            found[f"{row['id']}-{row['model']}"] = expected, observed
    return found


def test_numeric_exact_agrees_with_every_flag():
    assert len(_rows()) == 2_638
    assert _disagreements("numeric_exact", normalize=["strip_thousands_separators"]) == {}


def test_exact_disagrees_where_thousands_are_separated():
    assert _disagreements("exact") == WRITTEN_OTHERWISE


def test_the_report_shows_which_six_differ(pytester, few_plugins):
    pytester.makepyfile(SESSION)
    result = pytester.runpytest_inprocess("--verify-report", "-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*1200 comparisons: 1194 pass (99.5 %), 6 fail, 0 error"])
    report = json.loads((pytester.path / "verify-report" / "report.json").read_text("utf-8"))
    shown = {record["name"] for record in report["comparisons"] if record["verdict"] == "fail"}
    assert shown == set(WRITTEN_OTHERWISE)
