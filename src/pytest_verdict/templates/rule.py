"""How one field of an answer is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_verdict.errors import RecordError
from pytest_verdict.operators.aggregate import Condition
from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.exact_number import ExactNumber, as_exact, as_setting
from pytest_verdict.operators.specification import operator_from_settings
from pytest_verdict.outcome import checked_outcome, error_outcome
from pytest_verdict.result import ComparisonResult, Outcome
from pytest_verdict.templates.evidence import MISSING_TRACE, NULL_OBSERVED
from pytest_verdict.values.display import shown
from pytest_verdict.values.snapshot import snapshot


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is compared, and how much it counts.

    Args:
        operator: The operator.
        weight: At least 0.
    """

    operator: Operator
    weight: ExactNumber = 1

    @property
    def exact_weight(self) -> Decimal:
        """The weight as a decimal number."""
        return as_exact(self.weight)

    def written(self) -> dict[str, Any]:
        """Write the rule as the record does.

        Returns:
            A JSON object from which `read_rule` makes an equal rule.
        """
        operator = self.operator
        return {
            "operator": operator.recorded_name(),
            "version": operator.version,
            "settings": operator.settings(),
            "weight": self.weight,
        }

    def compare(self, name: str, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> ComparisonResult:
        """Compare the field.

        Args:
            name: The field.
            expected: Its ground truth.
            observed: Its extracted value, or the trace.
            recorded: Details of an earlier comparison that asked a model; None to compare anew.

        Returns:
            The result: a null answer is a fail with the note ``null_observed``, an operator that raised an ``error``.
        """
        effective = self.operator.effective_expected(expected)
        if observed is None and effective is not None:
            outcome = Outcome(0.0, notes=(NULL_OBSERVED,))
        else:
            outcome = _outcome(self.operator, expected, observed, recorded)
        return self.result(name, effective, observed, outcome)

    def refuse(self, name: str, expected: Any, observed: Any, reason: str) -> ComparisonResult:
        """Give the result of a field that cannot be compared.

        Args:
            name: The field.
            expected: Its ground truth.
            observed: What there is instead of a value.
            reason: Why not.

        Returns:
            An ``error``.
        """
        notes = (MISSING_TRACE,) if reason == MISSING_TRACE else ()
        return self.result(
            name, self.operator.effective_expected(expected), observed, Outcome(0.0, notes=notes, error=reason)
        )

    def result(self, name: str, effective: Any, observed: Any, outcome: Outcome) -> ComparisonResult:
        """Make the child of the record.

        Args:
            name: The field.
            effective: The expected value as it is recorded.
            observed: The observed value.
            outcome: What came out.

        Returns:
            The result.
        """
        operator = self.operator
        return ComparisonResult(
            operator.identity, snapshot(effective), snapshot(observed), operator.default_threshold(), outcome, name
        )


def _outcome(operator: Operator, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> Outcome:
    if recorded is not None and asks_model(operator):
        # What the record does not hold cannot be derived: that is not the operator's error, and goes up.
        return checked_outcome(operator.replay(expected, observed, recorded))
    if recorded is not None and any(map(asks_model, _inner(operator))):
        # Evaluating would load a model, or import a function that the record names.
        raise RecordError("an operator inside of another one asked a model, and the record does not have what it said")
    try:
        return checked_outcome(operator.evaluate(expected, observed))
    except Exception as error:  # noqa: BLE001 - whatever a broken operator raises, its field alone fails
        return error_outcome(error)


def _inner(value: Any) -> Iterator[Operator]:
    """Find the operators inside of an operator, at any depth."""
    if isinstance(value, Operator):
        inside: Iterable[Any] = [getattr(value, name) for name in type(value).model_fields]
    elif isinstance(value, Condition):
        inside = [value.operator]
    elif isinstance(value, Mapping):
        inside = value.values()
    else:
        inside = value if isinstance(value, list | tuple) else ()
    for item in inside:
        if isinstance(item, Operator):
            yield item
        yield from _inner(item)


def asks_model(operator: Operator) -> bool:
    """Say whether an operator decides by what a model said.

    Args:
        operator: Any operator.

    Returns:
        Whether it is replayed from its details instead of evaluated again.
    """
    return type(operator).replay is not Operator.replay


def read_rules(value: Any) -> dict[str, FieldRule]:
    """Read the rules of a template.

    Args:
        value: A mapping from a field to a `FieldRule`, or to what `FieldRule.written` gave.

    Returns:
        The rules by field.

    Raises:
        ValueError: The value has another form, or an operator in it cannot be made.
    """
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"takes a mapping from a field to its rule, got {shown(value, 80)}")
    return {name: _rule(rule) for name, rule in value.items()}


def _rule(value: Any) -> FieldRule:
    if isinstance(value, FieldRule):
        return value
    if not isinstance(value, Mapping):
        return FieldRule(operator_from_settings(value))
    rest = {key: item for key, item in value.items() if key != "weight"}
    weight = as_setting(value.get("weight", 1))
    if as_exact(weight) < 0:
        raise ValueError(f"a weight is at least 0, got {weight!r}")
    return FieldRule(operator_from_settings(rest), weight)
