"""A ground truth with which no answer could pass is refused when the class is made; any other is not."""

from __future__ import annotations

import datetime
import enum
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from pytest_verdict import Operator, Outcome
from pytest_verdict.core.normalizers import SynonymMap
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators import (
    AllOf,
    AnyOf,
    AtLeastN,
    BooleanMatch,
    ContainsAll,
    ContainsAny,
    DateMatch,
    DateRange,
    DateTolerance,
    Delta,
    JsonCanonical,
    JsonSchema,
    JsonSubset,
    LiteralMatch,
    NumericExact,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericTolerance,
    OneOf,
    OrderedMatch,
    SetContainment,
    TextSimilarity,
    TraceContains,
    TraceRegex,
    Weighted,
)
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, RegexMatch, VerifiedField


class Effect(enum.Enum):
    MISSENSE = "missense"
    SILENT = "silent"


class NeverSays(Operator):
    name = "never_says"

    def evaluate(self, expected, observed):
        return Outcome(0.0)


class Drug(BaseModel):
    name: str


def template(kind, truth, operator, **options):
    body = {"__annotations__": {"x": kind}, "__module__": __name__, "__qualname__": "Answer"}
    return type(BaseAnswer)("Answer", (BaseAnswer,), {**body, "x": VerifiedField("d", truth, operator, **options)})


NOBODY = {
    "a choice with a typing error": (Literal["missense", "silent"], "missence", LiteralMatch()),
    "a choice that case does not bring": (Literal["missense", "silent"], "missence", ExactMatch()),
    "the value of an enum for its member": (Effect, "missense", LiteralMatch()),
    "substrings of no choice": (Literal["missense", "silent"], "x", ContainsAny(substrings=["frame"])),
    "a range without a choice in it": (Literal[1, 2], None, NumericRange(min=3, max=9)),
    "a fraction for a whole number": (int, 23.5, NumericExact()),
    "a number for text": (str, 5, ExactMatch()),
    "text for a number": (int, "5", ExactMatch()),
    "words for a number": (str, "about five", NumericExact()),
    "words under a tolerance": (float, "about five", NumericTolerance(tolerance=0.1)),
    "no number": (float, float("nan"), NumericExact()),
    "a truth value for a number": (Any, True, NumericExact()),
    "nothing for a number": (int, None, NumericExact()),
    "a range that is none": (str, "ignored", DateRange()),
    "an inverted range": (str, ["2024-12-31", "2024-01-01"], DateRange()),
    "a range of words": (str, ["first", "last"], DateRange()),
    "a range of one number": (int, 5, NumericRange()),
    "bounds that contradict each other": (int, [9, 1], NumericRange()),
    "a minimum of words": (int, "few", NumericMinimum()),
    "a change of words": (list[int], "more", Delta()),
    "no date": (str, "spring", DateMatch()),
    "half a date": (str, "March 2024", DateTolerance(tolerance=3)),
    "no date in a format": (str, "spring", DateMatch(format="%d/%m/%Y")),
    "no truth value": (Any, "yes", BooleanMatch()),
    "text for a list": (list[str], "a", SetContainment()),
    "more overlap than there is": (list[str], ["a", "b"], SetContainment(mode="overlap", min_overlap=3)),
    "an item that is no choice": (list[Literal["a", "b"]], ["c"], OrderedMatch()),
    "items of another type": (list[int], ["a"], SetContainment()),
    "nothing to look for": (str, "", ContainsAny()),
    "nothing left to look for": (str, ["a", " "], ContainsAll(normalize=["strip"])),
    "no text to look for": (str, 5, ContainsAny()),
    "a pattern that does not compile": (str, "(", RegexMatch()),
    "an empty pattern": (str, "", RegexMatch()),
    "accepted values that are no list": (str, "a", OneOf()),
    "no accepted value": (str, [], OneOf()),
    "accepted values that are no choice": (Literal["a", "b"], ["c", "d"], OneOf()),
    "a fraction near a whole number": (int, 23.5, NumericTolerance(tolerance=0.1)),
    "a text with a separator for a number": (int, "2,016", NumericExact(normalize=["strip_thousands_separators"])),
    "a number for similar text": (Any, 5, TextSimilarity()),
    "no JSON": (str, "{", JsonCanonical()),
    "no JSON to contain": (str, "{", JsonSubset()),
    "no schema": (str, {"type": "txet"}, JsonSchema()),
    "a pattern for the trace that does not compile": (bool, "(", TraceRegex()),
    "no text for the trace": (bool, "", TraceContains()),
}


@pytest.mark.parametrize(("kind", "truth", "operator"), NOBODY.values(), ids=NOBODY)
def test_ground_truth_that_nothing_passes_raises(kind, truth, operator):
    with pytest.raises(TemplateError, match=r"^Answer\.x: no answer passes with the ground truth .*: .+"):
        template(kind, truth, operator)


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "options"),
    [
        (int, 3, NumericExact(), {"ge": 10}),
        (float, 100.0, NumericTolerance(tolerance=0.1), {"le": 50}),
        (str, "TP53", ExactMatch(), {"max_length": 3}),
        (str, "TP", ExactMatch(), {"min_length": 3}),
        (str, "TP53", ExactMatch(), {"pattern": "^[0-9]+$"}),
        (str, "mcdonald", ExactMatch(), {"pattern": "^McD[a-z]+$"}),
        (list[str], ["a", "b"], SetContainment(), {"max_length": 1}),
        (datetime.date, "2024-01-15", DateMatch(), {"ge": datetime.date(2025, 1, 1)}),
        (int, 7, NumericExact(), {"multiple_of": 2}),
        (Annotated[int, Field(lt=5)], 7, NumericExact(), {}),
        (list[Annotated[str, StringConstraints(pattern="^[0-9]+$")]], ["a"], OrderedMatch(), {}),
        (int, "5", NumericExact(), {"strict": True, "ge": 6}),
    ],
    ids=str,
)
def test_ground_truth_outside_of_the_field_constraint_raises(kind, truth, operator, options):
    with pytest.raises(TemplateError, match=r"it is no answer of the field: "):
        template(kind, truth, operator, **options)


def test_error_has_class_field_ground_truth_and_reason():
    with pytest.raises(TemplateError) as caught:
        template(int, 23.5, NumericExact())
    assert str(caught.value) == (
        "Answer.x: no answer passes with the ground truth 23.5: it is no answer of the field: Input should be a valid"
        " integer, got a number with a fractional part"
    )
    with pytest.raises(
        TemplateError, match=r"'missence': literal passes on none of the values of the field: 'a', 'b'$"
    ):
        template(Literal["a", "b"], "missence", LiteralMatch())


class Longer(Operator):
    name = "longer_than_expected"

    def evaluate(self, expected, observed):
        return Outcome(1.0 if len(observed) > len(expected) else 0.0)


SOMEBODY = {
    "case": (Literal["missense", "silent"], "Missense", ExactMatch(), "missense"),
    "a synonym": (Literal["NYC"], "new york", ExactMatch(normalize=[SynonymMap(mapping={"NYC": "new york"})]), "NYC"),
    "an optional choice": (Literal["a", "b"] | None, "a", LiteralMatch(), "a"),
    "a member": (Effect, Effect.SILENT, LiteralMatch(), "silent"),
    "null": (str | None, None, ExactMatch(), None),
    "null that nothing else may be": (str, None, ExactMatch(), None),
    "a number in text": (str, 2016, NumericExact(), "2016"),
    "a number of text": (str, "2,016", NumericExact(normalize=["strip_thousands_separators"]), "2016"),
    "a decimal": (float, Decimal("1.5"), NumericExact(), 1.5),
    "infinity": (float, float("inf"), NumericExact(), float("inf")),
    "a number of digits": (Any, 10**400, NumericExact(), 10**400),
    "more than": (int, 3, NumericMinimum(exclusive=True), 4),
    "less than": (int, 3, NumericMaximum(exclusive=True), 2),
    "bounds as ground truth": (int, [1, 3], NumericRange(), 2),
    "bounds between which it lies": (float, [1, 3], NumericRange(exclusive_min=True, exclusive_max=True), 2.0),
    "bounds as settings": (int, "ignored", NumericRange(min=1), 2),
    "dates as ground truth": (str, ["2024-01-01", None], DateRange(), "2024-05-01"),
    "dates as settings": (str, "ignored", DateRange(min="2024-01-01"), "2024-05-01"),
    "a date in words": (datetime.date, "January 15, 2024", DateMatch(), "2024-01-15"),
    "a date in a format": (str, "2024-01-15", DateMatch(format="%d/%m/%Y"), "15/01/2024"),
    "a day without its time": (str, "2024-01-15 10:00 XYZ", DateTolerance(tolerance=1), "2024-01-15"),
    "a change": (dict[str, int], -20, Delta(), {"before": 100, "after": 80}),
    "a subset": (list[str], ["a"], SetContainment(mode="superset"), ["a", "b"]),
    "a set from a list": (set[str], ["a"], SetContainment(), ["a"]),
    "items in another case": (list[Literal["Red", "blue"]], ["RED", "BLUE"], OrderedMatch(), ["Red", "blue"]),
    "substrings as settings": (str, "messenger RNA", ContainsAny(substrings=["mrna"]), "mrna"),
    "substrings as ground truth": (str, ["a", "b"], ContainsAll(), "b and a"),
    "a pattern as ground truth": (str, "[0-9]{4}", RegexMatch(), "in 1928"),
    "a pattern as setting": (str, "a year", RegexMatch(pattern="[0-9]{4}"), "in 1928"),
    "accepted values": (str, ["a", "b"], OneOf(), "b"),
    "accepted values as settings": (str, "a", OneOf(values=["x"]), "x"),
    "a schema": (dict[str, Any], {"required": ["a"]}, JsonSchema(), {"a": 1}),
    "a model": (Drug, Drug(name="x"), ExactMatch(), {"name": "x"}),
    "an operator of the user": (str, "abc", Longer(), "abcd"),
    "JSON": (str, '{"a": 1}', JsonCanonical(), '{"a":1}'),
}


@pytest.mark.parametrize(("kind", "truth", "operator", "answer"), SOMEBODY.values(), ids=SOMEBODY)
def test_ground_truth_that_some_answer_passes_is_accepted(kind, truth, operator, answer):
    assert AnswerTemplate(template(kind, truth, operator)).verify({"x": answer}).passed


def test_choice_in_another_case_is_accepted():
    made = template(str, "TP53", ExactMatch(), pattern="^[a-z0-9]+$")
    assert AnswerTemplate(made).verify({"x": "tp53"}).passed


def test_ground_truth_of_a_field_with_own_validators_is_accepted():
    class Answer(BaseAnswer):
        effect: int = VerifiedField("d", 23.5, NumericExact())

        @field_validator("effect", mode="wrap")
        @classmethod
        def read(cls, value, handler):
            return 23.5 if value == "half" else handler(value)

    assert AnswerTemplate(Answer).verify({"effect": "half"}).passed


def test_ground_truth_is_checked_with_the_class_configuration():
    class Values(BaseAnswer):
        model_config = ConfigDict(use_enum_values=True)

        effect: Effect = VerifiedField("d", "silent", LiteralMatch())

    assert AnswerTemplate(Values).verify({"effect": "silent"}).passed
    with pytest.raises(TemplateError, match="no answer of the field"):

        class Short(BaseAnswer):
            model_config = ConfigDict(str_max_length=3)

            gene: str = VerifiedField("d", "TP53", ExactMatch())


def test_check_of_ground_truth_runs_no_code_of_the_author():
    with pytest.raises(TemplateError, match=r"Frozen\.x: "):

        class Frozen(BaseAnswer):
            model_config = ConfigDict(frozen=True)

            x: int = VerifiedField("d", 23.5, NumericExact())

            def ground_truth(self):
                raise AssertionError("not when the class is made")


def test_unresolved_annotation_is_accepted():
    class Later(BaseAnswer):
        x: Unknown = VerifiedField("d", "a", ExactMatch())  # noqa: F821

    assert Later.__verdict_definition__.expected == {"x": "a"}


NUMBERS = [NumericExact(), NumericRange(min=1, max=9)]


@pytest.mark.parametrize(
    ("operator", "truth"),
    [
        (AllOf(conditions=NUMBERS), "about five"),
        (AnyOf(conditions=[NumericExact(), DateMatch()]), "about five"),
        (AtLeastN(n=2, conditions=[NumericExact(), ExactMatch()]), "about five"),
        (Weighted(conditions=NUMBERS[:1], weights=[1]), "about five"),
        (AllOf(conditions=[AnyOf(conditions=NUMBERS[:1])]), "about five"),
    ],
    ids=lambda value: value.name if isinstance(value, Operator) else None,
)
def test_impossible_part_of_an_aggregate_raises(operator, truth):
    with pytest.raises(TemplateError, match=r"no answer passes with the ground truth 'about five': \w+ cannot read it"):
        template(str, truth, operator)


@pytest.mark.parametrize(
    ("operator", "truth"),
    [
        (AllOf(conditions=NUMBERS), 5),
        (AnyOf(conditions=[NumericExact(), ExactMatch()]), "not known"),
        (AtLeastN(n=1, conditions=[NumericExact(), ExactMatch()]), "not known"),
        (AnyOf(conditions=[NumericExact(), NeverSays()]), "not known"),
    ],
    ids=lambda value: value.name if isinstance(value, Operator) else None,
)
def test_aggregate_with_enough_possible_parts_is_accepted(operator, truth):
    template(str if isinstance(truth, str) else int, truth, operator)
