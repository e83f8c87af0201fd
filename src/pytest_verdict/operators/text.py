"""Operators on text: equality and substrings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

from pydantic import field_validator, model_validator

from pytest_verdict.core.normalizers import Normalization, SynonymMap, normalize
from pytest_verdict.core.operator import FAIL, PASS, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.equality import equal
from pytest_verdict.operators.columns import by_columns
from pytest_verdict.operators.surfaces import EMPTY_EXPECTED, NOT_TEXT, Surfaces, must_be, surfaces, unusable

_SUBSTRINGS: Final = "a text or a list of texts, none of them empty"


class Exact(Operator):
    """Expected and observed are equal, as values of a type; the rules stand in docs/explanation/value-semantics.md.

    With normalizers it is the operator ``normalized_exact``, and recorded as such.

    Args:
        normalize: Normalizers for text at every depth, in order of application; none unless given. Keys stay as they are.
        case_sensitive: False folds the case of text, which is recorded as the last step ``casefold``.
        nan_equal: Whether NaN equals NaN.

    Example:
        >>> compare("exact", 1, 1.0).score, compare("exact", "Paris", "paris").score
        (1.0, 0.0)
    """

    name: ClassVar[str] = "exact"
    kind: ClassVar[str] = "text"

    normalize: Normalization = ()
    case_sensitive: bool = True
    nan_equal: bool = False

    columns = by_columns("texts", "normalized_equal")

    def recorded_name(self) -> str:
        """Give ``exact`` when nothing is normalized."""
        return "normalized_exact" if self.normalize or not self.case_sensitive else "exact"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare two values; see the class."""
        if not self.normalize and self.case_sensitive:
            return PASS if equal(expected, observed, nan_equal=self.nan_equal) else FAIL
        steps = self.normalize if self.case_sensitive else (*self.normalize, "casefold")
        found = surfaces(expected, observed, steps)
        is_equal = equal(found.expected, found.observed, nan_equal=self.nan_equal)
        return found.emptied(expected) or found.outcome(1.0 if is_equal else 0.0)


class NormalizedExact(Exact):
    """Expected and observed are equal after the normalization of their texts; anything that is not text is compared as it is.

    Args:
        normalize: Normalizers in order of application; ``["lowercase", "strip", "collapse_whitespace"]`` unless given.
        case_sensitive: False folds the case of text, which is recorded as the last step ``casefold``.
        nan_equal: Whether NaN equals NaN.

    Example:
        >>> compare("normalized_exact", " New  York", "new york").score
        1.0
    """

    name: ClassVar[str] = "normalized_exact"

    normalize: Normalization = ("lowercase", "strip", "collapse_whitespace")


class _Contains(Operator):
    kind: ClassVar[str] = "text"
    _all: ClassVar[bool] = False

    substrings: Sequence[str] | None = None
    normalize: Normalization = ()
    case_sensitive: bool = True

    columns = by_columns("texts", "contained")

    @field_validator("substrings", mode="before")
    @classmethod
    def _in_order(cls, substrings: Any) -> Any:
        # A set has no order of its own; sorted, the record is the same in every process.
        if isinstance(substrings, set | frozenset):
            return tuple(sorted(substrings, key=str))
        return tuple(substrings) if isinstance(substrings, list) else substrings

    @field_validator("substrings")
    @classmethod
    def _not_empty(cls, substrings: Sequence[str] | None) -> Sequence[str] | None:
        if substrings is not None and (not substrings or "" in substrings):
            raise ValueError(f"takes at least one text, none of them empty, got {list(substrings)!r}")
        return substrings

    @model_validator(mode="after")
    def _not_empty_after_normalization(self) -> Self:
        for text in self.substrings or ():
            if not normalize(text, self._steps()):
                raise ValueError(f"substrings: {text!r} is empty after normalization and would be found everywhere")
        return self

    def effective_expected(self, expected: Any) -> Any:
        """Give the substrings when they are a setting."""
        return expected if self.substrings is None else list(self.substrings)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Look for the substrings; see the class."""
        expected = self.effective_expected(expected)
        wanted = _as_texts(expected)
        if wanted is None:
            return unusable(NOT_TEXT, _SUBSTRINGS, expected)
        found = surfaces(wanted, observed if isinstance(observed, str) else None, self._steps())
        if not found.expected or "" in found.expected:
            # An empty text is contained in everything, so such a check would assert nothing.
            return found.outcome(0.0, [EMPTY_EXPECTED], error=must_be(_SUBSTRINGS, expected))
        return self._decide(found) if isinstance(observed, str) else Outcome(0.0, notes=(NOT_TEXT,))

    def _steps(self) -> Sequence[str | SynonymMap]:
        return self.normalize if self.case_sensitive else (*self.normalize, "casefold")

    def _decide(self, found: Surfaces) -> Outcome:
        present = [text for text in found.expected if text in found.observed]
        missing = [text for text in found.expected if text not in found.observed]
        passed = not missing if self._all else bool(present)
        return found.outcome(1.0 if passed else 0.0, details={"found": present, "missing": missing})


class ContainsAny(_Contains):
    """Observed contains at least one of the substrings.

    Args:
        substrings: The texts to look for, none of them empty. Given as a setting they take the place of expected;
            otherwise expected is one text or a list of texts.
        normalize: Normalizers for both sides, in order of application; none unless given.
        case_sensitive: False folds the case of both sides, recorded as the last step ``casefold``.

    Example:
        >>> compare("contains_any", ["mrna", "messenger rna"], "mrna instructions").score
        1.0
    """

    name: ClassVar[str] = "contains_any"


class ContainsAll(_Contains):
    """Observed contains every one of the substrings.

    Args:
        substrings: As for `ContainsAny`.
        normalize: As for `ContainsAny`.
        case_sensitive: As for `ContainsAny`.

    Example:
        >>> compare("contains_all", ["Paris", "France"], "Paris is in Italy").details
        {'found': ['Paris'], 'missing': ['France']}
    """

    name: ClassVar[str] = "contains_all"
    _all: ClassVar[bool] = True


def _as_texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(item, str) for item in value):
        # A set has no order of its own; sorted, the record is the same in every process.
        return sorted(value) if isinstance(value, set | frozenset) else list(value)
    return None
