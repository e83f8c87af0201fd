"""What a scorer said decides, and what it should not have said is an error."""

import pytest

from pytest_verdict import compare


@pytest.mark.parametrize(
    ("said", "verdict", "score"),
    [
        ({"score": 1.0, "passed": None}, "pass", 1.0),
        ({"score": 0.25}, "fail", 0.25),
        ({"passed": True}, "pass", 1.0),
        ({"passed": False}, "fail", 0.0),
        ({"score": 0.1, "passed": True}, "pass", 1.0),
        ({"score": 0.9, "passed": False}, "fail", 0.0),
    ],
    ids=str,
)
def test_passed_decides_before_the_score(said, verdict, score):
    result = compare("scorer_verdict", None, said)
    assert (result.verdict, result.score) == (verdict, score)


@pytest.mark.parametrize(
    "said",
    [
        {},
        None,
        "yes",
        {"score": True},
        {"score": 1.5},
        {"score": "1"},
        {"score": float("nan")},
        {"score": 1, "passed": "yes"},
    ],
    ids=str,
)
def test_anything_else_is_an_error(said):
    result = compare("scorer_verdict", None, said)
    assert (result.verdict, result.score, result.passed) == ("error", 0.0, False)
