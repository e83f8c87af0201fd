"""Templates as data: from a mapping or YAML to a template, and back. Nothing in a spec is executed."""

import contextlib
import datetime
import inspect
import json
import keyword
import re
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, get_args, get_origin

from pydantic import Field

from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import REGISTRY
from pytest_verdict.core.strict_model import LISTED, NOT_EMPTY, NotBlank, StrictModel, Texts
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.encoding import dump_json, encode
from pytest_verdict.core.values.jsontext import parse_json_with_floats
from pytest_verdict.core.values.yaml import YamlDocument, YamlTextError, decode_text
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.conditional import ConditionalGroundTruth
from pytest_verdict.templates.field import Verification, VerifiedField, read_operator
from pytest_verdict.templates.form import judge_schema
from pytest_verdict.templates.template_match import FieldCheck

_STRATEGY: Final = "VerificationStrategy"
# What a class statement and reading replies add to a class, beside what pydantic adds.
_NO_CODE: Final = (
    *("__annotate_func__", "__annotations_cache__", "__dict__", "__firstlineno__", "__static_attributes__"),
    *("__weakref__", "_verdict_nullable"),
)
_EMBEDDER: Final = re.compile('"embedder":(?!null)')
_TYPES: Final[Mapping[str, Any]] = {
    "bool": bool,
    "date": datetime.date,
    "float": float,
    "int": int,
    "list_str": list[str],
    "str": str,
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
        elif self.type == "date" and isinstance(truth, str):
            # Any other text is for the operators on dates to read.
            with contextlib.suppress(ValueError):
                truth = datetime.date.fromisoformat(truth)
        operator = read_operator(self.verify_with)
        if operator.name in REGISTRY and operator.name not in REGISTRY.public_names():
            raise TemplateError(f"{self.name}: {operator} is an operator of records, not of a spec")
        if self.is_trace != (operator.kind == "trace"):
            raise TemplateError(f"{self.name}: is_trace is {self.is_trace}, and {operator} does not fit it")
        field = VerifiedField(self.description, truth, operator, self.weight, self.extraction_hint, quote=self.quote)
        # An operator that is given as an object is code already.
        if not isinstance(self.verify_with, Operator):
            operators = [case.operator for one in field.metadata for case in getattr(one, "alternatives", ())]
            if _EMBEDDER.search(dump_json(as_setting(operators))):
                raise TemplateError(f"{self.name}: an embedder is code, which a spec cannot name; set a model")
        return annotation, field


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
            got = ", ".join(sorted(members)) or "none"
            raise TemplateError(f"{self.type} needs {', '.join(sorted(needed))}, got {got}")
        if self.field_name is not None:
            return FieldCheck(field=self.field_name)
        settings: dict[str, Any] = {"conditions": [part.build() for part in self.conditions]}
        if self.n is not None:
            settings["n"] = self.n
        return REGISTRY.build(self.type, settings)


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
        TemplateError: The template has a mistake, as where a class is defined, or the file cannot be read.

    Example:
        >>> Answer = template_from_spec('''
        ... fields:
        ...   - {name: year, type: int, description: The year, ground_truth: 2016, verify_with: numeric_exact}
        ... ''')
        >>> Answer(year=2016).verify()
        True
    """
    try:
        if isinstance(spec, str | Path):
            label = str(spec) if isinstance(spec, Path) else "the spec"
            spec = TemplateSpec.read(_read_document(spec, label), label)
        if not isinstance(spec, TemplateSpec):
            spec = TemplateSpec.read(spec)
        return _build_template(spec)
    except RecursionError:
        raise TemplateError("the spec is nested too deeply") from None


def _read_document(source: str | Path, label: str) -> Any:
    """Read a text or a file; YAML reads 1e-07 and the escapes of a surrogate pair in another way than JSON."""
    try:
        text = decode_text(source.read_bytes()) if isinstance(source, Path) else source
        if text.lstrip().startswith("{"):
            # YAML refuses half of a surrogate pair.
            with contextlib.suppress(ValueError):
                document = parse_json_with_floats(text)
                json.dumps(document, ensure_ascii=False, default=str).encode()
                return document
        yaml = YamlDocument(text)
        misread = next(yaml.misread(), None)
    except OSError as error:
        raise TemplateError(f"{label}: it cannot be read: {error.strerror}") from None
    except YamlTextError as error:
        raise TemplateError(error.at(label)) from None
    if misread is not None:
        raise TemplateError(f"{label}:{misread[0]}: {misread[1]}")
    return yaml.value


def _build_template(spec: TemplateSpec) -> type[BaseAnswer]:
    names = [spec.class_name, *(field.name for field in spec.fields)]
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith(("_", "model_")):
            raise TemplateError(f"{shown(name, 80)} is no name of a class or field")
    if _STRATEGY in names[1:]:
        raise TemplateError(f"{_STRATEGY} is the name of the strategy; rename the field")
    if len({*names[1:]}) < len(names) - 1:
        raise TemplateError(f"two fields of a template have one name: {', '.join(names[1:])}")
    fields = {field.name: field.build() for field in spec.fields}
    body: dict[str, Any] = {name: field for name, (_, field) in fields.items()}
    body["__annotations__"] = {name: annotation for name, (annotation, _) in fields.items()}
    body.update(__module__=__name__, __qualname__=spec.class_name, __doc__=spec.description)
    if spec.verify_strategy is not None:
        label = f"{spec.class_name}.{_STRATEGY}"
        strategy = {"verify_strategy": spec.verify_strategy.build(), "__module__": __name__, "__qualname__": label}
        body[_STRATEGY] = type(_STRATEGY, (), strategy)
    template: type[BaseAnswer] = types.new_class(spec.class_name, (BaseAnswer,), exec_body=lambda own: own.update(body))
    return template


def template_to_spec(template: type[BaseAnswer]) -> TemplateSpec:
    """Return the spec of a template, from which `template_from_spec` builds an equal one.

    Args:
        template: The template.

    Returns:
        The spec; ``model_dump(mode="json", exclude_defaults=True)`` makes JSON of it.

    Raises:
        TemplateError: A part of the template is code, or has no form in a spec.

    Example:
        >>> template_to_spec(value_template("How many?", 23, "numeric_exact")).fields[0].type
        'int'
    """
    label = template.__name__
    definition = template.__verdict_definition__
    # Pydantic wraps the method in each class.
    has_code = inspect.unwrap(template.model_post_init) is not inspect.unwrap(BaseAnswer.model_post_init)
    has_code = has_code or template.__private_attributes__ != BaseAnswer.__private_attributes__
    if has_code or definition.plain or template.model_config != BaseAnswer.model_config:
        raise TemplateError(f"{label}: code, a configuration and plain fields are not for a spec")
    fields = [_describe_field(template, name, one) for name, one in definition.verified.items()]
    document: dict[str, Any] = {"fields": fields, "class_name": label, "description": template.__doc__}
    if definition.strategy is not None:
        document["verify_strategy"] = _describe_strategy(definition.strategy)
    spec = TemplateSpec.read(document)
    copy = template_from_spec(spec)
    own_sources = [source for source in template.__mro__ if source not in BaseAnswer.__mro__]
    own_names = {name for source in own_sources for name in vars(source)}
    others = own_names - template.model_fields.keys() - vars(copy).keys() - {_STRATEGY, *_NO_CODE}
    if others:
        raise TemplateError(f"{label}: methods and attributes such as {min(others)} are not for a spec")
    built = copy.__verdict_definition__
    is_equal = built.match == definition.match and encode(built.expected) == encode(definition.expected)
    if not is_equal or judge_schema(copy) != judge_schema(template):
        raise TemplateError(f"{label}: it has bounds, values or other settings that are not for a spec")
    return spec


def _describe_strategy(node: Any) -> dict[str, Any]:
    if isinstance(node, FieldCheck):
        return {"type": "field_check", "field_name": node.field}
    parts = [_describe_strategy(condition.operator) for condition in node.conditions]
    return {"type": node.name, "n": getattr(node, "n", None), "conditions": parts}


def _describe_field(template: type[BaseAnswer], name: str, verification: Verification) -> dict[str, Any]:
    info = template.model_fields[name]
    choices = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
    kind = next((kind for kind, one in _TYPES.items() if one == info.annotation), "literal" if choices else None)
    if kind is None or not all(isinstance(choice, str) for choice in choices):
        raise TemplateError(f"{template.__name__}.{name}: the type {shown(info.annotation, 80)} is not for a spec")
    others = [item for item in info.metadata if not isinstance(item, Verification)]
    if others:
        raise TemplateError(f"{template.__name__}.{name}: {shown(others[0], 80)} is not for a spec")
    cases: list[Any] = []
    for one in verification.alternatives:
        truth = one.ground_truth
        if type(truth) is datetime.date:
            truth = truth.isoformat()
        if encode(truth) != truth:
            raise TemplateError(f"{template.__name__}.{name}: the value {shown(truth, 80)} is not for a spec")
        cases.append({"value": truth, "verify_with": as_setting(one.operator)})
    default = cases.pop()
    truth = default["value"]
    if verification.source:
        named_cases = dict(zip(verification.cases, cases, strict=True))
        truth = {"source": verification.source, "cases": named_cases, "default": default}
    return {
        "name": name,
        "type": kind,
        "description": info.description,
        "ground_truth": truth,
        "verify_with": default["verify_with"],
        "extraction_hint": verification.hint,
        "literal_values": choices or None,
        "weight": verification.weight,
        "is_trace": verification.reads_trace,
        "quote": bool(verification.quote),
    }


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
    kinds = {list: "list_str", **{one: kind for kind, one in _TYPES.items()}}
    kind = kinds.get(type(ground_truth))
    if kind is None:
        raise TemplateError(f"a value is text, a number, a bool, a date or a list, got {shown(ground_truth, 40)}")
    field = {"name": "value", "type": kind, "description": "The answer to the question", "ground_truth": ground_truth}
    fields = [{**field, "verify_with": verify_with, "quote": quote}]
    return template_from_spec({"fields": fields, "description": f"Question: {question}"})
