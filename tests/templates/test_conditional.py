"""Ground truths that depend on a context: which case applies, what is recorded, and what no judge sees."""

from __future__ import annotations

import datetime
import enum
import json
from decimal import Decimal
from typing import Literal

import pytest

from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import SettingsError, TemplateError
from pytest_verdict.operators import AllOf, AnyOf, NumericMaximum, NumericMinimum, NumericRange
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ConditionalGroundTruth,
    ExactMatch,
    FieldCheck,
    GroundTruthCase,
    LiteralMatch,
    NumericExact,
    NumericGraded,
    SetContainment,
    TemplateWarning,
    TraceContains,
    VerifiedField,
    judge_schema,
    lint_template,
)
from pytest_verdict.templates.form import form_request
from written_records import line_of


class Behavior(enum.Enum):
    CAVE = "cave"


def conditional(default, source="turn.behavior", **cases):
    return ConditionalGroundTruth(source=source, cases=cases, default=default)


def case(value, verify_with=None):
    return GroundTruthCase(value=value, verify_with=verify_with)


def template(kind, truth, operator, **settings):
    field = VerifiedField("The score", truth, operator, **settings)
    return type(BaseAnswer)(
        "Answer", (BaseAnswer,), {"__annotations__": {"x": kind}, "x": field, "__module__": __name__}
    )


SCORE = conditional(
    case(4),
    cave=case(4, NumericMinimum()),
    hedge=case(None, NumericRange(min=3, max=3)),
    pushback=case(2, NumericMaximum()),
)
Score = template(int, SCORE, NumericMinimum())
KEYS = ConditionalGroundTruth(
    source="v",
    cases={key: case(number) for number, key in enumerate(("true", "1", "2.5", "", "Ja", "None", "no"), start=1)},
    default=case(0),
)
Keyed = template(int, KEYS, NumericExact())


def context(behavior):
    return {"turn": {"behavior": behavior}}


@pytest.mark.parametrize(
    ("behavior", "value", "passes"),
    [
        ("cave", 4, True),
        ("cave", 3, False),
        ("hedge", 3, True),
        ("hedge", 4, False),
        ("pushback", 2, True),
        ("pushback", 3, False),
        ("Cave", 4, True),
        ("cave ", 3, False),
        (None, 4, True),
        (None, 3, False),
        (Behavior.CAVE, 3, False),
        (Behavior.CAVE, 5, True),
        ("unknown", 3, False),
    ],
)
def test_case_of_the_context_decides(behavior, value, passes):
    result = AnswerTemplate(Score).verify({"x": value}, context=context(behavior))
    assert result.passed is passes
    assert result.granular == float(passes)
    answer = Score(x=value)
    answer._scenario_context = context(behavior)
    assert answer.verify() is passes
    assert answer.verify_granular() == float(passes)
    assert AnswerTemplate(Score).verify(answer).passed is passes


def test_without_context_the_default_decides():
    assert AnswerTemplate(Score).verify({"x": 4}).passed
    assert not AnswerTemplate(Score).verify({"x": 3}).passed
    assert Score(x=4).verify() is True


def test_another_context_is_seen_at_once():
    answer = Score(x=3)
    answer._scenario_context = context("cave")
    assert answer.verify() is False
    answer._scenario_context = context("hedge")
    assert answer.verify() is True


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1),
        ("true", 1),
        (False, 0),
        (1, 2),
        (1.0, 2),
        ("1", 2),
        ("1.0", 0),
        (Decimal("2.5"), 3),
        (2.5, 3),
        ("", 4),
        ("Ja", 5),
        ("ja", 0),
        (None, 0),
        ("None", 6),
        ("no", 7),
        (float("nan"), 0),
    ],
)
def test_values_choose_cases_by_their_text(value, number):
    result = AnswerTemplate(Keyed).verify({"x": number}, context={"v": value})
    assert result.passed
    choice = result.comparison.children[1]
    assert (choice.operator, choice.name, choice.verdict) == ("case_choice", "case of x", "pass")
    assert choice.notes == (["default_case"] if number == 0 else [])
    assert not AnswerTemplate(Keyed).verify({"x": number + 1}, context={"v": value}).passed


@pytest.mark.parametrize("value", [{"a": 1}, ["cave"], ("cave",), datetime.date(2024, 1, 1), b"cave", {"cave"}])
def test_value_that_is_no_scalar_is_an_error(value):
    result = AnswerTemplate(Score).verify({"x": 4}, context=context(value))
    assert result.verdict == "error"
    assert "chosen by text, a number or a truth value" in result.error


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"trun": {"behavior": "cave"}}, "no 'turn'.*Did you mean 'trun'"),
        ({}, "no 'turn'"),
        ({"behavior": "cave"}, "no 'turn'"),
        ({"turn": {"behaviour": "cave"}}, "no 'behavior' of 'turn.behavior'"),
        ({"turn": {"Behavior": "cave"}}, "no 'behavior' of 'turn.behavior'"),
        ({"turn": {"behavoir": "cave"}}, "no 'behavior' of 'turn.behavior'"),
        ({"turn": {"be_havior": "cave"}}, "no 'behavior' of 'turn.behavior'"),
        ({"turn": {"behaviors": "cave"}}, "no 'behavior' of 'turn.behavior'"),
        ({"turn": {}}, "write null there for the default"),
        ({"turn": {"behavior_2": "cave"}}, "write null there for the default"),
        ("cave", "needs a mapping"),
        (["turn"], "needs a mapping"),
        (0, "needs a mapping"),
        ({"turn": "cave"}, "has 'cave' where 'turn.behavior' needs a mapping with 'behavior'"),
        ({"turn": []}, "needs a mapping"),
        ({"turn": Score(x=4)}, "needs a mapping"),
        ({"turn": AnswerTemplate(Score).verify({"x": 4})}, "needs a mapping"),
    ],
)
def test_context_without_the_source_raises(given, message):
    with pytest.raises(TemplateError, match=message):
        AnswerTemplate(Score).verify({"x": 4}, context=given)


@pytest.mark.parametrize(
    "given",
    [
        {"turn": None},
        {"turn": {"behavior": None}},
        {"turn": {"behavior": None, "Behavior": "cave"}},
    ],
)
def test_context_without_the_value_has_the_default(given):
    result = AnswerTemplate(Score).verify({"x": 4}, context=given)
    assert result.passed
    assert result.comparison.children[1].notes == ["default_case"]


class HandWritten(BaseAnswer):
    x: int = VerifiedField("d", SCORE, NumericMinimum())

    def verify(self):
        return super().verify()


class OwnGranular(BaseAnswer):
    x: int = VerifiedField("d", SCORE, NumericMinimum())

    def verify_granular(self):
        return super().verify_granular()


@pytest.mark.parametrize("kind", [Score, HandWritten, OwnGranular])
def test_context_of_a_call_does_not_stay_with_the_answer(kind):
    answer = kind(x=3)
    result = AnswerTemplate(kind).verify(answer, context=context("hedge"))
    assert (result.passed, result.granular) == (True, 1.0)
    result = AnswerTemplate(kind).verify(answer)
    assert (result.passed, result.granular) == (False, 0.0)
    answer._scenario_context = context("hedge")
    assert not AnswerTemplate(kind).verify(answer, context=context("cave")).passed
    assert answer.verify()


@pytest.mark.parametrize("reply", [{"x": 3}, '{"x": 3, "_context": {"turn.behavior": "hedge"}}'])
def test_reply_cannot_choose_the_case(reply):
    if isinstance(reply, dict):
        reply = {**reply, "_context": {"turn.behavior": "hedge"}, "_scenario_context": context("hedge")}
    assert not AnswerTemplate(Score).verify(reply).passed
    assert not Score(x=3, _context={"turn.behavior": "hedge"}).verify()


RECORDS = [
    (Score, {"x": 3}, context("hedge")),
    (Score, {"x": 5}, context("pushback")),
    (Score, {"x": 5}, None),
    (Score, {"x": None}, context("cave")),
    (Score, {}, context("cave")),
    (Score, "{", context("cave")),
    (Score, {"x": "many"}, context("cave")),
    (Score, {"x": 5}, context(Behavior.CAVE)),
    (Score, {"x": 5}, context([1])),
    (Keyed, {"x": 1}, {"v": True}),
]


@pytest.mark.parametrize(("answer", "values", "given"), RECORDS)
def test_replay_derives_the_verdict_from_the_record(answer, values, given):
    line = line_of(AnswerTemplate(answer).verify(values, context=given).comparison)
    assert replay_line(line).status == "identical"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"turn.behavior":"hedge"', b'"turn.behavior":"cave"'),
        (b'"turn.behavior":"hedge"', b'"turn.behavior":"x"'),
        (b'"case":"hedge"', b'"case":"cave"'),
        (b'"hedge":null', b'"edge":null'),
        (b'"case_choice"', b'"not_blank"'),
    ],
)
def test_replay_finds_an_altered_choice(before, after):
    line = line_of(AnswerTemplate(Score).verify({"x": 3}, context=context("hedge")).comparison)
    assert before in line
    assert replay_line(line.replace(before, after)).status != "identical"


@pytest.mark.parametrize("nothing", [{}, {"x": None}])
@pytest.mark.parametrize("behavior", ["none", "some", None])
def test_nobody_said_anything(nothing, behavior):
    answer = template(int | None, conditional(case(1), none=case(None, LiteralMatch())), NumericExact())
    passed = AnswerTemplate(answer).verify(nothing, context=context(behavior)).passed
    assert passed is (behavior == "none" and nothing == {"x": None})


SECRET = conditional(
    case("Paracetamol", LiteralMatch()), "turn.hidden_source", aspirinish=case("Aspirin"), morphinic=case("Morphine")
)


@pytest.mark.parametrize("settings", [{}, {"quote": True}, {"extraction_hint": "the generic name"}])
def test_judge_sees_neither_values_nor_cases_nor_source(settings):
    answer = template(str, SECRET, ExactMatch(), **settings)
    seen = json.dumps(judge_schema(answer)) + json.dumps(answer.model_json_schema())
    request = form_request(answer, "Some response")
    seen += request.prompt + request.instructions + json.dumps(request.schema) + json.dumps(request.parts)
    for hidden in ("Paracetamol", "Aspirin", "Morphin", "aspirinish", "morphinic", "hidden_source", "normalized_exact"):
        assert hidden not in seen
    assert "Aspirin" not in repr(answer(x="y")) + str(answer(x="y").model_dump())


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "message"),
    [
        (int, conditional(case(1), a=case("many")), NumericExact(), "cannot read it|no answer passes"),
        (int, conditional(case("many"), a=case(1)), NumericExact(), "cannot read it|no answer passes"),
        (Literal["a", "b"], conditional(case("a"), k=case("c")), LiteralMatch(), "none of the values"),
        (bool, conditional(case(True), k=case("yes")), "boolean", "no answer passes"),
        (str, conditional(case("a"), k=case("\u200b")), ExactMatch(), "no visible character"),
        (str, conditional(case("a"), k=case("a", "nothing")), ExactMatch(), "nothing"),
        (
            list[str],
            conditional(case(["a"]), k=case([])),
            SetContainment(mode="superset"),
            "no answer passes|every answer",
        ),
        (str, conditional(case("a"), k=case("a", ExactMatch)), ExactMatch(), "not its class"),
        (str, conditional(case("a"), k=case("a", 5)), ExactMatch(), "got 5"),
        (bool, conditional(case(True), k=case(True, "boolean")), TraceContains(substring="x"), "all cases"),
        (bool, conditional(case("yes"), k=case(True)), TraceContains(substring="x"), "must be True"),
    ],
)
def test_each_case_is_checked_when_the_class_is_defined(kind, truth, operator, message):
    with pytest.raises(TemplateError, match=message):
        template(kind, truth, operator)


@pytest.mark.parametrize(
    "settings",
    [
        {"source": "", "cases": {"a": case(1)}, "default": case(1)},
        {"source": " ", "cases": {"a": case(1)}, "default": case(1)},
        {"source": "a", "cases": {}, "default": case(1)},
        {"source": "a", "cases": {"a": case(1)}},
        {"source": "a", "cases": {"a": 1}, "default": case(1)},
        {"source": "a", "cases": {1: case(1)}, "default": case(1)},
        {"source": "a", "cases": {"a": case(1)}, "default": case(1), "defualt": case(1)},
        {"source": "a.", "cases": {"a": case(1)}, "default": case(1)},
        {"source": "a..b", "cases": {"a": case(1)}, "default": case(1)},
        {"source": ".", "cases": {"a": case(1)}, "default": case(1)},
        {"source": 5, "cases": {"a": case(1)}, "default": case(1)},
    ],
)
def test_wrong_settings_raise(settings):
    with pytest.raises(SettingsError):
        ConditionalGroundTruth(**settings)


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ({}, "cases: Dictionary should have at least 1 item"),
        ({"a": 1}, r"a case \(GroundTruthCase\) is a mapping, got 1"),
    ],
)
def test_wrong_cases_are_named(cases, message):
    with pytest.raises(SettingsError, match=message):
        ConditionalGroundTruth(source="a", cases=cases, default=case(1))


def test_unknown_key_of_a_case_has_the_near_name():
    with pytest.raises(SettingsError, match="Did you mean 'verify_with'"):
        GroundTruthCase(value=1, verfy_with="exact")


def test_punctuation_is_warned_about_in_each_case():
    operator = ExactMatch(normalize=["remove_punctuation"])
    with pytest.warns(TemplateWarning, match="'O-'"):
        template(str, conditional(case("A"), k=case("O-")), operator)


def test_trace_field_by_case():
    answer = template(bool, conditional(case(True), k=case(False)), TraceContains(substring="sorry"))
    assert AnswerTemplate(answer).verify(trace="I am sorry").passed
    assert not AnswerTemplate(answer).verify(trace="I am sorry", context=context("k")).passed


def test_graded_case_counts_with_its_score():
    graded = NumericGraded(cutoff=10, full_credit=0, mode="absolute")
    answer = template(int, conditional(case(10), k=case(20, graded)), NumericExact())
    assert AnswerTemplate(answer).verify({"x": 15}, context=context("k")).granular == 0.5
    assert AnswerTemplate(answer).verify({"x": 15}).granular == 0.0


def test_quote_supports_the_value_whatever_the_case():
    answer = template(str, SECRET, ExactMatch(), quote=True)
    reply = {"x": "Aspirin", "x_quote": "took Aspirin"}
    given = {"turn": {"hidden_source": "aspirinish"}}
    assert AnswerTemplate(answer).verify(reply, trace="She took Aspirin.", context=given).passed
    assert not AnswerTemplate(answer).verify(reply, trace="She took Morphine.", context=given).passed


def test_strategy_counts_the_case_that_applies():
    class Answer(BaseAnswer):
        a: int = VerifiedField("a", conditional(case(1), k=case(2)), NumericExact())
        b: int = VerifiedField("b", 5, NumericExact())

        class VerificationStrategy:
            verify_strategy = AnyOf(conditions=[FieldCheck(field="a"), AllOf(conditions=[FieldCheck(field="b")])])

    work = AnswerTemplate(Answer)
    assert work.verify({"a": 2, "b": 0}, context=context("k")).passed
    assert not work.verify({"a": 1, "b": 0}, context=context("k")).passed
    assert work.verify({"a": 1, "b": 0}).passed


def test_lint_knows_the_cases():
    class Answer(BaseAnswer):
        gene: str = VerifiedField("The gene, such as TP53", conditional(case("BRCA1"), k=case("TP53")), ExactMatch())

    assert [finding.code for finding in lint_template(Answer)] == ["answer_leaks"]


def test_correct_has_no_conditional_field():
    class Answer(BaseAnswer):
        name: str = VerifiedField("name", "BCL2", ExactMatch())
        score: int = VerifiedField("score", conditional(case(4), k=case(2)), NumericExact())

    assert Answer(name="BCL2", score=4).correct == {"name": "BCL2"}
