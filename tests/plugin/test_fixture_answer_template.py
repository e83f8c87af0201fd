"""The fixtures ``answer_template`` and ``verdict_judge``, and what the report says of a template."""

from __future__ import annotations

import importlib

from pytest_verdict.core.replay import replay

# Sessions inside a test forget the modules that they imported first; what is imported here stays one and the same.
importlib.import_module("pytest_verdict.templates.template")

FILES = {
    "conftest.py": """
import pytest

@pytest.fixture
def verdict_judge():
    def judge(request):
        return {"target": request.response.split()[-1], "year": 2016}
    return judge
""",
    "test_it.py": """
from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField
from pytest_verdict.operators import NumericExact, TraceContains

class Answer(BaseAnswer):
    target: str = VerifiedField("The target", ground_truth="BCL2", verify_with=ExactMatch(), weight=2)
    year: int = VerifiedField("The year", ground_truth=2016, verify_with=NumericExact())
    named: bool = VerifiedField("Named", ground_truth=True, verify_with=TraceContains(substring="venetoclax"))

GOOD = {"target": "bcl2", "year": 2016}

def test_passes(answer_template):
    answer_template(Answer).assert_verified(GOOD, trace="venetoclax")

def test_wrong(answer_template):
    answer_template(Answer).assert_verified({"target": "TP53", "year": None}, trace="venetoclax")

def test_unreadable(answer_template):
    answer_template(Answer).assert_verified('{"target": ', trace="venetoclax")

def test_judged(answer_template):
    answer = answer_template(Answer)
    answer.assert_verified(answer.parse("venetoclax acts on BCL2"))
""",
}


def test_template_is_one_record_with_children(harness):
    run = harness.run(FILES, "--verify-report")
    assert run.outcomes == {"passed": 2, "failed": 2}
    run.check_agreement()
    records = {record["test"].rpartition("::")[2]: record for record in run.records}
    assert {name: record["verdict"] for name, record in records.items()} == {
        "test_passes": "pass",
        "test_wrong": "fail",
        "test_unreadable": "error",
        "test_judged": "pass",
    }
    wrong = records["test_wrong"]
    assert (wrong["operator"], wrong["name"]) == ("answer_template", "Answer")
    assert [(child["name"], child["verdict"]) for child in wrong["children"]] == [
        ("target", "fail"),
        ("year", "fail"),
        ("named", "pass"),
    ]
    assert {name: rule["weight"] for name, rule in wrong["settings"]["fields"].items()} == {
        "target": 2,
        "year": 1,
        "named": 1,
    }
    assert wrong["details"]["granular_score"] == 0.25
    assert wrong["details"]["null_fields"] == ["year"]
    answered = list(replay((run.folder / "records.jsonl").read_bytes().splitlines(keepends=True)))
    assert {one.status for one in answered} == {"identical"}


def test_junit_names_failed_fields(harness):
    run = harness.run(FILES, "--verify-report")
    failure = run.case("test_wrong").find("failure")
    assert "answer_template 'Answer': 2 of 3 failed: target expected" in failure.get("message") + (failure.text or "")
    failure = run.case("test_unreadable").find("failure")
    assert "the reply is no answer of Answer" in failure.get("message") + (failure.text or "")


def test_failure_shows_fields_without_library_frames(harness):
    run = harness.run(FILES)
    assert "answer_template 'Answer': 2 of 3 failed: target expected" in run.stdout
    assert "FAIL  numeric_exact 'year': " in run.stdout
    assert "template.py" not in run.stdout


def test_only_parse_needs_a_judge(harness):
    run = harness.run({"conftest.py": "", "test_it.py": FILES["test_it.py"]})
    assert run.outcomes == {"passed": 1, "failed": 3}
    assert "define the fixture verdict_judge in conftest.py" in run.stdout


def test_template_in_collect_fails_at_end_of_block(harness):
    test = """
from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField

class City(BaseAnswer):
    city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())

class River(BaseAnswer):
    river: str = VerifiedField("The river", ground_truth="Seine", verify_with=ExactMatch())

def test_softly(comparator, answer_template):
    with comparator.collect():
        assert not answer_template(City).assert_verified({"city": "Lyon"})
        comparator.assert_matches("exact", "a", "b")
        answer_template(River).assert_verified({"river": "Seine"})
        answer_template(River).assert_verified('{"river": ')
        print("all were made")
"""
    run = harness.run({"test_it.py": test}, "--verify-report")
    assert run.outcomes == {"failed": 1}
    assert "all were made" in run.stdout
    assert "3 failed, " in run.stdout
    assert "answer_template 'City': 1 of 1 failed: city expected 'Paris', got 'Lyon'" in run.stdout
    assert "the reply is no answer of River" in run.stdout
    assert "4 comparisons: 1 pass (25 %), 2 fail, 1 error" in run.stdout


def test_assert_on_result_shows_fields(pytester):
    pytester.makepyfile(
        """
        from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField

        class Answer(BaseAnswer):
            city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ExactMatch())

        def test_in_two_lines(answer_template):
            result = answer_template(Answer).verify({"city": "Lyon"})
            assert result

        def test_in_one_line(answer_template):
            assert answer_template(Answer).verify({"city": "Lyon"}).passed
        """
    )
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:cacheprovider")
    lines = [line for line in result.outlines if line.startswith("E         FAIL  normalized_exact 'city'")]
    assert len(lines) == 2
