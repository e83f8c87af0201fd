"""Verification strategies: trees of `AllOf`, `AnyOf` and `AtLeastN` over the checks of a template's fields.

The nodes are the aggregate operators themselves. A template compares each field once; the tree only combines the verdicts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError, allowed
from pytest_verdict.operators.aggregate import AllOf, AnyOf, AtLeastN
from pytest_verdict.templates.field_check import FieldCheck


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
    raise TemplateError(
        f"a strategy is made of FieldCheck, AllOf, AnyOf and AtLeastN with a list of conditions, got {shown(node, 120)}"
    )


def holds(node: Operator | None, passed: Mapping[str, bool]) -> bool:
    """Combine the verdicts of the fields."""
    if node is None:
        return all(passed.values())
    if isinstance(node, FieldCheck):
        return passed.get(node.field, False)
    met = sum(holds(part, passed) for part in _parts(node))
    if isinstance(node, AtLeastN):
        return met >= node.n
    return met > 0 if isinstance(node, AnyOf) else met == len(list(_parts(node)))


def fields_named(node: Operator) -> frozenset[str]:
    """Give the fields that a strategy looks at."""
    if isinstance(node, FieldCheck):
        return frozenset({node.field})
    return frozenset().union(*(fields_named(part) for part in _parts(node)))


def granular_score(node: Operator | None, passed: Mapping[str, bool], weights: Mapping[str, Decimal]) -> float:
    """Weigh the fields that passed.

    The weights of all fields are in the total. Under ``AnyOf`` the heaviest passed field counts and under ``AtLeastN``
    the n heaviest ones, of the fields in the tree; otherwise every passed field counts.
    """
    total = sum(map(Fraction, weights.values()), Fraction())
    if not total:
        return 0.0
    counted = [
        Fraction(weight)
        for name, weight in weights.items()
        if passed[name] and (not isinstance(node, AnyOf | AtLeastN) or name in fields_named(node))
    ]
    if isinstance(node, AnyOf | AtLeastN):
        most = 1 if isinstance(node, AnyOf) else node.n
        counted = sorted(counted, reverse=True)[:most]
    return float(sum(counted, Fraction()) / total)


def _parts(node: Any) -> Iterator[Operator]:
    return (condition.operator for condition in node.conditions)
