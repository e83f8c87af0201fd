"""The page as a file: what is in it, and that nothing of a record stands in it as HTML."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import pytest

from pytest_verdict import compare
from pytest_verdict.page.rows import Row
from pytest_verdict.page.writing import write_page
from written_page import WrittenPage
from written_records import lines_of

HOSTILE = "</script><script>hurt()</script><!-- <img src=x onerror=hurt()> \u202e \ud800 ${1} {{script}}"
TESTS = {
    "tests/test_x.py::test_a": [
        compare("exact", "Paris", "Paris", name="city"),
        compare("exact", 1, 2, name="number"),
        compare("numeric_exact", 3, "three", name="number"),
    ],
    "tests/test_x.py::test_b": [compare("text_similarity", "hello", "hallo", threshold=0.9)],
}


def test_the_index_lists_every_comparison(page_of):
    page = page_of(TESTS)
    assert page.columns["verdict"] == ["pass", "fail", "fail", "fail"]
    assert page.columns["operator"] == ["exact", "exact", "numeric_exact", "text_similarity"]
    assert [test for test, _ in page.columns["test"]] == ["tests/test_x.py::test_a"] * 3 + ["tests/test_x.py::test_b"]
    assert page.columns["name"] == ["city", "number", "number", ""]
    assert page.columns["notes"][2] == ["not_a_number"]
    assert page.columns["ordinal"] == [1, 2, 3, 1]
    assert page.columns["score"] == pytest.approx([1, 0, 0, 0.8])
    assert page.columns["threshold"] == pytest.approx([1, 1, 1, 0.9])
    assert page.columns["headline"][:2] == ["", "expected 1, got 2"]
    assert page.about["counts"] == {"pass": 1, "fail": 3, "error": 0}


def test_every_record_is_in_the_page_and_what_failed_with_the_lines_of_the_failure(page_of, tmp_path):
    page = page_of(TESTS)
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_bytes().splitlines()]
    failed, passed = records[1:], records[:1]
    assert [record for record, _, _ in page.bodies] == failed + passed
    (label, _, *rest), *_ = page.bodies[0][1]
    assert label == "exact 'number': "
    assert rest == ["expected ", "", "1", "expected", ", got ", "", "2", "observed"]
    assert page.bodies[-1][1] == []


def test_parts_that_did_not_pass_can_be_filtered_by(page_of):
    conditions = {"a": "exact", "b": "exact"}
    result = compare("all_of", {"a": 1, "b": 2}, {"a": 1, "b": 3}, conditions=conditions)
    assert page_of({"t.py::t": [result]}).columns["parts"] == [["b"]]


def test_the_same_report_gives_the_same_bytes(folder):
    first = (folder(TESTS) / "report.html").read_bytes()
    assert (folder(TESTS) / "report.html").read_bytes() == first


def test_html_contains_no_text_of_records(page_of):
    plain = page_of({"t.py::t": [compare("exact", 1, 2)]}).outside_the_data
    tests = {HOSTILE: [compare("exact", HOSTILE, {HOSTILE: HOSTILE + "!"}, name=HOSTILE)]}
    page = page_of(tests)
    assert page.outside_the_data == plain
    assert page.bodies[0][0]["expected"] == HOSTILE
    assert page.html.count("<script") == 3
    assert page.html.count("</script>") == 3


def test_only_the_script_and_the_style_of_the_page_may_run(page_of):
    html = page_of(TESTS).html
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, tag in (("script-src", "script"), ("style-src", "style")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}


def written(tmp_path, rows, **more):
    path = tmp_path / "report.html"
    return write_page(rows, {"warnings": []}, path, **more), WrittenPage(path)


def test_a_page_that_would_be_too_large_has_the_list_and_what_did_not_pass(tmp_path):
    import random

    chance = random.Random(1)
    results = [compare("exact", (text := str(chance.random()) * 20), text) for _ in range(3_000)]
    lines = lines_of([*results[:1_500], compare("exact", "a", "b"), *results[1_500:]]).splitlines(keepends=True)
    found, page = written(tmp_path, map(Row, lines), limit=20_000)
    assert found == (3_001, 3_000)
    assert page.head["rows"] == 3_001
    assert [record["verdict"] for record, _, _ in page.bodies] == ["fail"]
    assert page.head["chunks"] == {"kept": {"starts": [0], "rows": 1}, "rest": {"starts": [], "rows": 0}}


def test_more_failures_than_fit_are_listed_and_the_first_have_their_records(tmp_path):
    lines = lines_of([compare("exact", number, "x" * 900) for number in range(1_100)]).splitlines(keepends=True)
    found, page = written(tmp_path, map(Row, lines), limit=1_000)
    assert found == (1_100, 600)
    assert len(page.bodies) == 500


def test_two_runs_have_both_records_what_became_of_them_and_why(tmp_path):
    old, new = (lines_of([compare("exact", "a", observed)]) for observed in "ba")
    _, page = written(tmp_path, [Row(new, old, "fixed", ("observed", "threshold"))])
    assert page.columns["change"] == ["fixed"]
    assert page.columns["causes"] == [["observed", "threshold"]]
    ((record, _, before),) = page.bodies
    assert [record["verdict"], before["verdict"]] == ["pass", "fail"]
