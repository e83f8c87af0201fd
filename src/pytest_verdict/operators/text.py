"""Operators on text: equality and substrings."""

import functools
import operator
from collections.abc import Sequence
from itertools import compress
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import model_validator

from pytest_verdict.core.normalizers import Normalization, Step, normalize
from pytest_verdict.core.operator import FAIL, PASS, PassFailOperator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.equality import equal
from pytest_verdict.operators.lists import IN_ORDER, as_texts
from pytest_verdict.operators.normalized_sides import (
    EMPTY_EXPECTED,
    NOT_TEXT,
    must_be,
    normalize_sides,
    unusable,
)

_SUBSTRINGS: Final = "a text or a list of texts, none of them empty"


class Exact(PassFailOperator):
    """Expected and observed are equal, and so are their types; docs/explanation/value-semantics.md has the rules.

    With normalizers it is recorded as the operator ``normalized_exact``.

    Args:
        normalize: Normalizers for text at every depth, in order of application (default: none). Keys are not normalized.
        case_sensitive: False folds the case of text, recorded as the last step ``casefold``.
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
        if self.normalize or not self.case_sensitive:
            return "normalized_exact"
        return "exact"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if self.case_sensitive and not self.normalize:
            if equal(expected, observed, nan_equal=self.nan_equal):
                return PASS
            return FAIL
        steps = self.normalize if self.case_sensitive else (*self.normalize, "casefold")
        sides = normalize_sides(expected, observed, steps)
        is_equal = equal(sides.expected, sides.observed, nan_equal=self.nan_equal)
        return sides.refuse_empty_expected(expected) or sides.outcome(float(is_equal))


class NormalizedExact(Exact):
    """Expected and observed are equal after their texts are normalized; values that are not text are not changed.

    Args:
        normalize: Normalizers in order of application (default: ``["lowercase", "strip", "collapse_whitespace"]``).
        case_sensitive: False folds the case of text, recorded as the last step ``casefold``.
        nan_equal: Whether NaN equals NaN.

    Example:
        >>> compare("normalized_exact", " New  York", "new york").score
        1.0
    """

    name: ClassVar[str] = "normalized_exact"

    normalize: Normalization = ("lowercase", "strip", "collapse_whitespace")


class _Contains(PassFailOperator):
    kind: ClassVar[str] = "text"
    expected_settings: ClassVar[tuple[str, ...]] = ("substrings",)
    _contains: ClassVar[Any] = operator.contains
    _decide: ClassVar[Any] = any
    _lists_missing: ClassVar[bool] = False

    substrings: Annotated[Sequence[str] | None, IN_ORDER] = None
    normalize: Normalization = ()
    case_sensitive: bool = True

    @model_validator(mode="after")
    def _not_empty(self) -> Self:
        if self.substrings is not None and (not self.substrings or "" in self.substrings):
            raise ValueError(f"substrings: takes at least one text, none of them empty, got {list(self.substrings)!r}")
        for text in self.substrings or ():
            if not normalize(text, self._steps):
                raise ValueError(f"substrings: {text!r} is empty after normalization and would be found everywhere")
        return self

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if self.replaces_expected:
            expected = self.effective_expected(expected)
        texts: list[Any] | None = [expected]
        if not isinstance(expected, str):
            texts = as_texts(expected)
            if texts is None or not all(isinstance(text, str) for text in texts):
                return unusable(NOT_TEXT, _SUBSTRINGS, expected)
        sides = normalize_sides(texts, observed if isinstance(observed, str) else None, self._steps)
        texts = sides.expected
        if not texts or "" in texts:
            # Every text contains the empty text, so such a check would assert nothing.
            return sides.outcome(0.0, [EMPTY_EXPECTED], error=must_be(_SUBSTRINGS, expected))
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        contains = self._contains
        normalized = sides.observed
        is_found = [contains(normalized, text) for text in texts]
        return sides.outcome(float(self._decide(is_found)), (), lambda: self._details(texts, is_found))

    @functools.cached_property
    def _steps(self) -> Sequence[Step]:
        if self.case_sensitive:
            return self.normalize
        return (*self.normalize, "casefold")

    def _details(self, texts: list[str], is_found: list[bool]) -> dict[str, Any]:
        details = {"found": [*compress(texts, is_found)]}
        if self._lists_missing:
            details["missing"] = [*compress(texts, map(operator.not_, is_found))]
        return details


class ContainsAny(_Contains):
    """Observed contains at least one of the substrings.

    Args:
        substrings: The texts to look for, none of them empty. They replace expected; without this setting expected is
            one text or a list of texts.
        normalize: Normalizers for both sides, in order of application (default: none).
        case_sensitive: False folds the case of both sides, recorded as the last step ``casefold``.

    Example:
        >>> compare("contains_any", ["mrna", "messenger rna"], "mrna instructions").score
        1.0
    """

    name: ClassVar[str] = "contains_any"
    _lists_missing: ClassVar[bool] = True


class ContainsAll(_Contains):
    """Observed contains every one of the substrings.

    It has the settings of `ContainsAny`.

    Example:
        >>> compare("contains_all", ["Paris", "France"], "Paris is in Italy").details
        {'found': ['Paris'], 'missing': ['France']}
    """

    name: ClassVar[str] = "contains_all"
    _decide: ClassVar[Any] = all
    _lists_missing: ClassVar[bool] = True


class NotContains(_Contains):
    """Observed is a text that contains none of the substrings.

    It has the settings of `ContainsAny`.

    Example:
        >>> compare("not_contains", ["sorry", "cannot"], "I cannot help you.").details
        {'found': ['cannot']}
    """

    name: ClassVar[str] = "not_contains"
    _decide: ClassVar[Any] = staticmethod(lambda is_found: not any(is_found))


class StartsWith(_Contains):
    """Observed starts with one of the substrings.

    It has the settings of `ContainsAny`.

    Example:
        >>> compare("starts_with", "Dear", "  Dear Ms. Lee", normalize=["strip"]).details["found"]
        ['Dear']
    """

    name: ClassVar[str] = "starts_with"
    _contains: ClassVar[Any] = staticmethod(str.startswith)


class EndsWith(_Contains):
    """Observed ends with one of the substrings.

    It has the settings of `ContainsAny`.

    Example:
        >>> compare("ends_with", [".", "!"], "Done").score
        0.0
    """

    name: ClassVar[str] = "ends_with"
    _contains: ClassVar[Any] = staticmethod(str.endswith)
