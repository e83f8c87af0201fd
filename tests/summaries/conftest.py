"""What the tests of summaries share: sessions in a folder of their own, the command, and a report full of hostile text."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "plugin"))

from harness import FOLDER, Harness, Run, import_for_good
from hostile_session import SESSION

import_for_good("core", "operators", "pytest_plugin", "report", "explanation", "summaries")


@pytest.fixture
def harness(pytester, monkeypatch):
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return Harness(pytester, monkeypatch)


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """Where the hostile session is kept once it was run, and what came out of it."""
    return tmp_path_factory.mktemp("hostile") / "session", []


@pytest.fixture
def hostile(harness, kept):
    """A session whose tests, values and messages are hostile: run once, and a copy for each test."""
    folder, runs = kept
    if not runs:
        run = harness.run(SESSION, "--verify-report", "--tb=short", "-p", "no:cacheprovider")
        run.check_agreement()
        shutil.copytree(run.folder, folder)
        runs.append(run)
    shutil.copytree(folder, harness.path / FOLDER, dirs_exist_ok=True)
    return Run(harness.path, runs[0].status, runs[0].stdout, runs[0].stderr, runs[0].outcomes)


@pytest.fixture
def summary(capsys):
    """Run the command, and give its exit code and what it wrote."""
    from pytest_verdict.cli import main

    def run(folder, form, *more):
        capsys.readouterr()
        status = main(["summary", str(folder), "--format", form, *map(str, more)])
        written = capsys.readouterr()
        return status, written.out, written.err

    return run
