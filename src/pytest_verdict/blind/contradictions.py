"""Where a judge's own numbers and winner do not follow from its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pytest_verdict.blind.reply import Reply, Side
from pytest_verdict.blind.scoring import LABELS, TIE, Label, Winner

WINNER_OPPOSITE: Final = "winner_opposite"
WINNER_SOFT: Final = "winner_soft"
SCORE_ARITHMETIC: Final = "score_arithmetic"
QUALITY_MISMATCH: Final = "quality_mismatch"
PASS_RATE_ARITHMETIC: Final = "pass_rate_arithmetic"  # noqa: S105 - the word pass is no password here
EXPECTATION_TEXT: Final = "expectation_text"
BLINDNESS_BREACH: Final = "blindness_breach"
CODES: Final = (
    WINNER_OPPOSITE,
    WINNER_SOFT,
    SCORE_ARITHMETIC,
    QUALITY_MISMATCH,
    PASS_RATE_ARITHMETIC,
    EXPECTATION_TEXT,
    BLINDNESS_BREACH,
)
GATING: Final = (WINNER_OPPOSITE, PASS_RATE_ARITHMETIC, EXPECTATION_TEXT, BLINDNESS_BREACH)
"""The contradictions that keep a comparison from passing unless told otherwise."""

# Rounding early or late differs by at most one unit of the last digit shown.
_ROUNDING: Final = Fraction(1, 10)
_HALF: Final = Fraction(1, 2)
_CENT: Final = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Something that a judge claimed and that does not follow from its scores."""

    code: str
    where: str
    claimed: str
    derived: str


def contradictions_in(reply: Reply, derived: Winner, expectations: Sequence[str]) -> list[Contradiction]:
    """Compare what a judge claimed with what follows from its scores."""
    found = list(_about_winner(reply.winner, derived))
    for label in LABELS:
        found += _about_scores(label, reply.sides[label])
        if expectations:
            found += _about_expectations(label, reply.sides[label], expectations)
    return found


def _about_winner(claimed: Winner | None, derived: Winner) -> Iterator[Contradiction]:
    if claimed is not None and claimed != derived:
        code = WINNER_SOFT if TIE in {claimed, derived} else WINNER_OPPOSITE
        yield Contradiction(code, "winner", claimed, derived)


def _about_scores(label: Label, side: Side) -> Iterator[Contradiction]:
    for name, value in side.scores.shown.items():
        yield from _off(SCORE_ARITHMETIC, f"rubric.{label}.{name}", side.claimed.get(name), Fraction(value), _ROUNDING)
    overall = Fraction(side.scores.shown["overall_score"])
    yield from _off(
        QUALITY_MISMATCH, f"output_quality.{label}.score", side.claimed.get("quality_score"), overall, _HALF
    )


def _about_expectations(label: Label, side: Side, expectations: Sequence[str]) -> Iterator[Contradiction]:
    where = f"expectation_results.{label}"
    total = len(side.passed)
    derived: Mapping[str, Fraction] = {
        "passed": Fraction(sum(side.passed)),
        "total": Fraction(total),
        "pass_rate": Fraction(sum(side.passed), total),
    }
    for name, value in derived.items():
        slack = _CENT if name == "pass_rate" else Fraction(0)
        yield from _off(PASS_RATE_ARITHMETIC, f"{where}.{name}", side.claimed.get(name), value, slack)
    for wanted, written in zip(expectations, side.texts, strict=True):
        if written and written != wanted:
            yield Contradiction(EXPECTATION_TEXT, f"{where}.details", written, wanted)


def _off(
    code: str, where: str, claimed: Fraction | None, derived: Fraction, slack: Fraction
) -> Iterator[Contradiction]:
    if claimed is not None and abs(claimed - derived) > slack:
        yield Contradiction(code, where, _number(claimed), _number(derived))


def _number(value: Fraction) -> str:
    return f"{float(value):.6g}"
