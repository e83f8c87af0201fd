"""Lint and audit: what misleads a judge, and what a template would not notice."""

from __future__ import annotations

import datetime
import sys
import textwrap
from collections.abc import Callable
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from pytest_verdict import Operator, Outcome
from pytest_verdict.cli import main
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators import (
    AnyOf,
    BooleanMatch,
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
    SetContainment,
    TraceContains,
)
from pytest_verdict.templates import (
    BaseAnswer,
    ExactMatch,
    FieldCheck,
    TemplateWarning,
    VerifiedField,
    audit_template,
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


class Gene(BaseModel):
    symbol: str = Field(description="The symbol, such as TP53")
    type: str = Field("coding", examples=["pseudogene"])


@pytest.mark.parametrize(
    ("kind", "field", "places"),
    [
        (str, VerifiedField("The gene, such as tp53", "TP53", ExactMatch()), ["its description"]),
        (
            str,
            VerifiedField("The gene", "TP53", ExactMatch(), extraction_hint="not p53 but TP53"),
            ["its extraction hint"],
        ),
        (str, VerifiedField("The gene TP531", "TP53", ExactMatch()), []),
        (int, VerifiedField("The total is 46, not pairs", 23, NumericExact()), []),
        (int, VerifiedField("Usually 23", 23, NumericExact()), ["its description"]),
        (
            float,
            VerifiedField("Normal is 37 degrees, between 36.5 and 37.5", 37.0, NumericExact()),
            ["its description"],
        ),
        (float, VerifiedField("Between 36.5 and 37.5", 37.0, NumericExact()), []),
        (
            str,
            VerifiedField("E.g. 'messenger RNA'", "x", ContainsAny(substrings=["messenger rna"])),
            ["its description"],
        ),
        (list[str], VerifiedField("Such as fever", ["fever", "pain"], SetContainment()), ["its description"]),
        (Literal["red", "blue"], VerifiedField("Either red or blue", "red", LiteralMatch()), []),
        (Literal["red", "blue"] | None, VerifiedField("Either red or blue", "red", LiteralMatch()), []),
        (Literal["red", "blue"], VerifiedField("Such as red", "red", LiteralMatch()), ["its description"]),
        (str, VerifiedField("A day after 2024-01-15", "2024-01-15", DateMatch()), ["its description"]),
        (str, VerifiedField("The gene", "TP53", ExactMatch(), examples=["tp53"]), ["its examples"]),
        (str, VerifiedField("The gene", "TP53", ExactMatch(), json_schema_extra={"x": {"y": "TP53"}}), ["its x"]),
        (str, VerifiedField("The gene", "TP53", ExactMatch(), pattern="^TP53$"), ["its pattern"]),
        (str, VerifiedField("The gene", "TP53", ExactMatch(), title="TP53"), ["its title"]),
        (Literal["TP53"], VerifiedField("The gene", "TP53", ExactMatch()), ["its const"]),
        (int, VerifiedField("The pairs", 23, NumericExact(), examples=[23], ge=0, le=23), ["its examples"]),
        (list[int], VerifiedField("The pairs, such as 23", [23, 46], SetContainment()), ["its description"]),
        (Gene, VerifiedField("What is mutated", Gene(symbol="TP53"), ExactMatch()), ["the properties of Gene"]),
        (Callable[[], int], VerifiedField("Such as TP53", Called("TP53"), ExactMatch()), ["its description"]),
    ],
)
def test_leak_names_its_place(kind, field, places):
    found = [finding.message for finding in lint_template(template(kind, field)) if finding.code == "answer_leaks"]
    assert len(found) == len(places)
    assert all(f"occurs in {place};" in message for place, message in zip(places, found, strict=True))


def test_leaks_in_names_docstrings_and_other_fields():
    class VenetoclaxAnswer(BaseAnswer):
        """About BCL2."""

        drug: str = VerifiedField("The drug that acts on bcl2", "venetoclax", ExactMatch())
        target: str = VerifiedField("What it acts on", "BCL2", ExactMatch())
        bcl2_named: str = VerifiedField("The name", "bcl2", ExactMatch())

    found = [
        (finding.field, finding.message.partition(" occurs in ")[2].partition(";")[0])
        for finding in lint_template(VenetoclaxAnswer)
    ]
    assert found == [
        ("drug", "the name of the template"),
        ("target", "the docstring of the template"),
        ("target", "the description of drug"),
        ("bcl2_named", "its name"),
        ("bcl2_named", "the docstring of the template"),
        ("bcl2_named", "the description of drug"),
    ]


def test_leak_in_an_example_of_the_template():
    class Answer(BaseAnswer):
        model_config = ConfigDict(json_schema_extra={"examples": [{"type": "TP53", "pairs": 230}]})

        type: str = VerifiedField("The gene", "TP53", ExactMatch())
        pairs: int = VerifiedField("The pairs", 230, NumericExact())

    found = [(finding.field, "the examples of the template" in str(finding)) for finding in lint_template(Answer)]
    assert found == [("type", True), ("pairs", True)]


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
        ("blood", "lost_punctuation", "warning"),
        ("year", "ground_truth_fails", "warning"),
        ("year", "not_in_strategy", "warning"),
    ]


@pytest.mark.parametrize(
    ("kind", "truth", "operator", "unnoticed"),
    [
        (int, 23, NumericExact(), []),
        (float, 37.0, NumericTolerance(tolerance=0.5, mode="absolute"), []),
        (float, 100.0, NumericTolerance(tolerance=0.1), []),
        (float, 5.0, NumericRange(min=1, max=10), []),
        (int, 5, NumericMinimum(), []),
        (int, 5, NumericMaximum(exclusive=False), []),
        (int, 23, NumericTolerance(tolerance=1), ["zero"]),
        (float, 5.0, NumericTolerance(tolerance=10, mode="absolute"), ["zero", "another sign"]),
        (int, 23, NumericTolerance(tolerance=9), ["zero", "another sign", "ten times"]),
        (str, "2024-02-29", DateTolerance(tolerance=400), ["a year later", "a year earlier"]),
        (bool, True, BooleanMatch(), []),
        (str, "BCL2", ExactMatch(), []),
        (str, "Paris", ContainsAny(substrings=["Paris"]), ["'not' put before it"]),
        (str, "2024-01-15", DateMatch(), []),
        (str, "2024-01-15", DateTolerance(tolerance=3), []),
        (datetime.date, datetime.date(2024, 1, 15), DateTolerance(tolerance=3), []),
        (str, "2024-05-01", DateRange(min="2024-01-01", max="2024-12-31"), []),
        (datetime.date, datetime.date.max, DateMatch(), []),
        (float, float("inf"), NumericExact(), []),
        (list[str], ["a", "b"], SetContainment(), []),
        (list[str], ["a", "b"], SetContainment(mode="superset"), ["item added"]),
        (list[str], ["a", "b"], SetContainment(mode="subset"), ["item dropped"]),
        (list[str], ["a", "b"], OrderedMatch(), []),
        (Literal["red", "blue"], "red", LiteralMatch(), []),
        (Literal["red", "dark red"], "red", ContainsAny(substrings=["red"]), ["another choice"]),
        (Literal["red", "dark red"] | None, "red", ContainsAny(substrings=["red"]), ["another choice"]),
    ],
    ids=str,
)
def test_audit_reports_unnoticed_changes(kind, truth, operator, unnoticed):
    audit = audit_template(template(kind, VerifiedField("d", truth, operator)), {"x": truth})
    assert [change.kind for change in audit.unnoticed] == unnoticed
    assert audit.tried > len(unnoticed)


def test_audit_reports_changes_that_remove_punctuation_hides():
    with pytest.warns(TemplateWarning):
        made = template(str, VerifiedField("d", "O+", ExactMatch(normalize=["remove_punctuation"])))
    changes = [str(change) for change in audit_template(made, {"x": "O+"}).unnoticed]
    assert "x: last character replaced: 'O+' became 'O-'" in changes


def test_audit_reports_fields_outside_of_the_strategy():
    class Answer(BaseAnswer):
        a: int = VerifiedField("a", 1, NumericExact())
        b: bool = VerifiedField("b", ground_truth=True, verify_with=BooleanMatch())

        class VerificationStrategy:
            verify_strategy = FieldCheck(field="a")

    assert {change.field for change in audit_template(Answer, {"a": 1, "b": True}).unnoticed} == {"b"}


def test_audit_covers_classic_templates_and_traces():
    class Answer(BaseAnswer):
        target: str = Field(description="d")

        def ground_truth(self):
            self.correct = {"target": "BCL2"}
            self.regex = {"cited": {"pattern": r"\[\d\]", "expected": 1, "match_type": "count"}}

        def verify(self):
            return "BCL" in self.target

    audit = audit_template(Answer, {"target": "BCL2"}, trace="see [1]")
    assert [change.kind for change in audit.unnoticed] == [
        "last character replaced",
        "last character dropped",
        "'not' put before it",
    ]


def test_audit_of_a_wrong_answer_raises():
    with pytest.raises(TemplateError, match="the correct answer does not pass itself: x"):
        audit_template(template(int, VerifiedField("d", 1, NumericExact())), {"x": 2})


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
    assert capsys.readouterr().out.startswith("warning: Answer.gene: answer_leaks: the expected 'TP53' occurs in its")


def test_audit_command_prints_unnoticed_changes(module, tmp_path, capsys):
    assert main(["audit", module()]) == 0
    assert main(["audit", module(operator="ContainsAny(substrings=['TP'])")]) == 1
    assert "not noticed: Answer.gene: 'not' put before it: 'TP53' became 'not TP53'" in capsys.readouterr().out
    values = tmp_path / "values.json"
    values.write_text('{"gene": "BRCA1"}')
    assert main(["audit", module(), "--values", str(values)]) == 2
    assert "the correct answer does not pass itself: gene" in capsys.readouterr().err


def test_audit_command_continues_after_a_template_that_fails(tmp_path, capsys):
    path = tmp_path / "several_templates.py"
    path.write_text(
        "from pydantic import Field\n"
        "from pytest_verdict.operators import NumericTolerance\n"
        "from pytest_verdict.templates import BaseAnswer, VerifiedField\n\n"
        "class First(BaseAnswer):\n    gene: str = Field(description='d')\n\n"
        "class Second(BaseAnswer):\n"
        "    pairs: int = VerifiedField('d', 23, NumericTolerance(tolerance=1))\n"
    )
    assert main(["audit", str(path)]) == 2
    printed = capsys.readouterr()
    assert (
        printed.err
        == "pytest-verdict: not audited: First has fields without ground truth: write verify(self) -> bool\n"
    )
    assert "not noticed: Second.pairs: zero: 23 became 0" in printed.out


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        ("--trace", b"\xff\xfe", "is not text in UTF-8"),
        ("--values", b"\xff\xfe", "is not JSON"),
        ("--values", b'{"gene": ', "is not JSON"),
        ("--values", b"[]", "is not a JSON object"),
    ],
    ids=["trace", "bytes", "cut off", "list"],
)
def test_unreadable_file_exits_with_2(module, tmp_path, capsys, option, content, message):
    path = tmp_path / "file"
    path.write_bytes(content)
    assert main(["audit", module(), option, str(path)]) == 2
    assert message in capsys.readouterr().err


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


@pytest.mark.parametrize("command", ["lint", "audit"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "has no template"),
        ("raise OSError('x')", "OSError: x"),
        ("exit(0)", "SystemExit: 0"),
        (None, "cannot be imported"),
    ],
)
def test_module_without_template_exits_with_2(tmp_path, capsys, command, text, message):
    path = tmp_path / "empty_module.py"
    if text is not None:
        path.write_text(text)
    assert main([command, str(path)]) == 2
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
    with pytest.raises(TemplateError, match="the correct answer does not pass itself: genes"):
        audit_template(Answer, {"genes": ["TP53"]})
    assert Answer(genes=[]).correct == {"genes": ["TP53"]}


class NeverFails(Operator):
    name = "never_fails_audit"

    def default_threshold(self):
        return 0.0

    def evaluate(self, expected, observed):
        return Outcome(0.0)


def test_audit_with_an_invalid_threshold_raises():
    class Answer(BaseAnswer):
        gene: str = VerifiedField("The gene", "TP53", NeverFails())

    with pytest.raises(TemplateError, match=r"threshold must be in \(0, 1\], got 0\.0"):
        audit_template(Answer, {"gene": "TP53"})


@pytest.mark.parametrize("truth", ["1e3", "1,000", 1e300, float("inf"), -float("inf"), 10**400])
@pytest.mark.parametrize("rule", ["NumericMinimum", "NumericMaximum", "NumericExact", "NumericTolerance"])
def test_audit_of_any_number_works_or_raises(rule, truth):
    import pytest_verdict.operators

    settings = {"tolerance": 1} if rule == "NumericTolerance" else {}
    verify_with = getattr(pytest_verdict.operators, rule)(**settings)
    try:
        template = type(
            "Numbers",
            (BaseAnswer,),
            {
                "__annotations__": {"number": float},
                "number": VerifiedField("A number", ground_truth=truth, verify_with=verify_with),
            },
        )
        found = audit_template(template, {"number": truth})
    except TemplateError:
        return
    assert found.tried
