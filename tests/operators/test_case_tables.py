"""Every row of the table: verdict, score, notes, and a record that any other process can derive again."""

from __future__ import annotations

import re

import pytest

from operators.cases import CASES
from pytest_verdict import UndecidedError
from pytest_verdict.core.families import FAMILIES
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.replay import replay_line
from pytest_verdict.laws import REFUSALS
from test_replay import line_of

SCORES = {"pass": 1.0, "fail": 0.0, "error": 0.0}
NUMBERED = [pytest.param(row, id=f"{row.operator}-{number}") for number, row in enumerate(CASES)]


@pytest.mark.parametrize("row", NUMBERED)
def test_case(row):
    result = row.compare(name="a\nname")
    score = SCORES.get(row.result, row.result)
    assert (result.score, result.notes) == (pytest.approx(score, abs=1e-12), row.notes)
    if row.result in SCORES:
        assert result.verdict == row.result
    # The operator is recorded under the name that finds it, by whichever spelling it was built.
    cls = REGISTRY.find(row.operator)
    assert cls.name == row.operator
    operator = cls(**row.settings)
    assert operator.model_copy().identity == operator.identity
    assert row.compare(operator, name="a\nname").to_text() == result.to_text()
    assert replay_line(line_of(result)).status == "identical"


UNUSABLE = [row for row in NUMBERED if row.values[0].result == "error" and {*row.values[0].notes} - {"inconclusive"}]


@pytest.mark.parametrize("row", UNUSABLE)
def test_unusable_expected_value_is_an_error(row):
    result = row.compare()
    assert "child_error" in row.notes or re.match("expected must be .*, got ", result.outcome.error)
    with pytest.raises(UndecidedError):
        assert not result


def test_every_operator_has_a_case():
    assert set(FAMILIES.own("operators")) | set(FAMILIES.own("recorded_operators")) == {row.operator for row in CASES}


def test_laws_know_every_refusal():
    notes = {note for row in CASES for note in row.notes if row.result == "error"}
    # `empty_expected` may pass where nothing is expected of a trajectory; the others say why a decision is open.
    assert notes - REFUSALS <= {"empty_expected", "inconclusive", "child_error"}
