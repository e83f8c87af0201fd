"""What a field of a template knows beyond its type, none of which a judge ever sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo

from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.exact_number import ExactNumber


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """The hidden half of a verified field.

    It is one of the field's metadata, of which pydantic writes nothing it does not know into a JSON schema: so it is inherited,
    copied and merged with the field, and holds the live ground truth instead of its JSON form.

    Args:
        ground_truth: The correct value.
        operator: What compares the extracted value with it.
        weight: How much the field counts in the granular score, at least 0.
        hint: Guidance for the judge beside the description, or None.
    """

    ground_truth: Any
    operator: Operator
    weight: ExactNumber
    hint: str | None

    @property
    def reads_trace(self) -> bool:
        """Whether the operator reads the raw response instead of an extracted value."""
        return self.operator.surface == "trace"


def verification_of(field: FieldInfo) -> Verification | None:
    """Give the hidden half of a field.

    Args:
        field: A field of a pydantic model.

    Returns:
        Its verification; None for a field that was not made by `VerifiedField`.
    """
    return next((found for found in field.metadata if isinstance(found, Verification)), None)
