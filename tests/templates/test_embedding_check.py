"""The embedding check: text that failed is compared again by meaning, and the first verdict stays beside it."""

from __future__ import annotations

import datetime

import pytest

from pytest_verdict.operators import AllOf, ContainsAny, DateMatch, NumericExact, SemanticMatch
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, FieldCheck, VerifiedField

DIRECTIONS = {"myocardial infarction": [1.0, 0.0], "heart attack": [0.9, 0.1], "stroke": [0.0, 1.0]}


def embed(texts):
    return [DIRECTIONS.get(text, [-1.0, -1.0]) for text in texts]


class Answer(BaseAnswer):
    diagnosis: str = VerifiedField("d", "myocardial infarction", ExactMatch(), weight=3)
    year: int = VerifiedField("y", 1928, NumericExact())


CHECK = SemanticMatch(embedder=embed)


def test_embedding_check_is_off_by_default():
    result = AnswerTemplate(Answer).verify({"diagnosis": "heart attack", "year": 1928})
    assert not result.passed
    assert "embedding_check" not in result.comparison.details


def test_override_is_noted_and_keeps_the_first_verdict():
    result = AnswerTemplate(Answer, embedding_check=CHECK).verify({"diagnosis": "heart attack", "year": 1928})
    assert (result.verdict, result.notes) == ("pass", ["embedding_override"])
    assert (result.fields["diagnosis"].verdict, result.granular) == ("fail", 0.25)
    details = result.comparison.details
    assert details["failed"] == ["diagnosis"]
    assert details["embedding_check"]["verdict_before"] == "fail"
    (look,) = details["embedding_check"]["looks"]
    assert look["field"] == "diagnosis"
    assert (look["similarity"] > 0.99, look["threshold"], look["passed"]) == (True, 0.85, True)
    said = result.describe().splitlines()
    assert said[0] == "answer_template 'Answer': pass by the embedding check of diagnosis"
    assert "  granular score: 0.25" in said


@pytest.mark.parametrize(
    ("answer", "check"),
    [
        ({"diagnosis": "stroke", "year": 1928}, CHECK),
        ({"diagnosis": "heart attack", "year": 1929}, CHECK),
        ({"diagnosis": None, "year": 1928}, CHECK),
        ({"diagnosis": 3, "year": 1928}, CHECK),
        ({"diagnosis": "heart attack", "year": 1928}, SemanticMatch(embedder=embed, threshold=0.999)),
    ],
    ids=["far", "a number is wrong too", "null", "wrong type", "stricter threshold"],
)
def test_embedding_check_does_not_override(answer, check):
    result = AnswerTemplate(Answer, embedding_check=check).verify(answer)
    assert not result.passed
    assert "embedding_override" not in result.notes


def test_embedding_check_is_not_called_when_the_answer_passes():
    def refuse(texts):
        raise AssertionError("asked")

    work = AnswerTemplate(Answer, embedding_check=SemanticMatch(embedder=refuse))
    assert work.verify({"diagnosis": "myocardial infarction", "year": 1928}).passed
    failed = work.verify({"diagnosis": "heart attack", "year": 1928})
    # It would have decided.
    assert (failed.verdict, failed.notes) == ("error", ["child_error"])


def test_embedding_check_does_not_override_a_regex_check():
    class Checked(Answer):
        def ground_truth(self):
            self.regex = {"cited": {"pattern": r"\[1\]", "expected": "[1]"}}

    work = AnswerTemplate(Checked, embedding_check=CHECK)
    values = {"diagnosis": "heart attack", "year": 1928}
    assert work.verify(values, trace="see [1]").passed
    assert not work.verify(values, trace="see").passed


def test_embedding_check_compares_text_fields_only():
    class Mixed(BaseAnswer):
        day: str = VerifiedField("d", "2024-05-01", DateMatch())
        date: datetime.date = VerifiedField("d", datetime.date(2024, 1, 1), DateMatch())
        part: str = VerifiedField("d", "myocardial infarction", ContainsAny(substrings=["infarction"]))

        class VerificationStrategy:
            verify_strategy = AllOf(conditions=[FieldCheck(field="part")])

    answer = {"day": "heart attack", "date": "2024-02-01", "part": "heart attack"}
    result = AnswerTemplate(Mixed, embedding_check=CHECK).verify(answer)
    assert "embedding_override" in result.notes
    assert [look["field"] for look in result.comparison.details["embedding_check"]["looks"]] == ["part"]


def test_embedding_check_true_uses_the_documented_model_and_threshold():
    check = AnswerTemplate(Answer, embedding_check=True).prepare({"diagnosis": "a", "year": 1})[0].embedding_check
    assert (check.model, check.threshold) == ("all-MiniLM-L6-v2", 0.85)
