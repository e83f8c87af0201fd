"""`Rubric`: the criteria of a judge with their anchors; and the arithmetic of scores."""

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
EXCHANGED: Final[Mapping[Winner, Winner]] = {"A": "B", "B": "A", "TIE": "TIE"}
DIMENSIONS: Final = ("content", "structure")
_ANCHORS: Final = ("1", "3", "5")
_STEPS: Final = {1: "1", "1": "1", 0.5: "1/2", "0.5": "1/2", "1/2": "1/2"}


def _read_criteria(value: Any) -> Any:
    """Return criteria with their anchors, of which a list has none; the field refuses other values."""
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        if len(set(value)) < len(value):
            raise ValueError(f"a criterion is named twice in {shown(value, 80)}")
        value = dict.fromkeys(value)
    if not isinstance(value, Mapping):
        return value
    criteria: dict[Any, dict[str, Any]] = {}
    for name, anchors in value.items():
        criteria[name] = {}
        if not anchors:
            continue
        texts = {str(score): text for score, text in anchors.items()} if isinstance(anchors, Mapping) else {}
        if set(texts) != set(_ANCHORS):
            raise ValueError(
                f"anchors of {name!r} are a mapping of 1, 3 and 5 to a text each, got {shown(anchors, 80)}"
            )
        criteria[name] = {score: texts[score] for score in _ANCHORS}
    return criteria


_Criteria = Annotated[
    dict[NotBlank, dict[str, str]],
    BeforeValidator(_read_criteria),
    NOT_EMPTY,
    Field(description="a mapping of at least one criterion to its anchors, or a list of names"),
]


class Rubric(StrictModel):
    """Criteria in the two dimensions content and structure.

    Args:
        id: The name of the rubric.
        version: A whole number from 1, or a text such as ``"2.1"``.
        content: At least one criterion for the content of an output: a mapping of names to anchors, or a list of names.
        structure: At least one criterion for the organization of an output.
        step: The step of scores: 1, or 0.5 for half points.

    Raises:
        SettingsError: Something is missing, unknown or not allowed.

    Example:
        >>> DEFAULT_RUBRIC.names("structure")
        ('organization', 'formatting', 'usability')
    """

    subject: ClassVar[str] = "a rubric"

    id: NotBlank = Field(description="a text")
    version: Version
    step: Annotated[
        Literal["1", "1/2"],
        BeforeValidator(lambda step: _STEPS.get(step, step) if isinstance(step, int | float | str) else step),
    ] = "1"
    content: _Criteria
    structure: _Criteria

    def names(self, dimension: str) -> tuple[str, ...]:
        """Return the names of the criteria of a dimension, ``content`` or ``structure``, in order."""
        return tuple(getattr(self, dimension))

    def allows(self, score: Fraction) -> bool:
        """Return whether a score is a step from 1 to 5."""
        return 1 <= score <= 5 and (score - 1) % Fraction(self.step) == 0

    def to_json(self) -> dict[str, Any]:
        """Return the rubric as JSON values, from which `read_rubric` builds an equal rubric."""
        return self.model_dump()

    @property
    def digest(self) -> str:
        """The SHA-256 of the rubric as JSON, in hexadecimal."""
        return content_digest(self.to_json())


def read_rubric(value: Any) -> Rubric:
    """Return a rubric.

    Args:
        value: A rubric; the path of a YAML file; a mapping with ``id``, ``version``, ``content``, ``structure`` and, for half
            points, ``step: 0.5``; None for the default rubric. A dimension is a list of names or maps each criterion to its
            anchors for 1, 3 and 5.

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
        return Rubric.read(read_yaml(value, allows_blanks=True), f"rubric {value}")
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
"""The criteria of the Blind Comparator pattern, with our own anchors."""


def round_half_up(value: Fraction, digits: int = 1) -> Decimal:
    scale = 10**digits
    return Decimal((value * scale + Fraction(1, 2)) // 1).scaleb(-digits)


@dataclass(frozen=True)
class Scores:
    """The scores of one output. Exact fractions decide, because candidates with equal scores may differ when rounded."""

    content: Mapping[str, Fraction]
    structure: Mapping[str, Fraction]

    @property
    def overall(self) -> Fraction:
        """The exact overall score: the sum of both means, from 2 to 10."""
        return mean(self.content.values()) + mean(self.structure.values())

    @cached_property
    def totals(self) -> dict[str, Decimal]:
        """The scores that a comparison shows: each dimension rounded to one decimal, and their sum."""
        content = round_half_up(mean(self.content.values()))
        structure = round_half_up(mean(self.structure.values()))
        return {"content_score": content, "structure_score": structure, "overall_score": content + structure}

    @property
    def quality(self) -> int:
        """The rounded overall score, rounded again to a whole number."""
        return int(round_half_up(Fraction(self.totals["overall_score"]), 0))


def decide_winner(scores: Mapping[Label, Scores], passed: Mapping[Label, Sequence[bool]] | None = None) -> Winner:
    """Return the winner by the overall score, or between equal scores by the rate of expectations met."""
    first = scores["A"].overall
    second = scores["B"].overall
    if first == second and passed and passed["A"] and passed["B"]:
        first = Fraction(sum(passed["A"]), len(passed["A"]))
        second = Fraction(sum(passed["B"]), len(passed["B"]))
    if first == second:
        return TIE
    return "A" if first > second else "B"
