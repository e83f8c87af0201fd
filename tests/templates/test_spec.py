"""Templates as data: from a spec and back, and what a spec cannot say."""

from __future__ import annotations

import datetime
import enum
import json
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from pydantic import BeforeValidator, ConfigDict, Field, computed_field, field_validator

from pytest_verdict.core.values.encoding import encode
from pytest_verdict.errors import SettingsError, TemplateError
from pytest_verdict.operators import AllOf, AnyOf, AtLeastN, NumericMaximum, TextSimilarity
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    BooleanMatch,
    ConditionalGroundTruth,
    DateMatch,
    ExactMatch,
    FieldCheck,
    GroundTruthCase,
    LiteralMatch,
    NumericExact,
    NumericGraded,
    NumericTolerance,
    RegexMatch,
    SemanticMatch,
    SetContainment,
    TemplateSpec,
    TraceRegex,
    VerifiedField,
    judge_schema,
    template_from_spec,
    template_to_spec,
    value_template,
)


class Color(enum.Enum):
    RED = "red"


class Whole(BaseAnswer):
    """What venetoclax is."""

    target: str = VerifiedField("The target", "BCL2", ExactMatch(normalize=["lowercase"]), 2, "a symbol", quote=True)
    year: int = VerifiedField("The year", 2016, NumericExact(), weight="0.5")
    share: float = VerifiedField("The share", 0.5, NumericTolerance(tolerance=0.1, mode="absolute"))
    oral: bool = VerifiedField("Is it oral", ground_truth=True, verify_with=BooleanMatch())
    day: datetime.date = VerifiedField("The day", datetime.date(2016, 4, 11), DateMatch())
    makers: list[str] = VerifiedField("Who", ["AbbVie", "Roche"], SetContainment())
    kind: Literal["small", "large"] = VerifiedField("The kind", "small", LiteralMatch())
    cites: bool = VerifiedField("Cites", ground_truth=True, verify_with=TraceRegex(pattern=r"\[\d+\]"))
    dose: int = VerifiedField(
        "The dose",
        ConditionalGroundTruth(
            source="patient.kidneys",
            cases={"impaired": GroundTruthCase(value=100, verify_with=NumericMaximum())},
            default=GroundTruthCase(value=400),
        ),
        NumericExact(),
    )

    class VerificationStrategy:
        verify_strategy = AtLeastN(
            n=2,
            conditions=[
                FieldCheck(field="target"),
                AnyOf(conditions=[FieldCheck(field="year"), FieldCheck(field="dose")]),
                AllOf(conditions=[FieldCheck(field="day"), FieldCheck(field="oral")]),
            ],
        )


def same(one, other):
    first, second = one.__verdict_definition__, other.__verdict_definition__
    assert first.match == second.match
    assert encode(first.expected) == encode(second.expected)
    assert judge_schema(one) == judge_schema(other)
    assert [item.hint for item in first.verified.values()] == [item.hint for item in second.verified.values()]


def test_whole_template_goes_through_json_and_yaml():
    spec = template_to_spec(Whole)
    document = spec.model_dump(mode="json")
    short = spec.model_dump(mode="json", exclude_defaults=True)
    assert TemplateSpec.read(document) == spec
    for form in (json.dumps(short), yaml.safe_dump(document)):
        again = template_from_spec(form)
        same(Whole, again)
        assert template_to_spec(again) == spec


def test_file(tmp_path):
    path = tmp_path / "whole.yaml"
    path.write_text(yaml.safe_dump(template_to_spec(Whole).model_dump(mode="json")))
    same(Whole, template_from_spec(path))


def test_verdicts_are_those_of_the_class():
    reply = {
        "target": "bcl2",
        "target_quote": "binds BCL2",
        "year": 2016,
        "oral": True,
        "dose": 90,
        "makers": ["Roche"],
    }
    given_context = {"patient": {"kidneys": "impaired"}}
    results = [
        AnswerTemplate(one).verify(reply, trace="It binds BCL2 [1].", context=given_context)
        for one in (Whole, template_from_spec(template_to_spec(Whole)))
    ]
    assert results[0].comparison == results[1].comparison
    assert results[0].passed


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
TYPED = st.one_of(
    st.tuples(st.just("str"), TEXT, st.sampled_from(["exact", {"type": "ExactMatch"}, {"type": "NormalizedExact"}])),
    st.tuples(
        st.just("int"), st.integers(-(10**6), 10**6), st.sampled_from(["numeric_exact", {"type": "NumericExact"}])
    ),
    st.tuples(
        st.just("float"),
        st.floats(-1e6, 1e6),
        st.sampled_from(
            [{"type": "NumericTolerance", "tolerance": 0.25}, {"type": "NumericGraded", "cutoff": 1, "full_credit": 0}]
        ),
    ),
    st.tuples(st.just("bool"), st.booleans(), st.sampled_from(["boolean", {"operator": "boolean", "settings": {}}])),
    st.tuples(st.just("date"), st.dates().map(str), st.sampled_from(["date_match", {"type": "DateMatch"}])),
    st.tuples(st.just("list_str"), st.lists(TEXT, min_size=1, max_size=3, unique=True), st.just("set_containment")),
)


@st.composite
def specs(draw):
    names = draw(st.lists(st.sampled_from(["a", "b2", "c_d", "größe", "Value"]), min_size=1, max_size=4, unique=True))
    fields = []
    for name in names:
        kind, truth, operator = draw(TYPED)
        field = {"name": name, "type": kind, "description": draw(TEXT), "ground_truth": truth, "verify_with": operator}
        if draw(st.booleans()):
            field["weight"] = draw(st.sampled_from([0, 1, 2.5, "0.1"]))
        if draw(st.booleans()):
            field["extraction_hint"] = draw(TEXT)
        if draw(st.booleans()):
            other = {"value": truth, "verify_with": operator}
            field["ground_truth"] = {"source": "a.b", "cases": {draw(TEXT): other}, "default": {"value": truth}}
        fields.append(field)
    checks = [{"type": "field_check", "field_name": name} for name in names]
    strategies = [
        None,
        checks[0],
        {"type": "any_of", "conditions": checks},
        {"type": "at_least_n", "n": 1, "conditions": [{"type": "all_of", "conditions": checks}]},
    ]
    spec = {
        "fields": fields,
        "verify_strategy": draw(st.sampled_from(strategies)),
        "class_name": draw(st.sampled_from(["Answer", "A_1"])),
    }
    return {key: value for key, value in spec.items() if value is not None}


@pytest.mark.ci
@given(specs())
@settings(max_examples=15, deadline=None)
def test_spec_and_template_are_two_forms_of_one_thing(document):
    template = template_from_spec(document)
    spec = template_to_spec(template)
    again = template_from_spec(json.loads(json.dumps(spec.model_dump(mode="json", exclude_defaults=True))))
    same(template, again)
    assert template_to_spec(again) == spec


SEMANTIC = {"operator": "semantic", "settings": {"embedder": "os:system"}}


def field(**changes):
    base = {"name": "x", "type": "str", "description": "d", "ground_truth": "a", "verify_with": "exact"}
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def refused(document, message):
    with pytest.raises((SettingsError, TemplateError), match=message):
        template_from_spec(document)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"descripton": "d"}, "Did you mean 'description'"),
        ({"groundtruth": "a"}, "no key 'groundtruth'.*Did you mean 'ground_truth'"),
        ({"wieght": 2}, "Did you mean 'weight'"),
        ({"validator": "os.system"}, "no key 'validator'"),
        ({"default": "a"}, "no key 'default'"),
        ({"description": None}, "needs the key 'description'"),
        ({"description": " "}, "description"),
        ({"verify_with": None}, "needs the key 'verify_with'"),
        ({"ground_truth": None}, "needs the key 'ground_truth'"),
        ({"name": "x y"}, "no name of a class or field"),
        ({"name": "class"}, "no name of a class or field"),
        ({"name": "__class__"}, "no name of"),
        ({"name": "_x"}, "no name of"),
        ({"name": "id"}, "reserved"),
        ({"name": "verify"}, "reserved"),
        ({"name": "VerificationStrategy"}, "the name of the strategy"),
        ({"name": "model_config"}, "no name of"),
        ({"name": "model_post_init"}, "no name of"),
        ({"name": "__init_subclass__"}, "no name of"),
        ({"name": 5}, "name"),
        ({"type": "text"}, "type='text' is unknown"),
        ({"type": "Str"}, "Did you mean 'str'"),
        ({"type": ["str"]}, "type"),
        ({"type": "int"}, "no answer passes"),
        ({"type": "literal"}, "literal_values"),
        ({"literal_values": ["a"]}, "literal_values"),
        ({"type": "literal", "literal_values": []}, "literal_values"),
        ({"type": "literal", "literal_values": ["b"], "verify_with": "literal"}, "none of the values"),
        ({"type": "literal", "literal_values": [1], "verify_with": "literal"}, "literal_values"),
        ({"weight": -1}, "weight"),
        ({"weight": "many"}, "weight"),
        ({"weight": True}, "weight"),
        ({"quote": "yes"}, "quote"),
        ({"is_trace": True}, "is_trace"),
        (
            {"type": "bool", "ground_truth": True, "verify_with": {"type": "TraceContains", "substring": "x"}},
            "is_trace",
        ),
        ({"verify_with": {"type": "SemanticMatch", "embedder": "os:system"}}, "an embedder is code"),
        ({"verify_with": {"operator": "semantic", "settings": {"embedder": "os:system"}}}, "an embedder is code"),
        ({"verify_with": {"type": "all_of", "conditions": [SEMANTIC]}}, "an embedder is code"),
        (
            {
                "ground_truth": {
                    "source": "a",
                    "cases": {"k": {"value": "b", "verify_with": SEMANTIC}},
                    "default": {"value": "b"},
                }
            },
            "code",
        ),
        ({"verify_with": {"operator": "semantic", "settings": {"embedder": {"$type": "object"}}}}, "verify_with"),
        ({"verify_with": {"type": "answer_template", "fields": {"a": "exact"}}}, "operator of records"),
        ({"verify_with": "pass_rate"}, "operator of records"),
        ({"verify_with": "case_choice"}, "operator of records"),
        ({"verify_with": "scorer_verdict"}, "operator of records"),
        ({"verify_with": "exactly"}, "Did you mean 'exact'"),
        ({"verify_with": {"type": "ExactMach"}}, "Did you mean 'ExactMatch'"),
        ({"verify_with": {"type": "os.system", "command": "x"}}, "there is no operator 'os.system'"),
        ({"verify_with": {"type": "Operator"}}, "there is no operator"),
        ({"verify_with": {"type": "__builtins__"}}, "there is no operator"),
        ({"verify_with": {"type": "warnings"}}, "there is no operator"),
        ({"verify_with": {"type": ["ExactMatch"]}}, "takes an operator"),
        ({"verify_with": {"type": "ExactMatch", "normalise": []}}, "Did you mean 'normalize'"),
        ({"verify_with": {"type": "ExactMatch", "normalize": ["strp"]}}, "strp"),
        ({"verify_with": {"type": "RegexMatch", "pattern": "("}}, "pattern"),
        ({"verify_with": {"operator": "exact", "settngs": {}}}, "an operator is given"),
        ({"verify_with": {"operator": "ExactMatch", "normalize": []}}, "an operator is given"),
        ({"verify_with": {}}, "takes an operator"),
        ({"verify_with": 5}, "takes an operator"),
        ({"verify_with": {"type": "NumericGraded"}, "type": "int", "ground_truth": 1}, "cutoff"),
        ({"ground_truth": {"source": "a", "cases": {"k": {"value": "b"}}}}, "needs the key 'default'"),
        ({"ground_truth": {"sorce": "a", "cases": {}, "default": {"value": "b"}}}, "Did you mean 'source'"),
        ({"ground_truth": {"source": "a", "cases": {"k": {"valu": 1}}, "default": {"value": "b"}}}, "valu"),
        (
            {"ground_truth": {"source": "a", "cases": {"k": {"value": ""}}, "default": {"value": "\u200b"}}},
            "no visible",
        ),
        ({"ground_truth": {"a": 1}}, "no key 'a'"),
        ({"ground_truth": "\u200b"}, "no visible character"),
    ],
)
def test_wrong_field_is_refused(changes, message):
    refused({"fields": [field(**changes)]}, message)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "needs the key 'fields'"),
        ({"fields": []}, "at least one field"),
        ({"fields": {"x": field()}}, "fields"),
        ({"fields": [field()], "verify_stratgy": None}, "Did you mean 'verify_strategy'"),
        ({"fields": [field()], "class": "A"}, "no key 'class'"),
        ({"fields": [field()], "class_name": "A B"}, "no name of a class"),
        ({"fields": [field()], "class_name": "x; import os"}, "no name of a class"),
        ({"fields": [field()], "class_name": ""}, "class_name"),
        ({"fields": [field(), field()]}, "one name"),
        ({"fields": [field(), field(name="x_quote")], "quote": True}, "no key 'quote'"),
        ({"fields": [field(quote=True), field(name="x_quote")]}, "x_quote"),
        ([field()], "is a mapping"),
        ("- a", "is a mapping"),
        ("fields: [", "not YAML"),
        ("", "empty"),
        ("fields: [{name: no, type: str, description: d, ground_truth: a, verify_with: exact}]", ":1:"),
        ("fields: [{name: x, type: date, description: d, ground_truth: 2024-01-01, verify_with: date_match}]", ":1:"),
        ("!!python/object/apply:os.system ['true']", "the tag"),
        (json.dumps({"fields": [field(description="\ud83d")]}), "it is not YAML"),
        ('{"fields": [], "fields": []}', "occurs twice"),
        (Path("nowhere") / "spec.yaml", "spec.yaml: it cannot be read: No such file"),
        ({"operator": "answer_template", "expected": {"x": 1}, "observed": {"x": 1}}, "no key 'operator'"),
        ({"records": [], "schema_version": 1}, "no key 'records'"),
    ],
)
def test_wrong_spec_is_refused(document, message):
    refused(document, message)


def nested(levels):
    strategy = {"type": "field_check", "field_name": "x"}
    for _ in range(levels):
        strategy = {"type": "all_of", "conditions": [strategy]}
    return strategy


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ({"type": "all_off", "conditions": []}, "Did you mean 'all_of'"),
        ({"type": "all_of", "conditions": []}, "needs conditions"),
        ({"type": "all_of"}, "needs conditions"),
        ({"type": "any_of", "n": 1, "conditions": [{"type": "field_check", "field_name": "x"}]}, "got conditions, n"),
        ({"type": "at_least_n", "conditions": [{"type": "field_check", "field_name": "x"}]}, "needs conditions, n"),
        ({"type": "at_least_n", "n": 2, "conditions": [{"type": "field_check", "field_name": "x"}]}, "n"),
        ({"type": "at_least_n", "n": 0, "conditions": [{"type": "field_check", "field_name": "x"}]}, "n"),
        ({"type": "at_least_n", "n": True, "conditions": [{"type": "field_check", "field_name": "x"}]}, "n"),
        ({"type": "field_check"}, "needs field_name"),
        ({"type": "field_check", "field": "x"}, "no key 'field'"),
        ({"type": "field_check", "field_name": "y"}, "not a verified field"),
        ({"type": "field_check", "field_name": "x", "conditions": [{"type": "field_check", "field_name": "x"}]}, "got"),
        ({"type": "exact"}, "unknown"),
        ("all_of", "is a mapping"),
        ([], "is a mapping"),
        (nested(3000), "nested too deeply"),
    ],
)
def test_wrong_strategy_is_refused(strategy, message):
    refused({"fields": [field()], "verify_strategy": strategy}, message)


def made(kind, truth, operator, base=BaseAnswer, body=None, **arguments):
    members = {
        "__annotations__": {"x": kind},
        "x": VerifiedField("d", truth, operator, **arguments),
        "__module__": __name__,
    }
    return type(BaseAnswer)("Answer", (base,), {**members, **(body or {})})


class Checked(BaseAnswer):
    x: str = VerifiedField("d", "a", ExactMatch())

    @field_validator("x")
    @classmethod
    def strip(cls, value):
        return value.strip()


class Computed(BaseAnswer):
    x: str = VerifiedField("d", "a", ExactMatch())

    @computed_field
    @property
    def upper(self) -> str:
        return self.x.upper()


class Handwritten(BaseAnswer):
    x: str = VerifiedField("d", "a", ExactMatch())

    def verify(self):
        return True


class WithPlain(BaseAnswer):
    x: str = VerifiedField("d", "a", ExactMatch())
    y: str = Field("", description="d")


class WithRegex(BaseAnswer):
    regex: ClassVar = {"r": {"pattern": "a", "expected": "a"}}
    x: str = VerifiedField("d", "a", ExactMatch())


@pytest.mark.parametrize(
    "template",
    [
        Checked,
        Computed,
        Handwritten,
        WithPlain,
        WithRegex,
        made(str, "a", ExactMatch(), max_length=5),
        made(str, "a", ExactMatch(), pattern="a"),
        made(str, "a", ExactMatch(), title="Name"),
        made(str, "a", ExactMatch(), examples=["b"]),
        made(str, "a", ExactMatch(), json_schema_extra={"comment": "c"}),
        made(int, 1, NumericExact(), ge=0),
        made(Annotated[int, Field(le=5)], 1, NumericExact()),
        made(Annotated[str, BeforeValidator(str.strip)], "a", ExactMatch()),
        made(str, "a", ExactMatch(), strict=True),
        made(str, "a", ExactMatch(), body={"model_post_init": lambda self, context: None}),
        made(str, "a", ExactMatch(), body={"verify_regex": lambda self, trace: {}}),
        made(str, "a", ExactMatch(), body={"__eq__": lambda self, other: True}),
        made(str, "a", ExactMatch(), body={"_count": 0}),
        made(str | None, "a", ExactMatch()),
        made(int | str, 1, NumericExact()),
        made(list[int], [1], SetContainment()),
        made(tuple[str, ...], ["a"], SetContainment()),
        made(Color, Color.RED, LiteralMatch()),
        made(Literal[1, 2], 1, LiteralMatch()),
        made(dict[str, int], {"a": 1}, "json_canonical"),
        made(datetime.datetime, datetime.datetime(2024, 1, 1), DateMatch()),
        made(float, float("inf"), NumericExact()),
        made(list[str], ("a", "b"), SetContainment()),
        made(list[str], {"a", "b"}, SetContainment()),
        made(str, "a", ExactMatch(), body={"model_config": ConfigDict(strict=True)}),
        made(str, "a", ExactMatch(), body={"model_config": ConfigDict(str_strip_whitespace=True)}),
    ],
)
def test_template_with_more_than_a_spec_has_is_refused(template):
    with pytest.raises(TemplateError, match="a spec"):
        template_to_spec(template)


@pytest.mark.parametrize("number", ["1e-07", "1e+22", "1.5e3", "1.5"])
def test_text_in_json_is_read_as_json(number, tmp_path):
    text = json.dumps({"fields": [field(type="float", ground_truth=0, verify_with="numeric_exact", description="😀")]})
    path = tmp_path / "spec.json"
    path.write_text(text.replace('"ground_truth": 0', f'"ground_truth": {number}'))
    for source in (path, path.read_text()):
        template = template_from_spec(source)
        assert template.model_fields["x"].description == "😀"
        assert template.__verdict_definition__.expected == {"x": float(number)}


@pytest.mark.parametrize(
    ("operator", "built"),
    [
        ({"operator": "ExactMatch"}, ExactMatch()),
        ({"operator": "ExactMatch", "settings": {}}, ExactMatch()),
        ({"operator": "ExactMatch", "settings": {"normalize": []}}, ExactMatch(normalize=[])),
        ({"type": "ExactMatch", "normalize": []}, ExactMatch(normalize=[])),
        ({"operator": "exact", "settings": {"normalize": ["strip"]}}, ExactMatch(normalize=["strip"])),
    ],
)
def test_primitive_has_settings_in_each_form(operator, built):
    template = template_from_spec({"fields": [field(verify_with=operator)]})
    for value in ("a", "A", " a"):
        assert template(x=value).verify() is built.check(value, "a")


def test_texts_like_code_are_texts():
    schema = {"type": "json_schema", "schema_document": {"const": {"operator": "semantic"}}}
    template_from_spec({"fields": [field(verify_with=schema)]})
    for truth in ("pass_rate", "embedder", "semantic", "os:system"):
        assert template_from_spec({"fields": [field(ground_truth=truth)]})(x=truth).verify()
    contains = {"type": "ContainsAny", "substrings": ["pass_rate", "embedder"]}
    assert template_from_spec({"fields": [field(verify_with=contains)]})(x="the pass_rate").verify()
    template_from_spec({"fields": [field(verify_with={"type": "SemanticMatch", "threshold": 0.9})]})


@pytest.mark.parametrize(
    "operator",
    [
        ExactMatch(),
        RegexMatch(pattern="a", flags=["IGNORECASE"]),
        TextSimilarity(metric="jaro"),
        "one_of",
    ],
)
def test_operators_keep_their_settings(operator):
    template = made(str, ["a", "b"] if operator == "one_of" else "a", operator)
    same(template, template_from_spec(template_to_spec(template).model_dump(mode="json")))


def test_graded_primitive_by_its_name():
    spec = {"type": "NumericGraded", "cutoff": 0.25, "full_credit": 0.01}
    template = template_from_spec({"fields": [field(type="int", ground_truth=42, verify_with=spec)]})
    operator = template.__verdict_definition__.verified["x"].operator
    assert operator == NumericGraded(cutoff=0.25, full_credit=0.01)


@pytest.mark.parametrize(
    ("truth", "operator", "right", "wrong"),
    [
        ("Paris", "normalized_exact", "paris", "Lyon"),
        (42, "numeric_exact", 42, 41),
        (1.5, {"type": "NumericTolerance", "tolerance": 0.1}, 1.6, 2),
        (True, "boolean", True, False),
        (datetime.date(2024, 1, 1), "date_match", "2024-01-01", "2024-01-02"),
        (["a", "b"], "set_containment", ["b", "a"], ["a"]),
        ("Paris", ExactMatch(), "paris", "Lyon"),
    ],
)
def test_value_template_asks_its_question(truth, operator, right, wrong):
    template = value_template("What is asked?", truth, operator)
    assert "What is asked?" in judge_schema(template)["description"]
    assert AnswerTemplate(template).verify({"value": right}).passed
    assert not AnswerTemplate(template).verify({"value": wrong}).passed
    assert not AnswerTemplate(template).verify({}).passed


def test_value_template_takes_an_operator_with_code():
    operator = SemanticMatch(embedder=lambda texts: [[1.0, 0.0] for _ in texts])
    template = value_template("q", "Paris", operator)
    assert AnswerTemplate(template).verify({"value": "Lutetia"}).passed
    with pytest.raises(TemplateError, match="an embedder is code"):
        template_to_spec(template)


@pytest.mark.parametrize(
    ("question", "truth", "operator"),
    [
        ("", "a", "exact"),
        (" ", "a", "exact"),
        (None, "a", "exact"),
        ("q", None, "exact"),
        ("q", {"a": 1}, "json_canonical"),
        ("q", b"a", "exact"),
        ("q", "many", "numeric_exact"),
        ("q", [1], "set_containment"),
    ],
)
def test_value_template_refuses_what_is_no_value(question, truth, operator):
    with pytest.raises((TemplateError, SettingsError)):
        value_template(question, truth, operator)
