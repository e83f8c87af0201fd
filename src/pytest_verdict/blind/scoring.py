"""The arithmetic of the Blind Comparator: exact fractions decide, rounded values are shown.

The one formula that gives the numbers of the pattern's example rounds each dimension to one decimal and adds the two, so an
overall score lies between 2 and 10. Rounded values would invent winners between candidates that are exactly equal (2.7 and
2.6 may both be made of the same thirds), so no decision looks at them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from statistics import mean
from typing import Final, Literal

Label = Literal["A", "B"]
Winner = Literal["A", "B", "TIE"]
LABELS: Final[tuple[Label, Label]] = ("A", "B")
TIE: Final = "TIE"
OTHER: Final[Mapping[Label, Label]] = {"A": "B", "B": "A"}


def rounded(value: Fraction, digits: int = 1) -> Decimal:
    """Round half up."""
    scale = 10**digits
    return Decimal((value * scale + Fraction(1, 2)) // 1).scaleb(-digits)


@dataclass(frozen=True)
class Scores:
    """The scores of one output."""

    content: Mapping[str, Fraction]
    structure: Mapping[str, Fraction]

    @property
    def overall(self) -> Fraction:
        """The exact overall score: both means together, from 2 to 10."""
        return mean(self.content.values()) + mean(self.structure.values())

    @cached_property
    def shown(self) -> dict[str, Decimal]:
        """The scores as a comparison shows them: each dimension rounded to one decimal, then added."""
        content, structure = rounded(mean(self.content.values())), rounded(mean(self.structure.values()))
        return {"content_score": content, "structure_score": structure, "overall_score": content + structure}

    @property
    def quality(self) -> int:
        """The overall score as shown, rounded half up to a whole number."""
        return int(rounded(Fraction(self.shown["overall_score"]), 0))


def winner_of(scores: Mapping[Label, Scores], passed: Mapping[Label, Sequence[bool]] | None = None) -> Winner:
    """Decide by the overall score, then by the rate of expectations met, else it is a tie."""
    first, second = scores["A"].overall, scores["B"].overall
    if first == second and passed and passed["A"] and passed["B"]:
        first, second = (Fraction(sum(passed[label]), len(passed[label])) for label in LABELS)
    if first == second:
        return TIE
    return "A" if first > second else "B"
