"""Turns: two conversations compared turn by turn."""

from __future__ import annotations

from typing import Any, Final, Literal

from pytest_verdict.core.kernel import PartError, run
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult, Outcome

Turns = Literal["none", "all", "mean", "flatten"]

DIFFERENT_TURNS: Final = "different_number_of_turns"


def compare_turns(operator: Operator, expected: list[Any], observed: list[Any], *, mean: bool) -> Outcome:
    """Compare turn by turn."""
    counts = {"expected_turns": len(expected), "observed_turns": len(observed)}
    children = tuple(
        _compare_turn(operator, number, *pair) for number, pair in enumerate(zip(expected, observed, strict=False), 1)
    )
    notes = tuple(dict.fromkeys(note for child in children for note in child.notes))
    if len(expected) != len(observed):
        return Outcome(0.0, notes=(DIFFERENT_TURNS, *notes), details=counts, children=children)
    if not children:
        return Outcome(1.0, notes=("empty_expected",), details=counts)
    scores = [child.score for child in children]
    score = min(sum(scores) / len(scores), 1.0) if mean else min(scores)
    return Outcome(score, notes=notes, details=counts, children=children)


def _compare_turn(operator: Operator, number: int, expected: Any, observed: Any) -> ComparisonResult:
    made = run(operator, expected, observed, name=f"turn {number}")
    if made.error is not None:
        raise PartError(made.error)
    return made
