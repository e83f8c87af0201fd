"""Each single alteration of a report's folder is named by file and place; the table of them is in altered_folder.py."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from altered_folder import ALTERATIONS, RECORDS, SESSION, altered

from pytest_verdict.cli import main
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import replay_file
from pytest_verdict.suites import score_dataset


@pytest.fixture(scope="module")
def report_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("session")
    (folder / "test_it.py").write_text(SESSION)
    plugins = ["-p", "pytest_verdict.pytest_plugin.plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "--verify-report", *plugins]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, check=False)
    return folder / "verify-report"


def said(capsys, folder):
    status = main(["replay", str(folder)])
    written = capsys.readouterr()
    return status, (written.out + written.err).replace(str(folder), "").splitlines()


@pytest.mark.ci
def test_untouched_folder_has_no_findings(report_folder, capsys):
    assert said(capsys, report_folder) == (0, ["8 records: 8 identical"])


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("file", "place", "change"), [row[1:] for row in ALTERATIONS], ids=[row[0] for row in ALTERATIONS]
)
def test_an_alteration_is_named_by_file_and_place(report_folder, tmp_path, capsys, monkeypatch, file, place, change):
    folder = altered(report_folder, tmp_path / "altered", change)
    status, lines = said(capsys, folder)
    # Each record for itself, as if it were the first that another process sees.
    monkeypatch.setattr("pytest_verdict.report.records_file.PIECE", 1)
    assert sorted(said(capsys, folder)[1]) == sorted(lines)
    assert status == (2 if "there is no" in place else 1)
    named = place if file == RECORDS and not place.startswith("line") else f"{file}: {place}"
    assert any(named in line for line in lines), lines


KILLED = """
import os
from pytest_verdict import assert_matches

def test_first():
    assert_matches("exact", 1, 1)
    assert_matches("exact", 1, 2)

def test_killed():
    assert_matches("exact", 3, 3)
    os._exit(9)
"""


@pytest.mark.ci
@pytest.mark.parametrize("damage", [b"", b'{"record":1,"id":"half'], ids=["whole", "torn"])
def test_report_built_from_journal_has_no_findings(pytester, few_plugins, capsys, damage):
    pytester.makepyfile(KILLED)
    pytester.runpytest_subprocess("--verify-report", "-p", "no:cacheprovider")
    with (pytester.path / "verify-report" / "journal" / "records.jsonl").open("ab") as file:
        file.write(damage)
    assert main(["report", str(pytester.path / "verify-report")]) == 0
    capsys.readouterr()
    status, lines = said(capsys, pytester.path / "verify-report")
    assert (status, lines[0].partition(": ")[2]) == (0, "2 identical")


def test_the_page_says_how_many_alterations_are_run():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "evidence.md").read_text(encoding="utf-8")
    assert f"a table of {len(ALTERATIONS)} such alterations" in page


@pytest.mark.every(8)
@pytest.mark.parametrize("seed", range(8))
def test_findings_among_many_records_equal_findings_of_each(tmp_path, monkeypatch, seed):
    rows, chosen = [{"want": number % 7, "got": number % 5} for number in range(120)], random.Random(seed)
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    mapping = {"expected": "$.want", "observed": "$.got"}
    score_dataset(tmp_path / "rows.jsonl", "exact", mapping, tmp_path / "out", pass_rate=0.01)
    records = tmp_path / "out" / "records.jsonl"
    lines = records.read_bytes().splitlines(keepends=True)
    for _ in range(4):
        at = chosen.randrange(1, len(lines))
        old, new = chosen.choice(
            [(b"-1-", b"-2-"), (b'"ordinal":', b'"ordinal":1'), (b'"attempt":1', b'"attempt":2'), (b"{", b"")]
        )
        lines[at - 1 : at + chosen.randrange(3)] = [line.replace(old, new, 1) for line in (lines[at], lines[at - 1])]
    records.write_bytes(b"".join(lines))
    together = replay_file(RecordsFile(str(tmp_path / "out"), may_be_changed=True))
    monkeypatch.setattr("pytest_verdict.report.records_file.PIECE", 1)
    alone = replay_file(RecordsFile(str(tmp_path / "out"), may_be_changed=True))
    assert sorted(map(str, alone.findings)) == sorted(map(str, together.findings))
    assert replace(alone, findings=[]) == replace(together, findings=[])
    assert any("line" in finding.place for finding in together.findings)
