"""Blind comparisons in a test session: the fixture, the record, the report, JUnit."""

import json
import sys

import pytest

SUITE = """
import pytest
from pytest_verdict.blind import assert_preferred, blind_compare

TASK = "Say why."

def score(request, wanted):
    def side(label):
        value = 5 if wanted(label, request) else 2
        return {"content": {"argument": value}, "structure": {"clarity": 3}}
    return {"rubric": {label: side(label) for label in "AB"}, "winner": "A"}

RUBRIC = {"id": "essay", "version": 1, "content": ["argument"], "structure": ["clarity"]}
honest = lambda request: {**score(request, lambda label, r: "because" in r.outputs[label].text), "winner": None}
first = lambda request: score(request, lambda label, r: label == "A")

liar = lambda request: {**honest(request), "winner": "A"}

def test_wins(comparator):
    assert_preferred("It rains because.", "It rains.", TASK, honest, rubric=RUBRIC, key="k")

def test_flips():
    assert_preferred("It rains because.", "It rains.", TASK, first, rubric=RUBRIC, key="k", name="weather")

def test_skips():
    comparison = blind_compare("It rains because.", "It rains.", TASK, first, rubric=RUBRIC, key="k")
    if not comparison.is_conclusive:
        pytest.skip(comparison.status)

def test_both_are_reported(comparator):
    with comparator.collect():
        assert_preferred("a", "b because", TASK, honest, rubric=RUBRIC, key="k", name="one", comparator=comparator)
        assert_preferred("a", "c because", TASK, honest, rubric=RUBRIC, key="k", name="two", comparator=comparator)

def test_only_compares(comparator):
    assert blind_compare("a", "b because", TASK, liar, rubric=RUBRIC).winner == "y"
"""


@pytest.fixture
def session(pytester, few_plugins):
    pytester.makepyfile(SUITE)
    return pytester.runpytest_subprocess("--verify-report")


@pytest.mark.ci
def test_session_reports_blind_comparisons(session, pytester):
    session.assert_outcomes(passed=2, failed=2, skipped=1)
    session.stdout.fnmatch_lines(
        [
            "*blind_preference 'weather': expected 'candidate' to win, got INCONSISTENT: with the labels exchanged*",
            "*repetition 1, order 1, attempt 1, *",
            "*2 failed, 2 compared*",
            "6 blind comparisons: 2 inconsistent, 4 judged; 6 informal",
            "order flips: 2; the output shown first won 8 of 12 decisive calls",
            "comparisons with contradictions of the judge: 1 winner_opposite",
        ]
    )
    junit = (pytester.path / "verify-report" / "junit.xml").read_text("utf-8")
    assert "INCONSISTENT" in junit
    lines = (pytester.path / "verify-report" / "records.jsonl").read_text("ascii").splitlines()
    records = [json.loads(line) for line in lines]
    assert [len(record["children"]) for record in records] == [2] * 6
    replayed = pytester.run(sys.executable, "-m", "pytest_verdict", "replay", "verify-report")
    replayed.stdout.fnmatch_lines(["6 records: 6 identical"])
    assert replayed.ret == 0
