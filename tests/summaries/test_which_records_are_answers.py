"""Decisions over rows and repeats are no answers: not in tables, gates, the page or the Markdown summary."""

from __future__ import annotations

import pytest

from pytest_verdict import ComparisonResult, compare, explain
from pytest_verdict.report.summary import is_answer
from pytest_verdict.runs.tables import count_groups, read_records
from written_page import WrittenPage

TESTS = """
from pytest_verdict import assert_matches
from pytest_verdict.suites import check_dataset

ROWS = [{"e": 1, "o": 1}, {"e": 2, "o": 2}, {"e": 3, "o": 4}, {"e": 4, "o": 4}]
COLUMNS = {"expected": "e", "observed": "o", "pass_rate": 0.5}

def test_exactly(): check_dataset(ROWS, "numeric_exact", **COLUMNS, expect_rows=4)
def test_at_least(): check_dataset(ROWS, "exact", **COLUMNS, min_rows=2)
def test_missing_rows(): check_dataset(ROWS[:2], "exact", **COLUMNS, expect_rows=3)
def test_answers():
    assert_matches("numeric_exact", 4, 4, name="rows of [4 rows]")
    assert_matches("numeric_minimum", 4, 9, name="rows of me")
    assert_matches("numeric_tolerance", 4, 9, name="pass rate of me", tolerance=9.0, mode="absolute")
"""
FILES = {
    "s.verdict.yaml": """\
suite:
  name: s
  adapter: echo_twice.run
  scenarios:
    - {name: one, input: a, expected_output: a, scorer: exact, repeats: 3, pass: 2}
""",
    "echo_twice.py": "def run(text, context):\n    return text if context['repeat'] < 3 else 'b'\n",
    "conftest.py": "",
}
GATES = {
    "operator:numeric_* >= 1": (6, 1),
    "operator:exact >= 1": (7, 2),
    "operator:* >= 1": (13, 3),
    "operator:pass_rate >= 0.1": (4, 0),
    "operator:row_count >= 0.1": (2, 1),
    "test:*test_exactly >= 1": (3, 1),
    "pinned:*test_missing_rows": (2, 1),
    "case:*test_missing_rows >= 0.9": (0, 1),
    "case:*test_answers >= 1": (1, 0),
    "case:*one >= 2/3": (1, 0),
}


@pytest.fixture
def session(harness):
    gates = "\n".join(f"    {gate}" for gate in GATES)
    ini = f"[pytest]\nverdict_html = always\nverdict_gate =\n{gates}\n"
    return harness.run({**FILES, "test_it.py": TESTS, "pytest.ini": ini}, "--verify-report", "-p", "no:cacheprovider")


def test_only_answers_count(session, summary):
    records = session.records
    decisions = [record["operator"] for record in records if not is_answer(record["operator"])]
    assert sorted(decisions) == ["pass_rate"] * 4 + ["row_count"] * 3

    gates = {gate["gate"]: (gate["pass"], gate["fail"] + gate["error"]) for gate in session.report["gates"]}
    assert gates == GATES

    rows = list(read_records(session.folder))
    by_operator = {group["operator"]: group["comparisons"] for group in count_groups(rows, ["operator"])}
    assert by_operator == {"exact": 9, "numeric_exact": 5, "numeric_minimum": 1, "numeric_tolerance": 1}
    names = {group["name"] for group in count_groups(rows, ["name"])}
    assert {"rows of [4 rows]", "rows of me", "pass rate of me"} <= names
    assert not any(name.startswith("pass rate of <") for name in names)
    assert sum(group["comparisons"] for group in count_groups(rows, ["test"])) == 16

    page = WrittenPage(session.folder / "report.html")
    assert sorted(page.about["decisions"]) == ["pass_rate", "row_count"]
    assert {row[0]: sum(row[1:]) for row in page.about["operators"]} == by_operator
    assert sum(page.about["counts"].values()) == len(records)

    markdown = summary(session.folder, "markdown")[1]
    assert "| ` pass_rate ` (decides over others) | 4 | 4 |" in markdown
    assert markdown.index("` numeric_tolerance `") < markdown.index("` pass_rate `") < markdown.index("` row_count `")


MANY = """
from pytest_verdict import assert_matches, compare

def test_many():
    for number in range(2_001):
        assert_matches("exact", number, number, name="equal")
    assert_matches("numeric_exact", 1, 2, name="not equal")
"""


def test_a_page_that_leaves_out_passes_counts_them(harness):
    folder = harness.run(MANY, "--verify-report", "-p", "no:cacheprovider").folder
    page = WrittenPage(folder / "report.html")
    assert page.head["rows"] == 1
    assert page.about["counts"] == {"pass": 2_001, "fail": 1, "error": 0}
    assert page.about["left_out"] == 2_001
    assert page.about["operators"] == [["exact", 2_001, 0, 0], ["numeric_exact", 0, 1, 0]]
    assert "This page leaves out the 2001 comparisons that passed." in page.about["warnings"][0]


FAILS = FILES["s.verdict.yaml"].replace("pass: 2", "pass: 3")


def test_a_failed_scenario_shows_its_input_and_place(harness):
    run = harness.run({**FILES, "s.verdict.yaml": FAILS}, "--verify-report", "-p", "no:cacheprovider")
    for text in (run.stdout, run.case("one").findtext("failure")):
        assert "  asked: 'a'\n" in text
        assert "\n\ns.verdict.yaml:5: one" in text
    assert "s.verdict.yaml::one (line 5)" in run.stdout


def test_a_failed_row_shows_the_members_that_were_not_compared():
    mapping = {"expected": "$.e", "observed": {"path": "$['o'].n"}, "normalize": {"literal": []}}
    document = {"question": "How many?", "e": "1", "o": {"n": "2"}}
    sources = {"kind": "input_mapping", "mapping": mapping, "document": document}
    result = ComparisonResult.from_record({**compare("exact", "1", "2").to_record(), "sources": sources})
    assert "  document: {'question': 'How many?'}" in list(explain(result))
