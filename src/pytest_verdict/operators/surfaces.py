"""What is really compared: both sides after normalization."""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple

from pydantic import BeforeValidator

from pytest_verdict.core.normalizers import Step, normalize_all, step_names
from pytest_verdict.core.record_members import write_evidence
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shortened
from pytest_verdict.core.values.placeholders import ABSENT, has_fields
from pytest_verdict.session import SESSION


def _in_order(values: Any) -> Any:
    # A set has no order of its own; sorted, the record is the same in every process.
    if isinstance(values, set | frozenset):
        return tuple(sorted(values, key=str))
    return tuple(values) if isinstance(values, list) else values


IN_ORDER: Final = BeforeValidator(_in_order)
"""Makes a tuple of the list or set that a setting was given as."""
NOT_TEXT: Final = "not_text"
EMPTY_EXPECTED: Final = "empty_expected"


class _Parts:
    __slots__ = Outcome.__slots__


def known_outcome(
    score: float,
    details: Mapping[str, Any] | None = None,
    normalization: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    expected_surface: Any = ABSENT,
    observed_surface: Any = ABSENT,
    error: str | None = None,
    children: tuple[ComparisonResult, ...] = (),
) -> Outcome:
    """Make an outcome of parts that are known to be right and that nothing else holds, in a quarter of the time."""
    # What cannot change is slow to fill; so it is filled while it still can.
    made: Any = _Parts()
    made.score, made.normalization, made.notes, made.details = score, normalization, notes, details
    made.expected_surface, made.observed_surface = expected_surface, observed_surface
    made.children, made.error = children, error
    made.__class__ = Outcome
    return made  # type: ignore[no-any-return]


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
        if not self.normalization:
            return known_outcome(score, details or None, tuple(normalization), tuple(notes), error=error)
        if self.effective:
            details = {**(details or {}), "effective_normalization": list(self.effective)}
        steps = (*self.normalization, *normalization)
        left = self.expected if self.changed_expected else ABSENT
        right = self.observed if self.changed_observed else ABSENT
        return known_outcome(score, details or None, steps, tuple(notes), left, right, error)

    def emptied(self, expected: Any) -> Outcome | None:
        """Refuse an expected text of which normalization left nothing, so that ``+`` would equal ``-``."""
        if not self.changed_expected or self.expected != "" or not expected.strip():
            return None
        takes = "a text of which something is left after normalization"
        return self.outcome(0.0, [EMPTY_EXPECTED], error=must_be(takes, expected))

    def unreadable(self, note: str, takes: str, expected: Any, wrong: tuple[bool, bool]) -> Outcome:
        """Make the outcome when one side or both cannot be read; the details say which, and the expected side decides."""
        sides = [side for side, is_wrong in zip(("expected", "observed"), wrong, strict=True) if is_wrong]
        return self.outcome(0.0, [note], {note: sides}, error=must_be(takes, expected) if wrong[0] else None)


UNCHANGED: Final = Surfaces()
"""What makes the outcome where nothing is normalized."""


def must_be(takes: str, expected: Any) -> str:
    """Say why a comparison with this expected value cannot be made."""
    # As the record has it, because a replay has neither the class nor the order of a set.
    return f"expected must be {takes}, got {shortened(write_evidence(expected, SESSION.redaction), 80)}"


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


def surfaces(expected: Any, observed: Any, steps: Sequence[Step]) -> Surfaces:
    """Normalize the texts of both sides, at every depth; where there is none, nothing was normalized."""
    if not steps:
        return Surfaces(expected, observed)
    if type(expected) is str and type(observed) is str:
        (left, right), effective = normalize_all((expected, observed), steps)
        return Surfaces(left, right, step_names(steps), effective, left != expected, right != observed)
    texts, others = [*_texts_in(expected)], [*_texts_in(observed)]
    if not texts and not others:
        return Surfaces(expected, observed)
    normalized, effective = normalize_all([*texts, *others], steps)
    changed = {text: other for text, other in zip([*texts, *others], normalized, strict=True) if text != other}
    is_changed = [not changed.keys().isdisjoint(found) for found in (texts, others)]
    sides = zip((expected, observed), is_changed, strict=True)
    left, right = (_replaced(side, changed) if differs else side for side, differs in sides)
    return Surfaces(left, right, step_names(steps), effective, *is_changed)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif _holds_items(value):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(item)


def _replaced(value: Any, changed: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return changed.get(value, value)
    if not _holds_items(value):
        return value
    if isinstance(value, Mapping):
        return {key: _replaced(item, changed) for key, item in value.items()}
    items = [_replaced(item, changed) for item in value]
    return next(kind(items) for kind in (list, tuple, frozenset, set) if isinstance(value, kind))


def _holds_items(value: Any) -> bool:
    # What has a class of its own is compared as it is.
    plain = isinstance(value, Mapping | list | tuple | set | frozenset)
    return plain and not isinstance(value, Enum) and not has_fields(value)
