"""Templates as data: from a mapping or YAML to a template, and back. Nothing in a spec is executed."""

import dataclasses
import datetime
import keyword
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_args, get_origin

from pydantic import Field

from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import REGISTRY, operator_from_settings
from pytest_verdict.core.strict_model import LISTED, NOT_EMPTY, NotBlank, StrictModel, Texts
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import encode
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError
from pytest_verdict.errors import SettingsError, TemplateError, allowed
from pytest_verdict.operators.aggregate import AllOf, AnyOf, AtLeastN
from pytest_verdict.templates import primitives
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.conditional import ConditionalGroundTruth, GroundTruthCase
from pytest_verdict.templates.field import Verification, VerifiedField
from pytest_verdict.templates.form import judge_schema
from pytest_verdict.templates.template_match import FieldCheck

_TYPES: Final[Mapping[str, Any]] = {
    "bool": bool,
    "date": datetime.date,
    "float": float,
    "int": int,
    "list_str": list[str],
    "str": str,
}
_COMBINATIONS: Final[Mapping[str, Any]] = {"all_of": AllOf, "any_of": AnyOf, "at_least_n": AtLeastN}
_PRIMITIVES: Final[Mapping[str, Any]] = {
    "NumericThresholdGraded": primitives.NumericThresholdGraded,
    **{name: cls for name, cls in vars(primitives).items() if isinstance(cls, type) and issubclass(cls, Operator)},
}


class TemplateFieldSpec(StrictModel):
    """A verified field as data.

    Args:
        name: The name of the field.
        type: ``bool``, ``str``, ``int``, ``float``, ``list_str``, ``date``, or ``literal`` with ``literal_values``.
        description: What the judge extracts.
        ground_truth: The correct value; a date is text in ISO 8601. A mapping is a `ConditionalGroundTruth`.
        verify_with: The operator: its name, ``{"type": name, **settings}``, or ``{"operator": name, "settings": {...}}``. The
            name is a registered one or that of a primitive, such as ``ExactMatch``.
        extraction_hint: More guidance for the judge (default: None).
        literal_values: The choices of a ``literal`` (default: None).
        weight: The weight in the granular score (default: 1).
        is_trace: Whether the operator reads the raw response (default: False).
        quote: Whether the judge also copies the words that state the value (default: False).

    Example:
        >>> TemplateFieldSpec(name="oral", type="bool", description="d", ground_truth=True, verify_with="boolean").weight
        1
    """

    subject: ClassVar[str] = "a field of a template"

    name: NotBlank
    type: Literal["bool", "date", "float", "int", "list_str", "literal", "str"]
    description: NotBlank
    ground_truth: Any
    verify_with: Any
    extraction_hint: str | None = None
    literal_values: Texts | None = None
    weight: Any = 1
    is_trace: bool = False
    quote: bool = False

    def build(self) -> tuple[Any, Any]:
        """Return the type and the field of a class."""
        annotation = _TYPES.get(self.type)
        if (self.type == "literal") != bool(self.literal_values):
            raise TemplateError(f"{self.name}: literal_values are the choices of the type literal, got {self.type}")
        if self.literal_values:
            annotation = Literal[self.literal_values]
        truth = self.ground_truth
        if isinstance(truth, Mapping):
            truth = ConditionalGroundTruth.read(truth, self.name)
            cases = {name: self._read_case(case) for name, case in truth.cases.items()}
            truth = ConditionalGroundTruth(source=truth.source, cases=cases, default=self._read_case(truth.default))
        else:
            truth = self._read_truth(truth)
        operator = _read_operator(self.verify_with)
        if self.is_trace != (operator.kind == "trace"):
            raise TemplateError(f"{self.name}: is_trace is {self.is_trace}, and {operator} does not fit it")
        field = VerifiedField(self.description, truth, operator, self.weight, self.extraction_hint, quote=self.quote)
        return annotation, field

    def _read_case(self, case: GroundTruthCase) -> GroundTruthCase:
        operator = None if case.verify_with is None else _read_operator(case.verify_with)
        return GroundTruthCase(value=self._read_truth(case.value), verify_with=operator)

    def _read_truth(self, value: Any) -> Any:
        if self.type == "date" and isinstance(value, str):
            try:
                return datetime.date.fromisoformat(value)
            except ValueError:
                # Free text is for the operators on dates to read.
                return value
        return value


class VerifyStrategySpec(StrictModel):
    """A part of a verification strategy as data.

    Args:
        type: ``all_of``, ``any_of``, ``at_least_n`` or ``field_check``.
        n: How many conditions ``at_least_n`` needs (default: None).
        field_name: The field of ``field_check`` (default: None).
        conditions: The parts of any other type (default: none).

    Example:
        >>> VerifyStrategySpec(type="field_check", field_name="city").type
        'field_check'
    """

    subject: ClassVar[str] = "a strategy"

    type: Literal["all_of", "any_of", "at_least_n", "field_check"]
    n: int | None = None
    field_name: str | None = None
    conditions: Annotated[tuple["VerifyStrategySpec", ...], LISTED] = ()

    def build(self) -> Operator:
        """Return the strategy."""
        needed = {"field_check": {"field_name"}, "at_least_n": {"n", "conditions"}}.get(self.type, {"conditions"})
        members = {name for name in ("n", "field_name", "conditions") if getattr(self, name) not in (None, ())}
        if members != needed:
            raise TemplateError(
                f"{self.type} needs {', '.join(sorted(needed))}, got {', '.join(sorted(members)) or 'none'}"
            )
        if self.field_name is not None:
            return FieldCheck(field=self.field_name)
        settings = {"conditions": [part.build() for part in self.conditions]}
        return _COMBINATIONS[self.type](**settings, **({} if self.n is None else {"n": self.n}))

    @classmethod
    def of(cls, node: Any) -> Self:
        """Return a strategy as data."""
        if isinstance(node, FieldCheck):
            return cls(type="field_check", field_name=node.field)
        parts = tuple(cls.of(condition.operator) for condition in node.conditions)
        return cls(type=node.name, n=getattr(node, "n", None), conditions=parts)


class TemplateSpec(StrictModel):
    """An answer template as data, which other programs can write and show.

    Args:
        fields: The fields, in order.
        verify_strategy: How they are combined (default: every field must pass).
        class_name: The name of the template (default: ``Answer``).
        description: The docstring of the template, which the judge sees (default: None).

    Raises:
        SettingsError: A key is unknown or missing, or a value has another type.

    Example:
        >>> from pytest_verdict.templates import template_from_spec, template_to_spec
        >>> city = {"name": "city", "type": "str", "description": "The city", "ground_truth": "Paris"}
        >>> Answer = template_from_spec({"fields": [{**city, "verify_with": {"type": "ExactMatch"}}]})
        >>> Answer(city="paris").verify()
        True
        >>> template_to_spec(Answer).fields[0].ground_truth
        'Paris'
    """

    subject: ClassVar[str] = "the spec of a template"

    fields: Annotated[tuple[TemplateFieldSpec, ...], LISTED, NOT_EMPTY] = Field(
        description="a list of at least one field"
    )
    verify_strategy: VerifyStrategySpec | None = None
    class_name: NotBlank = "Answer"
    description: str | None = None


def template_from_spec(spec: TemplateSpec | Mapping[str, Any] | str | Path) -> type[BaseAnswer]:
    """Build a template from its spec.

    Args:
        spec: A `TemplateSpec`, a mapping with its members, the text of one in YAML or JSON, or the path of such a file.

    Returns:
        The template.

    Raises:
        SettingsError: A key is unknown or missing, or a value has another type.
        TemplateError: The template has a mistake, as where a class is defined.

    Example:
        >>> Answer = template_from_spec('''
        ... fields:
        ...   - {name: year, type: int, description: The year, ground_truth: 2016, verify_with: numeric_exact}
        ... ''')
        >>> Answer(year=2016).verify()
        True
    """
    if isinstance(spec, str | Path):
        label = str(spec) if isinstance(spec, Path) else "the spec"
        try:
            document = YamlDocument.read(spec) if isinstance(spec, Path) else YamlDocument(spec)
            misread = next(document.misread(), None)
        except YamlTextError as error:
            raise TemplateError(error.at(label)) from None
        if misread is not None:
            raise TemplateError(f"{label}:{misread[0]}: {misread[1]}")
        spec = TemplateSpec.read(document.value, label)
    if not isinstance(spec, TemplateSpec):
        spec = TemplateSpec.read(spec)

    names = [spec.class_name, *(field.name for field in spec.fields)]
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith(("_", "model_")):
            raise TemplateError(
                f"{shown(name, 80)} is no name of a class or field: write letters, digits and underscores"
            )
    if len({*names[1:]}) < len(names) - 1:
        raise TemplateError(f"two fields of a template have one name: {', '.join(names[1:])}")
    fields = {field.name: field.build() for field in spec.fields}
    body: dict[str, Any] = {name: field for name, (_, field) in fields.items()}
    body["__annotations__"] = {name: annotation for name, (annotation, _) in fields.items()}
    body.update(__module__=__name__, __qualname__=spec.class_name, __doc__=spec.description)
    if spec.verify_strategy is not None:
        label = f"{spec.class_name}.VerificationStrategy"
        strategy = {"verify_strategy": spec.verify_strategy.build(), "__module__": __name__, "__qualname__": label}
        body["VerificationStrategy"] = type("VerificationStrategy", (), strategy)
    return type(BaseAnswer)(spec.class_name, (BaseAnswer,), body)


def template_to_spec(template: type[BaseAnswer]) -> TemplateSpec:
    """Return the spec of a template, from which `template_from_spec` builds an equal one.

    Args:
        template: The template.

    Returns:
        The spec; ``model_dump(mode="json", exclude_defaults=True)`` makes JSON of it.

    Raises:
        TemplateError: A part of the template is code, or has no form in a spec.
    """
    definition = template.__verdict_definition__
    label = template.__name__
    own: Any = template.__pydantic_decorators__
    has_code = definition.has_own_verify or definition.has_own_granular or definition.has_own_ground_truth
    has_code = has_code or any(getattr(own, part.name) for part in dataclasses.fields(own))
    has_code = has_code or template.regex is not BaseAnswer.regex
    if has_code or definition.plain or template.model_config != BaseAnswer.model_config:
        raise TemplateError(
            f"{label} has methods, validators, a configuration or plain fields, which a spec cannot have"
        )
    spec = TemplateSpec(
        fields=[_spec_of(template, name, one) for name, one in definition.verified.items()],
        verify_strategy=None if definition.strategy is None else VerifyStrategySpec.of(definition.strategy),
        class_name=label,
        description=template.__doc__,
    )
    copy = template_from_spec(spec)
    built = copy.__verdict_definition__
    for name in definition.verified:
        field_schemas = [one.get("properties", {}).get(name) for one in (judge_schema(template), judge_schema(copy))]
        if field_schemas[0] != field_schemas[1]:
            raise TemplateError(f"{label}.{name} has bounds or other settings that a spec cannot have")
    if built.match != definition.match or encode(built.expected) != encode(definition.expected):
        raise TemplateError(f"{label} has settings that a spec cannot have")
    return spec


def _spec_of(template: type[BaseAnswer], name: str, verification: Verification) -> TemplateFieldSpec:
    annotation = template.model_fields[name].annotation
    choices = get_args(annotation) if get_origin(annotation) is Literal else None
    kind = next((kind for kind, one in _TYPES.items() if one == annotation), None)
    if choices and all(isinstance(choice, str) for choice in choices):
        kind = "literal"
    if kind is None:
        raise TemplateError(f"{template.__name__}.{name}: a spec has no type {shown(annotation, 80)}")
    truths = [_as_json(f"{template.__name__}.{name}", one.ground_truth) for one in verification.alternatives]
    truth = truths[-1]
    if verification.source:
        operators = [as_setting(one.operator) for one in verification.alternatives]
        cases = [{"value": value, "verify_with": one} for value, one in zip(truths, operators, strict=True)]
        named_cases = dict(zip(verification.cases, cases, strict=False))
        truth = {"source": verification.source, "cases": named_cases, "default": cases[-1]}
    return TemplateFieldSpec(
        name=name,
        type=kind,
        description=template.model_fields[name].description,
        ground_truth=truth,
        verify_with=as_setting(verification.operator),
        extraction_hint=verification.hint,
        literal_values=choices,
        weight=verification.weight,
        is_trace=verification.reads_trace,
        quote=bool(verification.quote),
    )


def _as_json(label: str, value: Any) -> Any:
    if type(value) is datetime.date:
        return value.isoformat()
    if encode(value) != value or isinstance(value, Mapping):
        raise TemplateError(f"{label}: a spec has no ground truth such as {shown(value, 80)}")
    return value


def _read_operator(value: Any) -> Operator:
    """Build an operator from its name, or from a mapping with its name and its settings."""
    settings: Mapping[str, Any] = {}
    name = value
    if isinstance(value, Mapping) and "type" in value:
        settings = {str(key): item for key, item in value.items() if key != "type"}
        name = value["type"]
    elif isinstance(value, Mapping | Operator):
        return operator_from_settings(value)
    if not isinstance(name, str) or (name not in _PRIMITIVES and name not in REGISTRY):
        names = (*_PRIMITIVES, *REGISTRY.public_names())
        raise SettingsError(f"there is no operator {shown(name, 80)}.{allowed('operator', name, names)}")
    build = _PRIMITIVES.get(name) or REGISTRY.find(name)
    operator: Operator = build(**settings)
    return operator


def value_template(question: str, ground_truth: Any, verify_with: Any, *, quote: bool = False) -> type[BaseAnswer]:
    """Build the template of a question that has one value as its answer.

    Args:
        question: The question, which the judge sees.
        ground_truth: The correct value: text, a number, a truth value, a date or a list of texts.
        verify_with: The operator, as in a `TemplateFieldSpec`.
        quote: Whether the judge also copies the words that state the value (default: False).

    Returns:
        A template with the field ``value``.

    Raises:
        TemplateError: The question is no text, or no operator or type fits the value.

    Example:
        >>> Capital = value_template("What is the capital of France?", "Paris", "normalized_exact")
        >>> Capital(value="PARIS").verify()
        True
    """
    if not isinstance(question, str) or not question.strip():
        raise TemplateError(f"a question is text, got {shown(question, 80)}")
    types = {list: "list_str", **{one: kind for kind, one in _TYPES.items()}}
    kind = types.get(type(ground_truth))
    if kind is None:
        raise TemplateError(
            f"a value is text, a number, a truth value, a date or a list, got {shown(ground_truth, 80)}"
        )
    field = TemplateFieldSpec(
        name="value",
        type=kind,
        description="The answer to the question",
        ground_truth=ground_truth,
        verify_with=verify_with,
        quote=quote,
    )
    return template_from_spec(TemplateSpec(fields=[field], description=f"Question: {question}"))
