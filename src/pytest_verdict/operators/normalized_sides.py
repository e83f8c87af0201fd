"""What is really compared: both sides after normalization."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from pydantic import BeforeValidator

from pytest_verdict.core.normalizers import Step, normalize_all, step_names
from pytest_verdict.core.record_members import write_evidence
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shortened
from pytest_verdict.core.values.placeholders import ABSENT, has_fields
from pytest_verdict.core.values.redaction import RedactableText


def _in_order(values: Any) -> Any:
    # A set has no order of its own; sorted, the record is the same in every process.
    if isinstance(values, set | frozenset):
        return tuple(sorted(values, key=str))
    return tuple(values) if isinstance(values, list) else values


IN_ORDER: Final = BeforeValidator(_in_order)
"""Makes a tuple of the list or set that a setting was given as."""
NOT_TEXT: Final = "not_text"
EMPTY_EXPECTED: Final = "empty_expected"


Details = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None
"""Evidence of an operator, or a function that returns it when it is read."""


class NormalizedSides:
    """Both sides after normalization, and the steps that changed them."""

    __slots__ = ("changed_expected", "changed_observed", "effective", "expected", "normalization", "observed")

    def __init__(
        self,
        expected: Any = None,
        observed: Any = None,
        normalization: tuple[str, ...] = (),
        effective: tuple[str, ...] = (),
        *,
        changed_expected: bool = False,
        changed_observed: bool = False,
    ) -> None:
        self.expected = expected
        self.observed = observed
        self.normalization = normalization
        self.effective = effective
        self.changed_expected = changed_expected
        self.changed_observed = changed_observed

    def outcome(
        self,
        score: float,
        notes: Sequence[str] = (),
        details: Details = None,
        normalization: Sequence[str] = (),
        error: str | None = None,
    ) -> Outcome:
        """Return the outcome of a comparison of these surfaces."""
        if not self.normalization:
            return Outcome(score, tuple(normalization), tuple(notes), details or None, error=error)
        return Outcome(
            score,
            (*self.normalization, *normalization),
            tuple(notes),
            functools.partial(self._with_effective, details) if self.effective else details or None,
            self.expected if self.changed_expected else ABSENT,
            self.observed if self.changed_observed else ABSENT,
            error=error,
        )

    def _with_effective(self, details: Details) -> dict[str, Any]:
        if callable(details):
            details = details()
        return {**(details or {}), "effective_normalization": list(self.effective)}

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


def must_be(takes: str, expected: Any) -> str:
    """Say why a comparison with this expected value cannot be made."""
    # As the record has it, because a replay has neither the class nor the order of a set.
    return RedactableText(
        lambda redaction: f"expected must be {takes}, got {shortened(write_evidence(expected, redaction), 80)}"
    )


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


def normalize_sides(expected: Any, observed: Any, steps: Sequence[Step]) -> NormalizedSides:
    """Normalize the texts of both sides, at every depth; where there is none, nothing was normalized."""
    if not steps:
        return NormalizedSides(expected, observed)
    if type(expected) is str and type(observed) is str:
        (left, right), effective = normalize_all((expected, observed), steps)
        return NormalizedSides(
            left,
            right,
            step_names(steps),
            effective,
            changed_expected=left != expected,
            changed_observed=right != observed,
        )
    texts, others = [*_texts_in(expected)], [*_texts_in(observed)]
    if not texts and not others:
        return NormalizedSides(expected, observed)
    normalized, effective = normalize_all([*texts, *others], steps)
    changed = {text: other for text, other in zip([*texts, *others], normalized, strict=True) if text != other}
    is_changed = [not changed.keys().isdisjoint(found) for found in (texts, others)]
    sides = zip((expected, observed), is_changed, strict=True)
    left, right = (_replaced(side, changed) if differs else side for side, differs in sides)
    return NormalizedSides(
        left,
        right,
        step_names(steps),
        effective,
        changed_expected=is_changed[0],
        changed_observed=is_changed[1],
    )


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
