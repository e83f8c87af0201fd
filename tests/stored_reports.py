"""A report of a real session, of which each test gets a copy, and a store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from pytest_verdict.report import urls
from pytest_verdict.store.files import StoreFiles
from pytest_verdict.store.store import Store
from written_runs import alter

SESSION = """
import pytest
from pytest_verdict import assert_matches

@pytest.mark.parametrize("model", ["small", "large"])
@pytest.mark.parametrize("number", range(3))
def test_number(model, number):
    assert_matches("exact", number, number)

def test_city():
    assert_matches("exact", "Paris", "Paris", name="city")
    assert_matches("exact", "Rome", "Rome", name="other")
"""


@pytest.fixture(scope="session")
def session_report(tmp_path_factory):
    place = tmp_path_factory.mktemp("session")
    (place / "test_it.py").write_text(SESSION)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "verdict", "-p", "no:cacheprovider", "--verify-report"]
    variables = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    variables.pop("VERDICT_STORE", None)
    subprocess.run(command, cwd=place, env=variables, capture_output=True, check=True)
    return place / "verify-report"


@pytest.fixture
def report(session_report, tmp_path):
    """Copy the report with another beginning, so that each copy is a run of its own."""
    number = iter(range(1, 60))

    def copy(name=None, **members):
        count = next(number)
        folder = tmp_path / (name or f"report{count}")
        shutil.copytree(session_report, folder)
        return alter(folder, started=f"2026-01-01T00:{count:02}:00+00:00", **members)

    return copy


@pytest.fixture
def store(tmp_path):
    return Store(StoreFiles(str(tmp_path / "store")))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Copies of runs go to a folder of the test, and no store of this machine is used."""
    monkeypatch.delenv("VERDICT_STORE", raising=False)
    monkeypatch.setattr(urls.Path, "home", lambda: tmp_path / "home")
