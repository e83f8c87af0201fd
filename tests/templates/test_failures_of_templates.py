"""How the failure of a template reads: a table with reasons, the strategy as a tree, the same block everywhere."""

from __future__ import annotations

import textwrap

import pytest

from pytest_verdict import Budget, ComparisonResult, explain
from pytest_verdict.explanation import failure_block
from pytest_verdict.operators import AnyOf, AtLeastN, DateMatch
from pytest_verdict.session import SESSION
from pytest_verdict.templates import (
    AnswerTemplate,
    BaseAnswer,
    ExactMatch,
    FieldCheck,
    NumericTolerance,
    TraceRegex,
    VerifiedField,
)

LONG = "a long text that goes on and on and on and ends with a word"


class Trip(BaseAnswer):
    city: str = VerifiedField("c", ground_truth="Paris", verify_with=ExactMatch())
    price: float = VerifiedField("p", ground_truth=100.0, verify_with=NumericTolerance(tolerance=0.1), weight=2)
    day: str = VerifiedField("d", ground_truth="2024-01-31", verify_with=DateMatch())
    text: str = VerifiedField("t", ground_truth=LONG, verify_with=ExactMatch())
    cites: bool = VerifiedField("x", ground_truth=True, verify_with=TraceRegex(pattern=r"\d"))

    class VerificationStrategy:
        verify_strategy = AtLeastN(
            n=2,
            conditions=[
                FieldCheck(field="city"),
                FieldCheck(field="price"),
                AnyOf(conditions=[FieldCheck(field="day"), FieldCheck(field="text")]),
            ],
        )


class Plain(BaseAnswer):
    city: str = VerifiedField("c", ground_truth="Paris", verify_with=ExactMatch())
    pairs: int = VerifiedField("p", ground_truth=23, verify_with=NumericTolerance(tolerance=0.1))


WRONG = {"city": "Rome", "price": 130, "day": "2024-01-31", "text": LONG.replace("word", "verb"), "hotel": "Ritz"}


def described(template, answer, trace=None):
    return failure_block(AnswerTemplate(template).verify(answer, trace).comparison, Budget()).splitlines()


def block(text):
    return textwrap.dedent(text).strip("\n").splitlines()


def test_block_shows_reasons_and_strategy():
    assert described(Trip, {**WRONG, "day": "2024-02-02"}, trace="see [1]") == block(
        """
        answer_template 'Trip': 4 of 5 failed: city expected 'Paris', got 'Rome'; …
          strategy: at least 2 of (city FAIL, price FAIL, at least 1 of (day FAIL, text FAIL))
          granular score: 0.00
          keys of no field: 'hotel'
          FAIL  normalized_exact 'city': expected 'Paris', got 'Rome'
                expected surface: 'paris'
                observed surface: 'rome'
                normalization: lowercase, strip
          FAIL  numeric_tolerance 'price': off by 30, allowed 10: expected 100.0, got 130.0
                normalization: none
                settings: tolerance=0.1
          FAIL  date_match 'day': 2 days apart: expected '2024-01-31', got '2024-02-02'
                normalization: none
          FAIL  normalized_exact 'text': expected …'d on and ends with a word', got …'d on and ends with a verb'
                expected: 'a long text that goes on and on and on and ends with a word'
                                                                                  ^^^^
                observed: 'a long text that goes on and on and on and ends with a verb'
                                                                                  ^^^^
                normalization: lowercase, strip
          ok    trace_regex 'cites': got 'see [1]'
          note: unknown_keys
        """
    )


def test_block_marks_the_parts_of_the_strategy():
    lines = described(Trip, WRONG, trace="none")
    strategy = " ".join(lines[next(at for at, text in enumerate(lines) if "strategy: " in text) :])
    assert "at least 2 of (city FAIL, price FAIL, at least 1 of (day ok, text FAIL))" in " ".join(strategy.split())


@pytest.mark.parametrize(
    ("reply", "first", "others"),
    [
        (
            '{"city": "Ro',
            "error: the reply is no answer of Plain: Unterminated string starting at: line 1 column 10 (char 9)",
            ['  reply: \'{"city": "Ro\''],
        ),
        (
            {"city": "Paris", "pairs": "soon"},
            "error: the reply is no answer of Plain: pairs: Input should be a valid integer, unable to parse",
            ["  ok    normalized_exact 'city': got 'Paris'"],
        ),
    ],
)
def test_first_line_has_the_reason_of_an_unreadable_reply(reply, first, others):
    lines = described(Plain, reply)
    assert lines[0].startswith(f"answer_template 'Plain': {first}")
    assert set(others) <= set(lines)


def test_null_field_shows_the_expected_value():
    lines = described(Plain, {"city": None, "pairs": 23})
    assert lines[0] == "answer_template 'Plain': 1 of 2 failed: city observed is null: None"
    assert "  FAIL  normalized_exact 'city': observed is null: None" in lines
    assert "        expected: 'Paris'" in lines


def test_failed_regex_check_shows_its_reason():
    class Classic(BaseAnswer):
        def ground_truth(self):
            self.regex = {"sources": {"pattern": r"\[\d\]", "expected": 1, "match_type": "count"}}

    lines = described(Classic, trace="[1] [2]", answer=None)
    reason = r"2 matches were found, not 1: pattern '\\[\\d\\]', got '"
    assert lines[0].startswith("answer_template 'Classic': 1 of 1 failed: sources 2 matches were found, not 1")
    assert f"  FAIL  regex_check 'sources': {reason}" in "\n".join(lines)


def test_failed_field_check_shows_the_field():
    child = FieldCheck(field="city", operator=ExactMatch())
    lines = list(explain(AnyOf(conditions=[child]).evaluate({"city": "a"}, {"city": "b"}).children[0]))
    assert lines[0] == "field_check '0': 0 of 1 passed, 1 needed: city expected 'a', got 'b'"


def test_describe_equals_the_failure_block():
    result = AnswerTemplate(Plain).verify({"city": "Rome", "pairs": 23})
    assert result.describe() == failure_block(result.comparison, SESSION.budget)
    assert repr(result).startswith("TemplateResult(comparison=<answer_template")
    read = ComparisonResult.from_record(result.comparison.to_record())
    assert failure_block(read, SESSION.budget) == result.describe()


def test_unlimited_budget_shows_both_sides_and_all_fields():
    result = AnswerTemplate(Plain).verify({"city": "Rome", "pairs": 23})
    said = list(explain(result.comparison, Budget(lines=0, characters=0, width=0)))
    assert "  FAIL  normalized_exact 'city': expected 'Paris', got 'Rome'" in said
    assert "  expected: {'city': 'Paris', 'pairs': 23}" in said
    assert any(line.startswith("  settings: template='Plain', fields=") for line in said)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["settings"].update(fields=3),
        lambda record: record["settings"].update(fields={"city": "\x1b[31m", "pairs": None}),
        lambda record: record["settings"].update(strategy={"operator": "\x1b[31m", "settings": {"conditions": [7]}}),
        lambda record: record["settings"].update(strategy={"operator": "any_of", "settings": {"conditions": {"a": 1}}}),
        lambda record: record["settings"].clear(),
        lambda record: record["details"].update(granular_score="\x1b[31m", failed=7, null_fields={"a": 1}),
        lambda record: record["details"].clear(),
        lambda record: record.update(observed="\x1b[31m"),
        lambda record: record.update(observed={"_problems": 3, "_unknown": "\x1b[31m", "_reply": "\x1b[31m"}),
        lambda record: record.update(children=[]),
        lambda record: record["children"][0].update(name="\x1b[31m" * 500, operator="\x1b[31m"),
        lambda record: record["children"].extend(record["children"] * 30),
    ],
)
def test_hostile_record_is_drawn(change):
    record = AnswerTemplate(Trip).verify(WRONG, trace="none").comparison.to_record()
    change(record)
    read = ComparisonResult.from_record(record)
    for budget in (Budget(), Budget(width=40), Budget(lines=0, characters=0, differences=0, width=0)):
        said = failure_block(read, budget)
        assert said.startswith("answer_template 'Trip': ")
        assert "\x1b" not in said
