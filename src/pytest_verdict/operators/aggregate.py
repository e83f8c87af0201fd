"""Operators on the verdicts of other operators, and expected values that are derived before the draft is read."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pytest_verdict.core.kernel import check_threshold, result_from_outcome, run
from pytest_verdict.core.matching import optimal_assignment
from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.refusals import REFUSALS
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.equality import equal
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import ConfigurationError, SettingsError, allowed
from pytest_verdict.operators.category import AcceptedValues
from pytest_verdict.operators.exact_number import ExactNumber, as_exact
from pytest_verdict.operators.lists import NOT_A_LIST, as_list
from pytest_verdict.operators.normalized_sides import EMPTY_EXPECTED, unusable
from pytest_verdict.session import publish

MISSING_EXPECTED: Final = "missing_expected"
MISSING_OBSERVED: Final = "missing_observed"
CHILD_ERROR: Final = "child_error"

_MOST_PAIRS: Final = 10_000
_ONE: Final = 10**12
_REFERENCES: Final = "a list of at least one accepted reference"
_KEYS: Final = ("operator", "version", "settings", "threshold")

Source = Literal["spec", "reference", "blind_rederivation"]
Extraction = Literal["programmatic", "model_mediated"]


@dataclass(frozen=True, slots=True)
class Condition:
    operator: Operator
    threshold: float | None = None

    def compare(self, expected: Any, observed: Any, name: str) -> ComparisonResult:
        """Compare this part; ABSENT means that a mapping lacks the key."""
        notes = []
        error = None
        if self.operator.effective_expected(expected) is ABSENT:
            notes.append(MISSING_EXPECTED)
            error = "there is no expected value under this key"
        if observed is ABSENT:
            notes.append(MISSING_OBSERVED)
        if notes:
            return self.refuse(expected, observed, name, Outcome(0.0, notes=notes, error=error))
        return run(self.operator, None if expected is ABSENT else expected, observed, self.threshold, name)

    def refuse(self, expected: Any, observed: Any, name: str, outcome: Outcome) -> ComparisonResult:
        """Return the result of a part of which a side is ABSENT."""
        first, second = [None if side is ABSENT else side for side in (expected, observed)]
        return result_from_outcome(self.operator, first, second, outcome, self.threshold, name)

    def written(self) -> dict[str, Any]:
        """Return the condition as in a record."""
        settings: dict[str, Any] = as_setting(self.operator)
        if self.threshold is None:
            return settings
        return {**settings, "threshold": self.threshold}


def read_condition(value: Any) -> Condition:
    if isinstance(value, Condition):
        return value
    if not isinstance(value, Mapping):
        return Condition(operator_from_settings(value))
    for key in value:
        if key not in _KEYS:
            raise SettingsError(f"a condition has no key {key!r}.{allowed('key', key, _KEYS)}")
    settings = dict(value)
    threshold = settings.pop("threshold", None)
    operator = operator_from_settings(settings["operator"] if [*settings] == ["operator"] else settings)
    operator.check_configured_threshold(threshold)
    return Condition(operator, None if threshold is None else check_threshold(threshold))


def _read_conditions(value: Any) -> Any:
    if not isinstance(value, Mapping | list | tuple) or not value:
        raise ValueError(f"takes a list or a mapping of at least one condition, got {value!r}")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise ValueError(f"the keys of a mapping of conditions are text, got {list(value)!r}")
        return {key: read_condition(item) for key, item in value.items()}
    return tuple(read_condition(item) for item in value)


class Parts(Operator):
    """An operator on the verdicts of parts."""

    kind: ClassVar[str] = "aggregate"

    def outcome_of(self, children: list[ComparisonResult], details: Mapping[str, Any] | None = None) -> Outcome:
        """Return the outcome of these parts."""
        notes = (CHILD_ERROR,) if first_error(children) is not None else ()
        counts = {"passed": sum(child.passed for child in children), "total": len(children)}
        score = self._score([self._child_score(child) for child in children])
        return Outcome(score, notes=notes, details={**counts, **(details or {})}, children=children)

    def reject_undecidable(self, outcome: Outcome, threshold: float) -> Outcome:
        """Return an error if the outcome would pass should all parts with an error pass."""
        scores = [1.0 if child.error is not None else self._child_score(child) for child in outcome.children]
        if self._score(scores) < threshold:
            return outcome
        return outcome.replace(score=0.0, error=first_error(outcome.children))

    def _child_score(self, child: ComparisonResult) -> float:
        return float(child.passed)

    def _score(self, scores: list[float]) -> float:
        return sum(scores) / len(scores)


class _Aggregate(Parts):
    conditions: Annotated[Any, BeforeValidator(_read_conditions)]

    def needs_expected(self) -> bool:
        return any(condition.operator.needs_expected() for condition in self._all_conditions())

    def _all_conditions(self) -> Any:
        return self.conditions.values() if isinstance(self.conditions, dict) else self.conditions

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        if not isinstance(self.conditions, dict):
            parts = enumerate(self.conditions)
            return self.outcome_of([condition.compare(expected, observed, str(index)) for index, condition in parts])

        expected_items = expected if isinstance(expected, Mapping) else {}
        observed_items = observed if isinstance(observed, Mapping) else {}
        children = []
        for key, condition in self.conditions.items():
            children.append(condition.compare(expected_items.get(key, ABSENT), observed_items.get(key, ABSENT), key))
        return self.outcome_of(children)


def first_error(children: Iterable[ComparisonResult]) -> str | None:
    return next((child.error for child in children if child.error is not None), None)


class AllOf(_Aggregate):
    """Every condition passes; the score is the share of conditions that pass.

    If a part could not be compared and the others leave the verdict open, every aggregate is an ``error``.

    Args:
        conditions: At least one condition: a list of conditions on the whole values, or a mapping from keys of expected and
            observed to conditions on the values under these keys. A condition is an operator, a name, or a mapping with
            ``operator``, ``settings`` and ``threshold``. A condition on a key that observed lacks fails; a key that expected
            lacks is an ``error`` unless a setting of the operator replaces expected. Other keys are ignored.

    Example:
        >>> compare("all_of", 1, "1", conditions=["numeric_exact", "exact"]).score
        0.5
    """

    name: ClassVar[str] = "all_of"


class _Counted(_Aggregate):
    def default_threshold(self) -> float:
        return 1 / len(self.conditions)

    def check_threshold(self, threshold: float | None) -> None:
        super().check_threshold(threshold)
        total = len(self.conditions)
        needed = round(self.default_threshold() * total)
        if threshold is not None and math.ceil(threshold * total) != needed:
            raise SettingsError(
                f"{self}: threshold={threshold} overrides the number of conditions that must pass, {needed} of {total};"
                " leave it out, or compare with at_least_n and another n"
            )


class AnyOf(_Counted):
    """At least one condition passes; the score is the share that passes, the threshold the share of one condition.

    The conditions are those of `AllOf`.

    Example:
        >>> compare("any_of", 1, "1", conditions=["numeric_exact", "exact"]).threshold
        0.5
    """

    name: ClassVar[str] = "any_of"


class NoneOf(_Aggregate):
    """No condition passes; the score is the share of conditions that fail.

    A condition that could not read observed, such as a JSON operator on text that is not JSON, does not count as failed,
    because it checked nothing.

    The conditions are those of `AllOf`.

    Example:
        >>> refusals = {"operator": "regex", "settings": {"pattern": "(?i)as an AI|I cannot", "mode": "search"}}
        >>> compare("none_of", None, "I cannot help.", conditions=[refusals]).score
        0.0
    """

    name: ClassVar[str] = "none_of"

    def _child_score(self, child: ComparisonResult) -> float:
        return float(child.verdict == "fail" and REFUSALS.isdisjoint(child.notes))


class AtLeastN(_Counted):
    """At least n conditions pass; the score is the share that passes, the threshold the share of n conditions.

    Args:
        n: The number of conditions that must pass, from 1 to the number of conditions.
        conditions: As for `AllOf`.

    Example:
        >>> compare("at_least_n", "a", "a", n=1, conditions=["exact", "numeric_exact"]).score
        0.5
    """

    name: ClassVar[str] = "at_least_n"

    n: Annotated[int, Field(strict=True, ge=1)]

    @model_validator(mode="after")
    def _check_n(self) -> Self:
        if self.n > len(self.conditions):
            raise ValueError(f"n={self.n} of {len(self.conditions)} conditions can never pass")
        return self

    def default_threshold(self) -> float:
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
    def _refuse_sets(cls, weights: Any) -> Any:
        if isinstance(weights, set | frozenset):
            raise ValueError("takes a list or a mapping: a set has no order")  # noqa: TRY004 - one rule for settings
        return weights

    @model_validator(mode="after")
    def _check_weights(self) -> Self:
        weights = self.weights
        if isinstance(weights, dict):
            fits = isinstance(self.conditions, dict) and set(weights) == set(self.conditions)
        else:
            fits = isinstance(self.conditions, tuple) and len(weights) == len(self.conditions)
        if not fits:
            raise ValueError(f"weights: takes one weight for each condition, in the same form, got {weights!r}")
        if any(condition.threshold is not None for condition in self._all_conditions()):
            raise ValueError("the threshold of a condition has no effect: weighted counts its score; leave it out")
        if min(self._exact_weights()) <= 0:
            raise ValueError(f"weights: takes numbers above 0, got {weights!r}")
        return self

    def _exact_weights(self) -> list[Fraction]:
        weights = self.weights
        if isinstance(weights, dict):
            weights = tuple(weights[key] for key in self.conditions)
        return [Fraction(as_exact(weight)) for weight in weights]

    def _child_score(self, child: ComparisonResult) -> float:
        return child.score

    def _score(self, scores: list[float]) -> float:
        # Fractions make the sum exact: nine passes of equal weight are 1.0, and no order of parts changes the score.
        weights = self._exact_weights()
        total = sum((weight * Fraction(score) for weight, score in zip(weights, scores, strict=True)), Fraction())
        return float(total / sum(weights))


def _read_inner(value: Any) -> Operator:
    operator = operator_from_settings(value)
    if not operator.needs_expected():
        raise ValueError(f"takes an operator that needs expected; the settings of {operator} are all it expects")
    return operator


class ListSimilarity(Operator):
    """The items of two lists are similar, each to its partner in the best pairing, whatever their order.

    The score is the sum of the scores of the pairs over the length of the longer list. Two empty lists score 1.0. This
    is ``ListContains`` of autoevals, with any operator. The default threshold is 0.8.

    Args:
        inner: The operator that compares two items: an operator, its name, or a mapping with ``operator`` and ``settings``
            (default: ``text_similarity``).
        extras: ``count`` lowers the score for items without a partner in expected; with ``ignore`` the sum is divided by
            the length of expected (default: ``count``).

    Example:
        >>> result = compare("list_similarity", ["Rome", "Paris"], ["paris", "Rome", "Oslo"])
        >>> round(result.score, 4), result.details["pairs"]
        (0.6, [[0, 1, 1.0], [1, 0, 0.8]])
    """

    name: ClassVar[str] = "list_similarity"
    kind: ClassVar[str] = "list"

    inner: Annotated[Any, BeforeValidator(_read_inner)] = Field("text_similarity", validate_default=True)
    extras: Literal["count", "ignore"] = "count"

    def default_threshold(self) -> float:
        return 0.8

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        expected_items = as_list(expected)
        observed_items = as_list(observed)
        if expected_items is None or (self.extras == "ignore" and not expected_items):
            note = NOT_A_LIST if expected_items is None else EMPTY_EXPECTED
            return unusable(note, "a list, and not an empty one if extras are ignored", expected)
        if observed_items is None:
            return Outcome(0.0, notes=(NOT_A_LIST,))
        if len(expected_items) * len(observed_items) > _MOST_PAIRS:
            return Outcome(
                0.0, error=f"the lists have more than {_MOST_PAIRS:,} pairs; use set_similarity for long lists"
            )

        scores: list[list[float]] = []
        for item in expected_items:
            results = [run(self.inner, item, other) for other in observed_items]
            if error := first_error(results):
                return Outcome(0.0, notes=(CHILD_ERROR,), error=error)
            scores.append([result.score for result in results])
        # Whole numbers, so that equal sums are equal.
        matrix = [[-round(score * _ONE) for score in row] for row in scores]
        partners = enumerate(optimal_assignment(matrix))
        pairs = [(index, partner, scores[index][partner]) for index, partner in partners if partner is not None]
        longest = len(expected_items)
        if self.extras == "count":
            longest = max(longest, len(observed_items))
        total = math.fsum(score for _, _, score in pairs)
        return Outcome(min(total / longest, 1.0) if longest else 1.0, details={"pairs": [list(pair) for pair in pairs]})


class _WithInner(Operator):
    kind: ClassVar[str] = "aggregate"

    inner: Annotated[Any, BeforeValidator(operator_from_settings)]

    def default_threshold(self) -> float:
        return float(self.inner.default_threshold())

    @property
    def is_graded(self) -> bool:
        return bool(self.inner.is_graded)


class BestOf(_WithInner):
    """One of several accepted references matches; the best match gives the score and is named in the details.

    Each reference is compared by the inner operator and recorded; of equally good ones the first is the best. The default
    threshold is that of the inner operator.

    Args:
        inner: The operator that compares observed with one reference: an operator, its name, or a mapping with ``operator``
            and ``settings``.
        references: The accepted references, at least one; they replace expected. Without this setting expected is their
            list.

    Example:
        >>> result = compare("best_of", ["Rome", "Paris"], " paris", inner="normalized_exact")
        >>> result.score, result.details["best"]
        (1.0, 'Paris')
    """

    name: ClassVar[str] = "best_of"
    expected_settings: ClassVar[tuple[str, ...]] = ("references",)

    inner: Annotated[Any, BeforeValidator(_read_inner)]
    references: AcceptedValues = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        references = as_list(self.effective_expected(expected))
        if not references:
            return unusable(NOT_A_LIST if references is None else EMPTY_EXPECTED, _REFERENCES, expected)
        children = [run(self.inner, reference, observed, name=str(index)) for index, reference in enumerate(references)]
        best = max(range(len(children)), key=lambda index: children[index].score)
        notes = (CHILD_ERROR,) if first_error(children) else ()
        details = {"best_index": best, "best": encode(references[best])}
        return Outcome(children[best].score, notes=notes, details=details, children=children)

    def reject_undecidable(self, outcome: Outcome, threshold: float) -> Outcome:
        """Return an error if a reference that could not be used might have been the best."""
        del threshold
        if error := first_error(outcome.children):
            return outcome.replace(score=0.0, error=error)
        return outcome


class DerivedMatch(_WithInner):
    """Observed is compared with an expected value that was derived first, from the question alone.

    The inner operator decides; the record also has the origin of the expected value.

    Args:
        inner: The operator that compares the two, or its name.
        source: The origin of the expected value: ``spec``, ``reference`` or ``blind_rederivation``.
        extraction: How observed was extracted from the draft: ``programmatic`` or ``model_mediated``.

    Example:
        >>> compare("derived", 42, "42", inner="numeric_exact", source="spec").score
        1.0
    """

    name: ClassVar[str] = "derived"

    source: Source
    extraction: Extraction = "programmatic"

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        return run(self.inner, expected, observed).outcome

    def effective_expected(self, expected: Any) -> Any:
        return self.inner.effective_expected(expected)

    def needs_expected(self) -> bool:
        return bool(self.inner.needs_expected())


def compare_derived(
    operator: str | Operator,
    question: Any,
    derive: Callable[[Any], Any],
    draft: Any,
    extract: Callable[[Any], Any],
    *,
    source: Source = "blind_rederivation",
    extraction: Extraction = "programmatic",
    name: str | None = None,
) -> ComparisonResult:
    """Derive the expected value from the question, then extract the observed one from the draft, and compare them.

    Args:
        operator: The operator that compares them, or its name.
        question: Everything that ``derive`` may know.
        derive: A function from the question to the expected value. It is called twice and must return the same value.
        draft: The text or object to check; ``derive`` never gets it.
        extract: A function from the draft to the observed value, called after the expected value is fixed.
        source: The origin of the expected value: ``spec``, ``reference`` or ``blind_rederivation``.
        extraction: How the observed value is extracted: ``programmatic`` or ``model_mediated``.
        name: The name of this comparison in the report.

    Returns:
        The result, recorded as the operator ``derived``.

    Raises:
        ConfigurationError: ``derive`` takes more than the question, or returns two different values.

    Example:
        >>> compare_derived("numeric_exact", (6, 7), lambda pair: pair[0] * pair[1], "It is 42.", lambda text: text[6:8]).passed
        True
    """
    if len(inspect.signature(derive).parameters) != 1:
        raise ConfigurationError("derive takes the question and nothing else, so that it cannot see the draft")
    expected = derive(question)
    if not equal(expected, derive(question)):
        raise ConfigurationError(
            "derive returned two different values for the same question, so neither can be expected"
        )
    derived = DerivedMatch(inner=operator, source=source, extraction=extraction)
    return publish(run(derived, expected, extract(draft), name=name))
