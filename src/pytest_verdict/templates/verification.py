"""What a field of a template knows beyond its type, none of which a judge ever sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo

from pytest_verdict.core.operator import Operator
from pytest_verdict.operators.exact_number import ExactNumber


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """The hidden half of a verified field.

    It is one of the field's metadata, of which pydantic writes nothing it does not know into a JSON schema: so it is
    inherited, copied and merged with the field, and holds the live ground truth instead of its JSON form.
    """

    ground_truth: Any
    operator: Operator
    weight: ExactNumber
    hint: str | None

    @property
    def reads_trace(self) -> bool:
        """Whether the operator reads the raw response instead of an extracted value."""
        return self.operator.kind == "trace"


def verification_of(field: FieldInfo) -> Verification | None:
    """Give the hidden half of a field."""
    return next((found for found in field.metadata if isinstance(found, Verification)), None)
