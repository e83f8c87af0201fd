"""Every face of a report shows what the records have: a session with a comparison of each kind, and all that reads it."""

from __future__ import annotations

import csv
import html
import json
import pickle
import re
import shutil
from pathlib import Path

import pytest
from harness import FOLDER, Run

from kinds_of_records import kinds
from pytest_verdict import ComparisonResult
from pytest_verdict.budget import Budget
from pytest_verdict.cli import main
from pytest_verdict.explanation.drawing import draw_explanation, failure_block, headline
from pytest_verdict.explanation.lines import format_plain
from pytest_verdict.runs.tables import read_records
from written_page import WrittenPage

SESSION = """
import os
import pickle
from pathlib import Path

import pytest
from pytest_verdict import assert_matches, compare, expect
from pytest_verdict.errors import MismatchError
from pytest_verdict.session import publish
from pytest_verdict.suites import check_dataset

RESULTS = pickle.loads(Path(os.environ["KINDS_OF_RECORDS"]).read_bytes())

@pytest.mark.parametrize("name", RESULTS)
def test_kind(name):
    result = publish(RESULTS[name])
    if result.verdict != "pass":
        from pytest_verdict.comparison import describe_failure
        raise MismatchError(describe_failure(result), [result])

@pytest.mark.parametrize("number", range(5))
def test_equal(number):
    assert_matches("exact", "the same | value", "the other", name=f"comparison {number}")

def test_rows():
    rows = [{"e": n, "o": n % 7} for n in range(20)]
    check_dataset(rows, "numeric_exact", expected="e", observed="o", expect_rows=21, pass_rate=0.9)
"""
INI = "[pytest]\nverdict_report_limit = 100000\nverdict_advice = false\nverdict_html = always\n"


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("faces") / "session", []


@pytest.fixture
def session(harness, cache, monkeypatch):
    """A session with a comparison of each kind: run once, and a copy for each test."""
    folder, runs = cache
    monkeypatch.setenv("COLUMNS", "80")
    if not runs:
        # A comparison outside of a test is refused, so the session reads its results.
        path = folder.parent / "kinds.pickle"
        path.write_bytes(pickle.dumps(kinds()))
        monkeypatch.setenv("KINDS_OF_RECORDS", str(path))
        run = harness.run({"test_it.py": SESSION, "pytest.ini": INI}, "--verify-report", "-p", "no:cacheprovider")
        run.check_agreement()
        shutil.copytree(run.folder, folder)
        runs.append(run)
    shutil.copytree(folder, harness.path / FOLDER, dirs_exist_ok=True)
    return Run(harness.path, runs[0].status, runs[0].stdout, runs[0].stderr, runs[0].outcomes)


def results_of(session):
    return [(record, ComparisonResult.from_record(record)) for record in session.records]


def not_passed(session):
    return [(record, result) for record, result in results_of(session) if record["verdict"] != "pass"]


def printed(words, capsys):
    capsys.readouterr()
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


@pytest.mark.ci
def test_there_is_every_operator_and_verdict(session):
    found = {(record["operator"], record["verdict"]) for record in session.records}
    assert len({operator for operator, _ in found}) > 50
    assert len(found) > 130
    assert {"pass_rate", "row_count", "answer_template", "blind_preference"} <= {operator for operator, _ in found}


def test_report_json_has_the_records(session):
    places = {record["id"]: record for record in session.records}
    assert [places[record["id"]] for record in session.report["comparisons"]] == session.report["comparisons"]
    totals = session.report["totals"]["comparisons"]
    verdicts = [record["verdict"] for record in session.records]
    assert totals == {"total": len(verdicts), **{one: verdicts.count(one) for one in ("pass", "fail", "error")}}


def test_junit_has_the_block_of_each_failure(session):
    for record, result in not_passed(session):
        if "test_kind" in record["test"]:
            case = session.junit.xpath(f"//testcase[@name={json.dumps(record['test'].split('::')[1])}]")
            text = "".join(element.text or "" for element in case[0].iter("failure", "error"))
            for line in failure_block(result, Budget(width=72)).splitlines():
                assert line in text, (record["test"], line)


def test_terminal_counts_names_and_explains(session):
    section = session.stdout.split("= verification =")[1].split("= short test summary")[0]
    totals = session.report["totals"]["comparisons"]
    rate = totals["pass"] * 1000 // totals["total"] / 10
    line = f"{totals['total']} comparisons: {totals['pass']} pass ({rate:g} %), {totals['fail']} fail, "
    assert line + f"{totals['error']} error" in section
    assert max(map(len, session.stdout.split("= verification =")[1].splitlines()[4:20])) <= 80


def test_short_summary_begins_with_what_differs(session):
    lines = session.stdout.split("= short test summary")[1].splitlines()
    shown = dict(line.removeprefix("FAILED ").split(" - ", 1) for line in lines if line.startswith("FAILED "))
    narrow = Budget(width=72)
    compared = 0
    for record, result in not_passed(session):
        if "test_kind" in record["test"] and record["test"] in shown:
            label, *fact = headline(result, narrow)
            whole = f"{format_plain(fact)} ({label.text.removesuffix(': ')})"
            text = shown[record["test"]]
            assert text == whole or (text.endswith("...") and whole.startswith(text[:-3])), record["test"]
            compared += 1
    assert compared > 70


def test_explain_prints_the_explanation(session, capsys):
    text = printed(["explain", session.folder, "--failed", "-v"], capsys)
    unlimited = Budget(characters=0, lines=0, differences=0, width=0)
    for _, result in not_passed(session):
        block = "\n".join(format_plain(line) for line in draw_explanation(result, unlimited))
        assert block in text


def test_table_has_the_sides_of_each_record(session, tmp_path, capsys):
    wholes = [row for row in read_records(session.folder) if row["field"] == ""]
    assert len(wholes) == len(session.records)
    for row, record in zip(wholes, session.records, strict=True):
        for side in ("expected", "observed"):
            value = record[side]
            assert row[side] == (value if isinstance(value, str) else json.dumps(value))
        for name in ("id", "operator", "verdict", "score", "threshold", "notes", "test", "line"):
            assert row[name] == record[name], name
    path = tmp_path / "records.csv"
    printed(["table", session.folder, "-o", path], capsys)
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not row["field"]]
    assert [(row["verdict"], float(row["score"])) for row in rows] == [
        (record["verdict"], record["score"]) for record in session.records
    ]
    assert [row["expected"].removeprefix("'") for row in rows] == [row["expected"].removeprefix("'") for row in wholes]


def test_ctrf_gitlab_and_github_have_the_blocks(session, summary):
    steps = {}
    for test in json.loads(summary(session.folder, "ctrf")[1])["results"]["tests"]:
        for step in test.get("steps", ()):
            steps[step["extra"]["id"]] = step
    assert len(steps) == len(session.records)
    for record in session.records:
        extra = steps[record["id"]]["extra"]
        assert {name: extra[name] for name in ("operator", "verdict", "score", "threshold")} == {
            name: record[name] for name in ("operator", "verdict", "score", "threshold")
        }
    issues = json.loads(summary(session.folder, "gitlab-codequality")[1])
    heads = [issue["description"] for issue in issues]
    for record, result in not_passed(session):
        head = format_plain(headline(result, Budget()))
        assert head[:100] in "\n".join(heads), record["test"]


def test_markdown_has_the_block_of_each_failure_once(session, summary):
    text = summary(session.folder, "markdown")[1]
    for record, result in not_passed(session):
        if "test_kind" in record["test"]:
            assert failure_block(result, Budget()) in text, record["test"]
    equal = "<summary>5 tests failed in the same way: "
    names = ", ".join(f"<code>test_it.py::test_equal[{number}]</code>" for number in range(3))
    assert f"{equal}{names} and 2 more</summary>" in text
    assert text.count("the same | value") == 1 + text.count("expected: 'the same | value'")
    rows = dict(re.findall(r"^\| (?:` )?(\w+)(?: `(?: \(decides over others\))?)? \| (\d+)", text, re.MULTILINE))
    operators = {one["operator"]: one["pass"] + one["fail"] + one["error"] for one in session.report["operators"]}
    assert {name: int(number) for name, number in rows.items() if name in operators} == operators
    assert html.unescape("` pass_rate ` (decides over others)") in text


def test_page_has_the_records_and_their_columns(session):
    page = WrittenPage(session.folder / "report.html")
    bodies = {body[0]["id"]: body for body in page.bodies}
    assert {identifier: body[0] for identifier, body in bodies.items()} == {one["id"]: one for one in session.records}
    for at, record in enumerate(session.records):
        assert page.columns["verdict"][at] == record["verdict"]
        assert page.columns["operator"][at] == record["operator"]
        assert page.columns["test"][at][0] == record["test"]
        assert page.columns["notes"][at] == record["notes"]
        assert page.columns["score"][at] == pytest.approx(record["score"])
        assert page.columns["threshold"][at] == pytest.approx(record["threshold"])
    totals = session.report["totals"]["comparisons"]
    assert page.about["counts"] == {verdict: totals[verdict] for verdict in ("pass", "fail", "error")}
    assert sorted(page.about["decisions"]) == ["pass_rate", "row_count"]


def test_page_explains_as_the_terminal_does(session):
    page = WrittenPage(session.folder / "report.html")
    budget = Budget(characters=1_000, lines=200, differences=50, width=92)
    for record, lines, _ in page.bodies:
        explained = ["".join(line[::2]) for line in lines]
        if record["verdict"] == "pass":
            assert explained == []
        else:
            result = ComparisonResult.from_record(record)
            assert explained == [format_plain(line) for line in draw_explanation(result, budget)][:200]


def test_diff_page_has_both_records(session, tmp_path, capsys):
    shutil.copytree(session.folder, tmp_path / "old")
    new = [json.loads(line) for line in session.records_bytes.splitlines()]
    changed = next(record for record in new if record["test"] == "test_it.py::test_equal[0]")
    old_line = json.dumps(changed)
    changed["observed"] = changed["expected"]
    changed |= {"score": 1.0, "verdict": "pass"}
    text = "".join(f"{json.dumps(record, separators=(',', ':'))}\n" for record in new)
    (tmp_path / "new.jsonl").write_text(text, encoding="ascii")
    printed(["diff", tmp_path / "old", tmp_path / "new.jsonl", "--format", "html", "-o", tmp_path / "d.html"], capsys)
    page = WrittenPage(Path(tmp_path / "d.html"))
    (body,) = [body for body in page.bodies if body[0]["id"] == changed["id"]]
    assert (body[0], body[2]) == (changed, json.loads(old_line))
    assert "fixed" in page.columns["change"]
    assert any(name == "statistics" for name, _ in page.about["facts"])
