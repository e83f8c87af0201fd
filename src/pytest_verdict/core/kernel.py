"""The kernel: the only place where an operator runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_verdict.core.result import ComparisonResult, Outcome, qualify
from pytest_verdict.core.values.display import safe_repr, without_addresses
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import PLAIN, recorded_form, snapshot
from pytest_verdict.errors import ConfigurationError, RecordError, ThresholdError

if TYPE_CHECKING:
    from pytest_verdict.core.operator import Operator


class PartError(Exception):
    """A part of a comparison could not be made, so the whole could not; its text is the error of the part."""


def run(
    operator: Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    name: str | None = None,
    *,
    recorded: Mapping[str, Any] | None = None,
    negated: bool = False,
    sources: Mapping[str, Any] | None = None,
) -> ComparisonResult:
    """Compare two values; with the details of an earlier comparison as ``recorded``, derive that comparison again."""
    threshold = operator.own_threshold if threshold is None else checked_threshold(threshold)
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(f"name is a text or None, got {safe_repr(name)}")

    # The record gets copies, so an operator that changes its arguments does not change the record.
    recorded_expected: Any = ABSENT
    recorded_observed = observed
    try:
        if type(observed) not in PLAIN:
            recorded_observed, observed = _evidence(operator, observed)
        if operator.replaces_expected:
            recorded_expected, expected = _effective_evidence(operator, expected)
        elif type(expected) in PLAIN:
            recorded_expected = expected
        else:
            recorded_expected, expected = _evidence(operator, expected)

        if recorded is None:
            outcome = operator.evaluate(expected, observed)
        else:
            outcome = _derive(operator, expected, observed, recorded)
        if type(outcome) is not Outcome or outcome.children:
            outcome = _checked_outcome(operator, outcome, threshold)
    except Exception as error:
        if recorded is not None and isinstance(error, RecordError) and _needs_model(operator):
            raise
        outcome = error_outcome(error)
        if recorded_expected is ABSENT:
            recorded_expected = recorded_form(expected)[0]

    if negated or sources is not None:
        outcome = qualify(outcome, negated=negated, sources=sources)
    return ComparisonResult(operator.identity, recorded_expected, recorded_observed, threshold, outcome, name)


def _evidence(operator: Operator, value: Any) -> tuple[Any, Any]:
    """Return the copy of a value that is recorded, and the value that the operator compares."""
    recorded, decoded = recorded_form(value)
    if operator.compares_decoded:
        return recorded, decoded
    if operator.evaluate_is_pure:
        return recorded, value
    return recorded, snapshot(value)


def _effective_evidence(operator: Operator, expected: Any) -> tuple[Any, Any]:
    effective = operator.effective_expected(expected)
    if effective is expected:
        return _evidence(operator, expected)
    return recorded_form(effective)[0], _evidence(operator, expected)[1]


def _derive(operator: Operator, expected: Any, observed: Any, recorded: Mapping[str, Any]) -> Outcome:
    if operator.asks_model:
        return operator.replay(expected, observed, recorded)
    if operator.contains_model_operator:
        # Evaluating would load a model, or import a function that the record names.
        raise RecordError("an operator inside of another one asked a model, and the record does not have what it said")
    return operator.evaluate(expected, observed)


def _checked_outcome(operator: Operator, outcome: Any, threshold: float) -> Outcome:
    if type(outcome) is not Outcome:
        raise TypeError(f"evaluate must return an Outcome, got {safe_repr(outcome)}")
    if outcome.score < threshold and outcome.error is None:
        return operator.reject_undecidable(outcome, threshold)
    return outcome


def _needs_model(operator: Operator) -> bool:
    return operator.asks_model or operator.contains_model_operator


def result_from_outcome(
    operator: Operator,
    expected: Any,
    observed: Any,
    outcome: Outcome,
    threshold: float | None = None,
    name: str | None = None,
) -> ComparisonResult:
    """Return the result of a comparison whose outcome is certain without running the operator."""
    if threshold is None:
        threshold = operator.default_threshold()
    recorded_expected = recorded_form(operator.effective_expected(expected))[0]
    recorded_observed = recorded_form(observed)[0]
    return ComparisonResult(
        operator.identity, recorded_expected, recorded_observed, checked_threshold(threshold), outcome, name
    )


def checked_threshold(threshold: Any) -> float:
    """Return a threshold as a float; refuse a value outside (0, 1]."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0.0 < threshold <= 1.0:
        raise ThresholdError(threshold)
    return float(threshold)


def error_outcome(error: Exception) -> Outcome:
    """Return the outcome of a comparison that raised."""
    if isinstance(error, RecursionError):
        # The text of a RecursionError depends on where the stack ended.
        return Outcome(0.0, error="RecursionError: a value contains itself or is nested too deeply")
    if isinstance(error, PartError):
        return Outcome(0.0, error=str(error))
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of the user may not even print
        text = "<unprintable>"
    return Outcome(0.0, error=without_addresses(f"{type(error).__name__}: {text}"))
