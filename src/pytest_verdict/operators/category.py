"""Operators on categories: truth values, literals, and one of several accepted values."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from pydantic import BeforeValidator

from pytest_verdict.core.normalizers import Normalization
from pytest_verdict.core.operator import FAIL, PASS, Operator
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.encoding import decode, encode
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.numbers import truth_value
from pytest_verdict.operators.columns import by_columns
from pytest_verdict.operators.lists import NOT_A_LIST, as_list
from pytest_verdict.operators.surfaces import EMPTY_EXPECTED, Surfaces, surfaces, unusable

NOT_A_BOOLEAN: Final = "not_a_boolean"

_ACCEPTED: Final = "a list of at least one accepted value"


class BooleanMatch(Operator):
    """Both values are the same truth value.

    Only true and false are truth values: 1, ``"true"`` and ``"no"`` are none, whatever Python takes them for. None stands
    for an answer that was not given; it matches None alone.

    Example:
        >>> compare("boolean", True, True).score, compare("boolean", True, "true").notes
        (1.0, ['not_a_boolean'])
    """

    name: ClassVar[str] = "boolean"
    kind: ClassVar[str] = "boolean"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare two truth values; see the class."""
        wrong = _is_no_boolean(expected), _is_no_boolean(observed)
        if any(wrong):
            return Surfaces().unreadable(NOT_A_BOOLEAN, "true, false or null", expected, wrong)
        if observed is None and expected is not None:
            return Outcome(0.0, notes=("null_observed",))
        return PASS if truth_value(expected) is truth_value(observed) else FAIL

    columns = by_columns("categories", "same_truth")


def _is_no_boolean(value: Any) -> bool:
    return value is not None and truth_value(value) is None


class LiteralMatch(Operator):
    """Both values are equal, with their types and without any normalization.

    Example:
        >>> compare("literal", "mild", "mild").score, compare("literal", 1, True).score
        (1.0, 0.0)
    """

    name: ClassVar[str] = "literal"
    kind: ClassVar[str] = "category"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare two values; see the class."""
        return PASS if equal(expected, observed) else FAIL

    columns = by_columns("categories", "same")


def _accepted(values: Any) -> Any:
    if values is None:
        return None
    items = as_list(values)
    if not items:
        raise ValueError(f"takes a list of at least one accepted value, got {values!r}")
    # Settings of a record come back as typed JSON.
    return tuple(decode(item) if isinstance(item, dict | list) else item for item in items)


class OneOf(Operator):
    """Observed equals one of several accepted values.

    Args:
        values: The accepted values, at least one. Given as a setting they take the place of expected; otherwise expected
            is their list.
        normalize: Normalizers for text in accepted values and observed, at every depth; none unless given.

    Example:
        >>> compare("one_of", ["New York", "NYC"], "nyc", normalize=["lowercase"]).details
        {'matched_index': 1, 'matched': 'NYC', 'effective_normalization': ['lowercase']}
    """

    name: ClassVar[str] = "one_of"
    kind: ClassVar[str] = "category"

    values: Annotated[tuple[Any, ...] | None, BeforeValidator(_accepted)] = None
    normalize: Normalization = ()

    def settings(self) -> dict[str, Any]:
        """Give all settings as typed JSON; a tuple among the accepted values stays one."""
        return {**super().settings(), "values": None if self.values is None else [encode(item) for item in self.values]}

    def effective_expected(self, expected: Any) -> Any:
        """Give the accepted values when they are a setting."""
        return expected if self.values is None else list(self.values)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Look for an accepted value; see the class."""
        accepted = as_list(self.effective_expected(expected))
        if accepted is None:
            return Surfaces().unreadable(NOT_A_LIST, _ACCEPTED, expected, (True, False))
        if not accepted:
            return unusable(EMPTY_EXPECTED, _ACCEPTED, expected)
        found = surfaces(accepted, [observed], self.normalize)
        for index, value in enumerate(found.expected):
            if equal(value, found.observed[0]):
                return found.outcome(1.0, details={"matched_index": index, "matched": encode(accepted[index])})
        return found.outcome(0.0)

    columns = by_columns("categories", "accepted")
