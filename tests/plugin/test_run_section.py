"""The run section of report.json: of which code, with which packages, which part of the tests."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess

import pytest

TEST = "from pytest_verdict import compare\n\ndef test_it():\n    compare('exact', 1, 1)\n"
HASH = "0123456789abcdef"


@pytest.fixture
def session(pytester, monkeypatch):
    """Run a session, and give its run section."""
    for name in ("CI_NODE_INDEX", "CI_NODE_TOTAL", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(test_it=TEST)

    def run(*arguments):
        pytester.runpytest_inprocess("--verify-report", "-pno:cacheprovider", "-pno:asyncio", *arguments)
        return json.loads((pytester.path / "verify-report" / "report.json").read_text())["run"]

    return run


def git(folder, *words):
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(pytester):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    git(pytester.path, "init", "-q")
    return pytester.path


def test_commit_and_a_clean_tree(repository, session):
    (repository / ".gitignore").write_text("__pycache__\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "x")
    branch = git(repository, "symbolic-ref", "--short", "HEAD")
    assert session()["git"] == {"commit": git(repository, "rev-parse", "HEAD"), "clean": True, "branch": branch}


@pytest.mark.parametrize("change", ["changed", "untracked"])
def test_modified_tree_is_recorded(repository, session, change):
    (repository / "a.txt").write_text("a")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "x")
    (repository / ("a.txt" if change == "changed" else "b.txt")).write_text("b")
    assert session()["git"]["clean"] is False


def test_repository_without_commit_has_none(repository, session):
    assert "git" not in session()


@pytest.mark.parametrize(
    "problem", [FileNotFoundError("git"), subprocess.TimeoutExpired("git", 2)], ids=["absent", "slow"]
)
def test_absent_or_slow_git_is_ignored(session, monkeypatch, problem):
    def run(*_, **settings):
        assert settings["timeout"] <= 2
        raise problem

    monkeypatch.setattr(subprocess, "run", run)
    assert "git" not in session()


def test_git_is_not_run_without_a_report(pytester, monkeypatch):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("asked"))
    pytester.makepyfile(TEST)
    assert pytester.runpytest_inprocess("-pno:cacheprovider", "-pno:asyncio").ret == 0


@pytest.mark.parametrize(
    ("variables", "shard"),
    [
        ({"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"}, {"index": 2, "of": 3}),
        ({"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "4"}, {"index": 1, "of": 4}),
        ({"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "1"}, None),
        ({"CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "3"}, None),
        ({"CI_NODE_TOTAL": "3"}, None),
    ],
    ids=str,
)
def test_shard_of_ci_system_is_recorded(session, monkeypatch, variables, shard):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert session().get("shard") == shard


def test_shard_of_option_is_recorded(pytester, session):
    pytester.makeconftest(
        "def pytest_addoption(parser):\n"
        "    parser.addoption('--splits', type=int)\n"
        "    parser.addoption('--group', type=int)\n"
    )
    # The plugin that has these options may be installed.
    assert session("--splits=5", "--group=2", "-p", "no:pytest-split")["shard"] == {"index": 2, "of": 5}


def test_collected_tests_and_versions_are_recorded(session):
    run = session()
    assert run["collected"] == {"tests": 1, "sha256": hashlib.sha256(b"test_it.py::test_it").hexdigest()}
    assert set(run["packages"]) <= set(HASH)
    assert run["plugins"]["pytest-verdict"] == run["pytest_verdict"]


def test_other_environment_variables_are_not_recorded(pytester, session, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "secret-12345")
    session()
    assert all(b"secret-12345" not in path.read_bytes() for path in (pytester.path / "verify-report").iterdir())
