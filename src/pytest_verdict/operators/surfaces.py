"""What is really compared: both sides after normalization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_verdict.core.normalizers import SynonymMap, effective_steps, normalize, normalize_all, step_names
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shortened
from pytest_verdict.core.values.encoding import encode_text
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
        error: str | None = None,
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
            error=error,
        )

    def unreadable(self, note: str, takes: str, expected: Any, wrong: tuple[bool, bool]) -> Outcome:
        """Make the outcome when one side or both cannot be read; the details say which, and the expected side decides."""
        sides = [side for side, is_wrong in zip(("expected", "observed"), wrong, strict=True) if is_wrong]
        return self.outcome(0.0, [note], {note: sides}, error=must_be(takes, expected) if wrong[0] else None)


def must_be(takes: str, expected: Any) -> str:
    """Say why a comparison with this expected value cannot be made."""
    # As the record has it, because a replay has neither the class nor the order of a set.
    return f"expected must be {takes}, got {shortened(encode_text(expected), 80)}"


def unusable(
    note: str, takes: str, expected: Any, details: Mapping[str, Any] | None = None, notes: Sequence[str] = ()
) -> Outcome:
    """Make the outcome when nothing can be compared with the expected value."""
    return Outcome(0.0, notes=(note, *notes), details=details, error=must_be(takes, expected))


def not_text(expected: Any, observed: Any, takes: str = "a text") -> Outcome | None:
    """Refuse what is no text, on either side."""
    if not isinstance(expected, str):
        return unusable(NOT_TEXT, takes, expected)
    return None if isinstance(observed, str) else Outcome(0.0, notes=(NOT_TEXT,))


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
