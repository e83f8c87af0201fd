"""Runs for the tests: files of records made of results, and the report of a session with templates and parameters."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys

import pytest

from session_fixtures import harness
from written_records import lines_of

__all__ = ["harness"]

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
    assert compare("any_of", "Paris", "paris", conditions=["exact", "normalized_exact"], name="=1+1").passed or True
    assert compare("numeric_exact", 1, "one").passed or True
"""


@pytest.fixture
def write(tmp_path):
    """Write results as a file of records, each attempt or test of its own."""

    def write_run(name, *results, **place):
        path = tmp_path / f"{name}.jsonl"
        with path.open("ab") as file:
            file.write(lines_of(results, **place))
        return path

    return write_run


@pytest.fixture
def changes(command, write):
    """Compare two runs of one result each, or of lists of them, and give the changes and the exit code."""

    def run(old, new, *words):
        paths = [
            write(name, *one) if isinstance(one, list) else write(name, one)
            for name, one in (("old", old), ("new", new))
        ]
        status, out, _ = command("diff", *paths, "--format", "json", *words)
        found = json.loads(out)
        for path in paths:
            path.unlink()
        return status, found["changes"], found["information"]

    return run


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
