"""The journal of a session that was killed, at any byte."""

from __future__ import annotations

import json
import shutil

import pytest

from pytest_verdict.errors import RecordError
from pytest_verdict.report.building import build
from pytest_verdict.report.folder import FolderInUseError, ReportFolder
from pytest_verdict.report.journal import LATE, ByteRange, JournalWriter, TestEntry, read_journal
from pytest_verdict.report.summary import summarize


def line(test: str, ordinal: int, attempt: int = 1) -> bytes:
    return (
        f'{{"record":1,"id":"{"0" * 12}-{attempt}-{ordinal}","verdict":"pass","operator":"exact",'
        f'"test":"{test}","attempt":{attempt},"path":"t.py","line":7}}\n'
    ).encode("ascii")


@pytest.fixture
def written(tmp_path):
    """Two tests at the same time, as with two workers; the first never ends."""
    journal = JournalWriter(tmp_path / "journal", {"run": {"started": "2026"}})
    journal.append_order(["a", "b", "c"])
    journal.append_start("a", ("t.py", 2, "a"))
    journal.append_start("b", ("t.py", 4, "b"))
    journal.append_records(line("a", 1))
    place = journal.append_records(line("b", 1))
    journal.append_records(line("a", 2))
    journal.append_test(
        TestEntry("b", outcome="passed", path="t.py", comparisons={"exact": (1, 0, 0)}, records=(place,))
    )
    late = journal.append_records(line("b", 2))
    journal.append_test(TestEntry("b", outcome=LATE, comparisons={"exact": (1, 0, 0)}, records=(late,)))
    journal.abandon()
    return tmp_path / "journal"


def test_records_of_tests_that_never_ended_are_found_between_the_others(written):
    summary = summarize(read_journal(written))
    assert [(test.final.test, test.final.outcome, test.comparisons) for test in summary.tests] == [
        ("a", "unfinished", (2, 0, 0)),
        ("b", "passed", (2, 0, 0)),
    ]
    assert (summary.tests[0].final.path, summary.tests[0].final.line) == ("t.py", 3)
    assert summary.missing == 1
    assert not summary.complete


def test_records_that_follow_each_other_are_one_piece(tmp_path):
    journal = JournalWriter(tmp_path / "journal", {"run": {}})
    lines = [line("never ended", ordinal) for ordinal in range(1, 6)]
    entry = TestEntry("ended")
    for number in range(5):
        entry.add_records({"exact": (1, 0, 0)}, journal.append_records(line("ended", number)))
    for each in lines:
        journal.append_records(each)
    journal.append_test(entry)
    journal.abandon()
    size = sum(map(len, lines))
    (place,) = entry.records
    assert place.offset == 0
    unfinished = next(entry for entry in read_journal(tmp_path / "journal").entries if entry.test == "never ended")
    assert unfinished.records == (ByteRange(place.end, size),)
    assert unfinished.comparisons == {"exact": (5, 0, 0)}


def test_journal_cut_anywhere_can_be_read(written, tmp_path):
    for name in ("records.jsonl", "tests.jsonl"):
        content = (written / name).read_bytes()
        header = content.index(b"\n") + 1 if name == "tests.jsonl" else 0
        for end in range(header, len(content), 7):
            cut = tmp_path / "cut"
            shutil.copytree(written, cut)
            (cut / name).write_bytes(content[:end])
            journal = read_journal(cut)
            built = build(journal, tmp_path / "built", run=journal.run, profile="ci")
            report = json.loads((built.folder / "report.json").read_text())
            whole = (built.folder / "records.jsonl").read_bytes().splitlines(keepends=True)
            assert all(each.endswith(b"}\n") for each in whole)
            assert report["records"]["count"] == len(whole) == len(report["comparisons"])
            shutil.rmtree(cut)


def test_file_that_is_not_a_journal_is_refused(tmp_path):
    with pytest.raises(RecordError, match="holds no journal"):
        read_journal(tmp_path)
    for name in ("records.jsonl", "tests.jsonl"):
        (tmp_path / name).write_text('{"journal":99}\n')
    with pytest.raises(RecordError, match="is not a journal of format 1"):
        read_journal(tmp_path)


def test_a_folder_is_held_by_one_at_a_time(tmp_path):
    first = ReportFolder(tmp_path)
    with pytest.raises(FolderInUseError, match=str(tmp_path)):
        ReportFolder(tmp_path)
    first.release()
    ReportFolder(tmp_path).release()
    assert list(tmp_path.iterdir()) == []
