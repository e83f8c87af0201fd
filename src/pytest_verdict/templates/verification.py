"""What a field of a template knows beyond its type, none of which a judge ever sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo

from pytest_verdict.operators.base import Operator
from pytest_verdict.operators.exact_number import ExactNumber


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """The hidden half of a verified field.

    It sits where pydantic keeps a function that adds to the JSON schema, and adds nothing of its own: so it is inherited and
    copied with the field, holds the live ground truth instead of its JSON form, and cannot reach a schema.

    Args:
        ground_truth: The correct value.
        operator: What compares the extracted value with it.
        weight: How much the field counts in the granular score, at least 0.
        hint: Guidance for the judge beside the description, or None.
        schema_extra: What the author himself adds to the schema.
    """

    ground_truth: Any
    operator: Operator
    weight: ExactNumber
    hint: str | None
    schema_extra: Mapping[str, Any] | Callable[[Any], None] | None

    @property
    def reads_trace(self) -> bool:
        """Whether the operator reads the raw response instead of an extracted value."""
        return self.operator.surface == "trace"

    def __call__(self, schema: dict[str, Any]) -> None:
        """Add to a JSON schema what the author himself wants there.

        Args:
            schema: The schema of the field, changed in place.
        """
        if callable(self.schema_extra):
            self.schema_extra(schema)
        elif self.schema_extra is not None:
            schema.update(self.schema_extra)


def verification_of(field: FieldInfo) -> Verification | None:
    """Give the hidden half of a field.

    Args:
        field: A field of a pydantic model.

    Returns:
        Its verification; None for a field that was not made by `VerifiedField`.
    """
    found = field.json_schema_extra
    return found if isinstance(found, Verification) else None
