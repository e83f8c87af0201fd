"""Single alterations of a report's folder: each is a name, the file and place that must be named, and a change of the folder."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

RECORDS, REPORT, JUNIT = "records.jsonl", "report.json", "junit.xml"
Change = Callable[[Path], object]

SESSION = """
import pytest
from pytest_verdict import assert_matches, compare

def test_city():
    assert_matches("normalized_exact", "Paris", " paris", name="city")
    assert_matches("exact", "Rome", "Rome")
    assert_matches("numeric_tolerance", 10, 11, tolerance=1, mode="absolute")

@pytest.mark.parametrize("number", range(3))
def test_number(number):
    assert_matches("numeric_exact", 1, number)

def test_accepted():
    assert not compare("exact", 1, 2)

@pytest.mark.skip(reason="later")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_known():
    assert_matches("exact", "a", "b")

def test_without_comparison():
    assert [1] == [2], "lists"
"""


def _lines(change: Callable[[list[bytes]], object]) -> Change:
    def apply(folder: Path) -> None:
        path = folder / RECORDS
        lines = path.read_bytes().splitlines(keepends=True)
        changed = change(lines)
        path.write_bytes(b"".join(lines if changed is None else changed))

    return apply


def _member(number: int, old: bytes, new: bytes) -> Change:
    def change(lines: list[bytes]) -> None:
        assert old in lines[number], lines[number]
        lines[number] = lines[number].replace(old, new, 1)

    return _lines(change)


def _json(change: Callable[[dict], object]) -> Change:
    """Change report.json and write it in its own form."""

    def apply(folder: Path) -> None:
        path = folder / REPORT
        report = json.loads(path.read_text())
        change(report)
        path.write_text(json.dumps(report))

    return apply


def _text(file: str, old: str, new: str) -> Change:
    def apply(folder: Path) -> None:
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))

    return apply


def _swap(lines: list[bytes], left: int, right: int) -> None:
    lines[left], lines[right] = lines[right], lines[left]


def _without_case(folder: Path) -> None:
    path = folder / JUNIT
    path.write_text(re.sub(r'<testcase [^>]*name="test_city".*?</testcase>\n', "", path.read_text(), flags=re.DOTALL))


def _set(*place, value: object) -> Change:
    def change(report: dict) -> None:
        *way, last = place
        for key in way:
            report = report[key]
        assert report[last] != value
        report[last] = value

    return _json(change)


def _more(*place) -> Change:
    def change(report: dict) -> None:
        *way, last = place
        for key in way:
            report = report[key]
        report[last] += 1

    return _json(change)


A_DIGEST = "0" * 64
ALTERATIONS: list[tuple[str, str, str, Change]] = [
    ("drop the first record", RECORDS, "line 1", _lines(lambda lines: lines.pop(0) and None)),
    ("drop a record in the middle", RECORDS, "line 2", _lines(lambda lines: lines.pop(1) and None)),
    ("drop the last record", REPORT, "records.count", _lines(lambda lines: lines.pop() and None)),
    ("drop all records of a test", REPORT, "tests[4].comparisons.fail", _lines(lambda lines: lines.pop(6) and None)),
    ("reorder two records of a test", RECORDS, "line 1", _lines(lambda lines: _swap(lines, 0, 1))),
    ("reorder two tests", RECORDS, "line 5", _lines(lambda lines: _swap(lines, 3, 4))),
    ("duplicate a record", RECORDS, "line 3", _lines(lambda lines: lines.insert(2, lines[1]))),
    ("move a record away from its test", RECORDS, "line 8", _lines(lambda lines: lines.append(lines.pop(0)))),
    ("cut the last line", RECORDS, "line 8", _lines(lambda lines: [*lines[:-1], lines[-1][:40]])),
    ("add an empty line", RECORDS, "line 9", _lines(lambda lines: lines.append(b"\n"))),
    ("change the line ends", REPORT, "records.sha256", _lines(lambda lines: [x.replace(b"\n", b"\r\n") for x in lines])),
    ("change an id", RECORDS, "line 2", _member(1, b'-1-2"', b'-1-3"')),
    ("change an ordinal", RECORDS, "line 2", _member(1, b'"ordinal":2', b'"ordinal":3')),
    ("change an attempt", RECORDS, "line 2", _member(1, b'"attempt":1', b'"attempt":2')),
    ("change a test's name", RECORDS, "line 2", _member(1, b"::test_city", b"::test_town")),
    ("change a verdict", RECORDS, "numeric_exact: differs in verdict", _member(3, b'"fail"', b'"pass"')),
    ("change a score", RECORDS, "numeric_exact: differs in", _member(3, b'"score":0.0', b'"score":1.0')),
    ("change an expected value", REPORT, "tests[0].root", _member(1, b'"expected":"Rome"', b'"expected":"Rom"')),
    ("change an observed value", REPORT, "comparisons[1].observed", _member(1, b'"observed":"Rome"', b'"observed":"Rom"')),
    ("change both sides", REPORT, "comparisons[1].expected", _lines(lambda x: [y.replace(b'"Rome"', b'"Lyon"') for y in x])),
    ("change a threshold", REPORT, "tests[0].root", _member(0, b'"threshold":1.0', b'"threshold":0.5')),
    ("change a setting", REPORT, "comparisons[2].settings.tolerance", _member(2, b'"tolerance":1', b'"tolerance":9')),
    ("change the name of a comparison", REPORT, "comparisons[0].name", _member(0, b'"name":"city"', b'"name":"town"')),
    ("change the name of an operator", REPORT, "operators[0].pass", _member(1, b'"exact"', b'"json_canonical"')),
    ("change a note", REPORT, "comparisons[0].notes", _member(0, b'"notes":[]', b'"notes":["x"]')),
    ("change the line of a call", REPORT, "comparisons[1].line", _member(1, b'"line":7', b'"line":8')),
    ("change the file of a call", REPORT, "comparisons[1].path", _member(1, b'"path":"test_it', b'"path":"test_if')),
    ("drop an inline comparison", REPORT, "comparisons_omitted", _json(lambda x: x["comparisons"].pop(3) and None)),
    ("change an inline comparison", REPORT, "comparisons[3].observed", _set("comparisons", 3, "observed", value=7)),
    ("reorder inline comparisons", REPORT, "comparisons[", _json(lambda x: x["comparisons"].reverse())),
    ("add an inline comparison", REPORT, "comparisons[8]", _json(lambda x: x["comparisons"].append({"id": "x"}))),
    ("change the total of tests", REPORT, "totals.tests.total", _more("totals", "tests", "total")),
    ("change a number of outcomes", REPORT, "totals.tests.passed", _more("totals", "tests", "passed")),
    ("change the total of comparisons", REPORT, "totals.comparisons.pass", _more("totals", "comparisons", "pass")),
    ("change what tests accepted", REPORT, "totals.comparisons_expected", _more("totals", "comparisons_expected_by_tests")),
    ("change tests without result", REPORT, "complete", _more("totals", "tests_without_result")),
    ("change a number of subtests", REPORT, "totals.subtests.failed", _more("totals", "subtests", "failed")),
    ("change the count of an operator", REPORT, "operators[0].fail", _more("operators", 0, "fail")),
    ("drop an operator", REPORT, "operators[3]", _json(lambda x: x["operators"].pop() and None)),
    ("change the count of a test", REPORT, "tests[1].comparisons.fail", _set("tests", 1, "comparisons", "fail", value=0)),
    ("change an outcome", REPORT, "tests[1].outcome", _set("tests", 1, "outcome", value="passed")),
    ("change the outcome of an attempt", REPORT, "tests[1].outcome", _set("tests", 1, "attempts", 0, value="passed")),
    ("drop a test", RECORDS, "line 4", _json(lambda x: x["tests"].pop(1) and None)),
    ("change the line of a test", JUNIT, "testcase test_city", _set("tests", 0, "line", value=99)),
    ("change a message", JUNIT, "testcase test_without_comparison", _set("tests", 7, "message", value="assert True")),
    ("change complete", REPORT, "complete", _set("complete", value=False)),
    ("change the number of records", REPORT, "records.count", _more("records", "count")),
    ("recompute the digest of the records", REPORT, "records.sha256", _set("records", "sha256", value=A_DIGEST)),
    ("change the root", REPORT, "records.root", _set("records", "root", value=A_DIGEST)),
    ("change the root of a test", REPORT, "tests[0].root", _set("tests", 0, "root", value=A_DIGEST)),
    ("change the digest of junit.xml", JUNIT, "file", _set("run", "files", JUNIT, "sha256", value=A_DIGEST)),
    ("change the environment", REPORT, "run", _set("run", "python", value="2.7")),
    ("change the exit status", REPORT, "run", _set("run", "exit_status", value=0)),
    ("change a time", JUNIT, "testsuites", _set("run", "seconds", "test_it.py::test_city", value=9.0)),
    ("change white space", REPORT, "run", _text(REPORT, '"complete": true,', '"complete":  true,')),
    ("add a member", REPORT, "more", _json(lambda x: x.update(more=1))),
    ("change the tests of junit.xml", JUNIT, "testsuites", _text(JUNIT, 'tests="8"', 'tests="7"')),
    ("change the failures of junit.xml", JUNIT, "testsuites", _text(JUNIT, 'failures="3"', 'failures="0"')),
    ("change the counts of a suite", JUNIT, "testsuite test_it.py", _text(JUNIT, 'pass" value="4"', 'pass" value="8"')),
    ("change the digest in junit.xml", JUNIT, "testsuite test_it.py", _text(JUNIT, 'sha256" value="', 'sha256" value="0')),
    ("drop a testcase", JUNIT, "testcase test_city", _without_case),
    ("rename a testcase", JUNIT, "testcase test_accepted", _text(JUNIT, 'name="test_accepted"', 'name="test_accept"')),
    ("change a failure to a skip", JUNIT, "testcase test_number[0]", _text(JUNIT, "<failure ", "<skipped ")),
    ("change a message of junit.xml", JUNIT, "testcase test_number[0]", _text(JUNIT, "did not pass", "did pass")),
    ("change the text of a failure", JUNIT, "file", _text(JUNIT, "[1] == [2]\n", "[1] == [1]\n")),
    ("change the time in junit.xml", JUNIT, "testsuites", _text(JUNIT, 'time="', 'time="1')),
    ("change the output of a test", JUNIT, "file", _text(JUNIT, "comparisons: 3 pass", "comparisons: 4 pass")),
    ("add a comment", JUNIT, "testsuites", _text(JUNIT, "<testsuites", "<!-- x --><testsuites")),
    ("delete report.json", REPORT, "file", lambda folder: (folder / REPORT).unlink()),
    ("delete junit.xml", JUNIT, "file", lambda folder: (folder / JUNIT).unlink()),
    ("delete records.jsonl", RECORDS, "there is no records.jsonl", lambda folder: (folder / RECORDS).unlink()),
]  # fmt: skip


def altered(folder: Path, target: Path, change: Change) -> Path:
    """Copy a folder and alter it."""
    shutil.copytree(folder, target)
    change(target)
    return target
