"""A package of somebody else brings one of each; here from its source, in .ci/run from its wheel."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).parent / "example_family"
QUIET = ("-p", "verdict", "-p", "xdist", "-p", "no:cacheprovider")
ENTRY_POINTS = "[pytest_verdict]\nroman = roman_verdict.family\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Lay the package out as an installation does, and say where."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE / "src" / "roman_verdict", folder / "roman_verdict")
    information = folder / "roman_verdict-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: roman-verdict\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(ENTRY_POINTS)
    shutil.copytree(PACKAGE / "checks", folder / "checks")
    return folder


def run(installed, *words, status=0):
    path = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=installed / "checks",
        env={**os.environ, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("workers", [pytest.param("-n0", marks=pytest.mark.ci), "-n2"])
def test_session_uses_one_of_each(installed, workers):
    said = run(installed, "pytest", "-q", *QUIET, workers, "--verify-report")
    assert "Roman numerals: XIV, IIII, IV, IX" in said
    report = installed / "checks" / "verify-report"
    lines = (report / "operators.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "operator,pass,fail,error"
    assert "roman_numeral,3,1,0" in lines
    scored = [json.loads(line) for line in (report / "records.jsonl").read_bytes().splitlines()]
    assert {"roman_numeral", "trajectory_exact", "blind_preference", "pass_rate"} <= {one["operator"] for one in scored}


@pytest.mark.ci
def test_replay_finds_the_operator(installed):
    run(installed, "pytest", "-q", *QUIET, "-n0", "--verify-report")
    assert "11 records: 11 identical" in run(installed, "pytest_verdict", "replay", "verify-report/records.jsonl")


@pytest.mark.ci
def test_console_script_has_the_command(installed):
    assert run(installed, "pytest_verdict", "numeral", "14").strip() == "XIV"
    assert "write a number as a Roman numeral" in run(installed, "pytest_verdict", "--help")
    assert "roman_numeral" in run(installed, "pytest_verdict", "operators")


@pytest.mark.ci
def test_unknown_name_lists_those_of_the_package(installed):
    program = (
        "from pytest_verdict import compare\ntry: compare('roman', 1, 1)\nexcept ValueError as error: print(error)"
    )
    (installed / "checks" / "ask.py").write_text(program)
    assert "roman_numeral" in run(installed, "ask")


@pytest.mark.ci
def test_unloadable_family_is_named(installed, tmp_path):
    information = tmp_path / "broken-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[pytest_verdict]\nbroken = no_such_module.family\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "pytest_verdict", "operators"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "broken = no_such_module.family" in done.stderr


def test_duplicate_name_of_two_families_is_rejected():
    from pytest_verdict.core.families import Families, hookimpl
    from pytest_verdict.errors import ConfigurationError

    class One:
        @hookimpl
        def operators(self):
            return {"exact": "one:Exact"}

    families = Families(["pytest_verdict.operators.plugin"])
    families.register(One())
    with pytest.raises(ConfigurationError, match=r"two families bring operators 'exact'"):
        families.own("operators")
