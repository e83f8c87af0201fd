"""The record of a template: everything its verdict needs, without the class."""

from __future__ import annotations

import datetime
import enum
import json
import pickle

import pytest
from pydantic import Field

from pytest_verdict import ComparisonResult, SynonymMap, compare
from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators import AllOf, AnyOf, DateMatch, LiteralMatch, NumericExact, SemanticMatch, TraceContains
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, FieldCheck, VerifiedField
from written_records import line_of


class Color(enum.Enum):
    RED = "red"


def embed(texts):
    return [[float(len(text)), 1.0] for text in texts]


class Answer(BaseAnswer):
    target: str = VerifiedField("t", "BCL2", ExactMatch(normalize=["lowercase", SynonymMap(mapping={"bcl-2": "bcl2"})]))
    color: Color = VerifiedField("c", Color.RED, LiteralMatch())
    day: datetime.date = VerifiedField("d", datetime.date(2024, 1, 1), DateMatch(), weight="0.5")
    meaning: str = VerifiedField("m", "abc", SemanticMatch(embedder=embed))
    named: bool = VerifiedField("n", ground_truth=True, verify_with=TraceContains(substring="z"))

    class VerificationStrategy:
        verify_strategy = AnyOf(conditions=[FieldCheck(field="target"), AllOf(conditions=[FieldCheck(field="day")])])

    def ground_truth(self):
        self.regex = {"pair": {"pattern": r"(\d) (\d)", "expected": ("1", "2")}}


class Classic(BaseAnswer):
    target: str = Field(description="t")

    def ground_truth(self):
        self.correct = {"target": "BCL2"}

    def verify(self):
        if self.target == "raise":
            raise KeyError(self.target)
        return self.target == "BCL2"

    def verify_granular(self):
        return 0.25


class Plain(BaseAnswer):
    target: str = VerifiedField("t", "abcd", ExactMatch())
    year: int = VerifiedField("y", 1, NumericExact())


def text_of(result):
    return line_of(result.comparison).decode("ascii")


GOOD = {"target": "Bcl-2", "color": "red", "day": "2024-01-01", "meaning": "abd"}
CHECK = SemanticMatch(embedder=embed, keep_vectors=True)


@pytest.mark.parametrize(
    ("template", "answer", "verdict"),
    [
        (Answer, GOOD, "pass"),
        (Answer, {**GOOD, "target": "", "day": None}, "fail"),
        (Answer, {**GOOD, "color": "blue", "correct": 1}, "error"),
        (Answer, "{", "error"),
        (Classic, {"target": "BCL2"}, "pass"),
        (Classic, {"target": "raise"}, "error"),
        (Plain, {"target": "abc", "year": 1}, "pass"),
        (Plain, {"target": "a", "year": 2}, "fail"),
    ],
)
def test_replay_gives_the_same_verdict(template, answer, verdict):
    result = AnswerTemplate(template, embedding_check=CHECK).verify(answer, trace="z 1 2")
    assert result.verdict == verdict
    line = text_of(result)
    answered = replay_line(line.encode("ascii"))
    assert (answered.status, answered.differing) == ("identical", ())


def test_replay_notices_a_changed_record():
    result = AnswerTemplate(Plain).verify({"target": "x", "year": 1})
    line = text_of(result)
    record = json.loads(line)
    record["observed"]["target"] = "abcd"
    assert replay_line(json.dumps(record, separators=(",", ":")).encode("ascii")).status == "differs"


def test_record_has_fields_weights_and_operators():
    result = AnswerTemplate(Answer).verify(GOOD, trace="z 1 2").comparison
    assert (result.operator, result.name) == ("answer_template", "Answer")
    assert result.settings["fields"]["day"] == {
        "operator": "date_match",
        "version": 1,
        "settings": {"format": None, "day_first": False},
        "weight": 0.5,
    }
    assert [child.name for child in result.children] == ["target", "color", "day", "meaning", "named", "pair"]
    assert result.expected["color"] is Color.RED
    assert ComparisonResult.from_record(result.to_record()).to_record() == result.to_record()
    assert pickle.loads(pickle.dumps(result)) == result


def imported_by_replay(texts):
    raise AssertionError("a record made replay import and call a function")


class Nested(BaseAnswer):
    target: str = VerifiedField("t", "abc", AllOf(conditions=[SemanticMatch(embedder=embed)]))


def without_vectors(record):
    record["details"].pop("model_evidence")


def by_another_function(record):
    (condition,) = record["settings"]["fields"]["target"]["settings"]["conditions"]
    condition["settings"]["embedder"] = f"{__name__}:imported_by_replay"


@pytest.mark.parametrize(
    ("template", "answer", "change"),
    [(Nested, {"target": "abd"}, by_another_function), (Answer, GOOD, without_vectors)],
)
def test_replay_imports_nothing_from_a_record(template, answer, change):
    result = AnswerTemplate(template).verify(answer, trace="z 1 2")
    assert result.passed
    record = json.loads(text_of(result))
    change(record)
    answered = replay_line(json.dumps(record, separators=(",", ":")).encode("ascii"))
    assert (answered.status, answered.reason) == ("unverifiable", "not_recorded")


def test_regex_check_may_have_the_name_of_a_field():
    class Same(BaseAnswer):
        meaning: str = VerifiedField("m", "abc", SemanticMatch(embedder=embed), weight=2)

        def ground_truth(self):
            self.regex = {"meaning": {"pattern": "z", "expected": "y"}}

    result = AnswerTemplate(Same).verify({"meaning": "abd"}, trace="z")
    assert replay_line(text_of(result).encode("ascii")).status == "identical"
    assert (result.fields["meaning"].operator, result.fields["meaning"].passed) == ("semantic", True)
    assert result.regex == {"meaning": False}
    lines = result.describe().splitlines()
    assert any(line.startswith("  ok    semantic 'meaning': ") for line in lines)
    assert any(line.startswith("  FAIL  regex_check 'meaning': 'z'") for line in lines)


@pytest.mark.parametrize("check", ["exact", 3, {"operator": "exact", "settings": {}}])
def test_invalid_regex_check_raises(check):
    with pytest.raises(SettingsError, match=r"answer_template: regex\.cited: "):
        compare("answer_template", {}, {"_trace": "z"}, regex={"cited": check})
