"""A data set with a gate: 90 % of the rows must pass. 6 of 8 do, one is wrong and one has no answer, so the test fails."""

from pathlib import Path

from pytest_verdict.suites import check_dataset

ANSWER = {"regex": "Answer: ([0-9.,]+)", "many": "last"}
MAPPING = {
    "expected": {"path": "$.truth", "extract": ANSWER},
    "observed": {"path": "$.solution", "extract": ANSWER},
    "normalize": {"literal": ["strip_thousands_separators"]},
}


def test_answers():
    rows = Path(__file__).with_name("answers.jsonl")
    check_dataset(rows, "numeric_exact", MAPPING, pass_rate=0.9, ids="$.id", expect_rows=8)
