"""How one field of an answer is compared, and how much it counts."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_verdict.core.kernel import run, settle
from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.exact_number import ExactNumber, as_exact, as_setting as read_number

NULL_OBSERVED: Final = "null_observed"
MISSING_TRACE: Final = "missing_trace"


@dataclass(frozen=True, slots=True)
class FieldRule:
    """The operator of a field, and its weight."""

    operator: Operator
    weight: ExactNumber = 1

    @property
    def reads_trace(self) -> bool:
        """Whether the operator reads the raw response instead of an extracted value."""
        return self.operator.kind == "trace"

    def written(self) -> dict[str, Any]:
        """Write the rule as the record does."""
        return {**as_setting(self.operator), "weight": self.weight}

    def compare(self, name: str, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> ComparisonResult:
        """Compare the field; a null answer is a fail with the note ``null_observed``."""
        if observed is None and self.operator.effective_expected(expected) is not None:
            return settle(self.operator, expected, None, Outcome(0.0, notes=(NULL_OBSERVED,)), name=name)
        return run(self.operator, expected, observed, name=name, recorded=recorded)

    def refuse(self, name: str, expected: Any, observed: Any, reason: str) -> ComparisonResult:
        """Give the ``error`` of a field that cannot be compared."""
        notes = (MISSING_TRACE,) if reason == MISSING_TRACE else ()
        return settle(self.operator, expected, observed, Outcome(0.0, notes=notes, error=reason), name=name)


def read_weight(value: Any) -> ExactNumber:
    """Read a weight, a finite number of at least 0."""
    with contextlib.suppress(ValueError):
        weight = read_number(value)
        if as_exact(weight) >= 0:
            return weight
    raise TemplateError(f"weight takes a number of at least 0, got {shown(value, 80)}")


def read_rule(value: Any) -> FieldRule:
    """Read a rule: an operator in any of its forms, and beside its recorded form a weight."""
    if isinstance(value, FieldRule):
        return value
    if not isinstance(value, Mapping):
        return FieldRule(operator_from_settings(value))
    operator = {key: item for key, item in value.items() if key != "weight"}
    return FieldRule(operator_from_settings(operator), read_weight(value.get("weight", 1)))
