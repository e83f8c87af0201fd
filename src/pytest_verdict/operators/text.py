"""Operators on text: equality and substrings."""

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import model_validator

from pytest_verdict.core.normalizers import Normalization, Step, normalize
from pytest_verdict.core.operator import FAIL, PASS, Decide, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.equality import TEXT, equal
from pytest_verdict.operators.surfaces import (
    EMPTY_EXPECTED,
    IN_ORDER,
    NOT_TEXT,
    known_outcome,
    must_be,
    surfaces,
    unusable,
)

_SUBSTRINGS: Final = "a text or a list of texts, none of them empty"


def _are_equal(expected: Any, observed: Any) -> Outcome:
    if type(expected) is str and type(observed) is str:
        return PASS if expected == observed else FAIL
    return PASS if equal(expected, observed) else FAIL


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
        return "normalized_exact" if self.normalize or not self.case_sensitive else "exact"

    def _decide_plain(self) -> Decide:
        return super()._decide_plain() if self.normalize or not self.case_sensitive or self.nan_equal else _are_equal

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
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
    instead_of_expected: ClassVar[tuple[str, ...]] = ("substrings",)
    _all: ClassVar[bool] = False

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

    def _glance(self, expected: Any, observed: Any) -> float | None:
        is_text = type(expected) is str or (type(expected) is list and TEXT.issuperset(map(type, expected)))
        wanted = _as_texts(expected) if is_text and type(observed) is str else None
        return self._decide(wanted, observed)[0] if wanted and "" not in wanted else None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected = self.effective_expected(expected)
        wanted = _as_texts(expected)
        if wanted is None:
            return unusable(NOT_TEXT, _SUBSTRINGS, expected)
        steps = self._steps()
        if wanted and not steps and type(observed) is str and "" not in wanted:
            return known_outcome(*self._decide(wanted, observed))
        found = surfaces(wanted, observed if isinstance(observed, str) else None, steps)
        if not found.expected or "" in found.expected:
            # An empty text is contained in everything, so such a check would assert nothing.
            return found.outcome(0.0, [EMPTY_EXPECTED], error=must_be(_SUBSTRINGS, expected))
        if not isinstance(observed, str):
            return Outcome(0.0, notes=(NOT_TEXT,))
        score, details = self._decide(found.expected, found.observed)
        return found.outcome(score, details=details)

    def _steps(self) -> Sequence[Step]:
        return self.normalize if self.case_sensitive else (*self.normalize, "casefold")

    def _decide(self, wanted: Sequence[str], observed: str) -> tuple[float, dict[str, Any]]:
        present: list[str] = []
        missing: list[str] = []
        for text in wanted:
            (present if text in observed else missing).append(text)
        passed = not missing if self._all else present
        return 1.0 if passed else 0.0, {"found": present, "missing": missing}


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

    def _decide(self, wanted: Sequence[str], observed: str) -> tuple[float, dict[str, Any]]:
        present = [text for text in wanted if text in observed]
        return 0.0 if present else 1.0, {"found": present}


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
    _finds = staticmethod(str.startswith)

    def _decide(self, wanted: Sequence[str], observed: str) -> tuple[float, dict[str, Any]]:
        present = [text for text in wanted if self._finds(observed, text)]
        return 1.0 if present else 0.0, {"found": present}


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
    _finds = staticmethod(str.endswith)


def _as_texts(value: Any) -> list[str] | None:
    if isinstance(value, str):
        return [value]
    if type(value) is list and TEXT.issuperset(map(type, value)):
        return value
    if isinstance(value, list | tuple | set | frozenset) and all(isinstance(item, str) for item in value):
        # A set has no order of its own; sorted, the record is the same in every process.
        return sorted(value) if isinstance(value, set | frozenset) else list(value)
    return None
