"""A folder whose records are compressed is the same report for every command."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys

import pytest

from pytest_verdict.page.server import ServedReport
from pytest_verdict.report.compression import open_records

FORMS = ["gz"]
SESSION = """
import pytest
from pytest_verdict import assert_matches, compare

@pytest.mark.parametrize("number", range(3))
def test_number(number):
    assert compare("exact", "a", "a", name="same")
    assert_matches("numeric_exact", 1, number)

def test_again():
    for index in range(20):
        assert_matches("exact", index, index)
"""


def ran(folder, *words):
    """Run a session, with no plugin but ours."""
    command = [sys.executable, "-m", "pytest", "-p", "verdict", "-p", "no:cacheprovider", *words]
    variables = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(command, cwd=folder, env=variables, capture_output=True, check=False)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Run one session with plain and with compressed records of each form, once for all tests."""
    folder = tmp_path_factory.mktemp("sessions")
    (folder / "test_it.py").write_text(SESSION)
    for form in ("plain", *FORMS):
        ran(folder, f"--verify-report-dir={folder / form}", "-o", f"verdict_records={form}", *QUICK)
    return folder


QUICK = ["-o", "verdict_html=never", "--verify-shard=1/1"]


@pytest.fixture
def sessions(kept, tmp_path, form):
    """Return copies of both, which a test may change."""
    (tmp_path / "sessions").mkdir()
    names = {"plain": "plain", form: "compressed"}
    return tuple(shutil.copytree(kept / name, tmp_path / "sessions" / copy) for name, copy in names.items())


@pytest.mark.ci
@pytest.mark.parametrize("form", FORMS)
def test_every_command_reads_compressed_records(sessions, command, form, tmp_path):
    plain, compressed = sessions
    for name in ("report.json", "junit.xml", "shard.jsonl"):
        # The times of the two sessions differ.
        shutil.copy(plain / name, compressed / name)
    assert sorted(path.name for path in compressed.iterdir()) == sorted(
        {path.name for path in plain.iterdir()} - {"records.jsonl"} | {f"records.jsonl.{form}"}
    )
    identifier = json.loads((plain / "records.jsonl").read_bytes().splitlines()[-1])["id"]

    def said(folder, *words):
        status, out, err = command(*(str(folder) if word == "DIR" else word for word in words))
        assert "damaged" not in err
        return status, out.replace(str(folder), "DIR")

    for words in (
        ["replay", "DIR"],
        ["explain", "DIR", "--failed"],
        ["explain", "DIR", "--id", identifier],
        ["table", "DIR", "--by", "operator"],
        ["summary", "DIR"],
        ["summary", "DIR", "--format", "gitlab-codequality"],
        ["diff", "DIR", "DIR"],
        ["view", "DIR", "--no-open"],
        ["merge", "DIR", "-o", str(tmp_path / "merged")],
        ["bundle", "DIR", "-o", str(tmp_path / "bundle.zip")],
        ["verify-bundle", str(tmp_path / "bundle.zip")],
    ):
        one, other = said(plain, *words), said(compressed, *words)
        shutil.rmtree(tmp_path / "merged", ignore_errors=True)
        assert one == other, words
        assert one[0] in {0, 1}, words
    served = [ServedReport(folder, "shown") for folder in sessions]
    assert served[0].row(25) == served[1].row(25)
    assert served[0].search("exact") == served[1].search("exact") != b""


@pytest.mark.parametrize("form", ["gz"])
def test_compression_is_reproducible(sessions):
    plain, compressed = sessions
    content = (compressed / "records.jsonl.gz").read_bytes()
    assert gzip.decompress(content) == (plain / "records.jsonl").read_bytes()
    # Neither a time nor a name is in the head of the file.
    assert content[3:8] == bytes(5)
    reports = [json.loads((folder / "report.json").read_bytes()) for folder in sessions]
    assert reports[0]["records"] == reports[1]["records"]


@pytest.mark.parametrize("form", FORMS)
def test_merged_and_rebuilt_reports_are_compressed(sessions, command, form, tmp_path):
    _, compressed = sessions
    assert command("merge", str(compressed), "-o", str(tmp_path))[0] == 0
    assert (tmp_path / f"records.jsonl.{form}").read_bytes() == (compressed / f"records.jsonl.{form}").read_bytes()
    journal = compressed / "journal"
    journal.mkdir()
    (compressed / "shard.jsonl").rename(journal / "tests.jsonl")
    with open_records(tmp_path / "records.jsonl") as content:
        (journal / "records.jsonl").write_bytes(content.read())
    (compressed / f"records.jsonl.{form}").unlink()
    assert f"written: records.jsonl.{form}, " in command("report", str(compressed))[1]
    assert command("replay", str(compressed))[0] == 0


@pytest.mark.parametrize("form", FORMS)
def test_alteration_of_compressed_records_is_found(sessions, command, form):
    _, compressed = sessions
    path = compressed / f"records.jsonl.{form}"
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    status, _, err = command("replay", compressed)
    assert status == 2
    assert f"records.jsonl.{form}: the compressed file is damaged" in err
    assert "damaged" in command("summary", compressed)[2]


@pytest.mark.ci
@pytest.mark.parametrize("form", ["gz"])
def test_other_form_replaces_earlier_one(sessions, tmp_path):
    plain, compressed = sessions
    (tmp_path / "test_it.py").write_text(SESSION)
    ran(tmp_path, f"--verify-report-dir={compressed}")
    ran(tmp_path, f"--verify-report-dir={plain}", "-o", "verdict_records=gz")
    assert [path.name for path in sorted(compressed.glob("records*"))] == ["records.jsonl"]
    assert [path.name for path in sorted(plain.glob("records*"))] == ["records.jsonl.gz"]
    # A session that did not pass writes the page from the records.
    assert (plain / "report.html").stat().st_size > 10_000


def test_unknown_form_is_rejected(pytester):
    pytester.makepyfile("def test_it(): pass")
    found = pytester.runpytest_inprocess("--verify-report", "-o", "verdict_records=bz2")
    found.stderr.fnmatch_lines(["*verdict_records: plain or gz is needed, got 'bz2'"])
