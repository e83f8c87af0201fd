"""`audit_template` and ``pytest-verdict audit``: find the mistakes that a template would not notice.

The command imports the module, which runs its code. It asks no judge. Without --values, the ground truths are the correct
answer.

exit codes:
  0  every change is noticed
  1  a change is not noticed
  2  the module cannot be imported, has no template, or a correct answer does not pass itself (the other templates are audited)
"""

import argparse
import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pytest_verdict.console import complain, say
from pytest_verdict.core import kernel
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.dates import read_date
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.lists import SetContainment
from pytest_verdict.operators.number import NumericMaximum, NumericMinimum, NumericRange, NumericTolerance
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.discovery import load_templates
from pytest_verdict.templates.field import choices_of
from pytest_verdict.templates.form import parse_reply, plain_numbers
from pytest_verdict.templates.template import AnswerTemplate

DateOperator = DateMatch | DateTolerance | DateRange
# Kinds of changes, and the changed values.
Changes = Iterator[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Mutation:
    field: str
    kind: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.field}: {self.kind}: {shown(self.before, 60)} became {shown(self.after, 60)}"


@dataclass(frozen=True, slots=True)
class Audit:
    """The changes of a correct answer that a template does not notice."""

    template: str
    tried: int
    unnoticed: tuple[Mutation, ...]


def audit_template(template: type[BaseAnswer], correct_values: Mapping[str, Any], trace: str | None = None) -> Audit:
    """Change each correct value a little, one at a time, and check whether the answer still passes.

    Args:
        template: The template.
        correct_values: A correct answer: a value for each field that is extracted.
        trace: A correct raw response; needed when a field reads it (default: None).

    Returns:
        The number of changes, and those that no check noticed. They are not always mistakes: a check for a substring is meant
        to accept more than one text.

    Raises:
        TemplateError: The correct answer does not pass itself.

    Example:
        >>> from pytest_verdict.templates import ContainsAny, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ContainsAny(substrings=["Paris"]))
        >>> print(*audit_template(Answer, {"city": "Paris"}).unnoticed, sep="\\n")
        city: 'not' put before it: 'Paris' became 'not Paris'
    """
    work = AnswerTemplate(template)
    correct = _verify(work, correct_values, trace)
    if not correct.passed:
        failed = ", ".join(map(str, correct.details.get("failed", []))) or correct.error
        raise TemplateError(f"{template.__name__}: the correct answer does not pass itself: {failed}")

    mutations: list[Mutation] = []
    definition = template.__verdict_definition__
    # Values are changed as the template reads them: a date in text is a date.
    answer = parse_reply(template, correct_values).answer
    for name in definition.extracted:
        before = getattr(answer, name, None)
        truth: Any = before
        operator: Operator = definition.match
        if name in definition.verified:
            # Without a context, the default case applies.
            truth = definition.verified[name].alternatives[-1].ground_truth
            operator = definition.verified[name].operator
        for kind, after in _change_value(before, truth, operator, template.model_fields[name].annotation):
            mutations.append(Mutation(name, kind, before, after))
    unnoticed = [
        mutation
        for mutation in mutations
        if _verify(work, {**correct_values, mutation.field: mutation.after}, trace).passed
    ]
    if trace:
        mutations.append(Mutation("(trace)", "emptied", trace, ""))
        if _verify(work, correct_values, "").passed:
            unnoticed.append(mutations[-1])
    return Audit(template.__name__, len(mutations), tuple(unnoticed))


def _verify(template: AnswerTemplate, values: Mapping[str, Any], trace: str | None) -> ComparisonResult:
    # An audit is not a comparison of the test, so it is not recorded.
    match, expected, observed = template.prepare(values, trace)
    return kernel.run(match, expected, observed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")
    values_help = "a correct answer as a JSON object, for a module of one template (default: the ground truths)"
    parser.add_argument("--values", metavar="FILE", help=values_help)
    parser.add_argument("--trace", metavar="FILE", help="a correct raw response, as text (default: none)")


def run(arguments: argparse.Namespace) -> int:
    templates = load_templates(arguments.module, only_one=arguments.values is not None)
    trace = None
    if arguments.trace is not None:
        try:
            trace = Path(arguments.trace).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise TemplateError(f"{arguments.trace} is not text in UTF-8: {error}") from None
    code = 0
    for template in templates:
        if arguments.values is not None:
            values = _read_values(arguments.values)
        else:
            verified = template.__verdict_definition__.verified
            values = {name: one.alternatives[-1].ground_truth for name, one in verified.items() if not one.reads_trace}
        try:
            audit = audit_template(template, values, trace)
        except TemplateError as error:
            # The other templates are audited all the same.
            complain(f"not audited: {error}")
            code = 2
            continue
        for mutation in audit.unnoticed:
            say(f"not noticed: {audit.template}.{mutation}")
        say(f"{audit.template}: {format_count(audit.tried, 'change')}, {len(audit.unnoticed)} not noticed")
        if audit.unnoticed:
            code = max(code, 1)
    return code


def _read_values(path: str) -> dict[str, Any]:
    try:
        values = parse_json(Path(path).read_bytes())
    except JsonTextError as error:
        raise TemplateError(f"{path} is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise TemplateError(f"{path} is not a JSON object")
    return {name: plain_numbers(value) for name, value in values.items()}


def _change_value(value: Any, truth: Any, operator: Operator, annotation: Any) -> Changes:
    """Yield small changes of a correct value, by its kind."""
    if value is None:
        return
    choices = choices_of(annotation)
    if choices:
        yield from (("another choice", choice) for choice in choices if choice != value)
    elif isinstance(value, bool):
        yield "negated", not value
    elif isinstance(operator, DateOperator):
        yield from _change_date(value, truth, operator)
    elif isinstance(value, int | float | Decimal):
        yield from _change_number(value, truth, operator)
    elif isinstance(value, str):
        yield from _change_text(value)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from _change_collection(value, operator)
    yield "null", None


def _change_number(value: Any, truth: Any, operator: Operator) -> Changes:
    kind = type(value)
    try:
        exact = Decimal(str(truth))
    except InvalidOperation:
        # A ground truth such as "1,000" is near the correct value.
        exact = Decimal(str(value))

    if not exact.is_finite():
        yield from _change_magnitude(value)
    elif isinstance(operator, NumericTolerance):
        limit = as_exact(operator.tolerance)
        if operator.mode == "relative":
            limit *= abs(exact)
        step = Decimal(1) if kind is int else limit / 1000 or Decimal("0.001")
        beyond = limit + step
        yield "beyond tolerance, above", kind(exact + beyond)
        yield "beyond tolerance, below", kind(exact - beyond)
        yield from _change_magnitude(value)
    elif isinstance(operator, NumericRange):
        if operator.min is not None:
            yield "below min", kind(as_exact(operator.min) - 1)
        if operator.max is not None:
            yield "above max", kind(as_exact(operator.max) + 1)
    elif isinstance(operator, NumericMinimum | NumericMaximum):
        step = Decimal(1) if kind is int else max(Decimal(1), abs(exact) / 1000)
        if isinstance(operator, NumericMinimum):
            step = -step
        yield "beyond the limit", kind(exact + step)
    else:
        little = 1 if kind is int else kind(max(abs(value) / 100, kind("0.01")))
        # Adding to infinity, or to a float beyond 2**53, may change nothing.
        for label, number in (("a little more", value + little), ("a little less", value - little)):
            if number != value:
                yield label, number
        yield from _change_magnitude(value)


def _change_magnitude(value: Any) -> Changes:
    numbers = {"zero": 0, "another sign": -value, "ten times": value * 10, "a thousand times": value * 1000}
    for label, number in numbers.items():
        if number != value:
            yield label, type(value)(number)


def _change_text(text: str) -> Changes:
    if not text:
        yield "another text", "x"
        return
    last = text[-1]
    other = {"+": "-", "-": "+", "x": "y", "X": "y"}.get(last, "x")
    if last in "0123456789":
        other = str((int(last) + 1) % 10)
    yield "last character replaced", text[:-1] + other
    if len(text) > 1:
        yield "last character dropped", text[:-1]
    yield "'not' put before it", f"not {text}"
    yield "emptied", ""


def _change_collection(value: Any, operator: Operator) -> Changes:
    build: Callable[[list[Any]], Any] = type(value)
    items = list(value)
    if isinstance(value, set | frozenset):
        items.sort(key=repr)
    if items:
        yield "item dropped", build(items[:-1])
    numbers = [item for item in items if isinstance(item, int | float) and not isinstance(item, bool)]
    other: Any = "an item that is not expected"
    if numbers:
        other = max(numbers) + 1
    yield "item added", build([*items, other])
    is_ordered = isinstance(value, list | tuple) and not isinstance(operator, SetContainment)
    if is_ordered and len(items) > 1 and items[0] != items[1]:
        yield "two items swapped", build([items[1], items[0], *items[2:]])
    if items and isinstance(items[0], str) and items[0]:
        _, changed = next(_change_text(items[0]))
        yield "item changed", build([changed, *items[1:]])


def _change_date(value: Any, truth: Any, operator: DateOperator) -> Changes:
    delta = datetime.timedelta(days=1)
    if isinstance(operator, DateTolerance):
        delta = datetime.timedelta(**{operator.unit: operator.tolerance + 1})
    if isinstance(operator, DateRange):
        shifts = [("before min", operator.min, 0, -delta), ("after max", operator.max, 0, delta)]
    else:
        no_delta = datetime.timedelta()
        shifts = [
            ("later", truth, 0, delta),
            ("earlier", truth, 0, -delta),
            ("a year later", truth, 1, no_delta),
            ("a year earlier", truth, -1, no_delta),
        ]

    for label, start, years, difference in shifts:
        date = read_date(start)
        if isinstance(date, str):
            continue
        moment = date.moment or datetime.datetime.combine(date.day, datetime.time())
        if years:
            # Not every year has a 29 February.
            moment = moment.replace(day=min(moment.day, 28))
        try:
            moment = moment.replace(year=moment.year + years) + difference
        except (OverflowError, ValueError):
            # 9999-12-31, which often means "no end", has no later date.
            continue
        yield label, _format_date(moment, value, operator)


def _format_date(moment: datetime.datetime, value: Any, operator: DateOperator) -> Any:
    """Return a moment in the form of the correct value."""
    if isinstance(value, datetime.datetime):
        return moment
    if not isinstance(value, str):
        return moment.date()
    if isinstance(operator, DateMatch) and operator.format is not None:
        return moment.strftime(operator.format)
    if isinstance(operator, DateMatch) or moment.time() == datetime.time():
        return moment.date().isoformat()
    return moment.isoformat()
