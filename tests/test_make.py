"""The commands that README.md and CONTRIBUTING.md name, and the files that only a service reads."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
TARGETS = ["help", "demo", "test", "generate", "mutants", "check", "docs", "bench"]

needs_make = pytest.mark.skipif(
    os.name == "nt" or not shutil.which("make") or not (REPOSITORY / "Makefile").exists(),
    reason="needs make, and the Makefile",
)
# A source distribution has the tests, but not these.
needs_clone = pytest.mark.skipif(not (REPOSITORY / ".github").exists(), reason="needs a clone")


def make(*arguments: str, folder: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    # What a make that runs these tests was told is not for this one.
    told = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTHON", "PYTEST_ARGS", "BENCHMARKS"}
    environment = {name: value for name, value in os.environ.items() if name not in told}
    return subprocess.run(["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def loaded(path: str):
    return yaml.safe_load((REPOSITORY / path).read_text(encoding="utf-8"))


@needs_make
def test_make_lists_every_target():
    listed = make().stdout.splitlines()
    assert [line.split()[:2] for line in listed] == [["make", target] for target in TARGETS[1:]]
    assert all(len(line.split()) > 3 for line in listed)


@needs_make
def test_documented_targets_exist():
    named = set()
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (REPOSITORY / page).read_text(encoding="utf-8")
        named |= set(re.findall(r"^\$ make (\w+)", text, re.MULTILINE)) | set(re.findall(r"`make (\w+)", text))
    assert {"demo", "test"} <= named <= set(TARGETS)
    for target in TARGETS:
        run = make("--dry-run", target)
        assert run.returncode == 0, run.stderr


@pytest.fixture
def installed(tmp_path):
    """Return a function that runs the demo in a folder with a fake pytest."""
    shutil.copy(REPOSITORY / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    for stamp in ("demo", "test"):
        (tmp_path / ".venv" / f".installed-{stamp}").touch()

    def make_demo(status: int, report: str):
        pytest_ = tmp_path / ".venv" / "bin" / "pytest"
        pytest_.write_text(f"#!/bin/sh\nmkdir -p verify-report\n{report}\nexit {status}\n")
        pytest_.chmod(0o755)
        return make("demo", folder=tmp_path)

    make_demo.folder = tmp_path
    return make_demo


def report(passed: int, failed: int) -> str:
    counts = f'"total": 4, "pass": {passed}, "fail": {failed}, "error": 0'
    return f"""echo '{{"totals": {{"comparisons": {{{counts}}}}}}}' > verify-report/report.json"""


@pytest.mark.ci
@needs_make
@pytest.mark.parametrize(
    ("status", "written", "said"),
    [
        (1, report(3, 1), ""),
        (0, report(3, 1), "pytest exits with 1; it exited with 0"),
        (2, report(3, 1), "pytest exits with 1; it exited with 2"),
        (1, "", "report.json was not written"),
        (1, "touch verify-report/report.json", "report.json was not written"),
        (1, report(2, 2), "does not have 3 comparisons that pass"),
    ],
)
def test_demo_passes_only_with_its_report(installed, status, written, said):
    # What an earlier run left is not taken for the report of this one.
    installed(1, report(3, 1))
    run = installed(status, written)
    assert said in run.stderr
    assert (run.returncode == 0) == ("Where to look" in run.stdout) == (not said)


@needs_make
def test_newer_pyproject_is_installed_again(installed):
    assert "pip" not in make("--dry-run", "demo", "test", folder=installed.folder).stdout
    changed = (installed.folder / ".venv" / ".installed-test").stat().st_mtime + 1
    os.utime(installed.folder / "pyproject.toml", (changed, changed))
    assert make("--dry-run", "demo", "test", folder=installed.folder).stdout.count("pip install") == 2


@needs_clone
def test_workflow_tests_every_python_on_three_systems():
    workflow = loaded(".github/workflows/ci.yml")
    assert workflow["permissions"] == {"contents": "read"}
    jobs = workflow["jobs"]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    matrix = jobs["tests"]["strategy"]["matrix"]
    assert matrix["python"] == versions
    assert {system.partition("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert any(step.get("run") == "bash .ci/run" for step in jobs["check"]["steps"])
    for job in jobs.values():
        assert all(step.get("uses", "actions/").startswith("actions/") for step in job["steps"])
    left_out = re.findall(r"--ignore=(\S+)", matrix["include"][0]["leave_out"])
    assert [path for path in left_out if not (REPOSITORY / path).is_file()] == []


@needs_clone
def test_pre_commit_hooks():
    hooks = {hook["id"]: hook for repo in loaded(".pre-commit-config.yaml")["repos"] for hook in repo["hooks"]}
    assert {"ruff", "ruff-format", "mypy", "end-of-file-fixer", "check-added-large-files"} <= set(hooks)
    assert not hooks["mypy"]["pass_filenames"]


@needs_clone
@pytest.mark.parametrize(
    ("form", "asked"),
    [
        ("bug", {"what", "record", "versions"}),
        ("wrong-verdict", {"operator", "expected", "observed", "settings", "got", "wanted"}),
        ("feature", {"task", "proposal"}),
    ],
)
def test_issue_forms_ask_for_enough(form, asked):
    content = loaded(f".github/ISSUE_TEMPLATE/{form}.yml")
    assert content["name"]
    assert content["description"]
    assert asked <= {part["id"] for part in content["body"]}


@needs_clone
def test_readthedocs_builds_like_make():
    settings = loaded(".readthedocs.yaml")
    assert settings["version"] == 2
    assert settings["sphinx"] == {"configuration": "docs/conf.py", "fail_on_warning": True}
    assert any("--group docs" in command for command in settings["build"]["jobs"]["install"])
