"""The folder of a report: what earlier and killed sessions left there, what is not ours, and who may read it."""

from __future__ import annotations

import json
import os

import pytest

from pytest_verdict.core.new_files import NewFiles
from pytest_verdict.report.folder import ReportFolder, remove_journal
from pytest_verdict.report.journal import JournalWriter


@pytest.fixture
def folder(tmp_path):
    held = ReportFolder(tmp_path / "verify-report")
    yield held
    held.release()


def killed(folder, name):
    JournalWriter(folder.journal, {"run": {"name": name}}).abandon()


def header(path):
    return json.loads((path / "tests.jsonl").read_text())["run"]["name"]


def test_journals_of_interrupted_sessions_are_numbered(folder):
    kept = []
    for number in range(3):
        killed(folder, str(number))
        kept.append(folder.set_aside_interrupted())
    assert [path.name for path in kept] == ["journal.interrupted", "journal.interrupted.2", "journal.interrupted.3"]
    assert [header(path) for path in kept] == ["0", "1", "2"]


def test_a_number_is_not_used_again(folder):
    (folder.path / "journal.interrupted.7").mkdir()
    killed(folder, "later")
    assert folder.set_aside_interrupted().name == "journal.interrupted.8"


def test_journal_without_records_is_not_an_interrupted_session(folder):
    killed(folder, "whole")
    (folder.journal / "records.jsonl").unlink()
    assert folder.set_aside_interrupted() is None
    assert not folder.journal.exists()


def test_a_file_that_somebody_put_into_the_journal_stays(folder):
    killed(folder, "whole")
    (folder.journal / "notes.txt").write_text("mine")
    remove_journal(folder.journal)
    assert [path.name for path in folder.journal.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("name", ["records.jsonl", "report.json", "junit.xml"])
def test_a_file_of_somebody_else_is_not_replaced(folder, name):
    (folder.path / name).write_text('{"mine": true}')
    with pytest.raises(FileExistsError, match="was not written by this plugin"):
        folder.refuse_foreign_files()


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no links")
def test_no_link_is_followed(folder, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("precious")
    (folder.path / "report.json.new").symlink_to(precious)
    NewFiles(folder.path).write("report.json", ["new"])
    assert precious.read_text() == "precious"
    assert (folder.path / "report.json.new").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="this system has no umask")
def test_nobody_gets_a_lock_by_a_link(tmp_path):
    (tmp_path / ".lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic link"):
        ReportFolder(tmp_path)
    assert not (tmp_path / "elsewhere").exists()
