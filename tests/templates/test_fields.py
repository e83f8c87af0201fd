"""Fields of templates: what is refused, what stays hidden, and the ground truth as it is."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import math
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, Field

from pytest_verdict import Operator, Outcome
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators import (
    BooleanMatch,
    ContainsAny,
    DateMatch,
    DateRange,
    DateTolerance,
    LiteralMatch,
    NumericExact,
    NumericRange,
    NumericTolerance,
    SetContainment,
    TraceContains,
)
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ExactMatch,
    FieldCheck,
    TemplateWarning,
    VerifiedField,
    judge_schema,
)


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


def template(kind, truth, operator, **arguments):
    body = {"__annotations__": {"x": kind}, "__module__": __name__, "__qualname__": "Answer"}
    return type(BaseAnswer)("Answer", (BaseAnswer,), {**body, "x": VerifiedField("d", truth, operator, **arguments)})


@pytest.mark.parametrize(
    "name", ["id", "correct", "regex", "verify", "verify_granular", "verify_regex", "ground_truth"]
)
def test_reserved_name_raises(name):
    body = {"__annotations__": {name: str}, "__module__": __name__, "__qualname__": "Answer"}
    with pytest.raises(TemplateError, match=f"the name '{name}' is reserved, because"):
        type(BaseAnswer)("Answer", (BaseAnswer,), {**body, name: VerifiedField("d", "a", ExactMatch())})


def test_reserved_name_error_is_a_type_error():
    with pytest.raises(TypeError, match="the name 'correct' is reserved"):

        class Answer(BaseAnswer):
            correct: str = VerifiedField("d", "a", ExactMatch())


def test_verify_with_takes_the_name_of_an_operator():
    class Answer(BaseAnswer):
        pairs: int = VerifiedField("The number of pairs", 23, "numeric_exact")

    assert Answer(pairs=23).verify() is True
    assert Answer(pairs=46).verify() is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"verify_with": ExactMatch}, r"not its class: verify_with=ExactMatch\(...\)"),
        ({"verify_with": "exct"}, r"verify_with: Unknown comparator: 'exct'\. Did you mean 'exact'"),
        ({"verify_with": 7}, "got 7"),
        ({"quote": "yes"}, "quote must be True or False, got 'yes'"),
        ({"quote": True, "ground_truth": True, "verify_with": TraceContains(substring="a")}, "reads the raw response"),
        ({"weight": -1}, "at least 0, got -1"),
        ({"weight": math.nan}, "at least 0, got nan"),
        ({"weight": True}, "at least 0, got True"),
        ({"weight": None}, "at least 0, got None"),
        ({"extraction_hint": 3}, "text or None, got 3"),
        ({"description": 5}, "description must be text .*, got 5"),
        ({"ground_truth": "no", "verify_with": TraceContains(substring="a")}, "True .* or False, got 'no'"),
    ],
    ids=str,
)
def test_invalid_argument_of_a_field_raises(arguments, message):
    with pytest.raises(TemplateError, match=message):
        VerifiedField(**{"description": "d", "ground_truth": "a", "verify_with": ExactMatch()} | arguments)


def test_unknown_field_in_strategy_raises_with_suggestion():
    with pytest.raises(TemplateError, match=r"'targt', which is not a verified field\. Did you mean 'target'"):

        class Answer(BaseAnswer):
            target: str = VerifiedField("d", "a", ExactMatch())

            class VerificationStrategy:
                verify_strategy = FieldCheck(field="targt")


@pytest.mark.parametrize("strategy", [ExactMatch(), "target", None])
def test_invalid_strategy_raises(strategy):
    with pytest.raises(TemplateError, match="strateg"):

        class Answer(BaseAnswer):
            target: str = VerifiedField("d", "a", ExactMatch())

            class VerificationStrategy:
                verify_strategy = strategy


SECRET = "hidden-truth-4711"
hidden = st.sampled_from([SECRET, [SECRET], {"a": SECRET}, (SECRET,), {SECRET}])


@pytest.mark.ci
@given(hidden, st.floats(min_value=0, max_value=100), st.booleans())
def test_schema_has_no_ground_truth(truth, weight, with_extra):
    class Answer(BaseAnswer):
        x: Any = VerifiedField(
            "d",
            truth,
            ContainsAny(substrings=[SECRET]),
            weight=weight,
            extraction_hint="a hint",
            default=truth if with_extra else None,
            json_schema_extra={"examples": ["e"]} if with_extra else None,
        )
        t: bool = VerifiedField("d", True, TraceContains(substring=SECRET))

    schema = judge_schema(Answer)
    written = json.dumps(schema)
    assert SECRET not in written
    assert "weight" not in written
    assert "contains" not in written
    assert "a hint" not in written
    assert set(schema["properties"]) == {"x"}
    assert schema["required"] == ["x"]
    assert schema["additionalProperties"] is False
    assert ("examples" in schema["properties"]["x"]) is with_extra
    assert SECRET not in repr(Answer(x="y").model_dump())


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "right", "wrong"),
    [
        (
            datetime.date,
            datetime.date(2024, 1, 15),
            LiteralMatch(),
            datetime.date(2024, 1, 15),
            datetime.date(2024, 1, 16),
        ),
        (Color, Color.RED, LiteralMatch(), Color.RED, Color.BLUE),
        (Any, ("a", 1), LiteralMatch(), ("a", 1), ["a", 1]),
        (float, math.inf, NumericExact(), math.inf, 1e308),
        (decimal.Decimal, decimal.Decimal("0.1"), NumericExact(), decimal.Decimal("0.1"), decimal.Decimal("0.11")),
        (set[str], {"a", "b"}, SetContainment(), {"b", "a"}, {"a"}),
        (float, 1, NumericTolerance(tolerance=0.1), 1.1, 1.11),
        (float, 1, NumericRange(min=0, max=2), 2, math.nan),
        (bool, False, BooleanMatch(), False, True),
        (str, "2024-03-01", DateMatch(), "March 1, 2024", "March 2024"),
        (str, "N/A", DateRange(min="2024-01-01", max="2024-12-31"), "2024-12-31T10:00", "2025-01-01"),
        (str, "2024-01-15T10:00Z", DateTolerance(tolerance=1), "2024-01-15T12:00+02:00", "2024-01-17T10:00"),
    ],
    ids=str,
)
def test_ground_truth_of_any_type_is_compared_as_an_object(kind, truth, operator, right, wrong):
    made = template(kind, truth, operator)
    assert made(x=right).verify() is True
    assert made(x=wrong).verify() is False


def test_none_differs_from_the_text_none():
    made = template(Any, "none", ExactMatch())
    assert made(x=None).verify() is False
    assert AnswerTemplate(made).verify({"x": None}).null_fields == ["x"]
    assert template(Any, None, ExactMatch())(x=None).verify() is True


def test_text_false_does_not_pass_as_true():
    assert template(Any, True, BooleanMatch())(x="false").verify() is False


def test_aware_and_naive_datetimes_differ_with_a_note():
    made = template(str, "2024-01-15T10:00", DateTolerance(tolerance=1, unit="hours"))
    assert AnswerTemplate(made).verify({"x": "2024-01-15T10:00Z"}).fields["x"].notes == ["timezone_mismatch"]


def test_changed_field_value_is_compared():
    answer = template(int, 1, NumericExact())(x=1)
    assert answer.verify() is True
    answer.x = 2
    assert (answer.verify(), answer.verify_granular()) == (False, 0.0)


def test_changing_the_list_does_not_change_the_ground_truth():
    truth = ["a"]
    made = template(list[str], truth, SetContainment())
    truth.append("b")
    answer = made(x=["a"])
    answer.correct["x"].append("c")
    assert answer.verify() is True
    assert made(x=["a"]).correct == {"x": ["a"]}


class Drug(BaseModel):
    name: str = SECRET
    default: int = 4711


class Nested(BaseAnswer):
    name: str = VerifiedField("The name", SECRET, ExactMatch(), default=SECRET)
    said: bool = VerifiedField("Whether it was said", True, TraceContains(substring=SECRET))


@pytest.mark.parametrize(
    ("kind", "truth"),
    [
        (Drug, Drug()),
        (list[Drug], [Drug()]),
        (dict[str, Drug], {SECRET: Drug()}),
        (Drug | None, Drug()),
        (Nested, Nested(name=SECRET)),
        (tuple[Nested, ...], (Nested(name=SECRET),)),
    ],
    ids=str,
)
def test_schema_of_nested_template_has_no_ground_truth(kind, truth):
    written = json.dumps(judge_schema(template(kind, truth, ExactMatch())))
    assert '"Name"' in written
    assert ("4711" in written, "said" in written, '"id"' in written, '"default": {' in written) == (
        False,
        False,
        False,
        "Drug" in str(kind),
    )


def test_recursive_template_has_a_schema():
    schema = judge_schema(Tree)
    assert set(schema["$defs"]["Tree"]["properties"]) == {"leaf", "branches"}
    assert SECRET not in json.dumps(schema)


class Tree(BaseAnswer):
    leaf: str = VerifiedField("A leaf", SECRET, ExactMatch(), default=SECRET)
    branches: list[Tree] = VerifiedField("The branches", [], ExactMatch())


def test_type_without_json_schema_raises():
    with pytest.raises(TemplateError, match="Answer is no form that a judge can fill in: "):
        judge_schema(template(Callable[[], int], int, ExactMatch()))


@pytest.mark.parametrize(
    "kind",
    [
        Annotated[str, Field(json_schema_extra={"k": 1})],
        Annotated[str, Field(description="another", min_length=1)],
        Annotated[str, Field(json_schema_extra=lambda schema: schema.update(k=1))],
    ],
    ids=["schema", "description", "function"],
)
def test_annotated_metadata_keeps_the_verification(kind):
    made = template(kind, "a", ExactMatch(), examples=["e"])
    assert (made(x="a").verify(), made(x="b").verify()) == (True, False)


def test_verified_field_inside_annotated_is_verified():
    class Answer(BaseAnswer):
        x: Annotated[str, VerifiedField("d", "a", ExactMatch()), Field(json_schema_extra={"k": 1})] = "b"

    assert (Answer(x="a").verify(), Answer().verify()) == (True, False)
    assert judge_schema(Answer)["properties"]["x"] == {"description": "d", "k": 1, "title": "X", "type": "string"}


@pytest.mark.parametrize("base", [BaseModel, object], ids=["model", "class"])
def test_reserved_name_of_a_mixin_raises(base):
    mixin = type("Mixin", (base,), {"__annotations__": {"correct": str}, "__module__": __name__})
    with pytest.raises(TemplateError, match="Answer: the name 'correct' is reserved"):
        type(BaseAnswer)("Answer", (mixin, BaseAnswer), {"__module__": __name__})


@pytest.mark.parametrize(
    ("kind", "field", "config"),
    [
        (str, VerifiedField("d", "a", ExactMatch(), alias="y"), {}),
        (str, VerifiedField("d", "a", ExactMatch(), validation_alias="y"), {}),
        (Annotated[str, Field(alias="y")], VerifiedField("d", "a", ExactMatch()), {}),
        (str, Field(alias="y"), {}),
        (str, VerifiedField("d", "a", ExactMatch()), {"alias_generator": str.upper}),
    ],
    ids=["alias", "validation", "annotated", "plain", "generator"],
)
def test_alias_raises(kind, field, config):
    body = {"__annotations__": {"x": kind}, "__module__": __name__, "model_config": config, "x": field}
    with pytest.raises(TemplateError, match="Answer: an alias is not possible"):
        type(BaseAnswer)("Answer", (BaseAnswer,), body)


def test_two_fields_may_share_json_schema_extra():
    shared = {"examples": ["e"]}

    class Answer(BaseAnswer):
        a: str = VerifiedField("a", "1", ExactMatch(), json_schema_extra=shared)
        b: str = VerifiedField("b", "2", ExactMatch(), json_schema_extra=shared)

    assert Answer(a="1", b="2").verify() is True
    assert shared == {"examples": ["e"]}


@pytest.mark.parametrize("truth", ["O+", "1.5", ["O+"]])
def test_ground_truth_that_loses_punctuation_warns(truth):
    with pytest.warns(TemplateWarning, match="as 'O\\+' and 'O-'"):
        VerifiedField("d", truth, ExactMatch(normalize=["remove_punctuation"]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        VerifiedField("d", "BCL2", ExactMatch(normalize=["lowercase", "remove_punctuation"]))


class Broken(Operator):
    name = "broken_on_purpose"

    def evaluate(self, expected, observed):
        if observed == "break":
            raise RuntimeError("broken")
        return Outcome(1.0)


def test_error_of_one_field_does_not_affect_others():
    class Answer(BaseAnswer):
        a: str = VerifiedField("a", "1", Broken())
        b: str = VerifiedField("b", "2", ExactMatch(), weight=3)

    answer = Answer(a="break", b="2")
    assert (answer.verify(), answer.verify_granular()) == (False, 0.75)
    result = AnswerTemplate(Answer).verify(answer)
    assert {name: one.verdict for name, one in result.fields.items()} == {"a": "error", "b": "pass"}
    assert (result.verdict, result.notes, result.granular) == ("error", ["child_error"], 0.75)
    wrong = AnswerTemplate(Answer).verify(Answer(a="break", b="3"))
    # Whatever the broken field would say, the other one is wrong.
    assert (wrong.verdict, wrong.notes) == ("fail", ["child_error"])
    # An operator of one's own needs no registration.
    assert Answer(a="1", b="2").verify() is True


def test_values_cannot_replace_the_ground_truth():
    made = template(str, "a", ExactMatch())
    answer = made(x="b", correct={"x": "b"}, verify=lambda: True, regex={"r": 1}, ground_truth=lambda: None)
    assert answer.verify() is False
    assert answer.correct == {"x": "a"}
    assert answer.regex is None


def test_inherited_fields_keep_their_ground_truth():
    class Base(BaseAnswer):
        a: str = VerifiedField("a", "1", ExactMatch(), weight=3)

    class Derived(Base):
        b: str = VerifiedField("b", "2", ExactMatch())

    assert Derived(a="1", b="x").verify_granular() == 0.75
    assert set(judge_schema(Derived)["properties"]) == {"a", "b"}


def test_redeclared_field_without_verification_raises():
    class Base(BaseAnswer):
        a: str = VerifiedField("a", "1", ExactMatch())
        b: str = VerifiedField("b", "2", ExactMatch())

    with pytest.raises(TemplateError, match=r"Derived\.a is verified by Base, and no longer here: declare it with"):

        class Derived(Base):
            a: str

    class Other(Base):
        a: str = VerifiedField("a", "3", ExactMatch())

    assert Other(a="3", b="2").verify() is True


def test_own_verify_may_call_the_generated_one():
    class Answer(BaseAnswer):
        a: str = VerifiedField("a", "1", ExactMatch())
        t: bool = VerifiedField("t", True, TraceContains(substring="z"))

        def verify(self) -> bool:
            return super().verify() and self.a == "1"

    result = AnswerTemplate(Answer).verify({"a": "1"}, trace="xyz")
    assert result.passed
    assert not AnswerTemplate(Answer).verify({"a": "1"}, trace="xy")


@pytest.mark.parametrize("call", [lambda answer: answer.verify(), lambda answer: answer.verify_granular()])
def test_missing_trace_raises(call):
    made = template(bool, True, TraceContains(substring="z"))
    with pytest.raises(TemplateError, match="the fields x read the raw response"):
        call(made())
    with pytest.raises(TemplateError, match="x read the raw response; pass trace"):
        AnswerTemplate(made).verify()
