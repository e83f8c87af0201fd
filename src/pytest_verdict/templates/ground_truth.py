"""Refuse a ground truth with which no answer passes, or every answer, when the class of a template is defined."""

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
from pytest_verdict.core.normalizers import SynonymMap, normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.refusals import REFUSALS
from pytest_verdict.core.strict_model import Problem, problems_in
from pytest_verdict.core.values.dates import read_date, read_formatted
from pytest_verdict.core.values.display import shown
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.aggregate import AllOf
from pytest_verdict.operators.category import OneOf
from pytest_verdict.operators.date import DateMatch, DateTolerance
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.lists import as_list
from pytest_verdict.operators.normalized_sides import NOT_TEXT
from pytest_verdict.operators.number import Delta, NumericTolerance
from pytest_verdict.operators.semantic import SemanticMatch
from pytest_verdict.operators.synthetic_operators import NotBlank
from pytest_verdict.operators.text import Exact
from pytest_verdict.templates.field import Verification, choices_of, texts_in, types_of

# An observed value that operators can read, by their kind.
_READABLE: Final[Mapping[str, Any]] = {
    "boolean": True,
    "date": "2000-01-01",
    "json": {},
    "list": [],
    "number": 0,
    "text": "",
    "trace": "",
}
# Operators that pass on values equal or near to the ground truth.
_EQUALITY_OPERATORS: Final = {
    *("exact", "normalized_exact", "boolean", "literal", "one_of", "ordered_match"),
    *("numeric_exact", "numeric_tolerance", "date_match", "date_tolerance"),
}
# Those of them that may pass on every value of a field with few values, or bounds.
_LENIENT_OPERATORS: Final = {"one_of", "numeric_tolerance", "date_tolerance"}
# Operators that pass on the ground truth itself if they pass on anything.
_REFLEXIVE_OPERATORS: Final = {"set_containment", "text_similarity", "json_canonical", "json_subset", "json_distance"}
_MOST_DIGITS: Final = 300
_BOUNDS: Final = ("ge", "gt", "le", "lt")


# Sample values; a check should fail for at least one of them.
_SAMPLES: Final[tuple[Any, ...]] = (
    *("", "x", "☃ 7", "{}", "[]"),
    *(-(10**18), 0, 10**18, True, False),
    *([], ["☃"], [0, ""], {}, {"☃": 0}),
)


def refuse_impossible(cls: type[BaseModel], verified: Mapping[str, Verification]) -> None:
    for name, verification in ((name, case) for name, one in verified.items() for case in one.alternatives):
        truth = f"with the ground truth {shown(verification.ground_truth, 60)}"
        reason = _find_reason(cls, name, verification)
        if reason:
            raise TemplateError(f"{cls.__name__}.{name}: no answer passes {truth}: {reason}")
        if _passes_always(cls, name, verification):
            hint = "to check only that there is an answer, write verify_with=NotBlank()"
            raise TemplateError(f"{cls.__name__}.{name}: every answer passes {truth}, so it checks nothing; {hint}")


def _find_reason(cls: type[BaseModel], name: str, verification: Verification) -> str:
    """Return why no answer passes, or an empty text."""
    operator = verification.operator
    if not operator.evaluate_is_pure:
        # Nothing is known about an operator of a user.
        return ""
    conditions = getattr(operator, "conditions", None)
    if isinstance(conditions, tuple):
        reasons = [_find_reason(cls, name, replace(verification, operator=part.operator)) for part in conditions]
        needed = len(conditions) if isinstance(operator, AllOf) else getattr(operator, "n", 1)
        if reasons.count("") >= needed:
            return ""
        return next(filter(None, reasons))
    problem = _find_unreadable(verification)
    if problem:
        return f"{operator.name} cannot read it: {problem}"
    for text in texts_in(operator.effective_expected(verification.ground_truth)):
        # A tab may be the answer, and so may an empty text, but not what only looks empty.
        is_removed = normalize(text, getattr(operator, "normalize", ())) == ""
        if text and not NotBlank().check(text) and (is_removed or not text.isspace()):
            return f"{shown(text, 40)} has no visible character"
    if verification.reads_trace or operator.asks_model or operator.contains_model_operator:
        return ""

    annotation = cls.model_fields[name].annotation
    choices = choices_of(annotation)
    if types_of(annotation) == [bool]:
        choices = [True, False]
    is_equality = operator.name in _EQUALITY_OPERATORS or getattr(operator, "mode", None) == "exact"
    if choices or is_equality:
        if operator.kind in {*_READABLE, "category"}:
            return _try_answers(cls, name, verification, choices)
    elif operator.name in _REFLEXIVE_OPERATORS:
        return _explain_failures(verification, [verification.ground_truth])
    return ""


def _passes_always(cls: type[BaseModel], name: str, verification: Verification) -> bool:
    """Return whether the operator passes on all sample values of the field, and on the expected texts themselves."""
    operator = verification.operator
    # Operators that run code of the user, or ask a model, are not tried out.
    if not operator.evaluate_is_pure or operator.asks_model or operator.contains_model_operator:
        return False
    # A trace operator with the ground truth False passes on all samples without the text that it looks for.
    truth = True if verification.reads_trace else verification.ground_truth
    expected = operator.effective_expected(truth)
    if expected is None or operator.name in _EQUALITY_OPERATORS - _LENIENT_OPERATORS:
        return False

    samples: list[Any] = list(_SAMPLES)
    if not verification.reads_trace:
        field = cls.model_fields[name]
        inner = choices_of(_item_type(field))
        bounds = [getattr(item, bound) for bound in _BOUNDS for item in field.metadata if hasattr(item, bound)]
        choices = choices_of(field.annotation)
        samples += [*choices, *([choice] for choice in inner), inner, *bounds]
        read = _build_reader(cls, name)
        if read is None or (choices and not (isinstance(operator, OneOf) and len(choices) > 1)):
            # An audit tries the other choices.
            return False
        samples = _select_valid(samples, read)
    # Texts that must be absent, as under not_contains, are in the expected texts.
    texts = texts_in(expected)
    results = [run(operator, truth, sample) for sample in (*samples, *texts)]
    readable = [result.error is None and not REFUSALS.intersection(result.notes) for result in results]
    failed = [is_readable and not result.passed for is_readable, result in zip(readable, results, strict=True)]
    return sum(readable) > 1 + len(texts) and not any(failed)


def _find_unreadable(verification: Verification) -> str:
    """Return why the operator cannot read the ground truth, or an empty text."""
    operator = verification.operator
    truth = verification.ground_truth
    if isinstance(operator, SemanticMatch) and not isinstance(truth, str):
        return NOT_TEXT
    if operator.asks_model or operator.kind not in {*_READABLE, "category"}:
        return ""
    observed = _READABLE.get(operator.kind)
    if isinstance(operator, Delta):
        observed = [0, 0]
    # Observed can be read, so an error is about expected.
    return run(operator, truth, observed).error or ""


def _try_answers(cls: type[BaseModel], name: str, verification: Verification, choices: Sequence[Any]) -> str:
    """Return why no form of the ground truth is an answer of the field that passes, or an empty text."""
    read = _build_reader(cls, name)
    answers = choices or list(_possible_answers(verification, cls.model_fields[name]))
    if read is None:
        # Validators of the author may turn an answer into anything.
        if choices:
            return ""
        return _explain_failures(verification, answers)

    problems: list[tuple[Any, Problem]] = []
    reason = _explain_failures(verification, _select_valid(answers, read, problems))
    if not reason or _may_match_in_another_case(verification, [problem for _, problem in problems]):
        return ""
    if choices:
        listed = ", ".join(shown(choice, 40) for choice in choices[:10])
        return f"{verification.operator.name} passes on none of the values of the field: {listed}"
    if problems and problems[0][0] is answers[0]:
        return f"it is no answer of the field: {problems[0][1].message}"
    return reason


def _select_valid(
    answers: Iterable[Any], read: Callable[[Any], Any], problems: list[tuple[Any, Problem]] | None = None
) -> list[Any]:
    """Return the answers as the field reads them; the invalid ones go to the problems."""
    valid = []
    for answer in answers:
        try:
            valid.append(read(answer))
        except ValidationError as error:
            if problems is not None:
                problems.append((answer, problems_in(error)[0]))
    return valid


def _explain_failures(verification: Verification, answers: Iterable[Any]) -> str:
    """Return that no answer passes, or an empty text if one does or may."""
    results = [verification.compare("", verification.ground_truth, answer, None) for answer in [None, *answers]]
    # An error proves nothing about other answers.
    if any(result.passed or result.error is not None for result in results):
        return ""
    notes = next((f" ({', '.join(result.notes)})" for result in results[1:] if result.notes), "")
    return f"its own operator {verification.operator.name} does not pass on it{notes}"


def _may_match_in_another_case(verification: Verification, problems: Iterable[Problem]) -> bool:
    """Return whether a text fails the field's pattern only by its case, which the operator ignores."""
    operator = verification.operator
    folds_case = {"lowercase", "casefold"}.intersection(getattr(operator, "normalize", ()))
    if getattr(operator, "case_sensitive", True) and not folds_case:
        return False
    for problem in problems:
        pattern = problem.context.get("pattern")
        try:
            if pattern and re.search(pattern, str(problem.value), re.IGNORECASE):
                return True
        except re.error:
            return True
    return False


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


def _possible_answers(verification: Verification, field: FieldInfo) -> Iterator[Any]:
    """Yield the ground truth and forms of it; one of them passes if any value of the field does."""
    operator = verification.operator
    steps = getattr(operator, "normalize", ())
    truths = [verification.ground_truth]
    if isinstance(operator, OneOf):
        truths = as_list(operator.effective_expected(verification.ground_truth)) or []
    for truth in truths:
        yield truth
        if isinstance(operator, DateMatch | DateTolerance):
            yield from _date_forms(operator, truth)
        elif operator.kind == "number":
            yield from _number_forms(operator, truth, field)
        elif isinstance(truth, str):
            stripped = truth.strip()
            yield from (stripped, normalize(truth, steps))
            yield from (stripped.lower(), stripped.upper(), stripped.title(), stripped.capitalize())
            for step in steps:
                if isinstance(step, SynonymMap):
                    yield from step.mapping
        elif (items := as_list(truth)) is not None:
            # An item may be a member of an enumeration that equals it.
            choices = choices_of(_item_type(field))
            equals = Exact(normalize=steps).check
            yield [next((choice for choice in choices if equals(choice, item)), item) for item in items]


def _item_type(field: FieldInfo) -> Any:
    """Return the type of the items of a list, or None."""
    return next((get_args(kind)[0] for kind in types_of(field.annotation) if get_args(kind)), None)


def _number_forms(operator: Operator, truth: Any, field: FieldInfo) -> Iterator[Any]:
    number = as_decimal(truth)
    if number is None and isinstance(truth, str):
        number = as_decimal(normalize(truth, getattr(operator, "normalize", ())))
    if number is None or not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return

    numbers = [number]
    if isinstance(operator, NumericTolerance):
        limit = as_exact(operator.tolerance)
        if operator.mode == "relative":
            limit *= abs(number)
        numbers += [number - limit, number + limit]
        bounds = [as_decimal(getattr(item, name, None)) for name in _BOUNDS for item in field.metadata]
        numbers += [bound for bound in bounds if bound]
    for one in numbers:
        yield from (one, str(one), math.floor(one), math.ceil(one), float(one))


def _date_forms(operator: DateMatch | DateTolerance, truth: Any) -> Iterator[Any]:
    date_format = operator.format if isinstance(operator, DateMatch) else None
    if date_format is None:
        date = read_date(truth, day_first=operator.day_first)
    else:
        date = read_formatted(truth, date_format, or_iso=True)
    if isinstance(date, str):
        return

    moments = [date.moment or datetime.datetime.combine(date.day, datetime.time())]
    if isinstance(operator, DateTolerance):
        for sign in (1, -1):
            with contextlib.suppress(OverflowError):
                moments.append(moments[0] + sign * datetime.timedelta(**{operator.unit: operator.tolerance}))
    for moment in moments:
        yield from (moment.date(), moment, moment.date().isoformat(), moment.isoformat())
        if date_format is not None:
            yield moment.strftime(date_format)
