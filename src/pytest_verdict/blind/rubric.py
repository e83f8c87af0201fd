"""`Rubric`: what is scored, with anchors; versioned, and frozen before anything is judged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import digest, encode_text
from pytest_verdict.core.values.yaml import read_yaml
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.criteria import checked_version

DIMENSIONS: Final = ("content", "structure")
LOWEST, HIGHEST = 1, 5
_KEYS: Final = ("id", "version", "content", "structure", "step")
_ANCHORS: Final = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing that is scored from 1 to 5."""

    name: str
    anchors: tuple[str, str, str] | None = None

    def written(self) -> dict[str, str]:
        """Give the anchors as JSON: text by score."""
        return dict(zip(map(str, _ANCHORS), self.anchors or (), strict=False))


@dataclass(frozen=True, slots=True)
class Rubric:
    """Criteria in the two dimensions content and structure.

    Args:
        id: What the rubric is called.
        version: A whole number from 1, or a text such as ``"2.1"``.
        content: Criteria of what the output contains; at least one.
        structure: Criteria of how the output is organized; at least one.
        step: The step of scores: 1, or a half for half points.

    Example:
        >>> DEFAULT_RUBRIC.names("structure")
        ('organization', 'formatting', 'usability')
    """

    id: str
    version: int | str
    content: tuple[Criterion, ...]
    structure: tuple[Criterion, ...]
    step: Fraction = Fraction(1)

    def names(self, dimension: str) -> tuple[str, ...]:
        """Give the names of the criteria of a dimension.

        Args:
            dimension: ``content`` or ``structure``.

        Returns:
            The names, in order.
        """
        return tuple(criterion.name for criterion in self._criteria(dimension))

    def allows(self, score: Fraction) -> bool:
        """Say whether a score is one that this rubric knows.

        Args:
            score: Any number.

        Returns:
            True from 1 to 5, in steps.
        """
        return LOWEST <= score <= HIGHEST and (score - LOWEST) % self.step == 0

    def written(self) -> dict[str, Any]:
        """Write the rubric as JSON, from which `read_rubric` makes an equal one."""
        sides = {name: {one.name: one.written() for one in self._criteria(name)} for name in DIMENSIONS}
        return {"id": self.id, "version": self.version, "step": str(self.step), **sides}

    @property
    def digest(self) -> str:
        """The SHA-256 of the written rubric, in hexadecimal."""
        return digest(encode_text(self.written()))

    def _criteria(self, dimension: str) -> tuple[Criterion, ...]:
        return self.content if dimension == "content" else self.structure


def read_rubric(value: Any) -> Rubric:
    """Make a rubric of whatever may stand for one.

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
    if isinstance(value, Rubric):
        return value
    if isinstance(value, str | os.PathLike):
        found = read_yaml(value)
        try:
            return _from_mapping(found)
        except SettingsError as error:
            raise SettingsError(f"rubric {value}: {error}") from None
    if not isinstance(value, Mapping):
        raise SettingsError(f"a rubric is a Rubric, a mapping or the path of a YAML file, got {shown(value, 80)}")
    return _from_mapping(value)


def _from_mapping(value: Mapping[str, Any]) -> Rubric:
    for key in value:
        if key not in _KEYS:
            raise SettingsError(f"a rubric has no key {key!r}.{allowed('key', key, _KEYS)}")
    for key in ("id", "version", *DIMENSIONS):
        if key not in value:
            raise SettingsError(f"a rubric needs the key {key!r}")
    return Rubric(
        _identifier(value["id"]),
        checked_version(value["version"]),
        tuple(_criteria("content", value["content"])),
        tuple(_criteria("structure", value["structure"])),
        _step(value.get("step", 1)),
    )


def _identifier(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SettingsError(f"the id is a text, got {shown(value, 80)}")
    return value


def _step(value: Any) -> Fraction:
    if value in (1, "1"):
        return Fraction(1)
    if value in (0.5, "0.5", "1/2"):
        return Fraction(1, 2)
    raise SettingsError(f"step is 1 or 0.5, got {shown(value, 80)}")


def _criteria(dimension: str, value: Any) -> Iterator[Criterion]:
    if isinstance(value, list | tuple):
        if len(set(map(str, value))) != len(value):
            raise SettingsError(f"{dimension}: a criterion is named twice in {shown(value, 80)}")
        value = {name: {} for name in value}
    if not isinstance(value, Mapping) or not value:
        raise SettingsError(f"{dimension} maps at least one criterion to its anchors, got {shown(value, 80)}")
    for name, anchors in value.items():
        if not isinstance(name, str) or not name.strip():
            raise SettingsError(f"{dimension}: a criterion's name is a text, got {shown(name, 80)}")
        yield Criterion(name, _anchors(f"{dimension}.{name}", anchors or {}))


def _anchors(place: str, value: Any) -> tuple[str, str, str] | None:
    if not value:
        return None
    if not isinstance(value, Mapping):
        raise SettingsError(f"{place}: the anchors map 1, 3 and 5 to a text each, got {shown(value, 80)}")
    texts = {str(score): text for score, text in value.items()}
    if set(texts) != set(map(str, _ANCHORS)) or not all(isinstance(text, str) for text in texts.values()):
        raise SettingsError(f"{place}: the anchors map 1, 3 and 5 to a text each, got {shown(value, 80)}")
    return texts["1"], texts["3"], texts["5"]


DEFAULT_RUBRIC: Final = Rubric(
    "default",
    1,
    (
        Criterion("correctness", ("Wrong in what matters", "Small mistakes only", "Without a mistake")),
        Criterion("completeness", ("Key parts are missing", "Most parts are there", "Every part is there")),
        Criterion("accuracy", ("Many details are wrong", "A few details are wrong", "Every detail is right")),
    ),
    (
        Criterion("organization", ("No order to be seen", "An order with breaks", "A clear and logical order")),
        Criterion("formatting", ("Broken or uneven", "Mostly even", "Even and clean throughout")),
        Criterion("usability", ("Hard to work with", "Works with some effort", "Ready to be used")),
    ),
)
"""The rubric of the Blind Comparator pattern, with anchors in words of our own."""
