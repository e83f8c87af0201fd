"""``pytest-verdict view``: which folders it takes, what it writes, and what it refuses."""

from __future__ import annotations

import json
import os

import pytest

from pytest_verdict import compare
from written_page import WrittenPage

RESULTS = {"t.py::t": [compare("exact", 1, 2), compare("exact", 1, 1)]}


def test_view_writes_page_and_prints_path(command, folder):
    place = folder(RESULTS)
    (place / "report.html").unlink()
    assert command("view", "--no-open", place) == (0, f"written: {place / 'report.html'}\n", "")
    assert WrittenPage(place / "report.html").head["rows"] == 2


def test_view_opens_browser(command, folder, tmp_path, monkeypatch):
    import webbrowser

    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or False)
    status, _, complaint = command("view", folder(RESULTS))
    assert opened == [(tmp_path / "report.html").as_uri()]
    assert status == 0
    assert "open the page yourself" in complaint


def test_without_report_json_the_page_says_that_nothing_is_known_of_the_session(page_of):
    assert "There is no report.json" in page_of(RESULTS).about["warnings"][0]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda place: (place / "records.jsonl").unlink(), "there is no records.jsonl in this folder"),
        (lambda place: (place / "records.jsonl").write_text("half"), "record 1 is unreadable: it is not JSON"),
        (
            lambda place: (place / "records.jsonl").write_text('{"record":1}'),
            "record 1 is unreadable: the record has no",
        ),
        (lambda place: (place / "report.json").write_text("[]"), "is not the report of pytest-verdict"),
        (lambda place: (place / "report.html").write_text("<p>mine</p>"), "was not written by this plugin"),
    ],
    ids=["no records", "half a record", "no members", "another report.json", "a page of somebody"],
)
def test_view_refuses_unreadable_report(command, folder, spoil, words):
    place = folder(RESULTS)
    spoil(place)
    status, out, complaint = command("view", "--no-open", place)
    assert (status, out) == (2, "")
    assert words in complaint


@pytest.mark.parametrize(
    ("member", "value"),
    [("score", "1"), ("score", float("nan")), ("verdict", "maybe"), ("test", 1), ("notes", 3), ("id", "x"), ("children", [1]),
     ("attempt", None), ("operator", None), ("id", f"{'0' * 12}-1-{10**12}")],
)  # fmt: skip
def test_a_record_of_any_other_form_is_named(command, folder, member, value):
    place = folder(RESULTS)
    record = {**json.loads((place / "records.jsonl").read_bytes().splitlines()[0]), member: value}
    (place / "records.jsonl").write_text(json.dumps(record) + "\n")
    status, _, complaint = command("view", "--no-open", place)
    assert status == 2
    assert "record 1 is unreadable" in complaint


def test_a_report_older_than_an_interrupted_session_is_refused_as_by_replay(command, folder):
    place = folder(RESULTS)
    (place / "report.json").write_text("{}")
    os.utime(place / "report.json", (1, 1))
    (place / "journal").mkdir()
    (place / "journal" / "tests.jsonl").write_text("")
    status, _, complaint = command("view", "--no-open", place)
    assert status == 2
    assert "run `pytest-verdict report` first" in complaint


def test_a_file_of_records_alone_is_no_folder(command, folder):
    status, _, complaint = command("view", folder(RESULTS) / "records.jsonl")
    assert status == 2
    assert "name the folder of a report" in complaint


@pytest.mark.parametrize("port", ["-1", "65536", "9" * 400])
def test_a_port_that_does_not_exist_is_refused(command, folder, port):
    status, _, complaint = command("view", "--serve", f"--port={port}", folder(RESULTS))
    assert status == 2
    assert "cannot be used" in complaint


def test_a_port_that_is_no_number_is_refused(command, folder, capsys):
    with pytest.raises(SystemExit):
        command("view", "--serve", "--port=x", folder(RESULTS))
    assert "invalid int value: 'x'" in capsys.readouterr().err
