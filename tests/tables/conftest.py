"""A report with answer templates, an aggregate and parameters."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys

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


@pytest.fixture(scope="session")
def reports(tmp_path_factory):
    """Run the session once with each kind of workers, and give the folders of the reports."""

    def run(workers):
        place = tmp_path_factory.mktemp(f"session{workers}")
        (place / "test_it.py").write_text(SESSION)
        command = [sys.executable, "-m", "pytest", "-p", "verdict", "-p", "xdist", "--verify-report", workers]
        variables = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        subprocess.run(command, cwd=place, env=variables, capture_output=True, check=False)
        return place / "verify-report"

    return functools.cache(run)


@pytest.fixture
def folder(reports, tmp_path):
    """A copy of the report, which a test may change."""
    return shutil.copytree(reports("-n0"), tmp_path / "verify-report")
