"""Both sides of a comparison after normalization, and the outcome when a side cannot be used."""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from pytest_verdict.core.normalizers import Step, normalize_all, step_names
from pytest_verdict.core.record_members import write_evidence
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shorten
from pytest_verdict.core.values.placeholders import ABSENT, NamedItems, has_fields, item_names
from pytest_verdict.core.values.redaction import RedactableText

NOT_TEXT: Final = "not_text"
EMPTY_EXPECTED: Final = "empty_expected"

Details = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None
"""Evidence of an operator, or a function that returns it when it is read."""


class NormalizedSides:
    """Both sides after normalization, and the steps that changed them."""

    normalization: tuple[str, ...] = ()
    effective: tuple[str, ...] = ()
    changed_expected: bool = False
    changed_observed: bool = False

    def __init__(self, expected: Any = None, observed: Any = None) -> None:
        self.expected = expected
        self.observed = observed

    def outcome(
        self,
        score: float,
        notes: Sequence[str] = (),
        details: Details = None,
        normalization: Sequence[str] = (),
        error: str | None = None,
    ) -> Outcome:
        """Return the outcome of a comparison of these sides."""
        # Keyword arguments would take longer than the rest of this function.
        if not self.normalization:
            return Outcome(score, normalization, notes, details or None, ABSENT, ABSENT, (), error)
        if self.effective:
            details = functools.partial(self._add_effective_steps, details)
        return Outcome(
            score,
            (*self.normalization, *normalization),
            notes,
            details or None,
            self.expected if self.changed_expected else ABSENT,
            self.observed if self.changed_observed else ABSENT,
            error=error,
        )

    def _add_effective_steps(self, details: Details) -> dict[str, Any]:
        if callable(details):
            details = details()
        return {**(details or {}), "effective_normalization": list(self.effective)}

    def refuse_empty_expected(self, expected: Any) -> Outcome | None:
        """Refuse an expected text that normalization emptied; otherwise ``+`` would equal ``-``."""
        if not self.changed_expected or self.expected != "" or not expected.strip():
            return None
        requirement = "a text of which something is left after normalization"
        return self.outcome(0.0, [EMPTY_EXPECTED], error=must_be(requirement, expected))

    def unreadable(self, note: str, requirement: str, expected: Any, unreadable: tuple[bool, bool]) -> Outcome:
        """Return the outcome when one or both sides cannot be read; it is an error when expected cannot."""
        sides = [*itertools.compress(("expected", "observed"), unreadable)]
        error = must_be(requirement, expected) if unreadable[0] else None
        return self.outcome(0.0, [note], {note: sides}, error=error)


def must_be(requirement: str, expected: Any) -> str:
    """Return the error of a comparison whose expected value cannot be used."""
    # Written as in the record, because a replay has neither the class nor the order of a set.
    return RedactableText(
        lambda redaction: f"expected must be {requirement}, got {shorten(write_evidence(expected, redaction), 80)}"
    )


def unusable(
    note: str, requirement: str, expected: Any, details: Mapping[str, Any] | None = None, notes: Sequence[str] = ()
) -> Outcome:
    """Return the outcome when the expected value cannot be used."""
    return Outcome(0.0, notes=(note, *notes), details=details, error=must_be(requirement, expected))


def not_text(expected: Any, observed: Any, requirement: str = "a text") -> Outcome | None:
    if not isinstance(expected, str):
        return unusable(NOT_TEXT, requirement, expected)
    if isinstance(observed, str):
        return None
    return Outcome(0.0, notes=(NOT_TEXT,))


def normalize_sides(expected: Any, observed: Any, steps: Sequence[Step]) -> NormalizedSides:
    """Normalize the texts of both sides, at every depth; without texts no step is recorded."""
    if not steps:
        return NormalizedSides(expected, observed)
    expected_texts = [*_texts_in(expected)]
    observed_texts = [*_texts_in(observed)]
    texts = expected_texts + observed_texts
    if not texts:
        return NormalizedSides(expected, observed)

    sides = NormalizedSides(expected, observed)
    normalized, sides.effective = normalize_all(texts, steps)
    sides.normalization = step_names(steps)
    replacements = {text: other for text, other in zip(texts, normalized, strict=True) if text != other}
    sides.changed_expected = not replacements.keys().isdisjoint(expected_texts)
    sides.changed_observed = not replacements.keys().isdisjoint(observed_texts)
    if sides.changed_expected:
        sides.expected = _replace_texts(expected, replacements)
    if sides.changed_observed:
        sides.observed = _replace_texts(observed, replacements)
    return sides


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif _holds_items(value):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(item)


def _replace_texts(value: Any, replacements: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return replacements.get(value, value)
    if not _holds_items(value):
        return value
    if isinstance(value, Mapping):
        return {key: _replace_texts(item, replacements) for key, item in value.items()}
    items = [_replace_texts(item, replacements) for item in value]
    if item_names(value):
        return NamedItems(items, item_names(value))
    return next(kind(items) for kind in (list, tuple, frozenset, set) if isinstance(value, kind))


def _holds_items(value: Any) -> bool:
    # Members of an enum and objects with fields are compared unchanged.
    is_container = isinstance(value, Mapping | list | tuple | set | frozenset)
    return is_container and not isinstance(value, Enum) and not has_fields(value)
