"""Refusing a ground truth with which no answer could pass, when the class of a template is made."""

import contextlib
import datetime
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic.fields import FieldInfo

from pytest_verdict.core.kernel import run
from pytest_verdict.core.normalizers import Step, SynonymMap, normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.validation_messages import Problem, problems_in
from pytest_verdict.core.values.dates import read_date, read_formatted
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.aggregate import AllOf
from pytest_verdict.operators.category import OneOf
from pytest_verdict.operators.date import DateMatch, DateTolerance
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.lists import as_list
from pytest_verdict.operators.number import Delta, NumericTolerance
from pytest_verdict.operators.semantic import SemanticMatch
from pytest_verdict.operators.surfaces import NOT_TEXT
from pytest_verdict.operators.text import Exact
from pytest_verdict.templates.field import Verification, choices_of, types_of

_READABLE: Final[Mapping[str, Any]] = {
    "boolean": True,
    "date": "2000-01-01",
    "json": {},
    "list": [],
    "number": 0,
    "text": "",
    "trace": "",
}
"""By kind of operator an observed value that it can read."""

_BY_EQUALITY: Final = {
    *("exact", "normalized_exact", "boolean", "literal", "one_of", "ordered_match"),
    *("numeric_exact", "numeric_tolerance", "date_match", "date_tolerance"),
}
"""Operators that pass on what equals the ground truth, or lies around it."""

_PASS_ON_THEMSELVES: Final = {"set_containment", "text_similarity", "json_canonical", "json_subset", "json_distance"}
"""Operators that pass on the ground truth itself if they pass on anything."""


def refuse_impossible(cls: type[BaseModel], verified: Mapping[str, Verification]) -> None:
    """Refuse a ground truth that is no answer of its field, or with which the field's own operator passes nothing."""
    for name, one in verified.items():
        reason = _reason(cls, name, one)
        if reason:
            problem = f"no answer passes with the ground truth {shown(one.ground_truth, 60)}"
            raise TemplateError(f"{cls.__name__}.{name}: {problem}: {reason}")


def _reason(cls: type[BaseModel], name: str, one: Verification) -> str:
    if not one.operator.keeps_evidence:
        # What an operator that is not ours passes on is not known.
        return ""
    parts = getattr(one.operator, "conditions", None)
    if isinstance(parts, tuple):
        reasons = [_reason(cls, name, replace(one, operator=part.operator)) for part in parts]
        needed = len(parts) if isinstance(one.operator, AllOf) else getattr(one.operator, "n", 1)
        return next(filter(None, reasons)) if reasons.count("") < needed else ""
    problem = _unreadable(one)
    if problem:
        return f"{one.operator.name} cannot read it ({problem})"
    if one.reads_trace or one.operator.asks_model or one.operator.has_model_inside:
        return ""
    operator = one.operator
    annotation = cls.model_fields[name].annotation
    choices = [True, False] if types_of(annotation) == [bool] else choices_of(annotation)
    is_equality = operator.name in _BY_EQUALITY or getattr(operator, "mode", None) == "exact"
    if not choices and not is_equality:
        itself = operator.name in _PASS_ON_THEMSELVES
        return _no_answer_passes(one, [one.ground_truth]) if itself else ""
    if operator.kind not in {*_READABLE, "category"}:
        return ""
    return _no_answer_of_the_field(cls, name, one, choices)


def _unreadable(one: Verification) -> str:
    """Name what the operator cannot read of the expected side, whatever is observed."""
    operator, truth = one.operator, one.ground_truth
    if operator.asks_model:
        return NOT_TEXT if isinstance(operator, SemanticMatch) and not isinstance(truth, str) else ""
    if operator.kind not in {*_READABLE, "category"}:
        return ""
    found = run(operator, truth, [0, 0] if isinstance(operator, Delta) else _READABLE.get(operator.kind))
    # Where observed can be read, only the expected side makes an error.
    return "" if found.error is None else next(iter(found.notes), found.error)


def _no_answer_of_the_field(cls: type[BaseModel], name: str, one: Verification, choices: list[Any]) -> str:
    """Say why neither the ground truth nor another form of it is an answer of the field that passes."""
    read = _reader(cls, name)
    answers = choices or list(possible_answers(one.operator, one.ground_truth, cls.model_fields[name]))
    if read is None:
        # What the field makes of an answer is not known.
        return "" if choices else _no_answer_passes(one, answers)
    found: list[Any] = []
    problems: list[tuple[Any, Problem]] = []
    for answer in answers:
        try:
            found.append(read(answer))
        except ValidationError as error:
            problems.append((answer, problems_in(error)[0]))
    if not _no_answer_passes(one, found) or _may_match_in_another_case(one, [problem for _, problem in problems]):
        return ""
    if choices:
        listed = ", ".join(shown(choice, 40) for choice in choices[:10])
        return f"{one.operator.name} passes on none of the values of the field: {listed}"
    if problems and problems[0][0] is answers[0]:
        return f"it is no answer of the field: {problems[0][1].message}"
    return _no_answer_passes(one, found)


def _no_answer_passes(one: Verification, answers: Iterable[Any]) -> str:
    results = [one.compare("", one.ground_truth, answer, None) for answer in [None, *answers]]
    # A comparison that could not be made says nothing of other answers.
    if any(result.passed or result.error is not None for result in results):
        return ""
    notes = next((f" ({', '.join(result.notes)})" for result in results[1:] if result.notes), "")
    return f"its own operator {one.operator.name} does not pass on it{notes}"


def _may_match_in_another_case(one: Verification, problems: Iterable[Problem]) -> bool:
    """Say whether only case, which the operator does not see, keeps a text from matching the field's pattern."""
    steps = getattr(one.operator, "normalize", ())
    if getattr(one.operator, "case_sensitive", True) and not {"lowercase", "casefold"}.intersection(steps):
        return False
    tried = [(problem.context.get("pattern"), problem.value) for problem in problems]
    try:
        return any(pattern and re.search(pattern, str(text), re.IGNORECASE) for pattern, text in tried)
    except re.error:
        return True


def _reader(cls: type[BaseModel], name: str) -> Callable[[Any], Any] | None:
    """Give what reads a value as an answer of the field; None when validators of the author have a say in it."""
    own: Any = cls.__pydantic_decorators__
    validators = *own.field_validators.values(), *own.validators.values()
    validated = {field for one in validators for field in one.info.fields}
    if {name, "*"} & validated or own.model_validators or own.root_validators:
        return None
    field = cls.model_fields[name]
    value: Any = Field(default=None, validate_default=False)
    value.metadata = [one for one in field.metadata if not isinstance(one, Verification)]
    config: Any = {**cls.model_config, "extra": "ignore", "protected_namespaces": ()}
    # Made of pydantic's model, not of the template, so that none of the template's own code runs.
    make: Any = create_model
    model: Any = make("Answer", __config__=config, value=(field.annotation, value))
    return (lambda given: model(value=given).value) if model.__pydantic_complete__ else None


_MOST_DIGITS: Final = 300
_BOUNDS: Final = ("ge", "gt", "le", "lt")


def possible_answers(operator: Operator, truth: Any, field: FieldInfo) -> Iterator[Any]:
    """Give the ground truth and forms of it, one of which the operator accepts if it accepts any value of the field."""
    for item in (as_list(operator.effective_expected(truth)) or []) if isinstance(operator, OneOf) else [truth]:
        yield item
        yield from _forms(operator, item, field)


def _forms(operator: Operator, truth: Any, field: FieldInfo) -> Iterator[Any]:
    steps = getattr(operator, "normalize", ())
    items = as_list(truth)
    if isinstance(operator, DateMatch | DateTolerance):
        yield from _dates(operator, truth)
    elif operator.kind == "number":
        yield from _numbers(operator, truth, field)
    elif isinstance(truth, str):
        yield from _texts(truth, steps)
    elif items is not None:
        inner = next((get_args(kind)[0] for kind in types_of(field.annotation) if get_args(kind)), None)
        # An item is written as one of the choices that its type leaves, where one of them equals it.
        choices, equals = choices_of(inner), Exact(normalize=steps).check
        yield [next((choice for choice in choices if equals(choice, item)), item) for item in items]


def _texts(text: str, steps: Sequence[Step]) -> Iterator[str]:
    yield from (text.strip(), normalize(text, steps))
    yield from (change(text.strip()) for change in (str.lower, str.upper, str.title, str.capitalize))
    yield from (key for step in steps if isinstance(step, SynonymMap) for key in step.mapping)


def _numbers(operator: Operator, truth: Any, field: FieldInfo) -> Iterator[Any]:
    texts = [truth] if not isinstance(truth, str) else [truth, normalize(truth, getattr(operator, "normalize", ()))]
    number = next((found for found in map(as_decimal, texts) if found is not None), None)
    if number is None or not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return
    around = [number]
    if isinstance(operator, NumericTolerance):
        limit = as_exact(operator.tolerance) * (abs(number) if operator.mode == "relative" else 1)
        around += [number - limit, number + limit]
        bounds = (as_decimal(getattr(one, name, None)) for name in _BOUNDS for one in field.metadata)
        around += [bound for bound in bounds if bound]
    for one in around:
        yield from (one, str(one), math.floor(one), math.ceil(one), float(one))


def _dates(operator: DateMatch | DateTolerance, truth: Any) -> Iterator[Any]:
    form = operator.format if isinstance(operator, DateMatch) else None
    found = read_date(truth, day_first=operator.day_first) if form is None else read_formatted(truth, form, or_iso=True)
    if isinstance(found, str):
        return
    moments = [found.moment or datetime.datetime.combine(found.day, datetime.time())]
    if isinstance(operator, DateTolerance):
        for sign in (1, -1):
            with contextlib.suppress(OverflowError):
                moments.append(moments[0] + sign * datetime.timedelta(**{operator.unit: operator.tolerance}))
    for moment in moments:
        yield from (moment.date(), moment, moment.date().isoformat(), moment.isoformat())
        yield from () if form is None else [moment.strftime(form)]
