"""The kernel: the only place where an operator runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import safe_repr, without_addresses
from pytest_verdict.core.values.placeholders import PLAIN
from pytest_verdict.core.values.refused import RefusedValueError, refuse_uncalled
from pytest_verdict.core.values.snapshot import copy_for_record, copy_refused, recorded_form, snapshot
from pytest_verdict.errors import ConfigurationError, RecordError, ThresholdError

if TYPE_CHECKING:
    from pytest_verdict.core.operator import Operator


class PartError(Exception):
    """A part of a comparison could not be made, so the whole could not; the text is the error of the part."""


def run(
    operator: Operator,
    expected: Any,
    observed: Any,
    threshold: float | None = None,
    name: str | None = None,
    *,
    recorded: Mapping[str, Any] | None = None,
    negated: bool = False,
    sources: str | None = None,
    accepted: Mapping[str, Any] | None = None,
) -> ComparisonResult:
    """Compare two values; with the details of a record, the replies of a model come from these (``RecordError`` if none)."""
    threshold = operator.own_threshold if threshold is None else check_threshold(threshold)
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(f"name is a text or None, got {safe_repr(name)}")

    needs_model = recorded is not None and (operator.asks_model or operator.contains_model_operator)
    # The record gets copies, so an operator that changes its arguments does not change the record.
    original = expected
    expected_copy = expected
    observed_copy = observed
    try:
        if type(expected) not in PLAIN:
            expected_copy, expected = _copy_evidence(operator, expected, original)
        if type(observed) not in PLAIN:
            observed_copy, observed = _copy_evidence(operator, observed, original)
        if operator.replaces_expected:
            expected_copy = recorded_form(operator.effective_expected(original))[0]

        if accepted is not None and "problem" in accepted:
            outcome = Outcome(0.0, error=str(accepted["problem"]))
        elif needs_model:
            outcome = _replay(operator, expected, observed, recorded or {})
        else:
            outcome = operator.evaluate(expected, observed)
        if type(outcome) is not Outcome or outcome.children:
            outcome = _check_outcome(operator, outcome, threshold)
    except BaseException as error:
        if needs_model and isinstance(error, RecordError):
            raise
        raise_unless_of_operator(error)
        if isinstance(error, RefusedValueError):
            expected_copy = copy_refused(original)
            observed_copy = copy_refused(observed)
        outcome = error_outcome(error)

    return ComparisonResult(
        operator.identity, expected_copy, observed_copy, threshold, outcome, name, negated, sources, accepted
    )


def raise_unless_of_operator(error: BaseException) -> None:
    """Raise what ends a program; ``pytest.skip`` and ``pytest.xfail`` are for tests, so in an operator they are errors."""
    if not isinstance(error, Exception) and not is_skip_or_xfail(error):
        raise error


def is_skip_or_xfail(error: BaseException) -> bool:
    """Return whether ``pytest.skip`` or ``pytest.xfail`` raised an error; by name, because pytest may not be installed."""
    kinds = type(error).__mro__
    is_outcome = any(kind.__module__ == "_pytest.outcomes" for kind in kinds)
    return is_outcome and any(kind.__name__ in {"Skipped", "XFailed"} for kind in kinds)


def _copy_evidence(operator: Operator, value: Any, expected: Any) -> tuple[Any, Any]:
    """Return the copy of a value for the record, and the value for the operator."""
    if operator.evaluate_is_pure:
        refuse_uncalled(expected, value)
    recorded, decoded = recorded_form(value, matchers=operator.evaluate_is_pure)
    if operator.compares_decoded:
        return recorded, decoded
    if operator.evaluate_is_pure:
        return recorded, value
    return recorded, snapshot(value)


def _replay(operator: Operator, expected: Any, observed: Any, recorded: Mapping[str, Any]) -> Outcome:
    """Derive the outcome again from the recorded reply of a model."""
    if operator.asks_model:
        return operator.replay(expected, observed, recorded)
    # Evaluating would load a model, or import a function that the record names.
    raise RecordError("an operator inside another one asked a model, and the record does not have its reply")


def _check_outcome(operator: Operator, outcome: Any, threshold: float) -> Outcome:
    if type(outcome) is not Outcome:
        raise TypeError(f"evaluate must return an Outcome, got {safe_repr(outcome)}")
    if outcome.score < threshold and outcome.error is None:
        return operator.reject_undecidable(outcome, threshold)
    return outcome


def result_from_outcome(
    operator: Operator,
    expected: Any,
    observed: Any,
    outcome: Outcome,
    threshold: float | None = None,
    name: str | None = None,
) -> ComparisonResult:
    """Return the result of a comparison whose outcome is certain without running the operator."""
    return ComparisonResult(
        identity=operator.identity,
        expected=copy_for_record(operator.effective_expected(expected)),
        observed=copy_for_record(observed),
        threshold=operator.own_threshold if threshold is None else check_threshold(threshold),
        outcome=outcome,
        name=name,
    )


def check_threshold(threshold: Any) -> float:
    """Return a threshold as a float; refuse a value outside (0, 1]."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0.0 < threshold <= 1.0:
        raise ThresholdError(threshold)
    return float(threshold)


def error_outcome(error: BaseException) -> Outcome:
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
