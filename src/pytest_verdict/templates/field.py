"""`VerifiedField`: a field, its ground truth and the operator that compares them, in one declaration."""

import contextlib
import dataclasses
import enum
import inspect
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Final, Literal, Self, Union, get_args, get_origin

from pydantic import Field
from pydantic.fields import FieldInfo

from pytest_verdict.core.kernel import result_from_outcome, run
from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator, as_setting
from pytest_verdict.core.registry import REGISTRY, name_and_settings, operator_from_settings
from pytest_verdict.core.result import ComparisonResult, Outcome
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.placeholders import ABSENT
from pytest_verdict.core.values.snapshot import snapshot
from pytest_verdict.errors import ConfigurationError, RecordError, TemplateError, allowed
from pytest_verdict.operators.category import NOT_A_BOOLEAN
from pytest_verdict.operators.exact_number import ExactNumber, as_exact, as_setting as read_number
from pytest_verdict.templates.conditional import ConditionalGroundTruth
from pytest_verdict.templates.trace_checks import texts_in

NULL_OBSERVED: Final = "null_observed"
MISSING_TRACE: Final = "missing_trace"
_BESIDE_OPERATOR: Final = frozenset({"weight", "quote", "source", "cases"})


class TemplateWarning(UserWarning):
    """A template may accept a wrong answer."""


@dataclass(frozen=True)
class FieldRule:
    """How a field is compared, and its weight; ``quote`` also needs the words that state it, and they must be in the response."""

    operator: Operator
    weight: ExactNumber = 1
    # "choice" if the response may say the value in other words.
    quote: bool | Literal["choice"] = False
    # The path of the value that chooses a case, and the operator of each case; `operator` belongs to the default.
    source: str = ""
    cases: Mapping[str, Operator] = dataclasses.field(default_factory=dict)

    @property
    def reads_trace(self) -> bool:
        return self.operator.kind == "trace"

    def written(self) -> dict[str, Any]:
        setting = {**as_setting(self.operator), "weight": self.weight}
        if self.quote:
            setting["quote"] = self.quote
        if self.source:
            setting.update(source=self.source, cases=as_setting(dict(self.cases)))
        return setting

    def compare(self, name: str, expected: Any, observed: Any, recorded: Mapping[str, Any] | None) -> ComparisonResult:
        """Compare the field; an answer that is null or absent fails with the note ``null_observed``."""
        is_answered = observed is not ABSENT
        if observed is None:
            is_answered = self.operator.effective_expected(expected) is None
        if not is_answered:
            return result_from_outcome(self.operator, expected, None, Outcome(0.0, notes=(NULL_OBSERVED,)), name=name)
        return run(self.operator, expected, observed, name=name, recorded=recorded)

    def refuse(self, name: str, expected: Any, observed: Any, reason: str) -> ComparisonResult:
        """Return the ``error`` of a field that cannot be compared."""
        notes = (MISSING_TRACE,) if reason == MISSING_TRACE else ()
        outcome = Outcome(0.0, notes=notes, error=reason)
        return result_from_outcome(self.operator, expected, observed, outcome, name=name)


def read_weight(value: Any) -> ExactNumber:
    """Read a weight: a finite number of at least 0."""
    with contextlib.suppress(ValueError):
        weight = read_number(value)
        if as_exact(weight) >= 0:
            return weight
    raise TemplateError(f"weight must be a number of at least 0, got {shown(value, 80)}")


def read_rule(value: Any) -> FieldRule:
    """Read a rule: an operator in any of its forms; the recorded form may have a weight, a quote and cases beside it."""
    if isinstance(value, FieldRule):
        return value
    if not isinstance(value, Mapping):
        return FieldRule(operator_from_settings(value))
    quote = value.get("quote")
    return FieldRule(
        operator=operator_from_settings({key: item for key, item in value.items() if key not in _BESIDE_OPERATOR}),
        weight=read_weight(value.get("weight", 1)),
        quote="choice" if quote == "choice" else quote is True,
        source=value.get("source", ""),
        cases={name: operator_from_settings(item) for name, item in value.get("cases", {}).items()},
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Verification(FieldRule):
    """The half of a verified field that no judge sees; pydantic inherits it with the field's metadata."""

    ground_truth: Any
    hint: str | None

    @property
    def alternatives(self) -> list[Self]:
        """One verification for each case, the default last; only itself without cases."""
        if not self.source:
            return [self]
        truths = [*self.ground_truth["cases"].values(), self.ground_truth["default"]]
        operators = [*self.cases.values(), self.operator]
        pairs = zip(operators, truths, strict=True)
        return [
            dataclasses.replace(self, operator=one, ground_truth=truth, source="", cases={}) for one, truth in pairs
        ]


def VerifiedField(  # noqa: N802 - a function that is written like a class, as pydantic's Field is
    description: str,
    ground_truth: Any,
    verify_with: Operator | str | None = None,
    weight: float | str = 1.0,
    extraction_hint: str | None = None,
    *,
    quote: bool = False,
    **pydantic_field_kwargs: Any,
) -> Any:
    """Declare a field of an answer template and how it is verified.

    The name and the parameters are those of karenina's answer templates.

    Args:
        description: What the judge extracts; required text.
        ground_truth: The correct value, or a `ConditionalGroundTruth`. No judge and no JSON schema contains it.
        verify_with: The operator that compares the extracted value with the ground truth, such as ``ExactMatch()``, or the
            name of one that needs no settings.
        weight: The weight of the field in the granular score, at least 0 (default: 1).
        extraction_hint: More guidance for the judge (default: None).
        quote: Whether the judge also copies the words that state the value, under the field's name and ``_quote``. The field
            passes only if they are a passage of the response that supports the value (default: False).
        **pydantic_field_kwargs: Arguments of pydantic's ``Field``, such as ``default`` and ``ge``.

    Returns:
        A pydantic field.

    Raises:
        TemplateError: An argument is invalid. It is a ``ValueError``.

    Example:
        >>> from pytest_verdict.templates import BaseAnswer, NumericExact
        >>> class Answer(BaseAnswer):
        ...     pair_count: int = VerifiedField("The number of pairs", ground_truth=23, verify_with=NumericExact())
        >>> Answer(pair_count=23).verify(), Answer(pair_count=46).verify()
        (True, False)
    """
    if not isinstance(description, str) or not description.strip():
        raise TemplateError(f"description must be text that tells the judge what to extract, got {description!r}")
    operator = read_operator(verify_with)
    if extraction_hint is not None and not isinstance(extraction_hint, str):
        raise TemplateError(f"extraction_hint must be text or None, got {shown(extraction_hint, 80)}")
    if not isinstance(quote, bool):
        raise TemplateError(f"quote must be True or False, got {shown(quote, 80)}")
    source = ""
    cases: dict[str, Operator] = {}
    if isinstance(ground_truth, ConditionalGroundTruth):
        source = ground_truth.source
        default = ground_truth.default
        cases = {name: read_operator(case.verify_with or operator) for name, case in ground_truth.cases.items()}
        operator = read_operator(default.verify_with or operator)
        truths = {name: case.value for name, case in ground_truth.cases.items()}
        ground_truth = {"cases": truths, "default": default.value}
    verification = Verification(
        operator=operator,
        weight=read_weight(weight),
        quote=quote,
        source=source,
        cases=cases,
        ground_truth=snapshot(ground_truth),
        hint=extraction_hint,
    )

    if verification.reads_trace:
        if quote:
            raise TemplateError(f"quote=True needs a field that a judge extracts; {operator} reads the raw response")
        # No judge fills in this field, so it must not be required.
        pydantic_field_kwargs.setdefault("default", None)
    for one in verification.alternatives:
        truth = one.ground_truth
        if one.reads_trace != verification.reads_trace:
            raise TemplateError(f"all cases of a field read the raw response or none; {one.operator} differs")
        if one.reads_trace and NOT_A_BOOLEAN in run(one.operator, truth, "").notes:
            rule = "must be True (it must match) or False"
            raise TemplateError(f"the ground truth of a field that reads the trace {rule}, got {shown(truth, 80)}")
        if "remove_punctuation" in getattr(one.operator, "normalize", ()):
            texts = texts_in(one.operator.effective_expected(truth))
            lost = next((text for text in texts if normalize(text, ["remove_punctuation"]) != text), "")
            if lost:
                reason = "it equals every text that differs only in punctuation, as 'O+' and 'O-' or '1.5' and '15' do"
                message = f"remove_punctuation changes the ground truth {shown(lost, 40)}: {reason}"
                warnings.warn(message, TemplateWarning, stacklevel=2)
    field: FieldInfo = Field(description=description, **pydantic_field_kwargs)
    field.metadata.append(verification)
    return field


def read_operator(value: Any) -> Operator:
    """Read an operator: itself, a name, or a mapping with its name and settings, as in a spec."""
    if isinstance(value, Operator):
        return value
    if isinstance(value, type) and issubclass(value, Operator):
        raise TemplateError(f"verify_with takes an operator, not its class: verify_with={value.__name__}(...)")
    name = value.get("type", value.get("operator")) if isinstance(value, Mapping) else value
    if not isinstance(name, str):
        raise TemplateError(f"verify_with takes an operator such as ExactMatch(), got {shown(value, 80)}")
    # Primitives import this module.
    from pytest_verdict.templates.primitives import PRIMITIVES

    if isinstance(value, Mapping) and "type" in value and name not in PRIMITIVES and name not in REGISTRY:
        raise TemplateError(f"verify_with: there is no operator {name!r}.{allowed('operator', name, PRIMITIVES)}")
    settings: Mapping[str, Any] = {}
    try:
        if isinstance(value, Mapping) and "type" in value:
            settings = {str(key): item for key, item in value.items() if key != "type"}
        elif isinstance(value, Mapping):
            name, settings = name_and_settings(value)
        if name in PRIMITIVES:
            operator: Operator = PRIMITIVES[name](**settings)
            return operator
        return REGISTRY.build(name, settings)
    except (ConfigurationError, RecordError, TypeError) as error:
        hint = ""
        if isinstance(value, str) and value in REGISTRY:
            hint = f"; write verify_with={REGISTRY.find(value).__name__}(...)"
        raise TemplateError(f"verify_with: {error}{hint}") from None


def is_verified(field: Any) -> bool:
    return isinstance(field, FieldInfo) and any(isinstance(item, Verification) for item in field.metadata)


def find_verified(annotation: Any) -> Iterator[Any]:
    """Yield the verified fields and the templates inside of a type, at any depth."""
    visited: list[Any] = []
    waiting = [annotation]
    while waiting:
        kind = waiting.pop()
        if any(kind is one for one in visited):
            continue
        visited.append(kind)
        if is_verified(kind) or hasattr(kind, "__verdict_definition__"):
            yield kind
            continue
        waiting += [*get_args(kind), getattr(kind, "__value__", None)]
        for source in getattr(kind, "__mro__", ()):
            # A name that cannot be resolved says nothing.
            with contextlib.suppress(Exception):
                waiting += inspect.get_annotations(source, eval_str=True).values()
            waiting += filter(is_verified, vars(source).values())
        for field in getattr(kind, "model_fields", {}).values():
            waiting += [field, field.annotation]


def is_choice(annotation: Any) -> bool:
    """Return whether a type has only truth values or members of a literal or an enumeration, also in a list."""
    types = types_of(annotation)
    inner = [part for kind in types if get_origin(kind) is not Literal for part in get_args(kind)]
    return bool(choices_of(annotation)) or types == [bool] or (bool(inner) and all(map(is_choice, inner)))


def types_of(annotation: Any) -> list[Any]:
    """Return the types other than None that an annotation allows."""
    types = (annotation,)
    if get_origin(annotation) in {Union, UnionType}:
        types = get_args(annotation)
    return [kind for kind in types if kind is not NoneType]


def choices_of(annotation: Any) -> list[Any]:
    """Return the values of a literal or an enumeration; none for any other type."""
    types = types_of(annotation)
    if len(types) != 1:
        return []
    if get_origin(types[0]) is Literal:
        return list(get_args(types[0]))
    if isinstance(types[0], type) and issubclass(types[0], enum.Enum):
        return list(types[0])
    return []
