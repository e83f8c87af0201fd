"""Operators on text: equality and substrings."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import model_validator

from pytest_verdict.core.normalizers import Normalization, Step, normalize
from pytest_verdict.core.operator import FAIL, PASS, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.equality import TEXT, equal
from pytest_verdict.operators.normalized_sides import (
    EMPTY_EXPECTED,
    IN_ORDER,
    NOT_TEXT,
    must_be,
    normalize_sides,
    unusable,
)

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

    def recorded_name(self) -> str:
        """Give ``exact`` when nothing is normalized."""
        if self.normalize or not self.case_sensitive:
            return "normalized_exact"
        return "exact"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if self.case_sensitive and not self.normalize:
            if equal(expected, observed, nan_equal=self.nan_equal):
                return PASS
            return FAIL
        if self.case_sensitive:
            steps = self.normalize
        else:
            steps = (*self.normalize, "casefold")
        found = normalize_sides(expected, observed, steps)
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
    expected_settings: ClassVar[tuple[str, ...]] = ("substrings",)

    substrings: Annotated[Sequence[str] | None, IN_ORDER] = None
    normalize: Normalization = ()
    case_sensitive: bool = True

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.substrings is not None and (not self.substrings or "" in self.substrings):
            raise ValueError(f"substrings: takes at least one text, none of them empty, got {list(self.substrings)!r}")
        for text in self.substrings or ():
            if not normalize(text, self._steps()):
                raise ValueError(f"substrings: {text!r} is empty after normalization and would be found everywhere")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        wanted = _as_texts(expected)
        if wanted is None:
            return unusable(NOT_TEXT, _SUBSTRINGS, expected)
        steps = self._steps()
        found = normalize_sides(wanted, observed if isinstance(observed, str) else None, steps)
        if not found.expected or "" in found.expected:
            # An empty text is contained in everything, so such a check would assert nothing.
            return found.outcome(0.0, [EMPTY_EXPECTED], error=must_be(_SUBSTRINGS, expected))
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        present = [text for text in found.expected if self._is_in(text, found.observed)]
        return found.outcome(
            float(self._holds(present, found.expected)), details=lambda: self._details(present, found.expected)
        )

    def _steps(self) -> Sequence[Step]:
        if self.case_sensitive:
            return self.normalize
        return (*self.normalize, "casefold")

    @staticmethod
    def _is_in(text: str, observed: str) -> bool:
        return text in observed

    def _holds(self, present: Sequence[str], texts: Sequence[str]) -> bool:
        del texts
        return bool(present)

    def _details(self, present: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
        in_observed = set(present)
        return {"found": list(present), "missing": [text for text in texts if text not in in_observed]}


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

    def _holds(self, present: Sequence[str], texts: Sequence[str]) -> bool:
        return len(present) == len(texts)


class NotContains(_Contains):
    """Observed is a text that contains none of the substrings.

    Args:
        substrings: As for `ContainsAny`.
        normalize: As for `ContainsAny`.
        case_sensitive: As for `ContainsAny`.

    Example:
        >>> compare("not_contains", ["sorry", "cannot"], "I cannot help you.").details
        {'found': ['cannot']}
    """

    name: ClassVar[str] = "not_contains"

    def _holds(self, present: Sequence[str], texts: Sequence[str]) -> bool:
        del texts
        return not present

    def _details(self, present: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
        del texts
        return {"found": list(present)}


class StartsWith(_Contains):
    """Observed starts with one of the substrings.

    Args:
        substrings: As for `ContainsAny`.
        normalize: As for `ContainsAny`.
        case_sensitive: As for `ContainsAny`.

    Example:
        >>> compare("starts_with", "Dear", "  Dear Ms. Lee", normalize=["strip"]).details["found"]
        ['Dear']
    """

    name: ClassVar[str] = "starts_with"

    @staticmethod
    def _is_in(text: str, observed: str) -> bool:
        return str.startswith(observed, text)

    def _details(self, present: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
        del texts
        return {"found": list(present)}


class EndsWith(StartsWith):
    """Observed ends with one of the substrings.

    Args:
        substrings: As for `ContainsAny`.
        normalize: As for `ContainsAny`.
        case_sensitive: As for `ContainsAny`.

    Example:
        >>> compare("ends_with", [".", "!"], "Done").score
        0.0
    """

    name: ClassVar[str] = "ends_with"

    @staticmethod
    def _is_in(text: str, observed: str) -> bool:
        return str.endswith(observed, text)


def _as_texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if type(value) is list and TEXT.issuperset(map(type, value)):
        return value
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(item, str) for item in value):
        # A set has no order of its own; sorted, the record is the same in every process.
        if isinstance(value, set | frozenset):
            return sorted(value)
        return list(value)
    return None
