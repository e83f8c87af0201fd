"""The kernel: the only place where an operator runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.core.result import ComparisonResult, KnownScore, Outcome, qualified
from pytest_verdict.core.values.display import safe_repr, without_addresses
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import PLAIN, recorded_form, snapshot
from pytest_verdict.errors import ConfigurationError, RecordError, ThresholdError
from pytest_verdict.session import SESSION

if TYPE_CHECKING:
    from pytest_verdict.core.operator import Operator, Plan


class PartError(Exception):
    """A part of a comparison could not be made, so the whole could not; its text is the error of the part."""


def run(
    operator: Operator,
    expected: Any,
    observed: Any,
    *,
    threshold: float | None = None,
    name: str | None = None,
    recorded: Mapping[str, Any] | None = None,
    negated: bool = False,
    sources: Mapping[str, Any] | None = None,
) -> ComparisonResult:
    """Compare two values, or derive again what the details of an earlier comparison say; a broken operator is an ``error``."""
    limit = operator.default_threshold() if threshold is None else threshold
    if limit != 1.0 or type(limit) is not float:
        limit = checked_threshold(limit)
    if name is not None and not isinstance(name, str):
        raise ConfigurationError(f"name is a text or None, got {safe_repr(name)}")
    # Copied before the comparison, so that an operator that changes its arguments does not change what is recorded.
    kept, wanted = observed, ABSENT
    try:
        if type(observed) not in PLAIN:
            kept, observed = _sides(operator, observed)
        effective = operator.effective_expected(expected)
        if type(expected) not in PLAIN or effective is not expected:
            effective, expected = _expected_sides(operator, effective, expected)
        wanted = effective
        if recorded is None:  # noqa: SIM108 - the other form takes more lines
            outcome = operator.evaluate(expected, observed)
        else:
            outcome = _again(operator, expected, observed, recorded)
        if type(outcome) is not Outcome:
            outcome = error_outcome(TypeError(f"evaluate must return an Outcome, got {safe_repr(outcome)}"))
        if outcome.children and outcome.score < limit and outcome.error is None:
            outcome = operator.decided(outcome, limit)
    except Exception as error:
        if recorded is not None and _is_what_the_record_lacks(error, operator):
            raise
        outcome = error_outcome(error)
        wanted = recorded_form(expected)[0] if wanted is ABSENT else wanted
    outcome = qualified(outcome, negated=negated, sources=sources) if negated or sources else outcome
    return ComparisonResult(operator.identity, wanted, kept, limit, outcome, name)


def run_plan(plan: Plan, expected: Any, observed: Any, name: str | None = None) -> ComparisonResult:
    """Compare as `run` does, by what is the same in all comparisons of an operator."""
    decide, glance, identity, limit, instead = plan
    wanted, kept, is_itself = expected, observed, True
    try:
        # Text first, because that is what most evidence is.
        if type(observed) is not str and type(observed) not in PLAIN:
            kept, seen = recorded_form(observed)
            is_itself, observed = seen is observed, seen
        if instead is not None:
            wanted, expected = instead
        elif type(expected) is not str and type(expected) not in PLAIN:
            wanted, seen = recorded_form(expected)
            is_itself, expected = is_itself and seen is expected, seen
        # In a report all is written at once; and what is compared as its record gives it back is not what is kept for later.
        if glance is None or not is_itself or SESSION.journal or (score := glance(expected, observed)) is None:
            outcome: Outcome | KnownScore = decide(expected, observed)
        else:
            outcome = KnownScore(score, decide)
    except Exception as error:  # noqa: BLE001 - as in `run`
        outcome = error_outcome(error)
    # As its constructor does, in half the time, because most comparisons are made here.
    made = _new(ComparisonResult)
    made._identity, made._expected, made._observed = identity, wanted, kept  # noqa: SLF001
    made._threshold, made._outcome, made._name = limit, outcome, name  # noqa: SLF001
    return made


_new: Final = object.__new__


def _expected_sides(operator: Operator, wanted: Any, expected: Any) -> tuple[Any, Any]:
    if wanted is expected:
        return _sides(operator, expected)
    return recorded_form(wanted)[0], _sides(operator, expected)[1]


def _sides(operator: Operator, value: Any) -> tuple[Any, Any]:
    recorded, seen = recorded_form(value)
    if operator.compares_recorded_form:
        return recorded, seen
    return recorded, value if operator.keeps_evidence else snapshot(value)


def _is_what_the_record_lacks(error: Exception, operator: Operator) -> bool:
    """Say whether a model is needed to derive an outcome again, which is no error of the operator."""
    return isinstance(error, RecordError) and (operator.asks_model or operator.has_model_inside)


def settle(
    operator: Operator,
    expected: Any,
    observed: Any,
    outcome: Outcome,
    threshold: float | None = None,
    name: str | None = None,
) -> ComparisonResult:
    """Make the result of a comparison whose outcome is known without running the operator."""
    limit = checked_threshold(operator.default_threshold() if threshold is None else threshold)
    wanted, kept = (recorded_form(side)[0] for side in (operator.effective_expected(expected), observed))
    return ComparisonResult(operator.identity, wanted, kept, limit, outcome, name)


def _again(operator: Operator, expected: Any, observed: Any, recorded: Mapping[str, Any]) -> Outcome:
    if operator.asks_model:
        return operator.replay(expected, observed, recorded)
    if operator.has_model_inside:
        # Evaluating would load a model, or import a function that the record names.
        raise RecordError("an operator inside of another one asked a model, and the record does not have what it said")
    return operator.evaluate(expected, observed)


def checked_threshold(threshold: Any) -> float:
    """Refuse what is no threshold, a number in (0, 1]."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0.0 < threshold <= 1.0:
        raise ThresholdError(threshold)
    return float(threshold)


def error_outcome(error: Exception) -> Outcome:
    """Make the outcome of a comparison that could not be made."""
    if isinstance(error, RecursionError):
        # Its own text says where the stack happened to end.
        return Outcome(0.0, error="RecursionError: a value contains itself or is nested too deeply")
    if isinstance(error, PartError):
        return Outcome(0.0, error=str(error))
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of the user may not even print
        text = "<unprintable>"
    return Outcome(0.0, error=without_addresses(f"{type(error).__name__}: {text}"))
