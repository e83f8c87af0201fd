"""``pytest-verdict report``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from xml.etree import ElementTree

import jsonschema
import pytest

from pytest_verdict.core.families import FAMILIES, hookimpl
from pytest_verdict.report.folder import ReportFolder
from pytest_verdict.report.json_report import report_schema

KILLED = """
    import os, pytest
    from pytest_verdict import compare

    def test_first():
        compare("exact", 1, 1)

    def test_second():
        compare("exact", "a", "b")
        assert False

    def test_killed():
        os._exit(9)

    def test_never():
        pass
"""


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    (folder / "test_it.py").write_text(textwrap.dedent(KILLED))
    command = [sys.executable, "-m", "pytest", "--verify-report", "-p", "no:cacheprovider"]
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 9
    return folder / "verify-report"


@pytest.fixture
def killed(killed_once, pytester):
    """The report's folder of a session that was killed."""
    folder = shutil.copytree(killed_once, pytester.path / "verify-report")
    assert (folder / "journal").is_dir()
    assert not (folder / "report.json").exists()
    return folder


@pytest.mark.ci
def test_report_of_killed_session_is_rebuilt(command, killed):
    status, out, err = command("report", killed)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        f"journal: {killed}/journal, of a session that did not end",
        "tests: 3, 1 of them unfinished; collected, but without a result: 1",
        "comparisons: 1 pass (50 %), 1 fail, 0 error",
        "comparisons of unfinished tests may be lost, except with verdict_flush = comparison",
        f"written: records.jsonl, report.json and junit.xml in {killed}",
    ]
    report = json.loads((killed / "report.json").read_text())
    assert report["complete"] is False
    assert report["totals"]["comparisons"] == {"total": 2, "pass": 1, "fail": 1, "error": 0}
    assert "test_second" in (killed / "junit.xml").read_text()
    assert command("replay", killed)[0] == 0
    assert (killed / "journal").is_dir()
    assert not (killed / ".lock").exists()


@pytest.mark.ci
def test_rebuilding_is_reproducible(command, killed):
    command("report", killed)
    first = [(killed / name).read_bytes() for name in ("records.jsonl", "report.json", "junit.xml")]
    assert command("report", killed / "journal")[0] == 0
    assert [(killed / name).read_bytes() for name in ("records.jsonl", "report.json", "junit.xml")] == first


def test_journal_is_removed_on_request(command, killed):
    assert command("report", killed, "--remove-journal")[0] == 0
    assert not (killed / "journal").exists()
    status, _, err = command("report", killed)
    assert status == 2
    assert "there is no journal in this folder" in err


def test_strict_profile_omits_locations(command, killed):
    command("report", killed, "--junit-profile", "strict")
    assert "file=" not in (killed / "junit.xml").read_text()


def test_partial_line_is_skipped_with_message(command, killed):
    with (killed / "journal/tests.jsonl").open("ab") as file:
        file.write(b'{"test":"test_it.py::te')
    with (killed / "journal/records.jsonl").open("ab") as file:
        file.write(b'{"record":1,"id":"')
    status, out, _ = command("report", killed)
    assert status == 0
    assert "damaged lines, skipped: 2" in out


def test_running_session_is_not_waited_for(command, killed):
    session = ReportFolder(killed)
    status, _, err = command("report", killed)
    session.release()
    assert status == 2
    assert "a session is still writing its report there" in err
    assert not (killed / "report.json").exists()


def test_interrupted_session_does_not_replace_later_report(command, killed, pytester, tmp_path):
    pytester.makepyfile(test_it="def test_it(): pass")
    pytester.runpytest_inprocess("--verify-report", "-p", "no:cacheprovider", "-p", "no:asyncio")
    later = (killed / "report.json").read_bytes()
    status, _, err = command("report", killed)
    assert status == 2
    assert "holds the report of a later session; pass --to DIR" in err
    assert command("report", killed, "--to", tmp_path / "rebuilt")[0] == 0
    assert (killed / "report.json").read_bytes() == later
    assert json.loads((tmp_path / "rebuilt/report.json").read_text())["totals"]["comparisons"]["total"] == 2


def test_journal_elsewhere_needs_a_folder(command, killed, tmp_path):
    shutil.copytree(killed / "journal", tmp_path / "elsewhere")
    status, _, err = command("report", tmp_path / "elsewhere")
    assert status == 2
    assert "--to" in err
    assert command("report", tmp_path / "elsewhere", "--to", tmp_path / "elsewhere")[0] == 2
    assert command("report", tmp_path / "elsewhere", "--to", tmp_path / "there")[0] == 0
    assert "*" in (tmp_path / "there/.gitignore").read_text().splitlines()


def test_failing_foreign_writer_keeps_the_journal(command, killed):
    FAMILIES.register(Lacking())
    status, out, err = command("report", killed, "--remove-journal")
    assert (status, "written: records.jsonl" in out) == (2, True)
    assert err.startswith(
        "pytest-verdict: lacking.txt was not written, because its writer no_such_module:write raised Mod"
    )
    assert (killed / "journal/records.jsonl").exists()


class Lacking:
    @hookimpl
    def report_writers(self):
        return {"lacking.txt": "no_such_module:write"}


@pytest.mark.parametrize("content", [b"", b"[1]\n", b'{"journal":99}\n', b"\xff\n", b'{"journal":1,"run":3}\n'])
def test_unreadable_journal_is_one_line(command, tmp_path, content):
    journal = tmp_path / "verify-report/journal"
    journal.mkdir(parents=True)
    (journal / "records.jsonl").write_bytes(b"")
    (journal / "tests.jsonl").write_bytes(content)
    status, _, err = command("report", tmp_path / "verify-report")
    assert status == 2
    assert err.count("\n") == 1


VALIDATOR = jsonschema.Draft202012Validator(report_schema())
MEMBERS = {
    "test": [
        "attempt",
        "comparisons",
        "crashed",
        "line",
        "message",
        "microseconds",
        "outcome",
        "path",
        "records",
        "subtests",
        "test",
        "text",
        "worker",
    ],
    "began": ["began", "line", "path"],
}


@pytest.mark.every(4)
@pytest.mark.parametrize(("kind", "member"), [(kind, member) for kind in MEMBERS for member in MEMBERS[kind]])
@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        3,
        -3,
        10**400,
        '"',
        "rerun",
        [["a", "b"]],
        [1, 2],
        [-5, 10],
        {"exact": [-1, 0, float("nan")]},
        {"exact": [9, 0, 0]},
    ],
    ids=lambda value: str(value)[:20],
)
def test_edited_journal_gives_a_message_or_a_valid_report(command, killed, kind, member, value):
    tests = killed / "journal/tests.jsonl"
    lines = tests.read_text().splitlines()
    at = max(index for index, line in enumerate(lines) if line.startswith(f'{{"{kind}"'))
    lines[at] = json.dumps({**json.loads(lines[at]), member: value})
    tests.write_text("\n".join(lines) + "\n")
    status, _, err = command("report", killed)
    written = sorted(path.name for path in killed.iterdir())
    if status == 0:
        assert (err, written) == ("", [".gitignore", "journal", "junit.xml", "records.jsonl", "report.json"])
        report = json.loads((killed / "report.json").read_text())
        VALIDATOR.validate(report)
        assert report["records"]["count"] == (killed / "records.jsonl").read_bytes().count(b"\n")
        ElementTree.parse(killed / "junit.xml")
    else:
        assert (status, err.count("\n"), written) == (2, 1, [".gitignore", "journal"])


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("[]", id="no object"),
        pytest.param('{"record":1}', id="no head"),
        pytest.param('{"record":1,"id":"000000000000-1-1","verdict":"pass","line":1}', id="no test"),
    ],
)
def test_invalid_line_is_skipped_with_message(command, killed, line):
    with (killed / "journal/records.jsonl").open("a") as file:
        file.write(f"{line}\n")
    status, out, _ = command("report", killed)
    assert status == 0
    assert "comparisons: 1 pass (50 %), 1 fail, 0 error" in out
    assert "damaged lines, skipped: 1" in out


def test_whole_records_of_cut_journal_are_counted(command, killed):
    records = killed / "journal/records.jsonl"
    records.write_bytes(records.read_bytes()[:-9])
    status, out, _ = command("report", killed)
    report = json.loads((killed / "report.json").read_text())
    assert status == 0
    assert "comparisons: 1 pass (100 %), 0 fail, 0 error" in out
    assert "damaged lines, skipped: 1" in out
    assert (report["records"]["count"], len(report["comparisons"])) == (1, 1)
    assert (killed / "records.jsonl").read_bytes().count(b"\n") == 1


def test_latest_interrupted_session_is_the_default(command, killed, tmp_path):
    (killed / "journal").rename(killed / "journal.interrupted")
    shutil.copytree(killed / "journal.interrupted", killed / "journal.interrupted.2")
    assert command("report", killed)[1].startswith(f"journal: {killed}/journal.interrupted.2,")
    first = killed / "journal.interrupted"
    assert "holds the report of a later session" in command("report", first)[2]
    assert command("report", first, "--to", tmp_path / "first")[0] == 0


@pytest.mark.parametrize("words", [("replay",), ("explain", "--id=none")], ids=["replay", "explain"])
def test_report_older_than_its_journal_is_rejected(command, killed, words):
    command("report", killed)
    assert "older than" not in command(*words, killed)[2]
    os.utime(killed / "journal/tests.jsonl", ns=(2**62, 2**62))
    status, _, err = command(*words, killed)
    assert status == 2
    assert "the report is older than the journal beside it" in err
    assert "older than" not in command(*words, killed / "records.jsonl")[2]


def test_missing_folder_is_not_created(command, tmp_path):
    status, _, err = command("report", tmp_path / "absent")
    assert status == 2
    assert "there is no such folder" in err
    assert not (tmp_path / "absent").exists()
