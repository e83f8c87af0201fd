"""Classic templates: ``self.regex`` and its four ways to match."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from pydantic import Field

from pytest_verdict import UndecidedError
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates import AnswerTemplate, BaseAnswer


def checked(trace, **entry):
    class Answer(BaseAnswer):
        def ground_truth(self):
            self.regex = {"check": entry}

    return Answer().verify_regex(trace)


@pytest.mark.parametrize(
    ("trace", "entry", "passes"),
    [
        ("5", {"pattern": r"\d+", "expected": "5"}, True),
        ("5 5", {"pattern": r"\d+", "expected": "5", "match_type": "exact"}, False),
        ("5", {"pattern": r"\d+", "expected": 5, "match_type": "exact"}, False),
        ("4 5", {"pattern": r"\d+", "expected": "5", "match_type": "contains"}, True),
        ("45", {"pattern": r"\d+", "expected": "5", "match_type": "contains"}, False),
        ("4 5", {"pattern": r"\d+", "expected": 2, "match_type": "count"}, True),
        ("4 5", {"pattern": r"\d+", "expected": 2.0, "match_type": "count"}, False),
        ("none", {"pattern": r"\d+", "expected": 0, "match_type": "count"}, True),
        ("4 5", {"pattern": r"\d+", "expected": ["5", "4"], "match_type": "all"}, True),
        ("4 5", {"pattern": r"\d+", "expected": ["5", "6"], "match_type": "all"}, False),
        ("4 5", {"pattern": r"\d+", "expected": "45", "match_type": "all"}, False),
        ("500 mg", {"pattern": r"(\d+)\s*(mg|g)", "expected": ("500", "mg")}, True),
        ("it blocks", {"pattern": r"\b(activates|blocks)\b", "expected": "blocks"}, True),
        ("5", {"pattern": r"\d+", "expected": "5", "match_type": "bogus"}, False),
        ("5", {"pattern": "(", "expected": "5"}, False),
        (None, {"pattern": "a", "expected": "a"}, False),
    ],
    ids=str,
)
def test_regex_check_passes_or_fails(trace, entry, passes):
    found = checked(trace, **entry)
    assert found["success"] is passes
    assert found["results"] == {"check": passes}
    assert ("success_reason" if passes else "failure_reason") in found["details"]["check"]


def test_report_has_matches_and_reason():
    details = checked("4 5", pattern=r"\d+", expected="5", match_type="exact")["details"]["check"]
    assert details == {
        "pattern": r"\d+",
        "expected": "5",
        "match_type": "exact",
        "matches_found": ["4", "5"],
        "match_count": 2,
        "failure_reason": "exactly one match is expected, found 2",
    }
    assert "Did you mean 'count'?" in checked("", pattern="a", match_type="cont")["details"]["check"]["failure_reason"]


def test_verify_regex_without_checks_succeeds():
    assert BaseAnswer().verify_regex("z") == {"success": True, "results": {}, "details": {}}


@pytest.mark.parametrize("entries", [["a"], {"a": "b"}, {"a": {"expected": "b"}}, {"a": {"pattern": "b", "typo": 1}}])
def test_invalid_regex_entry_raises(entries):
    class Answer(BaseAnswer):
        def ground_truth(self):
            self.regex = entries

    with pytest.raises(ValueError, match=r"self\.regex"):
        Answer().verify_regex("a")
    with pytest.raises(TemplateError, match=r"Answer: self\.regex"):
        AnswerTemplate(Answer).verify(trace="a")


class Classic(BaseAnswer):
    target: str = Field(description="d")

    def ground_truth(self):
        self.correct = {"target": "BCL2"}
        self.tolerance = 3

    def verify(self):
        return "yes" if self.target == "odd" else self.target == self.correct["target"]


def test_record_has_correct_values_and_result_of_verify():
    result = AnswerTemplate(Classic).verify({"target": "x"})
    assert result.comparison.expected == {"target": "BCL2"}
    assert result.comparison.observed == {"target": "x", "_verify": False}
    assert (result.verdict, result.granular) == ("fail", None)
    assert Classic(target="a").tolerance == 3


def test_verify_that_returns_no_bool_is_an_error():
    result = AnswerTemplate(Classic).verify({"target": "odd"})
    assert (result.verdict, result.error) == ("error", "verify() returns True or False, got 'yes'")


def test_null_in_plain_field_is_an_error():
    result = AnswerTemplate(Classic).verify({"target": None})
    assert result.verdict == "error"
    assert set(result.problems) == {"target"}


def test_correct_without_ground_truth_raises():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def verify(self):
            return True

    with pytest.raises(AttributeError, match=r"set self\.correct in ground_truth"):
        _ = Answer(target="a").correct


def judge_that_must_not_be_asked(request):
    raise AssertionError("a judge was asked")


@pytest.mark.parametrize("correct", ["missing", "BCL2", None, ["BCL2"], 3])
def test_correct_must_be_a_dict(correct):
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def ground_truth(self):
            if correct != "missing":
                self.correct = correct

        def verify(self):
            return True

    with pytest.raises(TemplateError, match=r"Answer: ground_truth\(self\) sets self\.correct to a dict"):
        AnswerTemplate(Answer, judge_that_must_not_be_asked).parse("text")


def test_classic_template_without_ground_truth_raises():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def verify(self):
            return True

    with pytest.raises(TemplateError, match=r"sets self\.correct to a dict of what is correct, got None"):
        AnswerTemplate(Answer)


def test_ground_truth_that_reads_the_answer_is_checked_at_verify():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def ground_truth(self):
            self.correct = {"target": "BCL2"} if self.target != "odd" else "BCL2"

        def verify(self):
            return self.target == self.correct["target"]

    assert AnswerTemplate(Answer).verify({"target": "BCL2"}).passed
    with pytest.raises(TemplateError, match="got 'BCL2'"):
        AnswerTemplate(Answer).verify({"target": "odd"})


def test_bool_of_an_unreadable_answer_raises():
    result = AnswerTemplate(Classic).verify("{")
    assert (result.passed, result.verdict) == (False, "error")
    with pytest.raises(UndecidedError, match="the reply is no answer of Classic"):
        assert not result
    assert not AnswerTemplate(Classic).verify({"target": "x"})


def test_regex_may_be_a_class_variable():
    class Answer(BaseAnswer):
        regex: ClassVar[dict[str, Any]] = {"one": {"pattern": r"\[\d\]", "expected": 1, "match_type": "count"}}

    assert AnswerTemplate(Answer).verify(trace="a [1]").regex == {"one": True}
    assert AnswerTemplate(Answer).verify(trace="a").regex == {"one": False}
    assert Answer().verify_regex("a [1]")["success"] is True


def test_karenina_names_of_id_and_response_work():
    class Answer(BaseAnswer):
        city: str = Field(description="The city")

        def ground_truth(self):
            self.correct = {"city": "Paris"}

        def verify(self):
            return self._raw_trace == "Paris!"

    answer = Answer(city="Paris")
    answer.set_question_id("q1")
    answer._raw_trace = "Paris?"
    assert (answer.id, answer.verify()) == ("q1", False)
    assert AnswerTemplate(Answer).verify({"city": "Paris"}, trace="Paris!").passed
