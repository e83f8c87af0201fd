"""Operators as template primitives: ``check``, ``check_trace`` and their written form."""

from __future__ import annotations

import math
import pickle

import pytest

from pytest_verdict import SynonymMap, compare, operators, templates
from pytest_verdict.core.kernel import run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.errors import ArgumentsError, SettingsError
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
    LiteralMatch,
    NumericExact,
    NumericMaximum,
    NumericMinimum,
    NumericRange,
    NumericTolerance,
    OrderedMatch,
    SemanticMatch,
    SetContainment,
    TraceContains,
    TraceLength,
    TraceRegex,
)
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ExactMatch,
    FieldCheck,
    NumericGraded,
    NumericRangeGraded,
    NumericThresholdGraded,
    RegexMatch,
    TemplateWarning,
    VerifiedField,
)


def letters(texts):
    return [[float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


ALL = [
    BooleanMatch(),
    ExactMatch(normalize=["lowercase", SynonymMap(mapping={"asa": "aspirin"})]),
    ContainsAny(substrings=["a", "b"], normalize=["lowercase"]),
    ContainsAll(substrings=["a"]),
    RegexMatch(pattern="^a", flags=["IGNORECASE"]),
    SemanticMatch(threshold=0.9, embedder=letters),
    NumericExact(),
    NumericTolerance(tolerance=0.1, mode="absolute"),
    NumericRange(min=1, max=10, exclusive_max=True),
    NumericMinimum(exclusive=True),
    NumericMaximum(),
    SetContainment(mode="overlap", min_overlap=2),
    OrderedMatch(normalize=[]),
    LiteralMatch(),
    DateMatch(format="%d/%m/%Y"),
    DateTolerance(tolerance=3, unit="hours"),
    DateRange(min="2024-01-01"),
    TraceRegex(pattern=r"\d+", count_min=2),
    TraceContains(substring="x"),
    TraceLength(min=1, unit="words"),
    AllOf(conditions=[ExactMatch(), {"operator": "text_similarity", "threshold": 0.5}]),
    AtLeastN(n=1, conditions=[FieldCheck(field="a"), FieldCheck(field="b", operator=NumericExact())]),
]

REQUIRED = object()
# The primitives of the document, with their parameters and defaults.
PRIMITIVES = {
    "BooleanMatch": {},
    "ContainsAll": {"normalize": ()},
    "ContainsAny": {"normalize": ()},
    "DateMatch": {"format": None},
    "DateRange": {"min": None, "max": None},
    "DateTolerance": {"tolerance": REQUIRED, "unit": "days"},
    "ExactMatch": {"normalize": ("lowercase", "strip")},
    "LiteralMatch": {},
    "NumericExact": {},
    "NumericRange": {"min": None, "max": None, "exclusive_min": False, "exclusive_max": False},
    "NumericTolerance": {"tolerance": REQUIRED, "mode": "relative"},
    "OrderedMatch": {"normalize": ("lowercase", "strip")},
    "RegexMatch": {"flags": ()},
    "SemanticMatch": {"threshold": 0.85},
    "SetContainment": {"mode": "exact", "min_overlap": None},
    "TraceContains": {},
    "TraceLength": {"min": None, "max": None, "unit": "chars"},
    "TraceRegex": {"count_min": None},
}
# Those with other defaults than the operator they are, and the settings that make them one.
OWN_DEFAULTS = {
    "ExactMatch": ("normalized_exact", {"normalize": ["lowercase", "strip"]}),
    "RegexMatch": ("regex", {"mode": "search"}),
}


def test_all_eighteen_primitives_exist():
    assert len(PRIMITIVES) == 18
    assert set(PRIMITIVES) <= set(templates.__all__)


@pytest.mark.parametrize(("name", "defaults"), PRIMITIVES.items(), ids=list(PRIMITIVES))
def test_primitive_has_the_documented_parameters(name, defaults):
    fields = getattr(templates, name).model_fields
    found = {setting: REQUIRED if fields[setting].is_required() else fields[setting].default for setting in defaults}
    assert found == defaults


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - set(OWN_DEFAULTS)))
def test_primitive_is_the_registered_class(name):
    cls = getattr(templates, name)
    assert cls is getattr(operators, name) is REGISTRY.find(cls.name)


@pytest.mark.parametrize(("name", "operator", "settings"), [(name, *same) for name, same in OWN_DEFAULTS.items()])
def test_primitive_with_own_defaults_records_its_operator(name, operator, settings):
    cls = getattr(templates, name)
    assert f"The operator ``{operator}``" in cls.__doc__
    assert issubclass(cls, REGISTRY.find(operator))
    for observed in ("a", " A", "xay", "b", "", None):
        assert compare(cls(), "a", observed) == compare(operator, "a", observed, **settings)
    assert cls() != REGISTRY.build(operator)


@pytest.mark.parametrize(
    ("primitive", "accepts", "refuses"),
    [
        (BooleanMatch(), (True, True), (False, True)),
        (ContainsAll(substrings=["a", "b"]), ("bxa", None), ("a", None)),
        (ContainsAny(substrings=["mrna", "messenger rna"], normalize=["lowercase"]), ("mRNA", None), ("DNA", None)),
        (DateMatch(), ("January 15, 2024", "2024-01-15"), ("January 16, 2024", "2024-01-15")),
        (DateRange(min="2024-01-01", max="2024-12-31"), ("2024-12-31", None), ("2025-01-01", None)),
        (DateTolerance(tolerance=2), ("2024-01-17", "2024-01-15"), ("2024-01-18", "2024-01-15")),
        (ExactMatch(), (" o+ ", "O+"), ("O-", "O+")),
        (LiteralMatch(), ("missense", "missense"), ("Missense", "missense")),
        (NumericExact(), (23, 23), (46, 23)),
        (NumericRange(min=1, max=10), (10, None), (10.5, None)),
        (NumericTolerance(tolerance=0.5, mode="absolute"), (37.5, 37.0), (38.0, 37.0)),
        (OrderedMatch(), (["A ", "b"], ["a", "b"]), (["b", "a"], ["a", "b"])),
        (RegexMatch(pattern=r"\d{4}"), ("in 1928", None), ("in 28", None)),
        (SemanticMatch(embedder=letters), ("cab", "abc"), ("xyz", "abc")),
        (SetContainment(), (["b", "a"], ["a", "b"]), (["a"], ["a", "b"])),
        (TraceContains(substring="Fleming"), "It was Fleming.", "It was fleming."),
        (TraceLength(max=3, unit="words"), "one two three", "one two three four"),
        (TraceRegex(pattern=r"\[\d+\]", count_min=2), "a [1] [2]", "a [1]"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_primitive_accepts_and_rejects(primitive, accepts, refuses):
    if primitive.kind == "trace":
        assert (primitive.check_trace(accepts), primitive.check_trace(refuses)) == (True, False)
    else:
        assert (primitive.check(*accepts), primitive.check(*refuses)) == (True, False)


@pytest.mark.parametrize("operator", ALL, ids=lambda operator: operator.name)
def test_primitive_is_equal_after_json(operator):
    assert type(operator).model_validate(operator.model_dump(mode="json")) == operator
    assert type(operator).model_validate_json(operator.model_dump_json()) == operator


@pytest.mark.parametrize(
    ("operator", "observed", "expected"),
    [
        (NumericTolerance(tolerance=0.1), 1.1, 1),
        (NumericTolerance(tolerance=0.1), 1.2, 1),
        (NumericRange(min=0, max=1), math.nan, None),
        (NumericMinimum(), 12, 10),
        (NumericMinimum(), 9, 10),
        (ExactMatch(), "Paris ", "paris"),
        (SetContainment(mode="subset"), ["a"], ["a", "b"]),
        (SetContainment(mode="subset"), ["a", "b"], ["a"]),
        (DateMatch(), "January 15, 2024", "2024-01-15"),
        (SemanticMatch(embedder=letters), "cab", "abc"),
        (SemanticMatch(embedder=letters), "xyz", "abc"),
    ],
    ids=str,
)
def test_check_takes_observed_first_and_agrees_with_compare(operator, observed, expected):
    assert operator.check(observed, expected) is compare(operator, expected, observed).passed


def test_check_and_check_trace_raise_for_the_other_kind():
    assert TraceContains(substring="Fleming").check_trace("It was Fleming.") is True
    with pytest.raises(NotImplementedError, match=r"use check_trace\(trace\)"):
        TraceContains(substring="a").check("a", True)
    with pytest.raises(NotImplementedError, match=r"use check\(observed, expected\)"):
        ExactMatch().check_trace("a")


class Graded(BaseAnswer):
    near: float = VerifiedField("n", 100, NumericGraded(cutoff=0.2, full_credit=0), weight=2)
    inside: float = VerifiedField("i", 15, NumericRangeGraded(min=10, max=20, margin=0.4, mode="relative"))
    least: int = VerifiedField(
        "l", 100, NumericThresholdGraded(direction="min", margin=10, mode="absolute"), quote=True
    )


@pytest.mark.parametrize(
    ("values", "granular"),
    [
        ({"near": 110, "inside": 21, "least": 95}, (2 * 0.5 + 0.75 + 0.5) / 4),
        ({"near": 100, "inside": 20, "least": 100}, 1.0),
        ({"near": 120, "inside": 24, "least": 90}, 0.0),
        ({"near": None, "inside": 21, "least": 95}, (0.75 + 0.5) / 4),
    ],
)
def test_granular_score_adds_scores_of_graded_fields(values, granular):
    words = f"at least {values['least']}"
    result = AnswerTemplate(Graded).verify({**values, "least_quote": words}, trace=f"{words} of them")
    assert result.granular == pytest.approx(granular)
    assert result.passed == (granular == 1.0)


def test_graded_field_without_quote_scores_zero():
    values = {"near": 100, "inside": 20, "least": 95, "least_quote": "nowhere"}
    assert AnswerTemplate(Graded).verify(values, trace="at least").granular == 0.75


def test_any_of_counts_the_best_graded_field():
    class Either(Graded):
        class VerificationStrategy:
            verify_strategy = AnyOf(conditions=[FieldCheck(field="inside"), FieldCheck(field="near")])

    values = {"near": 110, "inside": 20, "least": 0, "least_quote": "at least"}
    assert AnswerTemplate(Either).verify(values, trace="at least").granular == 0.25


@pytest.mark.parametrize(
    ("operator", "truth", "observed", "score"),
    [
        (NumericThresholdGraded(direction="min", margin=0.2), 50, 45, 0.5),
        (NumericThresholdGraded(direction="max", margin="0.2"), -50, -45, 0.5),
        (NumericThresholdGraded(direction="max", margin=0.2), 0, 0.1, 0.0),
        (NumericThresholdGraded(direction="max", margin=0.2), float("-inf"), 3, 0.0),
        (NumericThresholdGraded(direction="min", margin=0.2, decay="quadratic"), 50, 45, 0.75),
        (NumericGraded(cutoff=0.2, full_credit=0, decay="quadratic"), 100, 110, 0.75),
        (NumericGraded(cutoff=0.3, full_credit=0.1, decay="quadratic"), 100, 120, 0.75),
        (NumericGraded(cutoff=0.2, full_credit=0, decay="quadratic"), 100, 121, 0.0),
        (NumericRangeGraded(min=10, max=20, margin=4, decay="quadratic"), None, 22, 0.75),
    ],
)
def test_graded_operators_support_relative_margins_and_quadratic_decay(operator, truth, observed, score):
    found = compare(operator, truth, observed)
    assert found.score == score
    again = REGISTRY.build(found.operator, found.settings)
    assert run(again, found.expected, found.observed) == found


def test_unknown_direction_raises():
    with pytest.raises(SettingsError, match="direction='up' is unknown"):
        NumericThresholdGraded(direction="up", margin=1)


GRADED_CLASSES = [
    (NumericGraded(cutoff=0.25, full_credit=0.01, mode="absolute", decay="quadratic"), 46, 42),
    (NumericGraded(cutoff="0.2", full_credit=0), 110, 100),
    (NumericRangeGraded(min=0.001, max=0.09, margin=0.02, decay="quadratic"), 0.10, None),
    (NumericRangeGraded(min=1, max=9, margin=0.5, mode="relative", exclusive_max=True), 10, None),
]


@pytest.mark.parametrize(("operator", "observed", "expected"), GRADED_CLASSES)
def test_graded_primitive_goes_through_its_settings(operator, observed, expected):
    again = type(operator).model_validate(operator.model_dump(mode="json"))
    assert again == operator
    assert again.score(observed, expected) == operator.score(observed, expected)
    assert operator.model_copy(update={"decay": "linear"}).decay == "linear"
    assert pickle.loads(pickle.dumps(operator)) == operator
    assert compare(operator, expected, observed).score == operator.score(observed, expected)


@pytest.mark.parametrize(
    ("build", "settings"),
    [
        (NumericGraded, {}),
        (NumericGraded, {"full_credit": 0.1}),
        (NumericGraded, {"cutof": 0.1}),
        (NumericGraded, {"cutoff": 0, "full_credit": 0}),
        (NumericGraded, {"cutoff": -1, "full_credit": 0}),
        (NumericGraded, {"cutoff": 0.1, "full_credit": 0.1}),
        (NumericGraded, {"cutoff": 0.1, "full_credit": 0.2}),
        (NumericGraded, {"cutoff": 0.1, "full_credit": 0, "mode": "bogus"}),
        (NumericGraded, {"cutoff": 0.1, "full_credit": 0, "decay": "bogus"}),
        (NumericGraded, {"cutoff": 0.1, "full_credit": 0, "margin": 1}),
        (NumericGraded, {"cutoff": 0.2, "tolerance": 0.1}),
        (NumericGraded, {"cutoff": 0.2, "full_credit": 0, "zero_at": 0.5}),
        (NumericRangeGraded, {"min": 1, "max": 2, "margin": 1, "zero_at": 3}),
        (NumericRangeGraded, {"min": 1, "max": 2}),
        (NumericRangeGraded, {"min": 1, "margin": 1}),
        (NumericRangeGraded, {"min": 5, "max": 5, "margin": 1}),
        (NumericRangeGraded, {"min": 6, "max": 5, "margin": 1}),
        (NumericRangeGraded, {"min": 1, "max": 2, "margin": 0}),
        (NumericRangeGraded, {"min": 1, "max": 2, "margin": True}),
        (NumericRangeGraded, {"min": 1, "max": 2, "margin": 1, "mode": "bogus"}),
        (NumericThresholdGraded, {"direction": "min", "margin": 0}),
    ],
)
def test_wrong_settings_of_graded_primitives_raise(build, settings):
    with pytest.raises(SettingsError):
        build(**settings)


@pytest.mark.parametrize(("kind", "values"), [(NumericGraded, [0.2, 0]), (NumericRangeGraded, [1, 2, 3])])
def test_settings_of_graded_primitives_have_names(kind, values):
    with pytest.raises(ArgumentsError, match="settings have names"):
        kind(*values)


def test_graded_primitive_without_full_credit_warns_once():
    with pytest.warns(TemplateWarning, match="passes only at distance 0") as caught:
        operator = NumericGraded(cutoff=0.2)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (operator.check(100, 100), operator.check(101, 100)) == (True, False)


def test_graded_primitives_are_classes_of_their_operators():
    graded = NumericGraded(cutoff=0.2, full_credit=0.1)
    assert isinstance(graded, NumericGraded)
    assert issubclass(NumericGraded, NumericTolerance)
    assert issubclass(NumericRangeGraded, NumericRange)
    assert graded.model_copy(update={"decay": "quadratic"}) == NumericGraded(
        cutoff=0.2, full_credit=0.1, decay="quadratic"
    )
    relative = NumericRangeGraded(min=10, max=20, margin=0.4, mode="relative")
    assert relative.model_copy() == relative == NumericRangeGraded(min=10, max=20, margin=4)
    with pytest.raises(SettingsError):
        NumericGraded(tolerance=0.1)
