"""What a judge is told of a template: the form to fill in, never what belongs in it."""

from __future__ import annotations

from typing import Any

from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core.core_schema import ModelSchema, WithDefaultSchema

from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer


class _Form(GenerateJsonSchema):
    """Writes the schema of a template, and of templates and models inside of it, as a judge may see it."""

    def default_schema(self, schema: WithDefaultSchema) -> dict[str, Any]:
        """Leave defaults out: one would be an answer that a judge could give without reading."""
        return self.generate_inner(schema["schema"])

    def model_schema(self, schema: ModelSchema) -> dict[str, Any]:
        """Leave out of a template what no judge fills in."""
        form = super().model_schema(schema)
        template = schema["cls"]
        if not issubclass(template, BaseAnswer):
            return form
        wanted = template.__verdict_definition__.parsed
        properties = {name: _without_default(form["properties"][name]) for name in wanted}
        return {**form, "properties": properties, "required": list(wanted), "additionalProperties": False}


def judge_schema(template: type[BaseAnswer]) -> dict[str, Any]:
    """Give the form that a judge fills in.

    Args:
        template: The template.

    Returns:
        A JSON schema with the fields that have to be extracted, their types and descriptions. It holds no ground truth,
        operator, weight or default, no field that reads the trace, and no ``id``.

    Raises:
        TemplateError: A field has a type of which there is no JSON schema.

    Example:
        >>> from pytest_verdict.templates import NumericExact, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> judge_schema(Answer)["properties"]
        {'pair_count': {'description': 'The number of pairs', 'title': 'Pair Count', 'type': 'integer'}}
    """
    try:
        return template.model_json_schema(schema_generator=_Form)
    except PydanticInvalidForJsonSchema as error:
        raise TemplateError(f"{template.__name__} is no form that a judge can fill in: {error.message}") from None


def _without_default(schema: dict[str, Any]) -> dict[str, Any]:
    # The author's json_schema_extra may still have one.
    return {key: value for key, value in schema.items() if key != "default"}


def judge_hints(template: type[BaseAnswer]) -> dict[str, str]:
    """Give the extraction hints of a template."""
    definition = template.__verdict_definition__
    hints = {name: definition.verified[name].hint for name in definition.parsed if name in definition.verified}
    return {name: hint for name, hint in hints.items() if hint is not None}
