"""Leaks that lint finds: planted answers by their words and numbers, and clean descriptions."""

from __future__ import annotations

import warnings
from typing import Literal

import pytest
from pydantic import Field

from pytest_verdict.operators import (
    ContainsAny,
    DateMatch,
    LiteralMatch,
    NumericExact,
    NumericMinimum,
    NumericTolerance,
    OneOf,
    OrderedMatch,
    SetContainment,
)
from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField, lint_template

BARE = ExactMatch(normalize=["lowercase", "strip", "remove_punctuation"])

LEAKS = [
    (str, "2016-04-11", DateMatch(), "The day, such as 2016-04-11"),
    (str, "yes", ExactMatch(), "Whether it says yes or not"),
    (str, "BCL2", BARE, "The target, such as Bcl-2"),
    (str, "BCL2", BARE, "Write (BCL-2), not a synonym"),
    (str, "TP53", ExactMatch(), "The gene, e.g. 'tp53'."),
    (str, "messenger RNA", ExactMatch(), "Such as Messenger RNA, in words"),
    (str, "joint pain", ExactMatch(normalize=["lowercase", "collapse_whitespace"]), "Such as joint  pain"),
    (str, "United States", ExactMatch(normalize=["lowercase", "remove_articles"]), "For example the United States"),
    (int, 2016, NumericExact(), "The year (2016)"),
    (int, 1200, NumericExact(normalize=["strip_thousands_separators"]), "How many, as in 1,200"),
    (float, 0.5, NumericExact(), "As a fraction, such as 0.50"),
    (int, 1000, NumericExact(), "As in 1e3"),
    (str, "Paris", OneOf(values=["Paris", "Lutetia"], normalize=["lowercase"]), "Such as LUTETIA"),
    (str, "x", ContainsAny(substrings=["p-53"], normalize=["remove_punctuation"]), "Such as p53"),
    (list[str], ["Fever", "pain"], SetContainment(normalize=["lowercase"]), "Such as FEVER"),
    (list[str], ["BCL-2"], OrderedMatch(normalize=["remove_punctuation"]), "Such as BCL2"),
    (Literal["red", "blue"], "red", LiteralMatch(), "Such as red"),
]

CLEAN = [
    (str, "A", ExactMatch(), "A letter for a blood group"),
    (str, "B", ExactMatch(), "The vitamin, without the b of the complex"),
    (str, "no", ExactMatch(), "There is no default; write it in one word"),
    (str, "in", ExactMatch(), "The preposition that is used in the text"),
    (str, "TP53", ExactMatch(), "The gene, such as BRCA1; not TP531"),
    (str, "BCL2", BARE, "The target as a gene symbol in capital letters without hyphens"),
    (int, 8, NumericExact(), "The number, from 1 to 18"),
    (int, 2016, NumericExact(), "The year, after 2000 and in four digits"),
    (str, "2016-04-11", DateMatch(), "The day as year-month-day, such as 1999-12-31"),
    (float, 37.0, NumericTolerance(tolerance=0.5, mode="absolute"), "In degrees, with one decimal place"),
    (int, 5, NumericMinimum(), "At least 18 are known"),
    (str, "Paris", OneOf(values=["Paris", "Lutetia"]), "The capital, such as Rome"),
    (str, "x", ContainsAny(substrings=["a"], normalize=["lowercase"]), "What the Answer begins with"),
    (list[str], ["fever", "pain"], SetContainment(), "Each in lower case, such as cough"),
    (Literal["red", "blue"], "red", LiteralMatch(), "Either red or blue"),
]


def leaks_in(kind, truth, operator, description):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        field = VerifiedField(description, truth, operator)
    body = {"__annotations__": {"x": kind}, "__module__": __name__, "__qualname__": "Answer", "x": field}
    made = type(BaseAnswer)("Answer", (BaseAnswer,), body)
    return [finding for finding in lint_template(made) if finding.code == "answer_leaks"]


@pytest.mark.parametrize("planted", LEAKS, ids=lambda planted: planted[3])
def test_lint_finds_a_planted_answer(planted):
    assert len(leaks_in(*planted)) == 1


@pytest.mark.parametrize("clean", CLEAN, ids=lambda clean: clean[3])
def test_lint_accepts_a_clean_description(clean):
    assert leaks_in(*clean) == []


@pytest.mark.parametrize(
    ("description", "leaks"),
    [("The target, such as Bcl-2", 1), ("The target BCL2", 1), ("The target, such as TP53", 0)],
)
def test_lint_checks_classic_templates(description, leaks):
    class Classic(BaseAnswer):
        target: str = Field(description=description)
        year: int = Field(description="The year, from 1900")

        def ground_truth(self):
            self.correct = {"target": "BCL2", "year": 2016}

        def verify(self):
            return self.target.upper() == self.correct["target"]

    found = lint_template(Classic)
    assert [(finding.field, finding.code) for finding in found] == [("target", "answer_leaks")] * leaks
