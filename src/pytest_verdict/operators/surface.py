"""What is really compared: both sides after normalization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.normalizers import SynonymMap, effective_steps, normalize, normalize_all, step_names
from pytest_verdict.result import ABSENT, Outcome

NOT_TEXT: Final = "not_text"


class Surfaces(NamedTuple):
    """Both sides after normalization, and how they came about.

    Args:
        expected: What is compared on the expected side.
        observed: What is compared on the observed side.
        normalization: Names of the steps, in order.
        effective: Names of the steps that changed one of the sides.
        changed_expected: Whether the expected side differs from the value itself.
        changed_observed: Whether the observed side differs from the value itself.
    """

    expected: Any
    observed: Any
    normalization: tuple[str, ...] = ()
    effective: tuple[str, ...] = ()
    changed_expected: bool = False
    changed_observed: bool = False

    def outcome(
        self,
        score: float,
        notes: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
        normalization: Sequence[str] = (),
    ) -> Outcome:
        """Make the outcome of a comparison of these surfaces.

        Args:
            score: From 0.0 to 1.0.
            notes: Codes for the record.
            details: Evidence of the operator.
            normalization: Names of steps that the operator itself applied after the normalizers.

        Returns:
            The outcome, with the surfaces where they differ from the values.
        """
        found = dict(details or {})
        if self.effective:
            found["effective_normalization"] = list(self.effective)
        return Outcome(
            score,
            (*self.normalization, *normalization),
            tuple(notes),
            found or None,
            self.expected if self.changed_expected else ABSENT,
            self.observed if self.changed_observed else ABSENT,
        )


def surfaces(expected: Any, observed: Any, steps: Sequence[str | SynonymMap]) -> Surfaces:
    """Normalize both sides, where they are text.

    Args:
        expected: The expected value; anything that is not text, or a list of texts, stays as it is.
        observed: The observed value, likewise.
        steps: Normalizers in order of application.

    Returns:
        The surfaces.
    """
    if not steps:
        return Surfaces(expected, observed)
    if type(expected) is str and type(observed) is str:
        (left, right), effective = normalize_all((expected, observed), steps)
        return Surfaces(left, right, step_names(steps), effective, left != expected, right != observed)
    left, right = _normalized(expected, steps), _normalized(observed, steps)
    changed_left = left is not expected and left != expected
    changed_right = right is not observed and right != observed
    effective = effective_steps([*_texts(expected), *_texts(observed)], steps) if changed_left or changed_right else ()
    return Surfaces(left, right, step_names(steps), effective, changed_left, changed_right)


def _normalized(value: Any, steps: Sequence[str | SynonymMap]) -> Any:
    if isinstance(value, str):
        return normalize(value, steps)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return type(value)([normalize(item, steps) for item in value]) if type(value) in {list, tuple} else value
    return value


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []
