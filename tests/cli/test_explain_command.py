"""``pytest-verdict explain``."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_verdict import compare


def test_record_is_shown_with_evidence_and_location(command, records):
    path = records(compare("exact", 1, 1), compare("normalized_exact", "Paris" * 500, " LONDON", name="city"))
    status, out, err = command("explain", path, "--id", "d502734708c1-1-2")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"normalized_exact 'city': expected {'Paris' * 500!r}, got ' LONDON'"
    assert f"  expected: {'Paris' * 500!r}" in lines
    assert lines[-3:] == [
        "  record: d502734708c1-1-2",
        "  test: tests/test_x.py::test_a, attempt 1, comparison 2",
        "  where: tests/test_x.py:12",
    ]


def test_failed_records_can_be_filtered(command, records):
    path = records(compare("exact", 1, 1), compare("exact", "Paris", "Rome"), compare("contains_any", ["x"], "abc"))
    status, out, err = command("explain", path, "--failed")
    assert (status, err) == (0, "")
    heads = [line for line in out.splitlines() if not line.startswith(" ")]
    assert heads == ["exact: expected 'Paris', got 'Rome'", "", "contains_any: expected any of ['x'], got 'abc'"]
    assert command("explain", path, "--failed", "--operator", "exact")[1].count("record: ") == 1
    assert command("explain", path, "--operator", "exact")[1].count("record: ") == 2
    assert command("explain", path, "--test", "test_a")[1].count("record: ") == 3


def test_no_matching_record_is_reported(command, records):
    path = records(compare("exact", 1, 1))
    assert command("explain", path, "--failed") == (0, "every comparison passed\n", "")
    assert command("explain", path, "--test", "other")[0] == 2
    assert command("explain", path, "--failed", "--operator", "regex")[0] == 2
    status, _, err = command("explain", path)
    assert status == 2
    assert "--failed, --test TEXT, --operator NAME or --id ID" in err


def test_default_folder_is_used(command, records, monkeypatch, tmp_path):
    records(compare("exact", 1, 2))
    (tmp_path / "verify-report").mkdir()
    (tmp_path / "records.jsonl").rename(tmp_path / "verify-report" / "records.jsonl")
    monkeypatch.chdir(tmp_path)
    assert command("explain", "--failed")[1].startswith("exact: expected 1, got 2\n")


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
    ids=["not a terminal", "forced", "forbidden"],
)
def test_colour_follows_the_terminal(command, records, monkeypatch, variables, is_coloured):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    out = command("explain", records(compare("exact", 1, "\x1b[2J")), "--failed")[1]
    assert ("\x1b[32m1\x1b[0m" in out) is is_coloured
    assert "\x1b[2J" not in out


def test_unknown_id_points_to_where_ids_are(command, records):
    assert "The ids are in report.json" in command("explain", records(compare("exact", 1, 1)), "--id", "x")[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"score":0.0', b'"score":7'),
        (b'"threshold":1.0', b'"threshold":"x"'),
        (b'"notes":[]', b'"notes":' + b"[" * 100_000),
        (b'"expected":1', b'"expected":{"$type":"eval","value":"1"}'),
    ],
    ids=["score", "threshold", "nesting", "type"],
)
def test_damaged_record_is_one_line(command, records, before, after):
    path = records(compare("exact", 1, 2))
    path.write_bytes(path.read_bytes().replace(before, after))
    status, out, err = command("explain", path, "--id", "d502734708c1-1-1")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "d502734708c1-1-1" in err


def test_control_characters_of_records_are_escaped(command, records):
    path = records(compare("exact", "a\x1b[31m", "\u202e\x07"))
    raw = path.read_bytes().replace(b'"operator":"exact"', b'"operator":"\\u001b[2Jexact"')
    path.write_bytes(raw.replace(b"test_x.py::test_a", b"\\u001b]0;owned"))
    status, out, _ = command("explain", path, "--id", "d502734708c1-1-1")
    assert status == 0
    assert all(character.isprintable() for character in out.replace("\n", ""))


@pytest.mark.ci
def test_explain_imports_only_the_operator_of_the_record(records):
    path = records(compare("exact", "a", "b"), compare("numeric_tolerance", 1, 2, tolerance=0.5))
    code = "import sys; from pytest_verdict.cli import main; main(sys.argv[1:])\n"
    others = "{'pytest', 'dateutil', 'pytest_verdict.operators.json', 'pytest_verdict.operators.date'}"
    code += f"print({others} & set(sys.modules))"
    for identifier in ("d502734708c1-1-1", "d502734708c1-1-2"):
        command = [sys.executable, "-c", code, "explain", str(path), "--id", identifier]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        assert "expected " in ended.stdout
        assert ended.stdout.endswith("\nset()\n")
