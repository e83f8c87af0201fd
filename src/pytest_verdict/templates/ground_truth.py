"""Refuse a ground truth with which no answer passes, or every answer, when the class of a template is defined.

The operator compares the ground truth with a handful of sample values, as the type of the field reads them.
"""

import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, get_args

from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from pytest_verdict.core.normalizers import normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.refusals import REFUSALS
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.strict_model import problems_in
from pytest_verdict.core.values.dates import read_date
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.aggregate import AllOf
from pytest_verdict.operators.date import DateMatch
from pytest_verdict.operators.synthetic_operators import NotBlank
from pytest_verdict.templates.field import Verification, choices_of, types_of
from pytest_verdict.templates.trace_checks import texts_in

# Operators that pass on the ground truth itself if they pass on anything.
_REFLEXIVE_OPERATORS: Final = {
    *("exact", "normalized_exact", "boolean", "literal", "one_of", "ordered_match", "text_similarity"),
    *("numeric_exact", "numeric_tolerance", "date_match", "date_tolerance", "set_containment"),
    *("json_canonical", "json_subset", "json_distance"),
}
# Values of each kind; a check should fail for at least one that it can read.
_SAMPLES: Final[tuple[Any, ...]] = (
    *("", "x", "☃ 7", "-99", "-7e9", "7e9", "1000-01-01", "9000-01-01", "{}", "[]", True, False),
    *(-(10**18), 0, 10**18, datetime.date(1000, 1, 1), datetime.date(9000, 1, 1)),
    *([], ["☃"], [0, ""], [0, 10**18], {}, {"☃": 0}),
)
_BOUNDS: Final = ("ge", "gt", "le", "lt")


def refuse_impossible(cls: type[BaseModel], verified: Mapping[str, Verification]) -> None:
    for name, verification in ((name, case) for name, one in verified.items() for case in one.alternatives):
        operator = verification.operator
        if not _can_be_tried(operator) or operator.contains_model_operator:
            continue
        truth = f"with the ground truth {shown(verification.ground_truth, 60)}"
        problem, is_checked_always = _find_problem(cls, name, verification)
        if problem:
            raise TemplateError(f"{cls.__name__}.{name}: no answer passes {truth}: {problem}")
        if is_checked_always:
            hint = "to check only that there is an answer, write verify_with=NotBlank()"
            raise TemplateError(f"{cls.__name__}.{name}: every answer passes {truth}, so it checks nothing; {hint}")


def _find_problem(cls: type[BaseModel], name: str, verification: Verification) -> tuple[str, bool]:
    """Return why no answer passes, or an empty text, and whether every answer passes."""
    problem = _find_unusable(verification)
    is_checked_always = False
    read = _read_as_it_is if verification.reads_trace else _build_reader(cls, name)
    if not problem and read is not None:
        problem, is_checked_always = _try_samples(cls.model_fields[name], verification, read)
    operator = verification.operator
    parts = [replace(verification, operator=part.operator) for part in getattr(operator, "conditions", None) or ()]
    reasons = [_find_problem(cls, name, part)[0] for part in parts]
    needed = len(parts) if isinstance(operator, AllOf) else getattr(operator, "n", 1)
    if parts and not problem and reasons.count("") < needed:
        problem = next(filter(None, reasons))
    return problem, is_checked_always


def _can_be_tried(operator: Operator) -> bool:
    """Return whether an operator neither runs code of the user nor asks a model."""
    parts = [part.operator for part in getattr(operator, "conditions", None) or ()]
    return operator.evaluate_is_pure and not operator.asks_model and all(map(_can_be_tried, parts))


def _find_unusable(verification: Verification) -> str:
    """Return why the operator can use the ground truth for no observed value, or an empty text."""
    operator = verification.operator
    truth = verification.ground_truth
    results = [verification.compare("", truth, sample, None) for sample in (*_SAMPLES, truth)]
    errors = [one.error for one in results if one.error is not None]
    if errors and not any(map(_is_readable, results)):
        return f"{operator.name} cannot read it: {errors[0]}"
    for text in texts_in(operator.effective_expected(truth)):
        # A tab may be the answer, and so may an empty text, but not what only looks empty.
        is_removed = normalize(text, getattr(operator, "normalize", ())) == ""
        if text and not NotBlank().check(text) and (is_removed or not text.isspace()):
            return f"{shown(text, 40)} has no visible character"
    return ""


def _try_samples(field: FieldInfo, verification: Verification, read: Callable[[Any], Any]) -> tuple[str, bool]:
    """Return why no value of the field passes, or an empty text, and whether every value passes."""
    operator = verification.operator
    # A trace operator with the ground truth False passes without the text that it looks for.
    truth = True if verification.reads_trace else verification.ground_truth
    choices = [True, False] if types_of(field.annotation) == [bool] else choices_of(field.annotation)
    candidates = [*_forms_of(verification), *(choices or _SAMPLES), *_neighbours_of(field)]
    results: dict[str, ComparisonResult] = {}
    reason = ""
    for candidate in candidates:
        try:
            value = truth if candidate is truth is None else read(candidate)
        except ValidationError as error:
            reason = reason or f"it is no answer of the field: {problems_in(error)[0].message}"
        except Exception:  # noqa: BLE001, S112 - a validator in the type may raise anything for a sample
            continue
        else:
            results[repr(value)] = verification.compare("", truth, value, None)

    readable = [*filter(_is_readable, results.values())]
    has_pass = any(one.passed for one in results.values())
    if not has_pass and not verification.reads_trace and (choices or operator.name in _REFLEXIVE_OPERATORS):
        if choices:
            listed = ", ".join(shown(choice, 40) for choice in choices[:10])
            return f"{operator.name} passes on none of the values of the field: {listed}", False
        return reason or f"its own operator {operator.name} does not pass on it", False
    checks_presence = isinstance(operator, NotBlank) or operator.effective_expected(truth) is None
    has_fail = any(not one.passed for one in readable) or any(one.error is not None for one in results.values())
    return "", len(readable) > 1 and not has_fail and not checks_presence


def _is_readable(result: ComparisonResult) -> bool:
    """Return whether both sides could be read."""
    return result.error is None and not REFUSALS.intersection(result.notes)


def _forms_of(verification: Verification) -> Iterator[Any]:
    """Yield the ground truth, the values that it lists, and other forms in which an answer may have it."""
    truth = verification.ground_truth
    operator = verification.operator
    expected = operator.effective_expected(truth)
    for value in (truth, *(expected if isinstance(expected, list | tuple) else [expected])):
        yield value
        if isinstance(value, str):
            yield from (value.strip(), value.lower(), value.upper(), value.title())
        if as_decimal(value) is not None:
            yield from (as_decimal(value), str(value))
        date = read_date(value) if operator.kind == "date" else ""
        if not isinstance(date, str):
            yield from (date.day, date.day.isoformat())
            if isinstance(operator, DateMatch) and operator.format is not None:
                yield date.day.strftime(operator.format)


def _neighbours_of(field: FieldInfo) -> Iterator[Any]:
    """Yield the bounds of a field, and lists of the choices of its items."""
    yield from (getattr(item, bound) for bound in _BOUNDS for item in field.metadata if hasattr(item, bound))
    items = [
        choice for kind in types_of(field.annotation) for item in get_args(kind)[:1] for choice in choices_of(item)
    ]
    yield from ([item] for item in items)
    yield items


def _read_as_it_is(value: Any) -> Any:
    return value


def _build_reader(cls: type[BaseModel], name: str) -> Callable[[Any], Any] | None:
    """Build a function that validates a value of the field; None if the author has validators of it."""
    own: Any = cls.__pydantic_decorators__
    validators = (*own.field_validators.values(), *own.validators.values())
    validated = {field for validator in validators for field in validator.info.fields}
    if {name, "*"} & validated or own.model_validators or own.root_validators:
        return None

    field = cls.model_fields[name]
    value: Any = Field(default=None, validate_default=False)
    value.metadata = [item for item in field.metadata if not isinstance(item, Verification)]
    config: Any = {**cls.model_config, "extra": "ignore", "protected_namespaces": ()}
    # The model does not derive from the template, so none of the template's own code runs.
    annotation: Any = field.annotation
    model: Any = create_model("Answer", __config__=config, value=(annotation, value))
    if not model.__pydantic_complete__:
        return None
    return lambda answer: model(value=answer).value
