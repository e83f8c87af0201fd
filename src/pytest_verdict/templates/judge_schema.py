"""What a judge is told of a template: the form to fill in, never what belongs in it."""

from __future__ import annotations

from typing import Any

from pytest_verdict.templates.answer import BaseAnswer


def judge_schema(template: type[BaseAnswer]) -> dict[str, Any]:
    """Give the form that a judge fills in.

    Args:
        template: The template.

    Returns:
        A JSON schema with the fields that have to be extracted, their types and descriptions. It holds no ground truth,
        operator, weight or default, no field that reads the trace, and no ``id``.

    Example:
        >>> from pytest_verdict.operators.number import NumericExact
        >>> from pytest_verdict.templates.field import VerifiedField
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> judge_schema(Answer)["properties"]
        {'pair_count': {'description': 'The number of pairs', 'title': 'Pair Count', 'type': 'integer'}}
    """
    schema = template.model_json_schema(by_alias=False)
    wanted = template.__verdict_plan__.parsed
    properties = {name: _without_default(schema["properties"][name]) for name in wanted}
    return {**schema, "properties": properties, "required": list(wanted), "additionalProperties": False}


def _without_default(schema: dict[str, Any]) -> dict[str, Any]:
    # A default would be an answer that a judge could give without reading.
    return {key: value for key, value in schema.items() if key != "default"}


def judge_hints(template: type[BaseAnswer]) -> dict[str, str]:
    """Give the extraction hints of a template.

    Args:
        template: The template.

    Returns:
        The hints by field, for the fields that a judge fills in and that have one.
    """
    plan = template.__verdict_plan__
    hints = {name: plan.verified[name].hint for name in plan.parsed if name in plan.verified}
    return {name: hint for name, hint in hints.items() if hint is not None}
