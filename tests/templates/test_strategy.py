"""Strategies: the verdict of a tree, and the partial credit under it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pytest_verdict import compare
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.operators import AllOf, AnyOf, AtLeastN, NumericExact, NumericTolerance, SetContainment
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, FieldCheck, VerifiedField
from pytest_verdict.templates.template_match import granular_score, holds

NAMES = ("a", "b", "c")


def field(name):
    return FieldCheck(field=name)


def trees():
    def node(children):
        conditions = st.lists(children, min_size=1, max_size=3)
        return (
            conditions.map(lambda parts: AllOf(conditions=parts))
            | conditions.map(lambda parts: AnyOf(conditions=parts))
            | conditions.map(lambda parts: AtLeastN(n=(len(parts) + 1) // 2, conditions=parts))
        )

    return st.recursive(st.sampled_from(NAMES).map(field), node, max_leaves=6)


passing = st.fixed_dictionaries({name: st.booleans() for name in NAMES})
weights = st.fixed_dictionaries({name: st.integers(0, 9).map(as_decimal) for name in NAMES})


@pytest.mark.ci
@given(trees(), passing)
def test_strategy_agrees_with_its_operators(tree, passed):
    observed = {name: 1 if passed[name] else 0 for name in NAMES}
    assert holds(tree, passed) is compare(tree, dict.fromkeys(NAMES, 1), observed).passed


@given(trees(), passing, st.sampled_from(NAMES))
def test_strategy_is_monotone_in_passed_fields(tree, passed, name):
    more = {**passed, name: True}
    assert holds(tree, more) >= holds(tree, passed)


@given(st.none() | trees(), passing, weights)
def test_granular_score_is_from_0_to_1(tree, passed, weight):
    score = granular_score(tree, passed, weight)
    assert 0.0 <= score <= 1.0
    if not any(passed.values()):
        assert score == 0.0
    if tree is None and all(passed.values()) and any(weight.values()):
        assert score == 1.0


@pytest.mark.parametrize(
    ("tree", "weight", "passed", "score"),
    [
        (None, (0, 0, 0), (1, 1, 1), 0.0),
        (AllOf(conditions=[field("a")]), (1, 1, 2), (1, 0, 0), 0.25),
        (field("a"), (1, 1, 2), (1, 0, 1), 0.75),
        (AnyOf(conditions=[field("a"), field("b")]), (1, 2, 7), (1, 1, 1), 0.2),
        (AtLeastN(n=2, conditions=[field("a"), field("b"), field("c")]), (1, 2, 7), (1, 1, 1), 0.9),
        (AnyOf(conditions=[field("a"), AllOf(conditions=[field("b"), field("c")])]), (1, 1, 1), (0, 1, 1), 1 / 3),
    ],
    ids=str,
)
def test_granular_score(tree, weight, passed, score):
    found = granular_score(
        tree, dict(zip(NAMES, map(bool, passed), strict=True)), dict(zip(NAMES, map(as_decimal, weight), strict=True))
    )
    assert found == pytest.approx(score)


@pytest.mark.ci
@given(st.integers(-3, 3), st.text(max_size=3), st.lists(st.sampled_from("ab"), max_size=2))
def test_field_agrees_with_its_operator(number, text, items):
    class Answer(BaseAnswer):
        a: int = VerifiedField("a", 1, NumericTolerance(tolerance=1, mode="absolute"))
        b: str = VerifiedField("b", "ab", ExactMatch())
        c: list[str] = VerifiedField("c", ["a", "b"], SetContainment(mode="overlap"))

    values = {"a": number, "b": text, "c": items}
    result = AnswerTemplate(Answer).verify(values)
    for name, one in Answer.__verdict_definition__.verified.items():
        alone = compare(one.operator, one.ground_truth, values[name], name=name)
        assert result.fields[name] == alone
    assert result.passed is Answer(**values).verify()
    assert result.granular == Answer(**values).verify_granular()


def test_field_outside_of_the_strategy_is_compared_but_does_not_decide():
    class Answer(BaseAnswer):
        a: int = VerifiedField("a", 1, NumericExact())
        b: int = VerifiedField("b", 1, NumericExact())

        class VerificationStrategy:
            verify_strategy = FieldCheck(field="a")

    assert Answer(a=1, b=2).verify() is True
    assert Answer(a=2, b=1).verify() is False


def test_template_that_verifies_nothing_is_an_error():
    result = compare("answer_template", {"target": "BCL2"}, {"target": "MCL1"})
    assert result.verdict == "error"
    assert result.error == "nothing is verified: name fields, or regex checks of the trace"
