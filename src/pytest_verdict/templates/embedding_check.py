"""The embedding check: text that failed is compared again by meaning. It never hides the first verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.templates.field_rule import FieldRule

EMBEDDING_OVERRIDE: Final = "embedding_override"


def compare_by_meaning(
    operator: Operator | None,
    rules: Mapping[str, FieldRule],
    expected: Mapping[str, Any],
    fields: Mapping[str, ComparisonResult],
    recorded: Mapping[str, Any] | None,
) -> dict[str, ComparisonResult]:
    """Compare the fields whose text failed again; closeness in meaning says nothing of other values."""
    if operator is None:
        return {}
    found = {}
    for name, field in fields.items():
        truth, value = expected.get(name), field.observed
        is_text = rules[name].operator.kind == "text" and isinstance(truth, str) and isinstance(value, str)
        if is_text and field.verdict == "fail":
            label = f"embedding check of {name}"
            details = None if recorded is None else recorded.get(label, {})
            found[name] = FieldRule(operator).compare(label, truth, value, details)
    return found


def written(checks: Mapping[str, ComparisonResult], *, override: bool) -> dict[str, Any]:
    """Write the checks for the details of the record."""
    looks = [
        {"field": name, "similarity": check.score, "threshold": check.threshold, "passed": check.passed}
        for name, check in checks.items()
    ]
    return {"verdict_before": "fail", "override": override, "looks": looks}
