"""Each single alteration of a report's folder is named by file and place; the table of them is in altered_folder.py."""

from __future__ import annotations

import subprocess
import sys

import pytest
from altered_folder import ALTERATIONS, RECORDS, SESSION, altered

from pytest_verdict.cli import main


@pytest.fixture(scope="module")
def report_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("session")
    (folder / "test_it.py").write_text(SESSION)
    plugins = ["-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "--verify-report", *plugins]
    subprocess.run(
        command, cwd=folder, env={**__import__("os").environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, check=False
    )
    return folder / "verify-report"


def said(capsys, folder):
    status = main(["replay", str(folder)])
    written = capsys.readouterr()
    return status, (written.out + written.err).replace(str(folder), "").splitlines()


def test_nothing_is_said_of_an_untouched_folder(report_folder, capsys):
    assert said(capsys, report_folder) == (0, ["8 records: 8 identical"])


@pytest.mark.parametrize(
    ("file", "place", "change"), [row[1:] for row in ALTERATIONS], ids=[row[0] for row in ALTERATIONS]
)
def test_an_alteration_is_named_by_file_and_place(report_folder, tmp_path, capsys, file, place, change):
    status, lines = said(capsys, altered(report_folder, tmp_path / "altered", change))
    assert status == (2 if "there is no" in place else 1)
    named = place if file == RECORDS and not place.startswith("line") else f"{file}: {place}"
    assert any(named in line for line in lines), lines
