"""`FieldCheck`: the operator that looks at one field of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.registry import operator_from_settings
from pytest_verdict.core.result import Outcome
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.operators.aggregate import CHILD_ERROR, Condition
from pytest_verdict.operators.text import Exact


def _operator(value: Any) -> Operator | None:
    return None if value is None else operator_from_settings(value)


class FieldCheck(Operator):
    """One field of two mappings passes.

    In the strategy of an answer template it stands for the template's own check of that field.

    Args:
        field: The name of the field.
        operator: What compares the field elsewhere than in a template; typed equality (``exact``) unless given.

    Example:
        >>> FieldCheck(field="target").evaluate({"target": "BCL2"}, {"target": "BCL2", "year": 2016}).score
        1.0
    """

    name: ClassVar[str] = "field_check"
    kind: ClassVar[str] = "template"

    field: Annotated[str, Field(min_length=1)]
    operator: Annotated[Any, BeforeValidator(_operator)] = None

    def evaluate(self, expected: Any, observed: Any) -> Outcome:
        """Compare the field of both mappings; see the class."""
        condition = Condition(self.operator or Exact())
        child = condition.compare(self._value(expected), self._value(observed), self.field)
        notes = () if child.error is None else (CHILD_ERROR,)
        return Outcome(1.0 if child.passed else 0.0, notes=notes, children=(child,))

    def _value(self, values: Any) -> Any:
        return values.get(self.field, ABSENT) if isinstance(values, Mapping) else ABSENT
