"""Operators as template primitives: ``check``, ``check_trace`` and their written form."""

from __future__ import annotations

import math

import pytest

from pytest_verdict import SynonymMap, compare
from pytest_verdict.operators import (
    AllOf,
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
from pytest_verdict.templates import ExactMatch, FieldCheck, RegexMatch


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
    AllOf(conditions=[ExactMatch(), {"operator": "numeric_exact", "threshold": 0.5}]),
    AtLeastN(n=1, conditions=[FieldCheck(field="a"), FieldCheck(field="b", operator=NumericExact())]),
]


@pytest.mark.parametrize("operator", ALL, ids=lambda operator: operator.name)
def test_it_is_read_back_from_its_json(operator):
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


def test_each_kind_has_its_own_check():
    assert TraceContains(substring="Fleming").check_trace("It was Fleming.") is True
    with pytest.raises(NotImplementedError, match=r"use check_trace\(trace\)"):
        TraceContains(substring="a").check("a", True)
    with pytest.raises(NotImplementedError, match=r"use check\(observed, expected\)"):
        ExactMatch().check_trace("a")
