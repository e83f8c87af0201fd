"""A report with answer templates, an aggregate and parameters."""

from __future__ import annotations

import pytest

SESSION = """
import pytest
from pytest_verdict import compare
from pytest_verdict.templates import BaseAnswer, ExactMatch, NumericExact, VerifiedField

class Answer(BaseAnswer):
    capital: str = VerifiedField(description="the capital", ground_truth="Paris", verify_with=ExactMatch())
    people: int = VerifiedField(description="people in millions", ground_truth=2, verify_with=NumericExact())

REPLIES = {"small": '{"capital": "Lyon", "people": 2}', "large": '{"capital": "Paris", "people": 2}'}

@pytest.mark.parametrize("model", ["small", "large"])
@pytest.mark.parametrize("attempt", [1, 2])
def test_answer(answer_template, model, attempt):
    answer_template(Answer).verify(REPLIES[model]).passed

def test_alone():
    compare("any_of", "Paris", "paris", conditions=["exact", "normalized_exact"], name="=1+1").verdict
    compare("numeric_exact", 1, "one").verdict
"""


@pytest.fixture
def report_of(pytester):
    """Run the session with these arguments, and give the folder of its report."""
    pytester.makepyfile(test_it=SESSION)

    def run(*arguments):
        pytester.runpytest_subprocess("--verify-report", "-p", "no:cacheprovider", *arguments)
        return pytester.path / "verify-report"

    return run


@pytest.fixture
def folder(report_of):
    return report_of("-n0")
