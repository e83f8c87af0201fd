"""`Rubric`: what is scored, with anchors, frozen before anything is judged; and the arithmetic of scores.

Exact fractions decide, rounded values are shown. The one formula that gives the numbers of the pattern's example rounds each
dimension to one decimal and adds the two, so an overall score lies between 2 and 10. Rounded values would invent winners
between candidates that are exactly equal (2.7 and 2.6 may both be made of the same thirds), so no decision looks at them.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from statistics import mean
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field

from pytest_verdict.core.strict_model import NOT_EMPTY, NotBlank, StrictModel
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import content_digest
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import SettingsError
from pytest_verdict.operators.criteria import Version

Label = Literal["A", "B"]
Winner = Literal["A", "B", "TIE"]
LABELS: Final[tuple[Label, Label]] = ("A", "B")
TIE: Final = "TIE"
OTHER: Final[Mapping[Label, Label]] = {"A": "B", "B": "A"}
DIMENSIONS: Final = ("content", "structure")
_ANCHORS: Final = ("1", "3", "5")
_STEPS: Final = {1: Fraction(1), "1": Fraction(1), 0.5: Fraction(1, 2), "0.5": Fraction(1, 2), "1/2": Fraction(1, 2)}


def _in_order(anchors: Any) -> Any:
    """Put anchors in order; what is wrong stays as it is, for the field to refuse."""
    if not isinstance(anchors, Mapping):
        return anchors or None
    texts = {str(score): text for score, text in anchors.items()}
    return tuple(texts[score] for score in _ANCHORS) if set(texts) == set(_ANCHORS) else texts or None


def _criteria(value: Any) -> Any:
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        if len(set(value)) < len(value):
            raise ValueError(f"a criterion is named twice in {shown(value, 80)}")
        value = dict.fromkeys(value)
    if not isinstance(value, Mapping):
        return value
    return tuple(Criterion.read({"name": name, "anchors": anchors}, name) for name, anchors in value.items())


def _step(value: Any) -> Any:
    return _STEPS.get(value, value) if isinstance(value, int | float | str) else value


class Criterion(StrictModel):
    """One thing that is scored from 1 to 5."""

    subject: ClassVar[str] = "a criterion"

    name: NotBlank = Field(description="a text")
    anchors: Annotated[tuple[str, str, str] | None, BeforeValidator(_in_order)] = Field(
        default=None, description="a mapping of 1, 3 and 5 to a text each"
    )

    def written(self) -> dict[str, str]:
        """Give the anchors as JSON: text by score."""
        return dict(zip(_ANCHORS, self.anchors or (), strict=False))


_Criteria = Annotated[
    tuple[Criterion, ...],
    BeforeValidator(_criteria),
    NOT_EMPTY,
    Field(description="a mapping of at least one criterion to its anchors, or a list of names"),
]


class Rubric(StrictModel):
    """Criteria in the two dimensions content and structure.

    Args:
        id: What the rubric is called.
        version: A whole number from 1, or a text such as ``"2.1"``.
        content: Criteria of what the output contains, at least one: a mapping to their anchors, or a list of names.
        structure: Criteria of how the output is organized, at least one.
        step: The step of scores: 1, or a half for half points.

    Raises:
        SettingsError: Something is missing, unknown or not allowed.

    Example:
        >>> DEFAULT_RUBRIC.names("structure")
        ('organization', 'formatting', 'usability')
    """

    subject: ClassVar[str] = "a rubric"

    id: NotBlank = Field(description="a text")
    version: Version
    content: _Criteria
    structure: _Criteria
    step: Annotated[Fraction, BeforeValidator(_step), Field(description="1 or 0.5")] = Fraction(1)

    def names(self, dimension: str) -> tuple[str, ...]:
        """Give the names of the criteria of a dimension.

        Args:
            dimension: ``content`` or ``structure``.

        Returns:
            The names, in order.
        """
        return tuple(criterion.name for criterion in getattr(self, dimension))

    def allows(self, score: Fraction) -> bool:
        """Say whether a score is one that this rubric knows.

        Args:
            score: Any number.

        Returns:
            True from 1 to 5, in steps.
        """
        return 1 <= score <= 5 and (score - 1) % self.step == 0

    def written(self) -> dict[str, Any]:
        """Write the rubric as JSON, from which `read_rubric` makes an equal one."""
        sides = {name: {one.name: one.written() for one in getattr(self, name)} for name in DIMENSIONS}
        return {"id": self.id, "version": self.version, "step": str(self.step), **sides}

    @property
    def digest(self) -> str:
        """The SHA-256 of the written rubric, in hexadecimal."""
        return content_digest(self.written())


def read_rubric(value: Any) -> Rubric:
    """Read a rubric.

    Args:
        value: A rubric; a path of a YAML file; a mapping with ``id``, ``version``, ``content``, ``structure`` and, for half
            points, ``step: 0.5``; None for the default. A dimension maps each criterion to its anchors for 1, 3 and 5, or
            is a list of names.

    Returns:
        The rubric.

    Raises:
        SettingsError: The value is none of these, or something in it is missing or not allowed.

    Example:
        >>> rubric = read_rubric({"id": "form", "version": 1, "content": ["dates"], "structure": ["layout"]})
        >>> rubric.names("content")
        ('dates',)
    """
    if value is None:
        return DEFAULT_RUBRIC
    if isinstance(value, str | os.PathLike):
        return Rubric.read(read_yaml(value), f"rubric {value}")
    if not isinstance(value, Mapping | Rubric):
        raise SettingsError(f"a rubric is a Rubric, a mapping or the path of a YAML file, got {shown(value, 80)}")
    return Rubric.read(value)


DEFAULT_RUBRIC: Final = Rubric.read(
    {
        "id": "default",
        "version": 1,
        "content": {
            "correctness": {1: "Wrong in what matters", 3: "Small mistakes only", 5: "Without a mistake"},
            "completeness": {1: "Key parts are missing", 3: "Most parts are there", 5: "Every part is there"},
            "accuracy": {1: "Many details are wrong", 3: "A few details are wrong", 5: "Every detail is right"},
        },
        "structure": {
            "organization": {1: "No order to be seen", 3: "An order with breaks", 5: "A clear and logical order"},
            "formatting": {1: "Broken or uneven", 3: "Mostly even", 5: "Even and clean throughout"},
            "usability": {1: "Hard to work with", 3: "Works with some effort", 5: "Ready to be used"},
        },
    }
)
"""The rubric of the Blind Comparator pattern, with anchors in words of our own."""


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
