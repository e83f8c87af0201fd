"""Anything may stand in a report: the check of a folder names it and never raises."""

from __future__ import annotations

import json
import random
import shutil

import pytest

from pytest_verdict.cli import main
from pytest_verdict.errors import RecordError
from pytest_verdict.report.reading import read_report
from pytest_verdict.report.records_file import RecordsFile
from pytest_verdict.report.verification import replay_file
from test_conformance import SESSION

REPORT = json.loads((SESSION / "report.json").read_text())
VALUES = [
    None,
    True,
    -1,
    1.5,
    10**400,
    float("nan"),
    "",
    "x",
    "\ud83d",
    [],
    [1],
    {},
    {"a": {}},
    [[[]]],
    "\x1b[31m<>&\"'",
]
any_value = pytest.mark.parametrize(
    "value",
    [..., None, "x", *(pytest.param(value, marks=pytest.mark.ci) for value in VALUES if value not in (None, "x"))],
    ids=lambda value: "removed" if value is ... else repr(value)[:12],
)


def found(folder):
    return list(map(str, replay_file(RecordsFile(str(folder), may_be_changed=True)).findings))


def places(value, way=()):
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*way, key))


def changed(way, value):
    report = json.loads(json.dumps(REPORT))
    if not way:
        return value
    part = report
    for key in way[:-1]:
        part = part[key]
    if value is ...:
        del part[way[-1]]
    else:
        part[way[-1]] = value
    return report


@pytest.mark.ci
@any_value
def test_any_member_of_report_json_may_be_anything(tmp_path, value):
    shutil.copytree(SESSION, tmp_path / "report")
    # Every fourth, another one for each value.
    start = 1 if value is ... else 1 + VALUES.index(value) % 4
    for way in list(places(REPORT))[start :: 1 if value is ... else 4]:
        if value is ... or changed(way, value) != REPORT:
            (tmp_path / "report" / "report.json").write_text(json.dumps(changed(way, value)))
            assert found(tmp_path / "report"), way


@pytest.mark.every(4)
@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:12])
def test_any_member_of_a_record_may_be_anything(tmp_path, value):
    shutil.copytree(SESSION, tmp_path / "report")
    lines = (SESSION / "records.jsonl").read_bytes().splitlines(keepends=True)
    record = json.loads(lines[1])
    for way in list(places(record))[1:]:
        if len(way) == 1 and record[way[0]] != value:
            text = json.dumps({**record, way[0]: value}, separators=(",", ":"))
            (tmp_path / "report" / "records.jsonl").write_bytes(b"".join([lines[0], text.encode() + b"\n", *lines[2:]]))
            assert found(tmp_path / "report"), way


@pytest.mark.ci
@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["records.jsonl", "report.json", "junit.xml"])
def test_any_byte_that_is_changed_is_seen(tmp_path, name):
    shutil.copytree(SESSION, tmp_path / "report")
    content, source = (SESSION / name).read_bytes(), random.Random(15)
    for _ in range(150):
        at = source.randrange(len(content))
        other = bytes([source.choice([byte for byte in range(256) if byte != content[at]])])
        (tmp_path / "report" / name).write_bytes(content[:at] + other + content[at + 1 :])
        try:
            said = found(tmp_path / "report")
        except RecordError as error:
            said = [str(error)]
        assert said, (at, other)


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"[" * 100_000, b'{"a":' * 50_000, b"\xff"])
def test_file_of_another_form_is_unreadable(tmp_path, capsys, content):
    shutil.copytree(SESSION, tmp_path / "report")
    (tmp_path / "report" / "report.json").write_bytes(content)
    assert main(["replay", str(tmp_path / "report")]) == 2
    assert "this is not the report of pytest-verdict" in capsys.readouterr().err


@pytest.mark.ci
@any_value
def test_the_reader_accepts_a_member_or_refuses_it_in_one_line(tmp_path, value):
    shutil.copytree(SESSION, tmp_path / "report")
    refusals = []
    for way in list(places(REPORT))[1:]:
        (tmp_path / "report" / "report.json").write_text(json.dumps(changed(way, value)))
        try:
            report = read_report(tmp_path / "report")
        except RecordError as error:
            refusals.append(str(error))
        else:
            assert list(report.gate_lines()) or not report.gates
            assert report.milliseconds()[1] >= 0
    assert len(refusals) > 20
    assert all("report.json: this is not the report of pytest-verdict: " in text for text in refusals)
    assert not [text for text in refusals if "\n" in text]


def test_the_reader_names_the_first_member_that_is_wrong(tmp_path):
    shutil.copytree(SESSION, tmp_path / "report")
    tests = [{**test, "line": "x"} for test in REPORT["tests"]]
    (tmp_path / "report" / "report.json").write_text(json.dumps({**REPORT, "tests": tests}))
    with pytest.raises(RecordError) as error:
        read_report(tmp_path / "report")
    assert str(error.value).endswith("tests[0]['line']: Input should be a valid integer, got 'x'")
