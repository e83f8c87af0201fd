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
def test_a_check(trace, entry, passes):
    found = checked(trace, **entry)
    assert found["success"] is passes
    assert found["results"] == {"check": passes}
    assert ("success_reason" if passes else "failure_reason") in found["details"]["check"]


def test_the_details_say_what_was_found_and_what_is_wrong():
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


def test_no_checks_pass():
    assert BaseAnswer().verify_regex("z") == {"success": True, "results": {}, "details": {}}


@pytest.mark.parametrize("entries", [["a"], {"a": "b"}, {"a": {"expected": "b"}}, {"a": {"pattern": "b", "typo": 1}}])
def test_an_entry_of_another_form_is_the_authors_mistake(entries):
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


def test_the_record_has_what_was_correct_and_what_verify_said():
    result = AnswerTemplate(Classic).verify({"target": "x"})
    assert result.comparison.expected == {"target": "BCL2"}
    assert result.comparison.observed == {"target": "x", "_verify": False}
    assert (result.verdict, result.granular) == ("fail", None)
    assert Classic(target="a").tolerance == 3


def test_what_verify_returns_is_a_bool():
    result = AnswerTemplate(Classic).verify({"target": "odd"})
    assert (result.verdict, result.error) == ("error", "verify() returns True or False, got 'yes'")


def test_a_plain_field_that_is_null_cannot_be_read():
    result = AnswerTemplate(Classic).verify({"target": None})
    assert result.verdict == "error"
    assert set(result.problems) == {"target"}


def test_without_ground_truth_there_is_no_correct():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def verify(self):
            return True

    with pytest.raises(AttributeError, match=r"set self\.correct in ground_truth"):
        _ = Answer(target="a").correct


def judge_that_must_not_be_asked(request):
    raise AssertionError("a judge was asked")


@pytest.mark.parametrize("correct", ["missing", "BCL2", None, ["BCL2"], 3])
def test_what_is_correct_is_a_dict_before_any_judge_is_asked(correct):
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def ground_truth(self):
            if correct != "missing":
                self.correct = correct

        def verify(self):
            return True

    with pytest.raises(TemplateError, match=r"Answer: ground_truth\(self\) sets self\.correct to a dict"):
        AnswerTemplate(Answer, judge_that_must_not_be_asked).parse("text")


def test_a_classic_template_without_ground_truth_is_refused():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def verify(self):
            return True

    with pytest.raises(TemplateError, match=r"sets self\.correct to a dict of what is correct, got None"):
        AnswerTemplate(Answer)


def test_a_ground_truth_that_reads_the_answer_is_looked_at_with_the_answer():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def ground_truth(self):
            self.correct = {"target": "BCL2"} if self.target != "odd" else "BCL2"

        def verify(self):
            return self.target == self.correct["target"]

    assert AnswerTemplate(Answer).verify({"target": "BCL2"}).passed
    with pytest.raises(TemplateError, match="got 'BCL2'"):
        AnswerTemplate(Answer).verify({"target": "odd"})


def test_an_answer_that_cannot_be_read_is_no_truth_value():
    result = AnswerTemplate(Classic).verify("{")
    assert (result.passed, result.verdict) == (False, "error")
    with pytest.raises(UndecidedError, match="the reply is no answer of Classic"):
        assert not result
    assert not AnswerTemplate(Classic).verify({"target": "x"})


def test_checks_that_need_no_instance_may_stand_in_the_class():
    class Answer(BaseAnswer):
        regex: ClassVar[dict[str, Any]] = {"one": {"pattern": r"\[\d\]", "expected": 1, "match_type": "count"}}

    assert AnswerTemplate(Answer).verify(trace="a [1]").regex == {"one": True}
    assert AnswerTemplate(Answer).verify(trace="a").regex == {"one": False}
    assert Answer().verify_regex("a [1]")["success"] is True


def test_names_of_karenina_for_the_id_and_the_response():
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
