"""2,638 model solutions, checked as a dataset: the answer is extracted by steps declared in data, not in code."""

import json

import pytest

from public_data import GSM8K
from pytest_verdict.datasets.rows import DatasetWarning
from pytest_verdict.session import SESSION
from pytest_verdict.suites import check_dataset
from session_fixtures import observe_rows

SOLUTIONS = GSM8K.path
pytestmark = GSM8K.needed

ANSWER = {"regex": "A:(.*)", "many": "last"}
MAPPING = {
    "expected": {"path": "$.ground_truth", "extract": ANSWER},
    "observed": {"path": "$.solution", "extract": ANSWER},
    "normalize": {"literal": ["strip_thousands_separators"]},
}


@pytest.mark.ci
def test_verdicts_agree_with_every_flag(monkeypatch):
    results = []
    monkeypatch.setattr(SESSION, "observer", lambda result: results.append(result) or result)
    monkeypatch.setattr(SESSION, "rows_observer", observe_rows(results))
    # The file has two solutions for each problem.
    with pytest.warns(DatasetWarning, match="1319 rows have the id of an earlier one"):
        check = check_dataset(SOLUTIONS, "numeric_exact", MAPPING, pass_rate=0.45, ids="$.id")
    flags = [json.loads(line)["is_correct"] for line in SOLUTIONS.read_text("utf-8").splitlines()]
    assert [result.passed for result in results[:-1]] == flags
    assert (len(flags), check.total, check.passed, check.unreadable) == (2_638, 2_638, 1_200, 0)
    # Six solutions name no answer at all; they are errors and no passes.
    assert check.errors == 6
    assert check.gate.passed


def test_the_share_is_shown_with_its_interval():
    with pytest.raises(
        AssertionError,
        match=r"1200 of 2638 rows passed, 1432 failed, 6 could not be compared; first .*\n.*0\.435757 to 0\.474124",
    ):
        check_dataset(SOLUTIONS, "numeric_exact", MAPPING, pass_rate=0.5)
