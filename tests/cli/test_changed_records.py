"""Records that are not those of the report beside them: every command that reads a report refuses them."""

from __future__ import annotations

import json
import os
import random
import shutil
import zipfile
from pathlib import Path

import pytest

from pytest_verdict import read_records
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.errors import RecordError
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.runs.run import read_run
from pytest_verdict.suites import score_dataset
from pytest_verdict.summaries.command import FORMATS

READING = {
    "table of records": ["table", "DIR", "-o", "records.csv"],
    "table by name": ["table", "DIR", "--by", "operator"],
    "numbers": ["numbers", "DIR"],
    "diff, old": ["diff", "DIR", "WHOLE"],
    "diff, new": ["diff", "WHOLE", "DIR"],
    "diff, json": ["diff", "WHOLE", "DIR", "--format", "json"],
    "diff, html": ["diff", "WHOLE", "DIR", "--format", "html", "-o", "diff.html"],
    "explain failed": ["explain", "DIR", "--failed"],
    "explain operator": ["explain", "DIR", "--operator", "exact"],
    "explain test": ["explain", "DIR", "--test", "rows"],
    "explain id": ["explain", "DIR", "--id", "ID"],
    "view": ["view", "DIR", "--no-open"],
    "served": ["view", "DIR", "--no-open", "--serve"],
    "accept": ["accept", "DIR"],
    "push": ["push", "DIR", "--store", "STORE"],
    **{f"summary, {name}": ["summary", "DIR", "--format", name] for name in FORMATS},
}
# Those that say what differs, and write nothing.
CHECKING = {
    "replay": ["replay", "DIR"],
    "replay, json": ["replay", "DIR", "--json"],
    "bundle": ["bundle", "DIR", "-o", "evidence.zip"],
}
# They read no report of a folder, or only a run of a store, which has a digest in its name.
OTHERS = {
    *("lint", "score", "init", "import", "check", "blind", "calibrate", "unblind", "operators"),
    *("bless", "runs", "history", "trends", "report", "verify-bundle", "merge"),
}
CHANGES = {
    "a line twice": lambda lines: [*lines, lines[-1]],
    "a line twice in the middle": lambda lines: [*lines[:3], lines[2], *lines[3:]],
    "a line less": lambda lines: [*lines[:2], *lines[3:]],
    "the last line less": lambda lines: lines[:-1],
    "two lines swapped": lambda lines: [lines[1], lines[0], *lines[2:]],
    "a verdict altered": lambda lines: [lines[0].replace(b'"pass"', b'"fail"').replace(b"1.0", b"0.0"), *lines[1:]],
    "an answer altered": lambda lines: [lines[0].replace(b'"observed":1', b'"observed":3'), *lines[1:]],
    "a failure made a pass": lambda lines: [line.replace(b'"fail"', b'"pass"') for line in lines],
    "an empty line": lambda lines: [*lines, b"\n"],
    "nothing left": lambda _: [],
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    rows = [{"want": number, "got": number if number % 3 else -1} for number in range(1, 9)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    mapping = {"expected": "$.want", "observed": "$.got"}
    for layout in ("file", "parts"):
        score_dataset(folder / "rows.jsonl", "exact", mapping, folder / layout, pass_rate=1.0, layout=layout)
    return folder


@pytest.fixture
def changed(reports, tmp_path, monkeypatch):
    """Copy a report whose records were changed after the session, and give the words of a command about it."""
    monkeypatch.chdir(tmp_path)

    def change(name, words):
        shutil.copytree(reports / "file", tmp_path / "changed")
        records = tmp_path / "changed/records.jsonl"
        lines = records.read_bytes().splitlines(keepends=True)
        identifier = json.loads(lines[1])["id"]
        records.write_bytes(b"".join(CHANGES[name](lines)) if name else records.read_bytes())
        places = {"DIR": "changed", "WHOLE": str(reports / "file"), "ID": identifier, "STORE": str(tmp_path / "store")}
        return [places.get(word, word) for word in words]

    return change


def test_the_table_has_every_command():
    tested = {words[0] for words in (*READING.values(), *CHECKING.values())}
    assert set(FAMILIES.own("commands")) == tested | OTHERS


@pytest.mark.parametrize("name", ["a line twice", "an answer altered"])
@pytest.mark.parametrize("words", READING.values(), ids=READING)
def test_a_command_refuses_records_that_were_changed(command, changed, words, name):
    status, out, err = command(*changed(name, words))
    assert status == 2
    assert out == ""
    assert "its records were changed after the session: report.json has another SHA-256 of records.jsonl" in err
    assert err.count("\n") == 1
    assert not {"diff.html", "records.csv", "store"} & set(os.listdir())


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("words", [READING["summary, markdown"], READING["explain failed"]], ids=str)
def test_any_change_is_refused(command, changed, words, name):
    status, out, err = command(*changed(name, words))
    assert (status, out) == (2, "")
    assert "its records were changed after the session" in err


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("words", CHECKING.values(), ids=CHECKING)
def test_a_command_that_checks_lists_the_difference(command, changed, words, name):
    status, out, _ = command(*changed(name, words))
    assert status in {1, 2}
    assert "sha256" in out
    assert not os.path.exists("evidence.zip")


@pytest.mark.parametrize(
    "words", [words for words in READING.values() if not {"--serve", "push", "otel"} & {*words}], ids=str
)
def test_records_of_their_report_are_read(command, changed, words):
    status, _, err = command(*changed("", words))
    assert status == 0 or "its records were changed" not in err


@pytest.mark.parametrize("name", CHANGES)
def test_functions_refuse_them_too(changed, name):
    (folder,) = changed(name, ["DIR"])
    for read in (RecordsFile, read_run, lambda place: list(read_records(place))):
        with pytest.raises(RecordError, match="its records were changed after the session"):
            read(folder)


@pytest.mark.parametrize(
    "words", [words for words in READING.values() if words[0] not in {"view", "push", "summary"}], ids=str
)
def test_a_bundle_with_other_records_is_refused(command, reports, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert command("bundle", reports / "file", "-o", "whole.zip")[0] == 0
    with zipfile.ZipFile("whole.zip") as old, zipfile.ZipFile("changed.zip", "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content + content.splitlines(keepends=True)[-1] if name == "records.jsonl" else content)
    with zipfile.ZipFile("whole.zip") as old:
        identifier = json.loads(old.read("records.jsonl").splitlines()[1])["id"]
    places = {"DIR": "changed.zip", "WHOLE": str(reports / "file"), "ID": identifier}
    status, out, err = command(*(places.get(word, word) for word in words))
    assert (status, out) == (2, "")
    assert "its records were changed after the session" in err
    whole = [places.get(word, word).replace("changed.zip", "whole.zip") for word in words]
    assert "its records were changed" not in command(*whole)[2]


@pytest.mark.parametrize("words", [words for words in READING.values() if words[0] not in {"view", "push"}], ids=str)
def test_parts_that_the_report_does_not_name_are_refused(command, reports, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(reports / "parts", "changed")
    report = json.loads(Path("changed/report.json").read_text())
    report["records"]["sha256"] = "0" * 64
    Path("changed/report.json").write_text(json.dumps(report))
    places = {"DIR": "changed", "WHOLE": str(reports / "parts"), "ID": "x-1-1"}
    status, out, err = command(*(places.get(word, word) for word in words))
    assert (status, out) == (2, "")
    assert "another SHA-256" in err


def lines_alone(reports):
    return (reports / "file/records.jsonl").read_bytes().splitlines(keepends=True)


REPEATED = {
    "the last": lambda lines: [*lines, lines[-1]],
    "the first at the end": lambda lines: [*lines, lines[0]],
    "beside itself": lambda lines: [lines[0], *lines],
    "in the middle": lambda lines: [*lines[:5], lines[2], *lines[5:]],
    "all": lambda lines: lines * 2,
    "among few": lambda lines: [lines[0], lines[4], lines[0]],
    "shuffled": lambda lines: random.Random(0).sample([*lines, lines[3]], len(lines) + 1),
}
ONCE = {
    "as written": lambda lines: lines,
    "one": lambda lines: lines[3:4],
    "every second": lambda lines: lines[::2],
    "reversed": lambda lines: lines[::-1],
    "shuffled": lambda lines: random.Random(0).sample(lines, len(lines)),
}


@pytest.mark.parametrize("piece", [1, 1 << 20])
@pytest.mark.parametrize("name", REPEATED)
def test_a_line_that_is_there_twice_is_found_without_a_report(command, reports, tmp_path, monkeypatch, name, piece):
    monkeypatch.setattr("pytest_verdict.report.records_file.PIECE", piece)
    path = tmp_path / "alone.jsonl"
    path.write_bytes(b"".join(REPEATED[name](lines_alone(reports))))
    status, out, _ = command("replay", path)
    assert status == 1
    assert "is that of line" in out


@pytest.mark.parametrize("piece", [1, 1 << 20])
@pytest.mark.parametrize("name", ONCE)
def test_a_selection_of_records_is_replayed(command, reports, tmp_path, monkeypatch, name, piece):
    monkeypatch.setattr("pytest_verdict.report.records_file.PIECE", piece)
    path = tmp_path / "alone.jsonl"
    path.write_bytes(b"".join(ONCE[name](lines_alone(reports))))
    status, out, _ = command("replay", path)
    assert (status, "is that of line" in out) == (0, False)
