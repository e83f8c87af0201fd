"""The kernel: an operator comes out the same wherever it runs, and no broken one ever passes."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from pytest_verdict import ComparisonResult, Operator, Outcome, compare
from pytest_verdict.core.kernel import PartError, result_from_outcome, run
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.replay import replay_line
from pytest_verdict.errors import ConfigurationError, RecordError, ThresholdError
from pytest_verdict.operators import (
    AllOf,
    AnyOf,
    NumericExact,
    SemanticMatch,
)
from pytest_verdict.templates import AnswerTemplate, BaseAnswer, ExactMatch, FieldCheck, VerifiedField
from pytest_verdict.trajectories import TrajectoryExact
from written_records import line_of


class NeverFails(Operator):
    """Its threshold is the score of a failed comparison."""

    name = "never_fails"

    def default_threshold(self):
        return 0.0

    def evaluate(self, expected, observed):
        return Outcome(0.0)


class Takes(Operator):
    """It takes items out of both sides until nothing is left to compare."""

    name = "takes"

    def evaluate(self, expected, observed):
        equal = expected == observed
        expected.clear()
        observed.clear()
        return Outcome(1.0 if equal else 0.0)


class Stands(Operator):
    """Its setting takes the place of expected."""

    name = "stands"
    value: Any = None

    def effective_expected(self, expected):
        return self.value

    def evaluate(self, expected, observed):
        return Outcome(1.0 if self.value == observed else 0.0)


class Raises(Operator):
    name = "raises"

    def evaluate(self, expected, observed):
        raise LookupError("broken")


class RaisesBefore(Operator):
    name = "raises_before"

    def effective_expected(self, expected):
        raise LookupError("broken")

    def evaluate(self, expected, observed):
        return Outcome(1.0)


class Unprintable(Exception):
    def __str__(self):
        raise ValueError


class RaisesUnprintable(Operator):
    name = "raises_unprintable"

    def evaluate(self, expected, observed):
        raise Unprintable


class EndlessNesting(Operator):
    name = "endless_nesting"

    def evaluate(self, expected, observed):
        return self.evaluate(expected, observed)


class LacksPart(Operator):
    name = "lacks_part"

    def evaluate(self, expected, observed):
        raise PartError("KeyError: 'part'")


class GivesNumber(Operator):
    name = "gives_number"

    def evaluate(self, expected, observed):
        return 1.0


class GivesTooMuch(Operator):
    name = "gives_too_much"

    def evaluate(self, expected, observed):
        return Outcome(2.0)


class TurnNeverFails(TrajectoryExact):
    """The conversation has a threshold, its turns have none."""

    def default_threshold(self):
        return 1.0 if self.turns != "none" else 0.0


class TurnTakes(TrajectoryExact):
    def evaluate(self, expected, observed):
        if self.turns != "none":
            return super().evaluate(expected, observed)
        observed.clear()
        return Outcome(1.0)


def template_of(operator, truth):
    class Answer(BaseAnswer):
        part: Any = VerifiedField("p", truth, operator, default=None)

    return Answer


def compared(operator, expected, observed):
    return compare(operator, expected, observed)


def in_aggregate(operator, expected, observed):
    return compare(AllOf(conditions=[operator]), expected, observed)


def in_aggregate_by_key(operator, expected, observed):
    return compare(AllOf(conditions={"part": operator}), {"part": expected}, {"part": observed})


def in_field_check(operator, expected, observed):
    return compare(FieldCheck(field="part", operator=operator), {"part": expected}, {"part": observed})


def in_template(operator, expected, observed):
    return AnswerTemplate(template_of(operator, expected)).verify({"part": observed}).comparison


INSIDE = [in_aggregate, in_aggregate_by_key, in_field_check, in_template]
EVERYWHERE = [compared, *INSIDE]
BROKEN = {
    Raises: "LookupError: broken",
    RaisesBefore: "LookupError: broken",
    RaisesUnprintable: "Unprintable: <unprintable>",
    EndlessNesting: "RecursionError: a value contains itself or is nested too deeply",
    LacksPart: "KeyError: 'part'",
    GivesNumber: "TypeError: evaluate must return an Outcome, got 1.0",
    GivesTooMuch: "ValueError: a score is a number from 0.0 to 1.0, got 2.0",
}


def part_of(way, result):
    return result if way is compared else result.children[0]


def is_read_back_and_replayed(result):
    read = ComparisonResult.from_record(json.loads(result.to_text()))
    return read == result and replay_line(line_of(result)).status == "identical"


@pytest.fixture(autouse=True)
def registered():
    for cls in (NeverFails, Takes, Stands, *BROKEN):
        REGISTRY.add(cls)


@pytest.mark.parametrize("way", INSIDE)
def test_part_with_zero_threshold_is_an_error(way):
    result = way(NeverFails(), "a", "b")
    assert (result.verdict, result.error) == ("error", "ThresholdError: threshold must be in (0, 1], got 0.0")
    assert is_read_back_and_replayed(result)


def test_turn_with_zero_threshold_is_an_error():
    result = compare(TurnNeverFails(turns="all"), [["a"]], [["b"]])
    assert (result.verdict, result.error) == ("error", "ThresholdError: threshold must be in (0, 1], got 0.0")
    assert ComparisonResult.from_record(result.to_record()) == result


CALLS = [{"name": "search", "args": {"q": ["tea"]}}]


def test_argument_rule_with_zero_threshold_is_an_error():
    result = compare(TrajectoryExact(args={"search": {"q": NeverFails()}}), CALLS, CALLS)
    assert (result.verdict, result.error) == ("error", "ThresholdError: threshold must be in (0, 1], got 0.0")
    assert is_read_back_and_replayed(result)


def test_evidence_changed_by_argument_rule_is_recorded_unchanged():
    result = compare(TrajectoryExact(args={"search": {"q": Takes()}}), copy.deepcopy(CALLS), copy.deepcopy(CALLS))
    assert (result.passed, result.expected, result.observed) == (True, CALLS, CALLS)


def test_null_answer_and_missing_trace_validate_the_threshold():
    result = AnswerTemplate(template_of(NeverFails(), "a")).verify({"part": None})
    assert (result.verdict, result.error) == ("error", "ThresholdError: threshold must be in (0, 1], got 0.0")


@pytest.mark.parametrize("way", EVERYWHERE)
def test_evidence_changed_by_operator_is_recorded_unchanged(way):
    result = way(Takes(), ["a", "b"], ["a", "b"])
    part = part_of(way, result)
    assert (part.passed, part.expected, part.observed) == (True, ["a", "b"], ["a", "b"])
    assert is_read_back_and_replayed(result)


def test_turn_changed_by_operator_is_recorded_unchanged():
    result = compare(TurnTakes(turns="all"), [["a"]], [["a"]])
    assert [(part.expected, part.observed) for part in result.children] == [(["a"], ["a"])]


def test_operator_that_changes_its_arguments_does_not_affect_template():
    Answer = template_of(Takes(), ["a", "b"])
    answer = Answer(part=["a", "b"])
    for _ in range(2):
        assert AnswerTemplate(Answer).verify(answer).passed
        assert answer.verify()
        assert not AnswerTemplate(Answer).verify({"part": []}).passed
    assert (answer.part, Answer(part=[]).correct) == (["a", "b"], {"part": ["a", "b"]})


@pytest.mark.parametrize("way", EVERYWHERE)
def test_setting_that_replaces_expected_is_recorded(way):
    result = way(Stands(value="b"), "a", "b")
    part = part_of(way, result)
    assert (part.passed, part.expected) == (True, "b")
    assert is_read_back_and_replayed(result)


@pytest.mark.parametrize("way", EVERYWHERE)
@pytest.mark.parametrize(("operator", "error"), BROKEN.items())
def test_broken_operator_is_an_error(way, operator, error):
    result = way(operator(), "a", "b")
    assert not result.passed
    found = result.error if result.error is not None else part_of(way, result).error
    assert found == error
    assert is_read_back_and_replayed(result)


@pytest.mark.parametrize("observed", ["7", "b", None, 1, ["7"]])
@pytest.mark.parametrize("operator", [ExactMatch(), NumericExact(), AnyOf(conditions=["exact", "numeric_exact"])])
def test_comparison_is_the_same_everywhere(operator, observed):
    alone = run(operator, "7", observed)
    assert compare(operator, "7", observed) == alone
    assert run(operator, "7", observed, recorded=alone.details) == alone
    assert in_aggregate(operator, "7", observed).children[0].outcome == alone.outcome
    assert in_field_check(operator, "7", observed).children[0].outcome == alone.outcome
    if observed is not None:
        assert in_template(operator, "7", observed).children[0].outcome == alone.outcome


@pytest.mark.parametrize("threshold", [0, 0.0, -1, 1.5, float("nan"), True, "0.5", None])
@pytest.mark.parametrize("make", [run, lambda *sides, **named: result_from_outcome(*sides, Outcome(1.0), **named)])
def test_a_threshold_is_a_number_above_zero_up_to_one(make, threshold):
    if threshold is None:
        assert make(NumericExact(), 1, 1, threshold=None).threshold == 1.0
        with pytest.raises(ThresholdError, match=r"threshold must be in \(0, 1\], got 0\.0"):
            make(NeverFails(), 1, 1)
    else:
        with pytest.raises(ThresholdError, match=r"threshold must be in \(0, 1\], got "):
            make(NumericExact(), 1, 1, threshold=threshold)


def test_name_must_be_text():
    assert run(NumericExact(), 1, 1, name="n").name == "n"
    with pytest.raises(ConfigurationError, match="name is a text or None, got 3"):
        run(NumericExact(), 1, 1, name=3)


def embed(texts):
    return [[float(len(text)), 1.0] for text in texts]


def refuse(texts):
    raise AssertionError("a model was asked")


def test_replay_uses_recorded_model_output():
    made = run(SemanticMatch(embedder=embed, keep_vectors=True), "abc", "abd")
    assert made.passed
    again = run(SemanticMatch(embedder=refuse, keep_vectors=True), "abc", "abd", recorded=made.details)
    assert again.outcome == made.outcome


@pytest.mark.parametrize(
    "operator", [SemanticMatch(embedder=refuse), AllOf(conditions=[SemanticMatch(embedder=refuse)])]
)
def test_missing_evidence_is_no_error_of_the_operator(operator):
    with pytest.raises(RecordError):
        run(operator, "abc", "abd", recorded={})


def test_a_known_outcome_is_recorded_without_running_the_operator():
    made = result_from_outcome(Raises(), ["a"], ["b"], Outcome(0.0, notes=("null_observed",)), name="n")
    assert (made.verdict, made.expected, made.observed, made.name) == ("fail", ["a"], ["b"], "n")
    assert result_from_outcome(Stands(value="b"), "a", "b", Outcome(1.0)).expected == "b"


class Within(Operator):
    name = "within_for_tests"
    expected_settings = ("low", "high")
    low: int | None = None
    high: int | None = None

    def evaluate(self, expected, observed):
        bounds = self.effective_expected(expected)
        return Outcome(float(bounds["low"] <= observed <= bounds["high"]))


def test_setting_replaces_expected():
    assert compare(Within(), {"low": 1, "high": 3}, 2).expected == {"low": 1, "high": 3}
    assert Within().needs_expected()
    found = compare(Within(low=1, high=3), None, 5)
    assert (found.passed, found.expected) == (False, {"low": 1, "high": 3})
    assert not Within(low=0).needs_expected()
