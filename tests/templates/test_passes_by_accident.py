"""What would pass an answer template although nothing was checked, and the neighbours that are meant."""

from __future__ import annotations

import datetime
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.errors import PydanticUserError

from pytest_verdict import compare
from pytest_verdict.errors import SettingsError, TemplateError
from pytest_verdict.operators import (
    AllOf,
    AnyOf,
    AtLeastN,
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    DateTolerance,
    Exact,
    JsonCanonical,
    JsonSchema,
    JsonSubset,
    NotBlank,
    NotContains,
    NumericMinimum,
    NumericRange,
    NumericTolerance,
    OneOf,
    OrderedMatch,
    SetContainment,
    SetSimilarity,
    StartsWith,
    TraceLength,
    TraceRegex,
)
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ConditionalGroundTruth,
    ExactMatch,
    FieldCheck,
    GroundTruthCase,
    NumericGraded,
    NumericRangeGraded,
    NumericThresholdGraded,
    RegexMatch,
    TemplateWarning,
    VerifiedField,
)

TRACE = (
    "The capital is **Paris**,\nand it was founded in 259 BC. Yes, it is old. It has 2 airports; 1,234 trams; 5 million"
    " guests. The gene is BCL2. 首都は巴里です。"
)


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Paris", "capital is Paris"),
        ("Paris", "The capital is **Paris**, and"),
        ("Paris", "Paris"),
        ("paris", "is\n Paris"),
        ("Paris", "The cap\u200bital is Paris"),
        ("Bcl-2", "gene is BCL2"),
        (259, "founded in 259 BC"),
        (259, "259"),
        (1234, "1,234 trams"),
        (5_000_000, "5 million guests"),
        ("259 BC", "founded in 259 BC"),
        (["Paris", "BCL2"], "capital is Paris"),
        (["Paris", "2 airports"], "capital is Paris"),
        ([259, 1234], "founded in 259 BC"),
        ([], "capital is Paris"),
        (datetime.date(259, 3, 1), "founded in 259 BC"),
        (None, "The capital is Paris"),
        (True, "it is old"),
        ("old", "it is old"),
        ("巴里", "首都は巴里"),
    ],
)
def test_quote_supports_a_value(value, quote):
    assert compare("quote_check", quote, TRACE, value=value).passed


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Paris", "a"),
        ("Paris", "P"),
        ("Paris", "."),
        ("Paris", ", "),
        ("Paris", "**"),
        ("Paris", ""),
        ("Paris", "\u200b"),
        ("Paris", "\ufeff\u2060"),
        ("Paris", None),
        ("Paris", ["Paris"]),
        ("Paris", 5),
        ("Paris", "Par"),
        ("Paris", "aris"),
        ("Paris", "l is P"),
        ("Paris", "it was founded in 259 BC"),
        ("Paris", "The capital"),
        ("Paris", "it is old"),
        ("Lyon", "The capital is Paris"),
        ("Lyon", "it is old"),
        (259, "The capital is Paris"),
        (259, "25"),
        (259, "59 BC"),
        (259, "2 airports"),
        (1234, "234 trams"),
        (5, "5"),
        (2, "founded in 259 BC"),
        (True, "is"),
        (True, "is a"),
        (True, "Y"),
        ({"a": 1}, "is"),
        (["Lyon"], "The capital is Paris"),
        (["Paris", "Lyon"], "capital is Paris"),
        (["Paris", "BCL2", "Rome"], "capital is Paris"),
        ({"Paris", "Lyon"}, "capital is Paris"),
        (["Paris", 77], "capital is Paris"),
        ([259, 77], "founded in 259 BC"),
        ([1234, 5_000_000], "founded in 259 BC"),
        (77, "The capital is Paris"),
        (77, "founded in 259 BC"),
        (25.9001, "founded in 259 BC"),
        (1e9, "1,234 trams"),
        (-77, "It has 2 airports"),
        (21, "It has 2 airports"),
        (60_000_001, "5 million guests"),
        (5, "trams; 5"),
        ("Lyon 259", "The capital is Paris"),
        ("the old Paris", "capital is Paris"),
        (["the old Paris", "more trams"], "capital is Paris"),
        (5, "5 million guests"),
        (5000, "5 million guests"),
        (-259, "founded in 259 BC"),
        (3, "The capital is Paris"),
        (0, "The capital is Paris"),
        (20, "capital is Paris"),
        (datetime.datetime(1928, 3, 1), "founded in 259 BC"),
        (True, "Yes"),
        ("A B", "The capital is Paris"),
    ],
)
def test_quote_does_not_support_a_value(value, quote):
    result = compare("quote_check", quote, TRACE, value=value)
    assert result.verdict == "fail"
    assert result.details["reason"]


MEN = "On 5 March 1928, at 10:30, twenty-five men and two thousand women came; the rest, 5/6, 1 234,5 kg, in '29."


@pytest.mark.parametrize(
    ("value", "quote", "supports"),
    [
        (25, "twenty-five men", True),
        (2000, "two thousand women", True),
        (2, "two thousand women", False),
        (2500, "twenty-five men", False),
        (26, "twenty-five men", False),
        (3000, "two thousand women", False),
        (0.83, "the rest, 5/6", False),
        (1234.5, "1 234,5 kg", False),
        (12345, "1 234,5 kg", False),
        (12345, "two thousand women", False),
        (datetime.date(1928, 3, 5), "On 5 March 1928", True),
        (datetime.date(1927, 3, 5), "On 5 March 1928", False),
        (datetime.date(1928, 3, 5), "twenty-five men", False),
        (datetime.date(1929, 1, 1), "the rest, 5/6, 1 234,5 kg, in '29", False),
        (datetime.datetime(1928, 3, 5, 10, 30), "On 5 March 1928, at 10:30", True),
        ([datetime.date(1928, 3, 5), datetime.date(1930, 1, 1)], "On 5 March 1928", False),
    ],
)
def test_quote_supports_numbers_in_words_and_dates(value, quote, supports):
    assert compare("quote_check", quote, MEN, value=value).passed is supports


@pytest.mark.parametrize(
    ("value", "quote", "supports"),
    [
        ("12", "see 1 2", False),
        ("1 2", "see 1 2", True),
        ("bcl2", "the BCL-2 gene", True),
        ("2016-04-11", "on 2016/04/11", True),
        ("20160411", "on 2016/04/11", False),
        ("5", "costs 5,000", False),
        ({"a": "Paris", "b": 1}, "see 1 2", False),
        ("cost s", "costs 5,000", False),
        ("costs", "costs 5,000", True),
    ],
)
def test_words_and_numbers_of_a_quote_are_whole(value, quote, supports):
    trace = "We see 1 2; the BCL-2 gene, on 2016/04/11, costs 5,000."
    assert compare("quote_check", quote, trace, value=value).passed is supports


def test_quote_from_a_response_that_repeats_itself_is_found_at_once():
    started = time.process_time()
    assert not compare("quote_check", "a " * 2_000 + "b", "a " * 20_000, value="b").passed
    assert time.process_time() - started < 5


def test_choice_may_be_said_in_other_words():
    class Answer(BaseAnswer):
        age: Literal["ancient", "modern"] = VerifiedField("The age", "ancient", ExactMatch(), quote=True)

    def verify(quote):
        return AnswerTemplate(Answer).verify({"age": "ancient", "age_quote": quote}, TRACE).passed

    assert verify("founded in 259 BC")
    assert not verify("in")


def build(kind, truth, operator, base=(BaseAnswer,), **options):
    body = {"__annotations__": {"x": kind}, "__module__": __name__, "x": VerifiedField("d", truth, operator, **options)}
    return type(BaseAnswer)("Answer", base, body)


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "options"),
    [
        (dict[str, Any], {}, JsonSchema(), {}),
        (Any, True, JsonSchema(), {}),
        (int, 0, NumericMinimum(), {"ge": 0}),
        (float, [0, 1], NumericRange(), {"ge": 0, "le": 1}),
        (float, 1.0, NumericTolerance(tolerance=1e30, mode="absolute"), {}),
        (int, 5, NumericTolerance(tolerance=5, mode="absolute"), {"ge": 0, "le": 10}),
        (int, 5, NumericGraded(cutoff=100, full_credit=50, mode="absolute"), {"ge": 0, "le": 10}),
        (float, 0.5, NumericTolerance(tolerance=0.5, mode="absolute"), {"ge": 0, "le": 1}),
        (Literal["a", "b"], ["a", "b"], "one_of", {}),
        (Literal["a", "b"], ["b", "a", "c"], OneOf(), {}),
        (Literal["a", "b"] | None, ["a", "b"], "one_of", {}),
        (Literal[1, 2], [1, 2], "one_of", {}),
        (list[Literal["a", "b"]], ["a", "b"], SetContainment(mode="subset"), {}),
        (str, "a", AnyOf(conditions=["contains_any", "not_contains"]), {}),
        (Literal["red", "dark red"], "red", "contains_any", {}),
    ],
    ids=str,
)
def test_check_that_every_answer_passes_is_refused(kind, truth, operator, options):
    with pytest.raises(TemplateError, match=r"every answer passes with the ground truth .* so it checks nothing"):
        build(kind, truth, operator, **options)


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "options"),
    [
        (int, 5, NumericTolerance(tolerance=4, mode="absolute"), {"ge": 0, "le": 10}),
        (float, 1.0, NumericTolerance(tolerance=0.5, mode="absolute"), {"ge": 0, "le": 1}),
        (float, 0.0, NumericTolerance(tolerance=1e6, mode="absolute"), {}),
        (int, 7, NumericTolerance(tolerance=0.5), {"ge": 0}),
        (int, 5, "numeric_exact", {"ge": 5, "le": 6}),
        (Literal["a", "b", "c"], ["a", "b"], "one_of", {}),
        (Literal["a"], "a", "exact", {}),
        (Literal["red", "dark red", "blue"], "red", "contains_any", {}),
        (list[Literal["a", "b"]], ["a"], SetContainment(mode="subset"), {}),
        (list[Literal["a", "b"]], ["a", "b"], SetContainment(), {}),
        (str, "a", AnyOf(conditions=["exact", "not_blank"]), {}),
        (str, "a", AnyOf(conditions=["exact", "starts_with"]), {}),
        (str, "2024-01-01", DateTolerance(tolerance=400), {}),
    ],
    ids=str,
)
def test_check_with_bounds_or_choices_that_some_answer_fails_is_accepted(kind, truth, operator, options):
    build(kind, truth, operator, **options)


def build_strategy(node):
    """Return a template of three fields with a strategy."""
    body = {"__annotations__": dict.fromkeys("abc", str), "__module__": __name__, "__qualname__": "Answer"}
    body |= {name: VerifiedField("d", "v", "exact") for name in "abc"}
    place = {"__module__": __name__, "__qualname__": "Answer.VerificationStrategy"}
    body["VerificationStrategy"] = type("VerificationStrategy", (), {"verify_strategy": node, **place})
    return type(BaseAnswer)("Answer", (BaseAnswer,), body)


A, B, C = (FieldCheck(field=name) for name in "abc")


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (AtLeastN(n=2, conditions=[A, A, B]), "'a' twice in at_least_n"),
        (AnyOf(conditions=[A, A]), "'a' twice in any_of"),
        (AllOf(conditions=[A, B, A]), "'a' twice in all_of"),
        (AllOf(conditions=[C, AtLeastN(n=2, conditions=[A, B, B])]), "'b' twice in at_least_n"),
        (AnyOf(conditions=[A, AllOf(conditions=[B, AnyOf(conditions=[C, C])])]), "'c' twice in any_of"),
        (FieldCheck(field="a", operator="not_blank"), "drop its operator"),
        (AllOf(conditions=[A, FieldCheck(field="b", operator="exact")]), "drop its operator"),
    ],
)
def test_strategy_that_counts_a_field_twice_is_refused(node, message):
    with pytest.raises(TemplateError, match=message):
        build_strategy(node)


@pytest.mark.parametrize(
    "node",
    [
        AnyOf(conditions=[A, AllOf(conditions=[A, B])]),
        AtLeastN(n=2, conditions=[A, B, AllOf(conditions=[A, C])]),
        AllOf(conditions=[AnyOf(conditions=[A, B]), AnyOf(conditions=[A, C])]),
        AtLeastN(n=2, conditions=[A, B, C]),
        A,
    ],
)
def test_strategy_may_have_a_field_in_several_parts(node):
    build_strategy(node)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([" low"], "has blanks around it"),
        (["low "], "has blanks around it"),
        (["low", " "], "has blanks around it"),
        (["true", "True"], "are for one value"),
        (["FALSE", "false"], "are for one value"),
        (["1", "1.0"], "are for one value"),
        (["-2.0", "x", "-2"], "are for one value"),
    ],
)
def test_cases_that_no_value_or_one_value_chooses_are_refused(names, message):
    with pytest.raises(SettingsError, match=message):
        ConditionalGroundTruth(
            source="a",
            cases={name: GroundTruthCase(value=number) for number, name in enumerate(names)},
            default=GroundTruthCase(value=9),
        )


@pytest.mark.parametrize(
    "names", [["low", "Low"], ["", "a b"], ["1", "2.0", "1.5"], ["true", "false", "truE?"], ["v1.0", "v1"]]
)
def test_cases_of_several_values_are_accepted(names):
    cases = {name: GroundTruthCase(value=number) for number, name in enumerate(names)}
    assert len(ConditionalGroundTruth(source="a", cases=cases, default=GroundTruthCase(value=9)).cases) == len(names)


@pytest.mark.parametrize(
    ("kind", "truth", "operator"),
    [
        (list[str], [], SetContainment(mode="superset")),
        (set[str], set(), SetContainment(mode="superset")),
        (Any, (), SetContainment(mode="superset")),
        (dict, {}, JsonSubset()),
        (list, [], JsonSubset()),
        (str, ".*", RegexMatch()),
    ],
    ids=str,
)
def test_ground_truth_that_every_answer_contains_is_refused(kind, truth, operator):
    with pytest.raises(
        TemplateError, match=r"no answer passes with the ground truth .*cannot read it: expected must be"
    ):
        build(kind, truth, operator)


@pytest.mark.parametrize(
    ("kind", "truth", "operator"),
    [
        (str, "  ", ExactMatch()),
        (str, "\u200b", ExactMatch()),
        (str, "\u200b\u200b", Exact()),
        (str, "\u200b", ContainsAny()),
        (str, ["a", "\u2060"], ContainsAll()),
        (str, "\ufeff", StartsWith()),
        (str, ["a", "\u200b"], OneOf()),
        (list[str], ["  "], SetContainment(normalize=["strip"])),
    ],
    ids=str,
)
def test_ground_truth_without_visible_characters_is_refused(kind, truth, operator):
    with pytest.raises(TemplateError, match="no answer passes"):
        build(kind, truth, operator)


@pytest.mark.parametrize(
    ("kind", "truth", "operator"),
    [
        (list[str], [], SetContainment()),
        (list[str], [], OrderedMatch()),
        (list[str], [], SetSimilarity()),
        (dict, {}, JsonCanonical()),
        (str, "", ExactMatch()),
        (str, "\t", Exact()),
        (str, "zzz", NotContains()),
        (str, ["zzz", "y"], NotContains()),
        (str, "x", NotBlank()),
        (Literal["a", "b"], "x", NotBlank()),
        (str, ".+", RegexMatch()),
        (str, "^$", RegexMatch()),
        (int, 0, NumericMinimum()),
        (bool, True, BooleanMatch()),
        (bool, True, TraceRegex(pattern="a")),
        (bool, False, TraceRegex(pattern="a")),
        (bool, True, TraceLength(min=1)),
        (Literal["a"], "a", ExactMatch()),
        (list[str], ["a"], SetContainment(mode="superset")),
        (dict, {"a": 1}, JsonSubset()),
        (str, "?", ContainsAny()),
    ],
    ids=str,
)
def test_check_that_some_answer_fails_is_accepted(kind, truth, operator):
    assert build(kind, truth, operator).__verdict_definition__.verified


def field(**options):
    return VerifiedField("d", "Paris", ExactMatch(), **options)


class Inner(BaseAnswer):
    city: str = field()


class Part(BaseModel):
    city: str = field()


@dataclass
class Piece:
    city: Annotated[str, field()]


class Holder(BaseModel):
    inner: list[Inner]


@pytest.mark.parametrize(
    "kind",
    [
        Inner,
        Inner | None,
        list[Inner],
        dict[str, Inner],
        tuple[Inner, ...],
        Inner | int,
        Part,
        list[Part],
        Piece,
        Holder,
        dict[str, list[Holder]],
        list[Annotated[str, field()]],
        Annotated[str, field()] | None,
    ],
    ids=str,
)
def test_verified_field_inside_of_a_type_is_refused(kind):
    with pytest.raises(TemplateError, match=r"^Outer\.inner: nothing checks "):

        class Outer(BaseAnswer):
            city: str = field()
            inner: kind  # type: ignore[valid-type]

            __annotations__["inner"] = kind


@pytest.mark.parametrize("kind", [ClassVar[str], ClassVar, "ClassVar[str]"], ids=str)
def test_annotation_that_turns_a_field_off_is_refused(kind):
    body = {"__annotations__": {"x": kind}, "__module__": __name__, "x": field()}
    with pytest.raises(TemplateError, match=r"^Answer\.x is no field because of its annotation"):
        type(BaseAnswer)("Answer", (BaseAnswer,), body)
    with pytest.raises(TemplateError, match=r"^Derived\.city is verified by Inner, and no longer here"):
        type(BaseAnswer)(
            "Derived", (Inner,), {"__annotations__": {"city": kind}, "city": "Paris", "__module__": __name__}
        )


@pytest.mark.parametrize("member", [Field(default="Paris"), property(lambda _: "Paris")], ids=["field", "property"])
def test_verified_field_that_a_subclass_replaces_is_refused(member):
    body = {"__annotations__": {"city": str}, "city": member, "__module__": __name__}
    with pytest.raises(TemplateError, match=r"^Derived\.city is verified by Inner"):
        type(BaseAnswer)("Derived", (Inner,), body)


@pytest.mark.parametrize("name", ["_x", "__x"])
def test_private_name_is_refused(name):
    with pytest.raises(PydanticUserError, match="leading underscores"):
        type(BaseAnswer)("Answer", (BaseAnswer,), {"__annotations__": {name: str}, name: field()})


@pytest.mark.parametrize("options", [{"exclude": True}, {"init": False}, {"frozen": True}, {"repr": False}], ids=str)
def test_option_of_a_field_does_not_turn_it_off(options):
    answer = build(str, "Paris", ExactMatch(), **options)
    assert AnswerTemplate(answer).verify({"x": "Lyon"}).verdict == "fail"
    assert AnswerTemplate(answer).verify({"x": "Paris"}).verdict == "pass"


def test_annotated_field_and_mixin_are_verified():
    class Mixin:
        x: str = field()

    class Answer(Mixin, BaseAnswer):
        model_config = ConfigDict(frozen=True)
        y: Annotated[str, field()]

    assert AnswerTemplate(Answer).verify({"x": "Paris", "y": "Lyon"}).verdict == "fail"
    assert AnswerTemplate(Answer).verify({"x": "Lyon", "y": "Paris"}).verdict == "fail"


class Silent(BaseAnswer):
    city: str = field(default="Paris")
    country: str = field(default_factory=lambda: "Paris")
    mayor: str | None = VerifiedField("The mayor", None, ExactMatch(), default=None)


@pytest.mark.parametrize("reply", [{}, "{}", Silent(), {"city": None}], ids=str)
def test_default_is_no_answer(reply):
    result = AnswerTemplate(Silent).verify(reply)
    assert (result.verdict, result.null_fields) == ("fail", ["city", "country", "mayor"])


def test_instance_of_a_judge_without_values_is_no_answer():
    template = AnswerTemplate(Silent, lambda _: Silent())
    assert template.verify(template.parse("Nothing.")).verdict == "fail"


def test_null_passes_only_where_it_is_said():
    values = {"city": "Paris", "country": "Paris"}
    assert AnswerTemplate(Silent).verify({**values, "mayor": None}).verdict == "pass"
    assert AnswerTemplate(Silent).verify(Silent(**values, mayor=None)).verdict == "pass"
    assert AnswerTemplate(Silent).verify(values).null_fields == ["mayor"]


@pytest.mark.parametrize(
    ("trace", "entry"),
    [
        ("none", {"pattern": r"\d", "expected": [], "match_type": "all"}),
        ("5", {"pattern": r"\d", "expected": [], "match_type": "all"}),
        ("5", {"pattern": r"\d", "expected": (), "match_type": "all"}),
        ("5", {"pattern": r"\d", "expected": "5", "match_type": "all"}),
        ("5", {"pattern": r"\d", "expected": "1", "match_type": "count"}),
        ("5", {"pattern": r"\d", "expected": "5", "match_type": "any"}),
        ("5", {"pattern": "(", "expected": "5"}),
    ],
    ids=str,
)
def test_regex_check_that_asserts_nothing_is_an_error(trace, entry):
    class Answer(BaseAnswer):
        regex: ClassVar[dict[str, Any]] = {"check": entry}

    assert AnswerTemplate(Answer).verify(trace=trace).verdict == "error"


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ('\ufeff{"city": "Paris"}', "pass"),
        ('\ufeff```json\n{"city": "Paris"}\n```', "pass"),
        ('Form: {"properties": {"city": {}}} Answer: {"city": "Paris"}', "pass"),
        ('{"city": "Paris"} as said: {"city": "Paris"}.', "pass"),
        ('Either {"city": "Paris"} or {"city": "Lyon"}.', "error"),
        ('Broken {"a": {"city": "Paris"}, "c":', "error"),
        ('List [{"city": "Paris"}] of one', "error"),
        ('Inner {"answer": {"city": "Paris"}} object', "fail"),
        ('{"city": NaN}', "error"),
        ('{"city": "Paris", "city": "Paris"}', "error"),
        ('"{\\"city\\": \\"Paris\\"}"', "error"),
        ("null", "error"),
    ],
)
def test_reply_is_one_object(reply, verdict):
    assert AnswerTemplate(Inner, extract_json=True).verify(reply).verdict == verdict


def test_prose_says_to_ask_a_judge():
    problem = AnswerTemplate(Inner).verify("The capital is Paris.").problems[""]
    assert "a judge reads them from prose: template.parse(text)" in problem


def test_graded_cutoff_alone_warns():
    with pytest.warns(TemplateWarning, match=r"passes only at distance 0.*Write full_credit=0 if that is meant"):
        NumericGraded(cutoff=0.25)


@pytest.mark.parametrize(
    "build_operator",
    [
        lambda: NumericGraded(cutoff=0, full_credit=0),
        lambda: NumericGraded(cutoff=0.1, full_credit=0.1),
        lambda: NumericRangeGraded(min=1, max=1, margin=1),
        lambda: NumericRangeGraded(min=2, max=1, margin=1),
        lambda: NumericRangeGraded(min=None, max=1, margin=1),
        lambda: NumericRangeGraded(min=1, max=2, margin=0),
        lambda: NumericRangeGraded(min=1, max=2, margin=0, mode="relative"),
        lambda: NumericRangeGraded(min=1, max=2, margin=-1),
        lambda: NumericRangeGraded(min=1, max=2, margin="x"),
        lambda: NumericRangeGraded(min=1, max=2, margin=True),
        lambda: NumericRangeGraded(min=1, max=2, margin=1, mode="other"),
        lambda: NumericRangeGraded(min="a", max=2, margin=1, mode="relative"),
        lambda: NumericThresholdGraded("min", 0),
        lambda: NumericThresholdGraded("min", -1),
        lambda: NumericThresholdGraded("min", float("inf")),
        lambda: NumericThresholdGraded("middle", 1),
    ],
)
def test_graded_primitive_without_a_slope_is_refused(build_operator):
    with pytest.raises(SettingsError):
        build_operator()


def test_exclusive_edge_of_a_graded_range_fails():
    operator = NumericRangeGraded(min=1, max=2, margin=1, exclusive_min=True, exclusive_max=True)
    assert [compare(operator, None, number).passed for number in (1, 1.5, 2)] == [False, True, False]


def filled(**body):
    """Return a template with code of its author, which may fill in a field."""
    members = {"__annotations__": {"x": str}, "x": VerifiedField("d", "Paris", "exact"), "__module__": __name__}
    return type(BaseAnswer)("Answer", (BaseAnswer,), {**members, **body})


def fill_before(cls, values):
    return {**values, "x": "Paris"}


def fill_after(self):
    self.x = "Paris"
    return self


def fill_post_init(self, context):
    BaseAnswer.model_post_init(self, context)
    self.x = "Paris"


def strip_and_title(cls, value):
    return value.strip().title() if isinstance(value, str) else "Paris"


FILLED = {
    "model validator before": filled(fill=model_validator(mode="before")(classmethod(fill_before))),
    "model validator after": filled(fill=model_validator(mode="after")(fill_after)),
    "model_post_init": filled(model_post_init=fill_post_init),
    "field validator": filled(fill=field_validator("x", mode="before")(classmethod(strip_and_title))),
    "default": filled(x=VerifiedField("d", "Paris", "exact", default="Paris", validate_default=True)),
    "default factory": filled(x=VerifiedField("d", "Paris", "exact", default_factory=lambda: "Paris")),
}


@pytest.mark.parametrize("template", FILLED.values(), ids=FILLED)
@pytest.mark.parametrize("reply", ["{}", '{"x": null}', '{"y": "Paris"}', '{"X": "Paris"}', {}, {"x": None}])
def test_what_no_judge_said_is_no_answer(template, reply):
    result = AnswerTemplate(template).verify(reply)
    assert result.verdict == "fail"
    assert result.null_fields == ["x"]


@pytest.mark.parametrize("name", FILLED)
def test_a_note_says_that_code_filled_in_what_no_judge_said(name):
    is_code = name in {"model validator before", "model validator after", "model_post_init"}
    for reply, is_filled in (("{}", is_code), ('{"x": "Paris"}', False), ('{"x": null}', is_code)):
        notes = AnswerTemplate(FILLED[name]).verify(reply).notes
        assert ("filled_by_template" in notes) is is_filled, reply


@pytest.mark.parametrize("template", FILLED.values(), ids=FILLED)
def test_code_of_the_author_may_change_what_a_judge_said(template):
    assert AnswerTemplate(template).verify({"x": "Paris"}).passed
    assert AnswerTemplate(FILLED["field validator"]).verify({"x": " paris"}).passed


@dataclass(slots=True)
class Counted:
    count: int


NUMBERS = [
    (list[int], [1], "set_containment", [True], [1]),
    (list[float], [1.0], "ordered_match", [True], [1]),
    (set[int], {1, 0}, "set_containment", [True, False], [1, 0]),
    (tuple[int, int], (1, 0), "exact", [True, False], [1, 0]),
    (dict[str, int], {"a": 1}, "json_canonical", {"a": True}, {"a": 1}),
    (dict[str, list[float]], {"a": [1.0]}, "json_canonical", {"a": [True]}, {"a": [1]}),
    (list[int] | None, [1], "set_containment", [True], [1]),
    (list[int | None], [1, None], "ordered_match", [True, None], [1, None]),
    (list[Annotated[int, Field(ge=0)]], [1], "set_containment", [True], [1]),
    (int | None, 1, "numeric_exact", True, 1),
    (float, 1, "numeric_minimum", "1e999", "1e300"),
    (float | None, 1, "numeric_minimum", "1e999", "1.5"),
    (list[float], [1e300], "set_containment", ["1e999"], ["1e300"]),
    (dict[str, float], {"a": 1e300}, "json_canonical", {"a": "1e999"}, {"a": "1e300"}),
    (list[str] | float, 1, "numeric_minimum", "1e999", "1e300"),
    (str | float, 1, "numeric_minimum", Decimal("1e999"), 1e300),
    (Counted, Counted(1), "exact", {"count": True}, {"count": 1}),
    (Annotated[int, AfterValidator(lambda count: count + 1)], 2, "exact", True, 1),
    (Annotated[int, AfterValidator(lambda count: count + 1)], 1, "numeric_minimum", "1_0", 10),
]


@pytest.mark.parametrize(("kind", "truth", "operator", "wrong", "right"), NUMBERS)
def test_part_of_a_value_that_is_no_number(kind, truth, operator, wrong, right):
    template = filled(__annotations__={"x": kind}, x=VerifiedField("d", truth, operator))
    assert AnswerTemplate(template).verify({"x": wrong}).verdict == "error"
    assert AnswerTemplate(template).verify({"x": right}).passed


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "value"),
    [
        (list[bool], [True], "ordered_match", [True]),
        (list[int | bool], [True], "ordered_match", [True]),
        (dict[str, bool], {"a": True}, "json_canonical", {"a": True}),
        (list[Literal[1, 2]], [1], "ordered_match", [1]),
        (list, [True], "ordered_match", [True]),
        (float, float("inf"), "numeric_exact", "inf"),
        (Decimal, 5, "numeric_minimum", "1e999"),
        (str, "1e999", "exact", "1e999"),
        (str | float, "1e999", "exact", "1e999"),
        (list[float | str], ["1e999"], "ordered_match", ["1e999"]),
        (float | Any, "1e999", "exact", "1e999"),
        (dict[str, int | Any], {"a": True}, "json_canonical", {"a": True}),
    ],
)
def test_truth_values_and_long_numbers_where_they_belong(kind, truth, operator, value):
    template = filled(__annotations__={"x": kind}, x=VerifiedField("d", truth, operator))
    assert AnswerTemplate(template).verify({"x": value}).passed


def named(*fields, strategy=None, base=BaseAnswer):
    body = {"__annotations__": dict.fromkeys(fields, str), "__module__": __name__}
    body.update({name: VerifiedField("d", name, "exact") for name in fields})
    if strategy is not None:
        inner = {"verify_strategy": strategy, "__module__": __name__, "__qualname__": "Answer.VerificationStrategy"}
        body["VerificationStrategy"] = type("VerificationStrategy", (), inner)
    return type(BaseAnswer)("Answer", (base,), {**body, "__qualname__": "Answer"})


EITHER = AnyOf(conditions=[FieldCheck(field="a"), FieldCheck(field="b")])


def test_field_that_an_inherited_strategy_does_not_check_is_refused():
    parent = named("a", "b", strategy=EITHER)
    with pytest.raises(TemplateError, match="c is not in the strategy of Answer"):
        named("c", base=parent)
    with pytest.raises(TemplateError, match="c is not in the strategy of Answer"):
        named("c", base=named(base=parent))


@pytest.mark.parametrize("strategy", [AllOf(conditions=[FieldCheck(field="a"), FieldCheck(field="c")]), EITHER])
def test_strategy_of_the_class_itself_may_leave_fields_out(strategy):
    child = named("c", strategy=strategy, base=named("a", "b", strategy=EITHER))
    assert AnswerTemplate(child).verify({"a": "a", "b": "b", "c": "c"}).passed
    assert named("a", "b", "c", strategy=EITHER) is not None


class Checks:
    class VerificationStrategy:
        verify_strategy = EITHER


def test_strategy_of_a_mixin_belongs_to_the_first_template_with_it():
    parent = type(BaseAnswer)("Mixed", (Checks, named("a", "b")), {"__module__": __name__})
    assert AnswerTemplate(parent).verify({"a": "a", "b": "x"}).passed
    with pytest.raises(TemplateError, match="c is not in the strategy of Mixed"):
        named("c", base=parent)


def test_own_verify_may_check_fields_that_an_inherited_strategy_does_not():
    class Child(named("a", "b", strategy=EITHER)):
        c: str = VerifiedField("c", "c", "exact")

        def verify(self):
            return super().verify() and self.c == "c"

    assert AnswerTemplate(Child).verify({"a": "a", "b": "b", "c": "c"}).passed
    assert not AnswerTemplate(Child).verify({"a": "a", "b": "b", "c": "x"}).passed


def test_inherited_strategy_without_new_fields_stays():
    child = named("a", base=named("a", "b", strategy=EITHER))
    assert AnswerTemplate(child).verify({"a": "a", "b": "x"}).passed
