"""What is really compared: both sides after normalization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.normalizers import SynonymMap, effective_steps, normalize, normalize_all, step_names
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.placeholders import ABSENT

NOT_TEXT: Final = "not_text"
EMPTY_EXPECTED: Final = "empty_expected"


class Surfaces(NamedTuple):
    """Both sides after normalization, and how they came about."""

    expected: Any = None
    observed: Any = None
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
        """Make the outcome of a comparison of these surfaces."""
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

    def unreadable(self, note: str, *, expected: bool, observed: bool) -> Outcome:
        """Make the outcome when one side or both cannot be read; the details say which."""
        sides = [side for side, wrong in (("expected", expected), ("observed", observed)) if wrong]
        return self.outcome(0.0, [note], {note: sides})


def surfaces(expected: Any, observed: Any, steps: Sequence[str | SynonymMap]) -> Surfaces:
    """Normalize both sides, where they are text."""
    if not steps:
        return Surfaces(expected, observed)
    if type(expected) is str and type(observed) is str:
        (left, right), effective = normalize_all((expected, observed), steps)
        return Surfaces(left, right, step_names(steps), effective, left != expected, right != observed)
    left, right = _normalized(expected, steps), _normalized(observed, steps)
    changed_left = left is not expected and left != expected
    changed_right = right is not observed and right != observed
    effective = (
        effective_steps([*texts_of(expected), *texts_of(observed)], steps) if changed_left or changed_right else ()
    )
    return Surfaces(left, right, step_names(steps), effective, changed_left, changed_right)


def _normalized(value: Any, steps: Sequence[str | SynonymMap]) -> Any:
    if isinstance(value, str):
        return normalize(value, steps)
    if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        return type(value)([normalize(item, steps) for item in value]) if type(value) in {list, tuple} else value
    return value


def texts_of(value: Any) -> list[str]:
    """Give a text, or those in a list."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []
