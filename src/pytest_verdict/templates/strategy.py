"""Strategies of answer templates: trees of the aggregate operators over the checks of fields.

A template compares each field once; the tree only combines the verdicts.
"""

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

    In the strategy of an answer template it stands for the template's own check of that field.

    Args:
        field: The name of the field.
        operator: What compares the field elsewhere than in a template; typed equality (``exact``) unless given.

    Example:
        >>> compare("field_check", {"name": "a"}, {"name": "a", "year": 2016}, field="name").score
        1.0
    """

    name: ClassVar[str] = "field_check"
    kind: ClassVar[str] = "template"

    field: Annotated[str, Field(min_length=1)]
    operator: OptionalOperator = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare the field of both mappings; see the class."""
        condition = Condition(self.operator or Exact())
        child = condition.compare(self._value(expected), self._value(observed), self.field)
        if child.error is not None:
            return Outcome(0.0, notes=(CHILD_ERROR,), children=(child,), error=child.error)
        return Outcome(1.0 if child.passed else 0.0, children=(child,))

    def _value(self, values: Any) -> Any:
        return values.get(self.field, ABSENT) if isinstance(values, Mapping) else ABSENT


def check_strategy(node: Any, fields: Collection[str]) -> Operator:
    """Refuse what is no strategy over these fields."""
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
    raise TemplateError(f"a strategy is made of {parts}, got {shown(node, 120)}")


def holds(node: Operator | None, passed: Mapping[str, bool]) -> bool:
    """Combine the verdicts of the fields."""
    if node is None:
        return all(passed.values())
    if isinstance(node, FieldCheck):
        return passed.get(node.field, False)
    met = [holds(part, passed) for part in _parts(node)]
    needed = node.n if isinstance(node, AtLeastN) else 1 if isinstance(node, AnyOf) else len(met)
    return sum(met) >= needed


def fields_named(node: Operator) -> frozenset[str]:
    """Give the fields that a strategy names."""
    if isinstance(node, FieldCheck):
        return frozenset({node.field})
    return frozenset().union(*(fields_named(part) for part in _parts(node)))


def granular_score(node: Operator | None, shares: Mapping[str, float], weights: Mapping[str, ExactNumber]) -> float:
    """Give the weight of what is right as a share of all weights; of each field it is known how much of it is right.

    Under ``AnyOf`` the field that gives most counts and under ``AtLeastN`` the n fields that do, of those in the tree;
    otherwise every field counts.
    """
    whole, total = _whole(tuple(weights.items()))
    if not total:
        return 0.0
    named = fields_named(node) if isinstance(node, AnyOf | AtLeastN) else weights
    counted = sorted((whole[name] * shares[name] for name in weights if name in named), reverse=True)
    most = node.n if isinstance(node, AtLeastN) else 1 if isinstance(node, AnyOf) else len(counted)
    return sum(counted[:most]) / total


@functools.lru_cache
def _whole(weights: tuple[tuple[str, ExactNumber], ...]) -> tuple[dict[str, int], int]:
    """Write weights as whole numbers of the same unit, and add them up; every answer of a template is weighed by them."""
    exact = {name: Fraction(as_exact(weight)) for name, weight in weights}
    unit = math.lcm(*(weight.denominator for weight in exact.values()))
    whole = {name: int(weight * unit) for name, weight in exact.items()}
    return whole, sum(whole.values())


def _parts(node: Any) -> Iterator[Operator]:
    return (condition.operator for condition in node.conditions)
