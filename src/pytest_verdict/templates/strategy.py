"""Strategies of answer templates: trees of aggregate operators that combine the verdicts of fields."""

import functools
import math
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.aggregate import CHILD_ERROR, AllOf, AnyOf, AtLeastN, Condition
from pytest_verdict.operators.exact_number import ExactNumber, as_exact
from pytest_verdict.operators.text import Exact

OptionalOperator = Annotated[
    Any, BeforeValidator(lambda value: None if value is None else operator_from_settings(value))
]
"""A setting that is an operator or None."""


class FieldCheck(Operator):
    """One field of two mappings passes.

    In the strategy of an answer template it means the template's own check of that field.

    Args:
        field: The name of the field.
        operator: The operator that compares the field outside of a template (default: ``exact``, typed equality).

    Example:
        >>> compare("field_check", {"name": "a"}, {"name": "a", "year": 2016}, field="name").score
        1.0
    """

    name: ClassVar[str] = "field_check"
    kind: ClassVar[str] = "template"

    field: Annotated[str, Field(min_length=1)]
    operator: OptionalOperator = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare the field of both mappings."""
        condition = Condition(self.operator or Exact())
        child = condition.compare(_value_of(expected, self.field), _value_of(observed, self.field), self.field)
        if child.error is not None:
            return Outcome(0.0, notes=(CHILD_ERROR,), children=(child,), error=child.error)
        return Outcome(1.0 if child.passed else 0.0, children=(child,))


def _value_of(values: Any, field: str) -> Any:
    return values.get(field, ABSENT) if isinstance(values, Mapping) else ABSENT


def check_strategy(node: Any, fields: Collection[str]) -> Operator:
    """Return a strategy if it is one over these fields, or raise."""
    if isinstance(node, FieldCheck):
        if node.field not in fields:
            hint = allowed("field", node.field, fields)
            raise TemplateError(f"the strategy checks {node.field!r}, which is not a verified field.{hint}")
        return node
    if isinstance(node, AllOf | AnyOf | AtLeastN) and isinstance(node.conditions, tuple):
        for part in _parts(node):
            check_strategy(part, fields)
        return node
    parts = "FieldCheck, AllOf, AnyOf and AtLeastN with a list of conditions"
    raise TemplateError(f"a strategy consists of {parts}, got {shown(node, 120)}")


def holds(node: Operator | None, passed: Mapping[str, bool]) -> bool:
    """Return whether a strategy holds for the verdicts of the fields; None needs every field."""
    if node is None:
        return all(passed.values())
    if isinstance(node, FieldCheck):
        return passed.get(node.field, False)
    parts = [holds(part, passed) for part in _parts(node)]
    return sum(parts) >= _count_needed(node, len(parts))


def fields_in(node: Operator) -> frozenset[str]:
    """Return the fields of a strategy."""
    if isinstance(node, FieldCheck):
        return frozenset({node.field})
    return frozenset().union(*(fields_in(part) for part in _parts(node)))


def granular_score(node: Operator | None, shares: Mapping[str, float], weights: Mapping[str, ExactNumber]) -> float:
    """Return the weight of what is right divided by all weights; ``shares`` has how much of each field is right.

    Under ``AnyOf`` only the field of the strategy that adds most counts, under ``AtLeastN`` the n fields that do; otherwise
    every field counts.
    """
    units, total = _count_units(tuple(weights.items()))
    if not total:
        return 0.0
    fields = frozenset(weights)
    if isinstance(node, AnyOf | AtLeastN):
        fields = fields_in(node)
    scores = sorted((units[name] * shares[name] for name in weights if name in fields), reverse=True)
    return sum(scores[: _count_needed(node, len(scores))]) / total


@functools.lru_cache
def _count_units(weights: tuple[tuple[str, ExactNumber], ...]) -> tuple[dict[str, int], int]:
    """Return weights as whole numbers of one common unit, and their sum."""
    exact = {name: Fraction(as_exact(weight)) for name, weight in weights}
    denominator = math.lcm(*(weight.denominator for weight in exact.values()))
    units = {name: int(weight * denominator) for name, weight in exact.items()}
    return units, sum(units.values())


def _count_needed(node: Operator | None, parts: int) -> int:
    if isinstance(node, AnyOf):
        return 1
    if isinstance(node, AtLeastN):
        return node.n
    return parts


def _parts(node: Any) -> Iterator[Operator]:
    return (condition.operator for condition in node.conditions)
