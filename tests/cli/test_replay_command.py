"""``pytest-verdict replay``."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys

import pytest

from pytest_verdict import compare


def test_identical_records_are_no_difference(command, records):
    status, out, err = command("replay", records(compare("exact", "a", "b"), compare("regex", "a+", "aa")))
    assert (status, out, err) == (0, "2 records: 2 identical\n", "")


def test_difference_names_test_and_keys(command, records):
    path = records(compare("exact", "a", "a"), compare("exact", "a", "b"))
    path.write_bytes(path.read_bytes().replace(b'"observed":"b"', b'"observed":"a"'))
    status, out, _ = command("replay", path)
    assert status == 1
    assert out.splitlines() == [
        "d502734708c1-1-2 tests/test_x.py::test_a exact: differs in verdict, score",
        "2 records: 1 differs, 1 identical",
    ]


def test_differences_are_limited_to_20(command, records):
    path = records(*(compare("exact", "a", "b") for _ in range(30)))
    path.write_bytes(path.read_bytes().replace(b'"score":0.0', b'"score":0.5'))
    status, out, _ = command("replay", path)
    assert status == 1
    assert len(out.splitlines()) == 22
    assert "... and 10 more" in out


@pytest.mark.ci
def test_result_does_not_depend_on_jobs(command, records):
    results = [compare("exact", f"{number} {'x' * 20_000}", f"{number}") for number in range(200)]
    path = records(*results)
    lines = path.read_bytes().splitlines(keepends=True)
    for number in (3, 90, 199):
        lines[number] = lines[number].replace(b'"score":0.0', b'"score":0.5')
    lines[120] = b"half\n"
    path.write_bytes(b"".join(lines))
    alone = command("replay", path)
    assert "line 121: unreadable" in alone[1]
    assert alone[1].endswith("200 records: 3 differs, 196 identical, 1 unreadable\n")
    for number in ("1", "3"):
        # On their own, because tests of the plugin forget the modules that they loaded.
        words = [sys.executable, "-m", "pytest_verdict", "replay", "-j", number, str(path)]
        found = subprocess.run(words, capture_output=True, check=False)
        assert (found.returncode, found.stdout.decode(), found.stderr.decode()) == alone


@pytest.mark.parametrize("number", ["0", "-1", "62", "two", "1.5"])
def test_invalid_jobs_are_rejected(command, records, number, capsys):
    with pytest.raises(SystemExit) as raised:
        command("replay", "-j", number, records(compare("exact", 1, 1)))
    assert raised.value.code == 2
    assert "argument -j/--jobs: invalid" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "status"),
    [("good", 0), ("good repr", 0), ("good half", 2), ("bad half", 1), ("repr", 2), ("half", 2), ("", 2), ("bad", 1)],
)
def test_exit_codes(command, tmp_path, records, content, status):
    good = records(compare("exact", "a", "a")).read_bytes()
    lines = {
        "good": good,
        "bad": good.replace(b'"score":1.0', b'"score":0.0'),
        # The second record of the test.
        "repr": records(compare("exact", 1, 1), compare("exact", object(), 1)).read_bytes().splitlines(True)[1],
        "half": good[: len(good) // 2],
    }
    path = tmp_path / "some.jsonl"
    path.write_bytes(b"".join(lines[word] for word in content.split()))
    assert command("replay", path)[0] == status


def test_unverifiable_records_are_counted_by_reason(command, records):
    _, out, _ = command("replay", records(compare("exact", object(), 1), compare("exact", 1, 1)))
    assert "unverifiable, not_encodable: 1\n2 records: 1 identical, 1 unverifiable\n" in out


def test_unreadable_line_is_named_by_number(command, records):
    path = records(compare("exact", "a", "a"))
    path.write_bytes(path.read_bytes() + b"\x1b[31m\n")
    assert "line 2: unreadable, it is not JSON" in command("replay", path)[1]


def test_json_is_one_object(command, records):
    status, out, _ = command("replay", "--json", records(compare("exact", "a", "a"), compare("exact", object(), 1)))
    found = json.loads(out)
    assert found["exit_code"] == status == 0
    assert (found["records"], found["identical"], found["reasons"]) == (2, 1, {"not_encodable": 1})


def test_quiet_writes_nothing(command, records):
    path = records(compare("exact", "a", "a"))
    path.write_bytes(path.read_bytes().replace(b'"score":1.0', b'"score":0.0'))
    assert command("replay", "--quiet", path) == (1, "", "")


def test_compressed_file_is_read(command, records, tmp_path):
    path = tmp_path / "kept.gz"
    path.write_bytes(gzip.compress(records(compare("exact", "a", "a")).read_bytes()))
    assert command("replay", path)[:2] == (0, "1 record: 1 identical\n")


def test_damaged_compressed_file_is_named(command, records, tmp_path):
    path = tmp_path / "kept.gz"
    path.write_bytes(gzip.compress(records(compare("exact", "a", "a")).read_bytes())[:-9])
    status, _, err = command("replay", path)
    assert status == 2
    assert "kept.gz: the compressed file is damaged" in err
    assert err.count("\n") == 1


def test_records_that_do_not_match_the_report_are_a_difference(command, pytester):
    pytester.makepyfile(
        "from pytest_verdict import compare\ndef test_it():\n    compare('exact', 1, 1)\n    compare('exact', 2, 2)"
    )
    pytester.runpytest_inprocess("--verify-report", "-p", "no:cacheprovider", "-p", "no:asyncio")
    folder = pytester.path / "verify-report"
    assert command("replay", folder)[0] == 0
    path = folder / "records.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    status, out, _ = command("replay", folder)
    assert status == 1
    assert "report.json was made of other records" in out


@pytest.mark.parametrize("name", ["absent.jsonl", "."])
def test_missing_file_is_named(command, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    status, out, err = command("replay", name)
    assert (status, out) == (2, "")
    assert err.startswith(f"pytest-verdict: {name}: there is no")


def test_terminal_has_a_temporary_progress_bar(records, monkeypatch):
    from pytest_verdict.cli import main

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    path = records(*(compare("exact", "a", "a") for _ in range(3)))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["replay", str(path)]) == 0
    assert "%" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")


@pytest.mark.ci
def test_entry_point_operators_are_found(pytester, tmp_path, monkeypatch):
    package = tmp_path / "site"
    info = package / "own_operators-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-operators\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pytest_verdict.operators]\nsame_length = own_operators:same_length\n")
    (package / "own_operators.py").write_text(
        "def same_length(expected, observed, *, slack: int = 0):\n"
        "    return abs(len(expected) - len(observed)) <= slack\n"
    )
    pytester.makepyfile(
        "from pytest_verdict import assert_matches\n"
        "def test_it():\n    assert_matches('same_length', 'abc', 'wxyz', slack=1)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(package))
    pytester.runpytest_subprocess("--verify-report", "-p", "no:cacheprovider").assert_outcomes(passed=1)
    command = [sys.executable, "-m", "pytest_verdict", "replay", "verify-report"]
    found = pytester.run(*command)
    assert (found.ret, found.outlines) == (0, ["1 record: 1 identical"])
    monkeypatch.delenv("PYTHONPATH")
    found = pytester.run(*command)
    assert found.ret == 2
    assert found.outlines[0] == "unverifiable, operator_absent: 1"
