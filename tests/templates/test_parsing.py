"""Reading replies: what is wrong is named by its field, and never taken for a wrong answer."""

from __future__ import annotations

import datetime
import json

import pytest
from hypothesis import given, strategies as st
from pydantic import Field, field_validator

from pytest_verdict import Budget, MismatchError
from pytest_verdict.errors import ParseError, TemplateError
from pytest_verdict.explanation import failure_block
from pytest_verdict.operators import (
    BooleanMatch,
    DateMatch,
    NumericExact,
    NumericTolerance,
    OrderedMatch,
    TraceContains,
)
from pytest_verdict.session import SESSION
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, VerifiedField, parse_reply


class Answer(BaseAnswer):
    target: str = VerifiedField("The target", "BCL2", ExactMatch())
    year: int = VerifiedField("The year", 2016, NumericExact(), ge=1000)
    dose: float = VerifiedField("The dose", 0.5, NumericTolerance(tolerance=0.1))
    day: datetime.date = VerifiedField("The day", datetime.date(2016, 4, 11), DateMatch())
    approved: bool = VerifiedField("Whether approved", ground_truth=True, verify_with=BooleanMatch())
    named: bool = VerifiedField("Named", ground_truth=True, verify_with=TraceContains(substring="venetoclax"))


GOOD = {"target": "bcl2", "year": 2016, "dose": 0.51, "day": "2016-04-11", "approved": True}
TRACE = "venetoclax targets BCL2"


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        json.dumps(GOOD),
        json.dumps(GOOD).encode(),
        Answer(**GOOD),
        parse_reply(Answer, GOOD),
        f"```json\n{json.dumps(GOOD, indent=1)}\n```",
    ],
    ids=["mapping", "text", "bytes", "instance", "parsed", "fenced"],
)
def test_answer_may_have_any_of_these_forms(answer):
    result = AnswerTemplate(Answer).verify(answer, trace=TRACE)
    assert (result.verdict, result.granular) == ("pass", 1.0)
    assert list(result.fields) == ["target", "year", "dose", "day", "approved", "named"]


def test_markdown_fence_is_removed_with_a_note():
    assert parse_reply(Answer, f"```\n{json.dumps(GOOD)}\n```").notes == ("markdown_fence_removed",)


@pytest.mark.parametrize(
    ("reply", "note"),
    [
        ("", "json_parse_failed"),
        (json.dumps(GOOD)[:-5], "json_parse_failed"),
        ("Here you are: {}", "json_parse_failed"),
        (b"\xff", "json_parse_failed"),
        ('{"year": NaN}', "json_not_finite"),
        ('{"year": 1, "year": 2}', "json_duplicate_key"),
        ("[" * 300, "json_too_deep"),
        ("[1]", "not_an_object"),
        ("null", "not_an_object"),
    ],
    ids=repr,
)
def test_reply_without_object_is_an_error_of_all_fields(reply, note):
    result = AnswerTemplate(Answer).verify(reply, trace=TRACE)
    assert (result.verdict, result.granular) == ("error", None)
    assert note in result.notes
    verdicts = {name: one.verdict for name, one in result.fields.items()}
    assert verdicts == dict.fromkeys(["target", "year", "dose", "day", "approved"], "error") | {"named": "pass"}
    assert result.null_fields == []
    with pytest.raises(ParseError, match="the reply is no answer of Answer"):
        parse_reply(Answer, reply).required()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", 5),
        ("year", "many"),
        ("year", 2016.5),
        ("year", True),
        ("year", 12),
        ("dose", "half"),
        ("dose", False),
        ("day", "April"),
        ("approved", "perhaps"),
    ],
)
def test_value_of_wrong_type_is_an_error_with_the_field(field, value):
    result = AnswerTemplate(Answer).verify({**GOOD, field: value}, trace=TRACE)
    assert result.verdict == "error"
    assert set(result.problems) == {field}
    assert {name for name, one in result.fields.items() if one.verdict == "error"} == {field}
    with pytest.raises(ParseError, match=f"Answer: {field}: "):
        parse_reply(Answer, {**GOOD, field: value}).required()


def test_number_beyond_float_is_not_infinity():
    assert parse_reply(Answer, '{"dose": 1e999}').problems == {"": "a number is beyond the range of a float"}


class Counts(BaseAnswer):
    whole: int = VerifiedField("The count", 3, NumericExact())
    several: list[int] = VerifiedField("The counts", [3], OrderedMatch())


@pytest.mark.parametrize(("field", "written"), [("whole", "1e999999999"), ("several", "[3, 1e999999999]")])
def test_number_of_a_billion_digits_is_an_error(field, written):
    assert set(parse_reply(Counts, f'{{"{field}": {written}}}').problems) == {""}


@pytest.mark.parametrize("reply", [{**GOOD, "year": None}, {key: GOOD[key] for key in GOOD if key != "year"}])
def test_null_answer_fails_with_a_note(reply):
    work = AnswerTemplate(Answer)
    result = work.verify(reply, trace=TRACE)
    assert (result.verdict, result.null_fields, result.notes) == ("fail", ["year"], ["null_observed"])
    assert result.fields["year"].notes == ["null_observed"]
    wrong = work.verify({**GOOD, "year": 2017}, trace=TRACE)
    assert (wrong.verdict, wrong.null_fields, wrong.notes) == ("fail", [], [])


def test_unknown_keys_are_separate_with_a_note():
    hostile = {
        "correct": {"target": "x"},
        "verify": True,
        "id": "q",
        "named": True,
        "_trace": "venetoclax",
        "__class__": 1,
    }
    result = AnswerTemplate(Answer).verify({**GOOD, "target": "x", **hostile}, trace="nothing")
    assert result.comparison.observed["_unknown"] == hostile
    assert result.notes == ["unknown_keys"]
    assert {name for name, one in result.fields.items() if not one.passed} == {"target", "named"}
    parsed = parse_reply(Answer, {**GOOD, **hostile})
    assert parsed.answer.correct["target"] == "BCL2"
    assert parsed.answer.id is None


@pytest.mark.ci
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_any_json_value_can_be_parsed(value):
    for reply in ({"target": value, "year": value, "day": value}, value, json.dumps(value)):
        parsed = parse_reply(Answer, reply)
        assert parsed.problems or parsed.answer is not None


def test_validators_of_the_author_run():
    class Checked(BaseAnswer):
        code: str = VerifiedField("d", "AB", ExactMatch())
        note: str = Field(description="d", default="")

        @field_validator("code")
        @classmethod
        def _short(cls, code):
            if code == "raise":
                raise TypeError("raised by the author")
            assert len(code) == 2, "two letters"
            return code

        def verify(self):
            return super().verify()

    assert parse_reply(Checked, {"code": "AB"}).required().code == "AB"
    assert set(parse_reply(Checked, {"code": "ABC"}).problems) == {"code"}
    assert parse_reply(Checked, {"code": "raise"}).problems == {"": "TypeError: raised by the author"}
    assert parse_reply(Checked, {"code": None}).problems == {}


@pytest.mark.parametrize("answer", [3, None, ["a"]])
def test_invalid_answer_raises(answer):
    with pytest.raises(TemplateError, match="is a mapping, JSON text or an instance"):
        AnswerTemplate(Answer).verify(answer)


def test_answer_of_another_template_raises():
    class Other(BaseAnswer):
        x: str = VerifiedField("d", "a", ExactMatch())

    with pytest.raises(TemplateError, match="one of Other, not of Answer"):
        AnswerTemplate(Answer).verify(Other(x="a"))
    with pytest.raises(TemplateError, match="one of Other, not of Answer"):
        AnswerTemplate(Answer).verify(parse_reply(Other, {"x": "a"}))


def test_failure_explains_each_field():
    with pytest.raises(MismatchError) as caught:
        AnswerTemplate(Answer).assert_verified({**GOOD, "target": "\x1b[31mp53", "year": None}, trace=TRACE)
    assert str(caught.value) == failure_block(caught.value.result, SESSION.budget)
    lines = failure_block(caught.value.result, Budget()).splitlines()
    assert lines[0].startswith("answer_template 'Answer': 2 of 6 failed: target expected 'BCL2', got '")
    assert "  FAIL  normalized_exact 'target': expected 'BCL2', got '\\x1b[31mp53'" in lines
    assert "  FAIL  numeric_exact 'year': observed is null: None" in lines
    assert "  granular score: 0.67" in lines
    assert caught.value.result.name == "Answer"


def test_complete_reply_gives_an_instance_of_the_template():
    assert parse_reply(Answer, GOOD).answer == Answer(**GOOD)
    assert isinstance(parse_reply(Answer, {**GOOD, "year": None}).answer, Answer)


def test_default_does_not_replace_a_missing_answer():
    class Defaulted(BaseAnswer):
        target: str = VerifiedField("d", "BCL2", ExactMatch(), default="BCL2")

    assert Defaulted().verify() is False
    assert Defaulted(target="BCL2").verify() is True
    assert AnswerTemplate(Defaulted).verify({}).null_fields == ["target"]


def test_misspelt_key_is_shown_beside_the_null_field():
    values = {**GOOD, "yaer\x1b[2J": 2016}
    del values["year"]
    said = AnswerTemplate(Answer).verify(values, trace="venetoclax").describe()
    assert "null_observed" in said
    assert "\n  keys of no field: 'yaer\\x1b[2J'\n" in said


@pytest.mark.parametrize(
    ("reply", "verdict", "notes"),
    [
        ('<think>It may be {"city": "Lyon"}.</think>\nSo: {"city": "Paris"}, I think.', "pass", ["json_extracted"]),
        ('[1] says it. {"city": "Paris"} and {"city": "Paris"}', "pass", ["json_extracted"]),
        ('First {"city": "Lyon"}, then {"city": "Paris"}', "error", ["not_an_object", "child_error"]),
        ('{"city": "Paris"}', "pass", []),
        ('```json\n{"city": "Paris"}\n```', "pass", ["markdown_fence_removed"]),
        ('{"city": "Lyon", "city": "Paris"}', "error", ["json_duplicate_key", "child_error"]),
        ("It is Paris.", "error", ["json_parse_failed", "child_error"]),
        ('<think>{"city": "Paris"}</think> I do not know.', "error", ["json_parse_failed", "child_error"]),
    ],
)
def test_extract_json_reads_an_object_in_prose(reply, verdict, notes):
    class City(BaseAnswer):
        city: str = VerifiedField("The city", "Paris", "exact")

    result = AnswerTemplate(City, extract_json=True).verify(reply)
    assert (result.verdict, result.notes) == (verdict, notes)
    if "json_extracted" in notes:
        assert AnswerTemplate(City).verify(reply).verdict == "error"
