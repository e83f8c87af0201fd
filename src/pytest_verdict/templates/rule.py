"""How one field of an answer is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pytest_verdict.core.kernel import run, settle
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.operators.exact_number import ExactNumber, as_exact, as_setting
from pytest_verdict.templates.evidence import MISSING_TRACE, NULL_OBSERVED


@dataclass(frozen=True, slots=True)
class FieldRule:
    """How one field is compared, and how much it counts."""

    operator: Operator
    weight: ExactNumber = 1

    @property
    def exact_weight(self) -> Decimal:
        """The weight as a decimal number."""
        return as_exact(self.weight)

    def written(self) -> dict[str, Any]:
        """Write the rule as the record does."""
        operator = self.operator
        return {
            "operator": operator.recorded_name(),
            "version": operator.version,
            "settings": operator.settings(),
            "weight": self.weight,
        }

    def compare(self, name: str, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> ComparisonResult:
        """Compare the field; a null answer is a fail with the note ``null_observed``."""
        if observed is None and self.operator.effective_expected(expected) is not None:
            return settle(self.operator, expected, None, Outcome(0.0, notes=(NULL_OBSERVED,)), name=name)
        # Copies, as an operator that changes its arguments must not change the ground truth of the class.
        return run(self.operator, snapshot(expected), snapshot(observed), name=name, recorded=recorded)

    def refuse(self, name: str, expected: Any, observed: Any, reason: str) -> ComparisonResult:
        """Give the ``error`` of a field that cannot be compared."""
        notes = (MISSING_TRACE,) if reason == MISSING_TRACE else ()
        return settle(self.operator, expected, observed, Outcome(0.0, notes=notes, error=reason), name=name)


def read_rules(value: Any) -> dict[str, FieldRule]:
    """Read the rules of a template."""
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
