"""Lint: what misleads a judge, and what a template would not notice."""

from __future__ import annotations

import datetime
import sys
import textwrap
from collections.abc import Callable
from typing import Any, Literal

import pytest

from pytest_verdict import Operator
from pytest_verdict.cli import main
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators import (
    AnyOf,
    BooleanMatch,
    ContainsAny,
    DateMatch,
    DateTolerance,
    LiteralMatch,
    NumericExact,
    NumericTolerance,
    OrderedMatch,
    SetContainment,
    TraceContains,
)
from pytest_verdict.templates import (
    BaseAnswer,
    ExactMatch,
    FieldCheck,
    TemplateWarning,
    VerifiedField,
    find_template,
    lint_template,
)


def template(kind, field, name="x"):
    body = {"__annotations__": {name: kind}, "__module__": __name__, "__qualname__": "Answer"}
    return type(BaseAnswer)("Answer", (BaseAnswer,), {**body, name: field})


class Called(str):
    __slots__ = ()

    def __call__(self):
        return self


@pytest.mark.parametrize(
    ("kind", "field", "leaks"),
    [
        (str, VerifiedField("The gene, such as tp53", "TP53", ExactMatch()), 1),
        (
            str,
            VerifiedField("The gene", "TP53", ExactMatch(), extraction_hint="not p53 but TP53"),
            1,
        ),
        (str, VerifiedField("The gene TP531", "TP53", ExactMatch()), 0),
        (int, VerifiedField("The total is 46, not pairs", 23, NumericExact()), 0),
        (int, VerifiedField("Usually 23", 23, NumericExact()), 1),
        (
            float,
            VerifiedField("Normal is 37 degrees, between 36.5 and 37.5", 37.0, NumericExact()),
            1,
        ),
        (float, VerifiedField("Between 36.5 and 37.5", 37.0, NumericExact()), 0),
        (
            str,
            VerifiedField("E.g. 'messenger RNA'", "x", ContainsAny(substrings=["messenger rna"])),
            1,
        ),
        (list[str], VerifiedField("Such as fever", ["fever", "pain"], SetContainment()), 1),
        (Literal["red", "blue"], VerifiedField("Either red or blue", "red", LiteralMatch()), 0),
        (Literal["red", "blue"] | None, VerifiedField("Either red or blue", "red", LiteralMatch()), 0),
        (Literal["red", "blue"], VerifiedField("Such as red", "red", LiteralMatch()), 1),
        (str, VerifiedField("A day after 2024-01-15", "2024-01-15", DateMatch()), 1),
        (str, VerifiedField("The gene", "TP53", ExactMatch(), examples=["tp53"]), 1),
        (str, VerifiedField("The gene", "TP53", ExactMatch(), title="TP53"), 1),
        (list[int], VerifiedField("The pairs, such as 23", [23, 46], SetContainment()), 1),
        (Callable[[], int], VerifiedField("Such as TP53", Called("TP53"), ExactMatch()), 1),
    ],
)
def test_leak_names_its_text(kind, field, leaks):
    found = [finding.message for finding in lint_template(template(kind, field)) if finding.code == "answer_leaks"]
    assert len(found) == leaks
    assert all("; write another example" in message for message in found)


def test_leaks_in_names_docstrings_and_other_fields():
    class VenetoclaxAnswer(BaseAnswer):
        """About BCL2."""

        drug: str = VerifiedField("The drug that acts on bcl2", "venetoclax", ExactMatch())
        target: str = VerifiedField("What it acts on", "BCL2", ExactMatch())
        bcl2_named: str = VerifiedField("The name", "bcl2", ExactMatch())

    found = [
        (finding.field, finding.message.partition(" in ")[2].partition(";")[0])
        for finding in lint_template(VenetoclaxAnswer)
    ]
    assert found == [
        ("target", "'About BCL2.'"),
        ("target", "'The drug that acts on bcl2'"),
        ("bcl2_named", "'About BCL2.'"),
        ("bcl2_named", "'The drug that acts on bcl2'"),
    ]


def test_lint_reports_other_problems():
    with pytest.warns(TemplateWarning):

        class Answer(BaseAnswer):
            said: bool = VerifiedField("Whether it was said", ground_truth=True, verify_with=BooleanMatch())
            blood: str = VerifiedField("The group", "O+", ExactMatch(normalize=["remove_punctuation"]))
            year: Any = VerifiedField("The year", "nineteen", Takes())
            traced: bool = VerifiedField("Named", ground_truth=True, verify_with=TraceContains(substring="z"))

            class VerificationStrategy:
                verify_strategy = AnyOf(conditions=[FieldCheck(field=name) for name in ("said", "blood", "traced")])

    found = [(finding.field, finding.code, finding.level) for finding in lint_template(Answer)]
    assert found == [
        ("said", "boolean_anchors", "notice"),
        ("blood", "unnoticed_change", "notice"),
        ("blood", "unnoticed_change", "notice"),
        ("year", "ground_truth_fails", "warning"),
        ("year", "not_in_strategy", "warning"),
    ]


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "unnoticed"),
    [
        (int, 23, NumericExact(), []),
        (float, 37.0, NumericTolerance(tolerance=0.5, mode="absolute"), []),
        (int, 23, NumericTolerance(tolerance=1), ["0"]),
        (float, 5.0, NumericTolerance(tolerance=10, mode="absolute"), ["0", "-5.0"]),
        (int, 23, NumericTolerance(tolerance=9), ["0", "-23", "230"]),
        (str, "2024-02-29", DateTolerance(tolerance=400), ["'2023-02-28'", "'2025-02-28'"]),
        (str, "2024-01-15", DateTolerance(tolerance=3), []),
        (datetime.date, datetime.date(2024, 1, 15), DateTolerance(tolerance=3), []),
        (datetime.date, datetime.date.max, DateMatch(), []),
        (float, float("inf"), NumericExact(), []),
        (float, 1e300, NumericExact(), []),
        (Any, 10**400, NumericExact(), []),
        (bool, True, BooleanMatch(), []),
        (str, "BCL2", ExactMatch(), []),
        (str, "Paris", ContainsAny(substrings=["Paris"]), ["'not Paris'"]),
        (str, ["a", "b"], ContainsAny(), []),
        (list[str], ["a", "b"], SetContainment(), []),
        (list[str], ["a", "b"], SetContainment(mode="superset"), ["['a', 'b', 'an item that is not expected']"]),
        (list[str], ["a", "b"], SetContainment(mode="subset"), ["['a']"]),
        (set[str], {"a", "b"}, SetContainment(mode="subset"), ["{'a'}"]),
        (list[str], ["a", "b"], OrderedMatch(), []),
        (Literal["red", "blue"], "red", LiteralMatch(), []),
        (Literal["red", "dark red", "blue"], "red", ContainsAny(substrings=["red"]), ["'dark red'"]),
    ],
    ids=str,
)
def test_lint_reports_changes_that_still_pass(kind, truth, operator, unnoticed):
    findings = lint_template(template(kind, VerifiedField("d", truth, operator)))
    changes = [finding for finding in findings if finding.code == "unnoticed_change"]
    assert [finding.level for finding in changes] == ["notice"] * len(unnoticed)
    assert [
        finding.message.partition(" may become ")[2].removesuffix(", and the field still passes") for finding in changes
    ] == unnoticed


MODULE = """
    from pytest_verdict.templates import BaseAnswer, ExactMatch, VerifiedField
    from pytest_verdict.operators import ContainsAny

    class Base(BaseAnswer):
        gene: str = VerifiedField("{description}", ground_truth="TP53", verify_with={operator})

    class Answer(Base):
        pass

    Alias = Answer
"""


@pytest.fixture
def module(tmp_path):
    def write(description="The gene", operator="ExactMatch()"):
        path = tmp_path / "templates_of_a_test.py"
        path.write_text(textwrap.dedent(MODULE).format(description=description, operator=operator))
        return str(path)

    return write


def test_lint_command_prints_warnings(module, capsys):
    assert main(["lint", module()]) == 0
    assert capsys.readouterr().out == "1 template, 0 warnings, 0 notices\n"
    assert main(["lint", module("Such as TP53")]) == 1
    assert capsys.readouterr().out.startswith(
        "warning: Answer.gene: answer_leaks: the judge reads the expected 'TP53' in"
    )


def test_lint_command_prints_changes_that_still_pass(module, capsys):
    assert main(["lint", module(operator="ContainsAny(substrings=['TP'])")]) == 0
    assert "notice: Answer.gene: unnoticed_change: 'TP53' may become 'not TP53'" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["package_of_a_test.answers", "package_of_a_test/answers.py"])
def test_module_is_imported_by_name_or_path_with_its_neighbours(tmp_path, monkeypatch, capsys, name):
    package = tmp_path / "package_of_a_test"
    package.mkdir()
    neighbour = "neighbour_of_a_test" if name.endswith(".py") else "package_of_a_test.neighbour_of_a_test"
    (package / "neighbour_of_a_test.py").write_text("GENE = 'TP53'")
    text = textwrap.dedent(MODULE).format(description="The gene", operator="ExactMatch()")
    (package / "answers.py").write_text(f"from {neighbour} import GENE\n{text}")
    monkeypatch.chdir(tmp_path)
    before = (list(sys.path), set(sys.modules))
    assert main(["lint", name]) == 0, capsys.readouterr().err
    assert sys.path == before[0]
    for module in set(sys.modules) - before[1]:
        if "of_a_test" in module:
            del sys.modules[module]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no template"),
        ("raise OSError('x')", "OSError: x"),
        ("exit(0)", "SystemExit: 0"),
        (None, "cannot be imported"),
    ],
)
def test_module_without_template_exits_with_2(tmp_path, capsys, text, message):
    path = tmp_path / "empty_module.py"
    if text is not None:
        path.write_text(text)
    assert main(["lint", str(path)]) == 2
    assert message in capsys.readouterr().err


def test_find_template_returns_the_leaf_class():
    class Base(BaseAnswer):
        pass

    class Leaf(Base):
        pass

    assert find_template({"Base": Base, "Leaf": Leaf, "Alias": Leaf, "BaseAnswer": BaseAnswer}) is Leaf
    with pytest.raises(TemplateError, match="has no template"):
        find_template({"BaseAnswer": BaseAnswer})


class Takes(Operator):
    name = "takes_and_raises"

    def evaluate(self, expected, observed):
        expected.clear()
        raise LookupError("broken")


def test_broken_operator_is_reported_and_changes_no_ground_truth():
    class Answer(BaseAnswer):
        genes: list[str] = VerifiedField("The genes", ["TP53"], Takes())

    assert [finding.code for finding in lint_template(Answer)] == ["ground_truth_fails"]
    assert Answer(genes=[]).correct == {"genes": ["TP53"]}
