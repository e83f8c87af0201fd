"""Every example of the specification of answer templates, with the result that it states."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field

from pytest_verdict.errors import TemplateError
from pytest_verdict.operators import (
    AllOf,
    AnyOf,
    AtLeastN,
    BooleanMatch,
    ContainsAny,
    LiteralMatch,
    NumericExact,
    NumericTolerance,
    SetContainment,
    TraceRegex,
)
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ExactMatch,
    FieldCheck,
    VerifiedField,
    find_template,
    judge_schema,
)

TEXT = ["lowercase", "strip"]


class Pairs(BaseAnswer):
    pair_count: int = VerifiedField("How many pairs there are", ground_truth=23, verify_with=NumericExact())


class Drug(BaseAnswer):
    target: str = VerifiedField(
        description="The protein that the drug acts on",
        ground_truth="BCL2",
        verify_with=ExactMatch(normalize=[*TEXT, "remove_punctuation"]),
    )
    is_approved: bool = VerifiedField("Whether it is approved", ground_truth=True, verify_with=BooleanMatch())


class Element(BaseAnswer):
    element: str = VerifiedField("Its name", ground_truth="oxygen", verify_with=ExactMatch(normalize=TEXT))
    atomic_number: int = VerifiedField("Its number", ground_truth=8, verify_with=NumericExact())


class Mutation(BaseAnswer):
    mutation_type: Literal["missense", "nonsense", "frameshift", "silent"] = VerifiedField(
        description="The kind of mutation", ground_truth="missense", verify_with=LiteralMatch()
    )


class Identified(BaseAnswer):
    identifies_tp53: bool = VerifiedField(
        "Whether one gene is singled out", ground_truth=True, verify_with=BooleanMatch()
    )


class BloodType(BaseAnswer):
    blood_type: str = VerifiedField(
        description="The most common type",
        ground_truth="O+",
        verify_with=ExactMatch(normalize=TEXT),
        extraction_hint="In short notation",
    )


class Temperature(BaseAnswer):
    temperature_celsius: float = VerifiedField(
        description="In degrees Celsius",
        ground_truth=37.0,
        verify_with=NumericTolerance(tolerance=0.5, mode="absolute"),
    )


class MeltingPoint(BaseAnswer):
    melting_point: float = VerifiedField(
        description="In degrees Celsius", ground_truth=0.0, verify_with=NumericTolerance(tolerance=0.5, mode="absolute")
    )


class Gene(BaseAnswer):
    gene: str = VerifiedField(
        "The most frequently mutated gene", ground_truth="TP53", verify_with=ExactMatch(normalize=TEXT)
    )


class Oncogene(BaseAnswer):
    is_oncogene: bool = VerifiedField("Whether it is one", ground_truth=True, verify_with=BooleanMatch())


class Interaction(BaseAnswer):
    has_interaction: bool = VerifiedField("Whether one is confirmed", ground_truth=True, verify_with=BooleanMatch())


class Symptoms(BaseAnswer):
    presenting_symptoms: list[str] = VerifiedField(
        description="Those the patient came with, in lower case",
        ground_truth=["fever", "fatigue", "joint pain"],
        verify_with=SetContainment(mode="exact"),
    )


class Proteins(BaseAnswer):
    signaling_proteins: list[str] = VerifiedField(
        description="The proteins of the pathway",
        ground_truth=["EGFR", "KRAS", "BRAF"],
        verify_with=SetContainment(mode="exact"),
    )


@pytest.mark.parametrize(
    ("template", "values", "passes"),
    [
        (Pairs, {"pair_count": 23}, True),
        (Pairs, {"pair_count": 46}, False),
        (Drug, {"target": "Bcl-2", "is_approved": True}, True),
        (Element, {"element": "Oxygen", "atomic_number": 8}, True),
        (Mutation, {"mutation_type": "missense"}, True),
        (Mutation, {"mutation_type": "silent"}, False),
        (Identified, {"identifies_tp53": True}, True),
        (Identified, {"identifies_tp53": False}, False),
        (BloodType, {"blood_type": "O+"}, True),
        (BloodType, {"blood_type": "o+"}, True),
        (BloodType, {"blood_type": " O+ "}, True),
        (BloodType, {"blood_type": "O-"}, False),
        (Temperature, {"temperature_celsius": 37.0}, True),
        (Temperature, {"temperature_celsius": 36.8}, True),
        (Temperature, {"temperature_celsius": 37.5}, True),
        (Temperature, {"temperature_celsius": 36.0}, False),
        (Temperature, {"temperature_celsius": 38.0}, False),
        (MeltingPoint, {"melting_point": -0.5}, True),
        (MeltingPoint, {"melting_point": 0.6}, False),
        (Gene, {"gene": " tp53"}, True),
        (Gene, {"gene": "KRAS"}, False),
        (Oncogene, {"is_oncogene": False}, False),
        (Interaction, {"has_interaction": True}, True),
        (Symptoms, {"presenting_symptoms": ["joint pain", "fever", "fatigue"]}, True),
        (Symptoms, {"presenting_symptoms": ["fever", "fatigue", "joint pain", "headaches"]}, False),
        (Proteins, {"signaling_proteins": ["KRAS", "BRAF", "EGFR"]}, True),
        (Proteins, {"signaling_proteins": ["EGFR", "KRAS"]}, False),
    ],
    ids=str,
)
def test_extracted_answer_passes_or_fails(template, values, passes):
    answer = template(**values)
    assert answer.verify() is passes
    assert answer.verify_granular() == (1.0 if passes else 0.0)
    assert AnswerTemplate(template).verify(values).passed is passes


def test_judge_never_sees_the_ground_truth():
    schema = judge_schema(Pairs)
    assert schema["properties"]["pair_count"]["type"] == "integer"
    assert schema["properties"]["pair_count"]["description"] == "How many pairs there are"
    assert "23" not in str(schema)
    assert judge_schema(Mutation)["properties"]["mutation_type"]["enum"] == [
        "missense",
        "nonsense",
        "frameshift",
        "silent",
    ]


def test_template_may_have_any_name_but_a_module_only_one():
    assert find_template({"Pairs": Pairs}) is Pairs
    with pytest.raises(TemplateError, match="2 templates and should have one: Pairs, Drug"):
        find_template({"Pairs": Pairs, "Drug": Drug})


class Penicillin(BaseAnswer):
    mentions_year: bool = VerifiedField(
        "A year occurs", ground_truth=True, verify_with=TraceRegex(pattern=r"\b\d{4}\b")
    )
    mentions_fleming: bool = VerifiedField(
        "The discoverer occurs", ground_truth=True, verify_with=TraceRegex(pattern=r"\bFleming\b")
    )


@pytest.mark.parametrize(
    ("trace", "passes"),
    [("Discovered in 1928 by Alexander Fleming.", True), ("Discovered by Fleming.", False), ("", False)],
)
def test_trace_fields_need_no_judge(trace, passes):
    assert Penicillin().verify(trace) is passes
    assert judge_schema(Penicillin)["properties"] == {}
    assert AnswerTemplate(Penicillin).verify(trace=trace).passed is passes


class Vaccine(BaseAnswer):
    delivery_mechanism: str = VerifiedField(
        description="How the instructions reach the cell",
        ground_truth="mrna",
        verify_with=ContainsAny(substrings=["mrna", "messenger rna"], normalize=["lowercase"]),
        weight=2.0,
    )
    target_protein: str = VerifiedField(
        description="What the cell then makes",
        ground_truth="spike protein",
        verify_with=ContainsAny(substrings=["spike"], normalize=["lowercase"]),
        weight=2.0,
    )
    mentions_immune_response: bool = VerifiedField(
        description="Whether what follows is described", ground_truth=True, verify_with=BooleanMatch(), weight=1.0
    )


@pytest.mark.parametrize(("protein", "passes", "score"), [("spike protein", True, 1.0), ("wrong protein", False, 0.6)])
def test_weights_give_partial_credit(protein, passes, score):
    answer = Vaccine(delivery_mechanism="mRNA instructions", target_protein=protein, mentions_immune_response=True)
    assert (answer.verify(), answer.verify_granular()) == (passes, score)


class Composed(BaseAnswer):
    target: str = VerifiedField("The target", ground_truth="BCL2", verify_with=ExactMatch(normalize=TEXT))
    mechanism: str = VerifiedField("The mechanism", ground_truth="inhibitor", verify_with=ExactMatch(normalize=TEXT))
    is_approved: bool = VerifiedField("Whether it is approved", ground_truth=True, verify_with=BooleanMatch())

    class VerificationStrategy:
        verify_strategy = AnyOf(
            conditions=[
                FieldCheck(field="target"),
                AllOf(conditions=[FieldCheck(field="mechanism"), FieldCheck(field="is_approved")]),
            ]
        )


@pytest.mark.parametrize(
    ("target", "mechanism", "approved", "passes"),
    [
        ("bcl2", "agonist", False, True),
        ("p53", "Inhibitor", True, True),
        ("p53", "inhibitor", False, False),
        ("p53", "agonist", True, False),
    ],
)
def test_nested_strategy_passes_or_fails(target, mechanism, approved, passes):
    answer = Composed(target=target, mechanism=mechanism, is_approved=approved)
    assert answer.verify() is passes


def three_fields(strategy):
    class Answer(BaseAnswer):
        a: int = VerifiedField("a", ground_truth=1, verify_with=NumericExact())
        b: int = VerifiedField("b", ground_truth=1, verify_with=NumericExact())
        c: int = VerifiedField("c", ground_truth=1, verify_with=NumericExact())

        class VerificationStrategy:
            verify_strategy = strategy

    return Answer


CHECKS = [FieldCheck(field=name) for name in "abc"]


@pytest.mark.parametrize(
    ("strategy", "values", "passes", "score"),
    [
        (AnyOf(conditions=CHECKS), (1, 0, 0), True, 1 / 3),
        (AnyOf(conditions=CHECKS), (0, 0, 0), False, 0.0),
        (AtLeastN(n=2, conditions=CHECKS), (1, 1, 1), True, 2 / 3),
        (AtLeastN(n=2, conditions=CHECKS), (1, 0, 0), False, 1 / 3),
        (AllOf(conditions=CHECKS), (1, 1, 0), False, 2 / 3),
        (AllOf(conditions=CHECKS), (1, 1, 1), True, 1.0),
    ],
)
def test_granular_score_follows_the_strategy(strategy, values, passes, score):
    answer = three_fields(strategy)(**dict(zip("abc", values, strict=True)))
    assert answer.verify() is passes
    assert answer.verify_granular() == pytest.approx(score)


class Classic(BaseAnswer):
    target: str = Field(description="The protein that the drug acts on")

    def ground_truth(self):
        self.correct = {"target": "BCL2"}

    def verify(self) -> bool:
        return self.target.strip().upper().replace("-", "") == self.correct["target"].upper()


def test_classic_template_is_verified():
    answer = Classic(target="Bcl-2")
    assert answer.correct == {"target": "BCL2"}
    assert answer.verify() is True
    assert "BCL2" not in str(judge_schema(Classic))


class ClassicGranular(BaseAnswer):
    delivery_mechanism: str = Field(description="How it is delivered")
    target_protein: str = Field(description="What is made")

    def ground_truth(self):
        self.correct = {"delivery_mechanism": "mrna", "target_protein": "spike protein"}

    def _delivery(self):
        return any(name in self.delivery_mechanism.lower() for name in ("mrna", "messenger rna"))

    def _target(self):
        return "spike" in self.target_protein.lower()

    def verify(self) -> bool:
        return self._delivery() and self._target()

    def verify_granular(self) -> float:
        return (self._delivery() + self._target()) / 2


def test_classic_template_with_own_granular_score():
    answer = ClassicGranular(delivery_mechanism="messenger RNA", target_protein="capsid")
    assert (answer.verify(), answer.verify_granular()) == (False, 0.5)
    result = AnswerTemplate(ClassicGranular).verify(answer)
    assert (result.verdict, result.granular) == ("fail", 0.5)


class ClassicRegex(BaseAnswer):
    discovery_date: str = Field(description="When it was discovered")

    def ground_truth(self):
        self.correct = {"discovery_date": "1928"}
        self.regex = {
            "mentions_discovery_year": {"pattern": r"\b1928\b", "expected": "1928", "match_type": "exact"},
            "mentions_fleming": {"pattern": r"\bFleming\b", "expected": "Fleming", "match_type": "exact"},
        }

    def verify(self) -> bool:
        return "1928" in self.discovery_date


@pytest.mark.parametrize(
    ("trace", "passes"), [("Fleming, in 1928.", True), ("Fleming, in 1928, or 1928?", False), ("in 1928", False)]
)
def test_regex_checks_must_pass_too(trace, passes):
    assert ClassicRegex(discovery_date="1928").verify() is True
    result = AnswerTemplate(ClassicRegex).verify({"discovery_date": "1928"}, trace=trace)
    assert result.passed is passes
    assert result.fields == {}


class RegexOnly(BaseAnswer):
    def ground_truth(self):
        self.regex = {
            "has_mechanism_keyword": {
                "pattern": r"\b(activates|inhibits|blocks)\b",
                "expected": "inhibits",
                "match_type": "contains",
            },
            "has_three_citations": {"pattern": r"\[\d+\]", "expected": 3, "match_type": "count"},
        }


def test_regex_checks_alone_need_no_judge_and_no_verify():
    found = RegexOnly().verify_regex("The drug inhibits the target [1] [2] [3]")
    assert found["success"] is True
    assert found["results"] == {"has_mechanism_keyword": True, "has_three_citations": True}
    assert found["details"]["has_three_citations"]["match_count"] == 3
    assert RegexOnly().verify() is True
    work = AnswerTemplate(RegexOnly)
    assert work.verify(work.parse("It blocks the target [1]")).regex == {
        "has_mechanism_keyword": False,
        "has_three_citations": False,
    }


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"ground_truth": 1, "verify_with": NumericExact()}, TypeError, "description"),
        (
            {"description": " ", "ground_truth": 1, "verify_with": NumericExact()},
            ValueError,
            "must be text .*, got ' '",
        ),
        ({"description": "d", "ground_truth": 1}, ValueError, r"such as ExactMatch\(\)"),
        ({"description": "d", "ground_truth": 1, "verify_with": None}, ValueError, r"such as ExactMatch\(\)"),
    ],
)
def test_invalid_field_raises_the_documented_error(arguments, error, message):
    with pytest.raises(error, match=message):
        VerifiedField(**arguments)


def test_trace_field_must_be_bool():
    with pytest.raises(ValueError, match="its type is bool, not str"):

        class Answer(BaseAnswer):
            mentioned: str = VerifiedField("d", ground_truth=True, verify_with=TraceRegex(pattern="x"))


def test_unknown_normalizer_raises_at_construction():
    with pytest.raises(ValueError, match="Unknown normalizer: 'lower'"):
        ExactMatch(normalize=["lower"])


def test_verify_that_raises_is_an_error():
    class Raises(BaseAnswer):
        target: str = Field(description="d")

        def ground_truth(self):
            self.correct = {"target": "BCL2"}

        def verify(self) -> bool:
            raise KeyError(self.target)

    result = AnswerTemplate(Raises).verify({"target": "x"})
    assert (result.verdict, result.passed, result.granular) == ("error", False, None)
    assert "KeyError: 'x'" in result.error


def test_verify_granular_that_raises_gives_no_granular_score():
    class NoGranular(Classic):
        def verify_granular(self) -> float:
            raise ValueError

    result = AnswerTemplate(NoGranular).verify({"target": "BCL2"})
    assert (result.verdict, result.granular, result.notes) == ("pass", None, ["verify_granular_failed"])


def test_template_of_plain_fields_without_verify_raises():
    class NoVerify(BaseAnswer):
        target: str = Field(description="d")

    with pytest.raises(TemplateError, match=r"write verify\(self\) -> bool"):
        AnswerTemplate(NoVerify)
