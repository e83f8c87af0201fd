"""The embedding check: a second look at text that failed, by meaning. It never hides the first verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.templates.rule import FieldRule


@dataclass(frozen=True, slots=True)
class SecondLook:
    """A field that failed, compared again by meaning."""

    field: str
    result: ComparisonResult

    def written(self) -> dict[str, Any]:
        """Write the look for the details of the record."""
        return {
            "field": self.field,
            "similarity": self.result.score,
            "threshold": self.result.threshold,
            "passed": self.result.passed,
        }


def second_looks(
    operator: Operator | None,
    rules: Mapping[str, FieldRule],
    expected: Mapping[str, Any],
    fields: list[ComparisonResult],
    recorded: Mapping[str, Any] | None,
) -> list[SecondLook]:
    """Look again at the fields whose text failed.

    Numbers, dates, truth values, lists, null answers and fields that could not be compared stay as they are: closeness
    in meaning says nothing about them.
    """
    if operator is None:
        return []
    found = []
    for field in fields:
        name = str(field.name)
        truth, value = expected.get(name), field.observed
        is_text = rules[name].operator.kind == "text" and isinstance(truth, str) and isinstance(value, str)
        if is_text and field.verdict == "fail":
            label = f"embedding check of {name}"
            details = None if recorded is None else recorded.get(label, {})
            found.append(SecondLook(name, FieldRule(operator).compare(label, truth, value, details)))
    return found
