"""What an operator returns, and what a record says of the operator."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.values.display import shown
from pytest_verdict.values.snapshot import snapshot
from pytest_verdict.values.stand_ins import safe_repr, without_addresses

if TYPE_CHECKING:
    from pytest_verdict.result import ComparisonResult


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a surface that is the value itself, because ``None`` is a value."""


@dataclass(frozen=True)
class OperatorIdentity:
    """What a record says of the operator.

    Args:
        name: The registered name.
        version: A whole number of at least 1 that grows when the operator's verdicts change.
        settings: All settings as typed JSON, defaults included.
    """

    name: str
    version: int
    settings: Mapping[str, Any]

    @functools.cached_property
    def members(self) -> str:
        """The identity as the members of a JSON object, without its braces, in ASCII; kept, because every record has it."""
        settings = json.dumps(self.settings, separators=(",", ":"), allow_nan=False)
        return (
            f'"operator":{encode_basestring_ascii(self.name)},"operator_version":{self.version},"settings":{settings}'
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an operator found out about one pair of values.

    Args:
        score: How well they match, from 0.0 to 1.0.
        normalization: Names of the steps that were applied, in order.
        notes: Machine-readable codes, such as ``json_parse_failed``.
        details: Evidence of the operator: JSON values by name.
        expected_surface: What was really compared, where normalization changed it.
        observed_surface: The same for the observed side.
        children: The results of the parts, for aggregates.
        error: Why the comparison could not be made; the score is then 0.0.

    Raises:
        ValueError: The score is not a number from 0 to 1, or another part is not of its kind. A list is taken for a tuple.

    Example:
        >>> Outcome(0.5, notes=("half_found",)).score
        0.5
    """

    score: float
    normalization: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    details: Mapping[str, Any] | None = None
    expected_surface: Any = ABSENT
    observed_surface: Any = ABSENT
    children: tuple[ComparisonResult, ...] = ()
    error: str | None = None

    def __post_init__(self) -> None:
        if type(self.score) is not float:
            object.__setattr__(self, "score", _score(self.score))
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"a score is a number from 0.0 to 1.0, got {self.score!r}")
        if self.error is not None and (self.score != 0.0 or not isinstance(self.error, str)):
            raise ValueError(f"the score of an error is 0.0, and the error is a text, got {safe_repr(self.error)}")
        if not _are_names(self.normalization) or not _are_names(self.notes):
            self._check_names()
        if type(self.children) is not tuple:
            object.__setattr__(self, "children", tuple(self.children))
        if self.details is not None:
            # Details may hold parts of the evidence, which the test may change afterwards.
            object.__setattr__(self, "details", snapshot(dict(self.details)))

    def _check_names(self) -> None:
        for part in ("normalization", "notes"):
            names = getattr(self, part)
            found = tuple(names) if isinstance(names, list | tuple) else names
            if not _are_names(found):
                raise ValueError(f"{part} is a tuple of texts, got {safe_repr(names)}")
            object.__setattr__(self, part, found)


def _are_names(names: Any) -> bool:
    return type(names) is tuple and (not names or _all_text(names))


@functools.lru_cache(maxsize=1_000)
def _all_text(names: tuple[Any, ...]) -> bool:
    # Kept, because the same few notes and steps come with every outcome.
    return all(isinstance(name, str) for name in names)


def _score(score: Any) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise ValueError(f"a score is a number from 0.0 to 1.0, got {shown(score, 80)}")  # noqa: TRY004 - one rule for scores
    return float(score)


def checked_outcome(found: Any) -> Outcome:
    """Take what an operator returned.

    Args:
        found: Any value.

    Returns:
        The same outcome; one with an error when the value is none.
    """
    if type(found) is Outcome:
        return found
    return error_outcome(TypeError(f"evaluate must return an Outcome, got {safe_repr(found)}"))


def error_outcome(error: Exception) -> Outcome:
    """Make the outcome of a comparison that could not be made.

    Args:
        error: What the operator raised.

    Returns:
        An outcome whose ``error`` reads the same in every process.

    Example:
        >>> error_outcome(KeyError("total")).error
        "KeyError: 'total'"
    """
    if isinstance(error, RecursionError):
        # Its own text says where the stack happened to end.
        return Outcome(0.0, error="RecursionError: a value contains itself or is nested too deeply")
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of the user may not even print
        text = "<unprintable>"
    return Outcome(0.0, error=without_addresses(f"{type(error).__name__}: {text}"))
