"""The composite action of GitHub in action.yml: read as YAML, and its steps run by bash."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
TESTS = (
    "import pytest\nfrom pytest_verdict import *\n\ndef test_a(): assert_matches('exact', 1, 2)\n\ndef test_b(): pass\n"
)

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")


def run(folder, **inputs):
    """Run the steps that are scripts, as a runner does; give status and output."""
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()}
    given |= {"python": sys.executable, **{name.replace("_", "-"): value for name, value in inputs.items()}}
    (step,) = [step for step in ACTION["runs"]["steps"] if "run" in step]
    assert step["shell"] == "bash"
    names = {name: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value).group(1) for name, value in step["env"].items()}
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "GITHUB_"))}
    environment |= {name: given[used] for name, used in names.items()}
    environment |= {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p pytest_verdict.pytest_plugin.plugin\n")
    return tmp_path


def test_no_input_is_put_into_a_script():
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "run" not in step or "shell" in step
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text()))
    assert used == set(ACTION["inputs"])


def test_action_uploads_report_after_failing_tests():
    upload = ACTION["runs"]["steps"][-1]
    assert upload["if"].startswith("always()")
    assert upload["with"]["path"] == "${{ inputs.report-folder }}"


@pytest.mark.ci
def test_action_runs_tests_and_writes_summary(folder):
    done = run(folder)
    assert done.returncode == 1
    assert "::error file=test_it.py,line=4," in done.stdout
    assert (folder / "summary.md").read_text().startswith("## pytest-verdict: 1 of 2 tests did not pass")
    assert (folder / "verify-report" / "report.json").is_file()


@pytest.mark.ci
def test_arguments_are_words_of_a_command_line_and_never_run(folder):
    hostile = "-k 'test_b and not $(touch harmed)' -p no:cacheprovider --junit-xml=\"a b.xml\""
    done = run(folder, arguments=hostile, report_folder="my report")
    assert not (folder / "harmed").exists()
    assert done.returncode == 4
    done = run(
        folder, arguments="-k 'test_b or nothing' --junit-xml=\"a b.xml\"", report_folder="my $(touch harmed) report"
    )
    assert done.returncode == 0
    assert (folder / "a b.xml").is_file()
    assert (folder / "my $(touch harmed) report" / "report.json").is_file()
    assert not (folder / "harmed").exists()


def test_arguments_that_cannot_be_split_are_an_error(folder):
    done = run(folder, arguments="-k 'open")
    assert done.returncode != 0
    assert "No closing quotation" in done.stderr
    assert not (folder / "verify-report").exists()
