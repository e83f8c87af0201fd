"""Operators on the verdicts of other operators."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pytest_verdict.core.kernel import checked_threshold, result_from_outcome, run
from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.refusals import REFUSALS
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import SettingsError, allowed
from pytest_verdict.operators.category import AcceptedValues
from pytest_verdict.operators.exact_number import ExactNumber, as_exact
from pytest_verdict.operators.lists import NOT_A_LIST, as_list
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, unusable

MISSING_EXPECTED: Final = "missing_expected"
MISSING_OBSERVED: Final = "missing_observed"
CHILD_ERROR: Final = "child_error"

_REFERENCES: Final = "a list of at least one accepted reference"
_KEYS: Final = ("operator", "version", "settings", "threshold")


@dataclass(frozen=True, slots=True)
class Condition:
    """One part of an aggregate."""

    operator: Operator
    threshold: float | None = None

    def compare(self, expected: Any, observed: Any, name: str) -> ComparisonResult:
        """Compare this part; ABSENT stands for a key that a mapping does not have."""
        effective = self.operator.effective_expected(expected)
        sides = {MISSING_EXPECTED: effective, MISSING_OBSERVED: observed}
        missing = tuple(note for note, side in sides.items() if side is ABSENT)
        expected, observed = (None if side is ABSENT else side for side in (expected, observed))
        if missing:
            error = "there is no expected value under this key" if MISSING_EXPECTED in missing else None
            outcome = Outcome(0.0, notes=missing, error=error)
            return result_from_outcome(self.operator, expected, observed, outcome, self.threshold, name)
        return run(self.operator, expected, observed, threshold=self.threshold, name=name)

    def written(self) -> dict[str, Any]:
        """Write the condition as the record does."""
        found: dict[str, Any] = as_setting(self.operator)
        return found if self.threshold is None else {**found, "threshold": self.threshold}


def read_condition(value: Any) -> Condition:
    """Read a condition."""
    if isinstance(value, Condition):
        return value
    if not isinstance(value, Mapping):
        return Condition(operator_from_settings(value))
    for key in value:
        if key not in _KEYS:
            raise SettingsError(f"a condition has no key {key!r}.{allowed('key', key, _KEYS)}")
    rest = {key: item for key, item in value.items() if key != "threshold"}
    only_operator = list(rest) == ["operator"]
    operator = operator_from_settings(rest["operator"] if only_operator else rest)
    threshold = value.get("threshold")
    return Condition(operator, None if threshold is None else checked_threshold(threshold))


def _conditions(value: Any) -> Any:
    if not isinstance(value, Mapping | list | tuple) or not value:
        raise ValueError(f"takes a list or a mapping of at least one condition, got {value!r}")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise ValueError(f"the keys of a mapping of conditions are text, got {list(value)!r}")
        return {key: read_condition(item) for key, item in value.items()}
    return tuple(read_condition(item) for item in value)


class _Aggregate(Operator):
    kind: ClassVar[str] = "aggregate"

    conditions: Annotated[Any, BeforeValidator(_conditions)]

    def needs_expected(self) -> bool:
        """Say whether one of the conditions needs it."""
        parts = self.conditions.values() if isinstance(self.conditions, dict) else self.conditions
        return any(part.operator.needs_expected() for part in parts)

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        children = self._children(expected, observed)
        notes = (CHILD_ERROR,) if any(child.error is not None for child in children) else ()
        passed = sum(child.passed for child in children)
        details = {"passed": passed, "total": len(children)}
        score = self._score([self._part(child) for child in children])
        return Outcome(score, notes=notes, details=details, children=children)

    def reject_undecidable(self, outcome: Outcome, threshold: float) -> Outcome:
        """Make an outcome an error when it would pass if the parts that could not be compared did."""
        best = self._score([1.0 if child.error is not None else self._part(child) for child in outcome.children])
        if best < threshold:
            return outcome
        return outcome.replace(score=0.0, error=undecided(outcome.children))

    def _children(self, expected: Any, observed: Any) -> tuple[ComparisonResult, ...]:
        if isinstance(self.conditions, tuple):
            return tuple(part.compare(expected, observed, str(index)) for index, part in enumerate(self.conditions))
        parts = self.conditions.items()
        return tuple(part.compare(_item(expected, key), _item(observed, key), key) for key, part in parts)

    def _part(self, child: ComparisonResult) -> float:
        return float(child.passed)

    def _score(self, parts: list[float]) -> float:
        return sum(parts) / len(parts)


def undecided(parts: Iterable[ComparisonResult]) -> str | None:
    """Say why nothing can be said of a whole of which parts could not be compared."""
    return next((part.error for part in parts if part.error is not None), None)


def _item(values: Any, key: str) -> Any:
    return values.get(key, ABSENT) if isinstance(values, Mapping) else ABSENT


class AllOf(_Aggregate):
    """Every condition passes; the score is the share that does.

    Where a part could not be compared and the others leave the verdict open, the whole is an ``error``, in all aggregates.

    Args:
        conditions: A list of conditions, each on the whole values, or a mapping from a key to the condition on that key of
            the expected and observed mappings; at least one. A condition is an operator, a name, or a mapping with
            ``operator``, ``settings`` and ``threshold``. A key that observed does not have fails; one that expected does not
            have is an ``error``, unless the operator has what it expects as a setting. Other keys are not looked at.

    Example:
        >>> compare("all_of", 1, "1", conditions=["numeric_exact", "exact"]).score
        0.5
    """

    name: ClassVar[str] = "all_of"


class AnyOf(_Aggregate):
    """At least one condition passes; the score is the share that does, the threshold that of one.

    Args:
        conditions: As for `AllOf`.

    Example:
        >>> compare("any_of", 1, "1", conditions=["numeric_exact", "exact"]).threshold
        0.5
    """

    name: ClassVar[str] = "any_of"

    def default_threshold(self) -> float:
        """Give the score of one passed condition."""
        return 1 / len(self.conditions)


class NoneOf(_Aggregate):
    """No condition passes; the score is the share that does not.

    A condition that could not read observed, such as a JSON operator on text that is no JSON, does not count as one that
    does not hold: nothing was checked by it.

    Args:
        conditions: As for `AllOf`.

    Example:
        >>> refusals = {"operator": "regex", "settings": {"pattern": "(?i)as an AI|I cannot", "mode": "search"}}
        >>> compare("none_of", None, "I cannot help.", conditions=[refusals]).score
        0.0
    """

    name: ClassVar[str] = "none_of"

    def _part(self, child: ComparisonResult) -> float:
        return float(child.verdict == "fail" and REFUSALS.isdisjoint(child.notes))


class AtLeastN(_Aggregate):
    """At least a number of conditions pass; the score is the share that does, the threshold that of the number.

    Args:
        n: How many conditions must pass, from 1 to their number.
        conditions: As for `AllOf`.

    Example:
        >>> compare("at_least_n", "a", "a", n=1, conditions=["exact", "numeric_exact"]).score
        0.5
    """

    name: ClassVar[str] = "at_least_n"

    n: Annotated[int, Field(strict=True, ge=1)]

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.n > len(self.conditions):
            raise ValueError(f"n={self.n} of {len(self.conditions)} conditions can never pass")
        return self

    def default_threshold(self) -> float:
        """Give the score of n passed conditions."""
        return self.n / len(self.conditions)


class Weighted(_Aggregate):
    """The mean of the conditions' scores, by weight.

    Args:
        conditions: As for `AllOf`.
        weights: Positive numbers in the same form: a list in the order of the conditions, or a mapping with the same keys.

    Example:
        >>> compare("weighted", 1, "1", conditions=["exact", "numeric_exact"], weights=[1, 3]).score
        0.75
    """

    name: ClassVar[str] = "weighted"

    weights: dict[str, ExactNumber] | tuple[ExactNumber, ...]

    @field_validator("weights", mode="before")
    @classmethod
    def _in_order_of_conditions(cls, weights: Any) -> Any:
        if isinstance(weights, set | frozenset):
            raise ValueError("takes a list or a mapping: a set has no order")  # noqa: TRY004 - one rule for settings
        return weights

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        keyed = isinstance(self.conditions, dict)
        same = set(self.weights) == set(self.conditions) if keyed else len(self.weights) == len(self.conditions)
        if isinstance(self.weights, dict) != keyed or not same:
            raise ValueError(f"weights: takes one weight for each condition, in the same form, got {self.weights!r}")
        if min(self._in_order()) <= 0:
            raise ValueError(f"weights: takes numbers above 0, got {self.weights!r}")
        return self

    def _in_order(self) -> list[Fraction]:
        weights = self.weights
        found = [weights[key] for key in self.conditions] if isinstance(weights, dict) else list(weights)
        return [Fraction(as_exact(weight)) for weight in found]

    def _part(self, child: ComparisonResult) -> float:
        return child.score

    def _score(self, parts: list[float]) -> float:
        # Fractions make the sum exact: nine passes of equal weight are 1.0, and no order of parts changes the score.
        weights = self._in_order()
        total = sum((weight * Fraction(part) for weight, part in zip(weights, parts, strict=True)), Fraction())
        return float(total / sum(weights))


def _of_references(value: Any) -> Operator:
    operator = operator_from_settings(value)
    if not operator.needs_expected():
        raise ValueError(f"takes an operator that needs expected; the settings of {operator} are all it expects")
    return operator


class BestOf(Operator):
    """One of several accepted references matches; the best of them gives the score, and the details name it.

    Each reference is compared by the operator inside and recorded; of equally good ones the first is the best. The threshold
    is that of the operator inside unless the caller names one.

    Args:
        inner: What compares observed with one reference; an operator, its name, or a mapping with ``operator`` and ``settings``.
        references: The accepted references, at least one. Given as a setting they take the place of expected; otherwise
            expected is their list.

    Example:
        >>> found = compare("best_of", ["Rome", "Paris"], " paris", inner="normalized_exact")
        >>> found.score, found.details["best"]
        (1.0, 'Paris')
    """

    name: ClassVar[str] = "best_of"
    kind: ClassVar[str] = "aggregate"
    expected_settings: ClassVar[tuple[str, ...]] = ("references",)

    inner: Annotated[Any, BeforeValidator(_of_references)]
    references: AcceptedValues = None

    def default_threshold(self) -> float:
        """Give that of the operator inside."""
        return float(self.inner.default_threshold())

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        references = as_list(self.effective_expected(expected))
        if not references:
            return unusable(NOT_A_LIST if references is None else EMPTY_EXPECTED, _REFERENCES, expected)
        parts = tuple(run(self.inner, each, observed, name=str(index)) for index, each in enumerate(references))
        best = max(range(len(parts)), key=lambda index: parts[index].score)
        details = {"best_index": best, "best": encode(references[best])}
        return Outcome(parts[best].score, (), (CHILD_ERROR,) if undecided(parts) else (), details, children=parts)

    def reject_undecidable(self, outcome: Outcome, threshold: float) -> Outcome:
        """Make an outcome an error where a reference that could not be used might have been the best."""
        del threshold
        error = undecided(outcome.children)
        if error is None:
            return outcome
        return outcome.replace(score=0.0, error=error)
