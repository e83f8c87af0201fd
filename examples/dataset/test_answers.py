"""A data set that needs 90 % passes. One of eight rows is wrong, one has no answer."""

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
    check_dataset(
        rows, "numeric_exact", MAPPING, pass_rate=0.9, ids="$.id", expect_rows=8
    )
