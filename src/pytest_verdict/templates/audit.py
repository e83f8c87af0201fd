"""`audit_template` and ``pytest-verdict audit``: would this template ever fail?"""

import argparse
import contextlib
import datetime
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core import kernel
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.dates import read_date
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.lists import SetContainment
from pytest_verdict.operators.number import NumericMaximum, NumericMinimum, NumericRange, NumericTolerance
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.discovery import load_templates
from pytest_verdict.templates.field import choices_of
from pytest_verdict.templates.parsing import parse_reply, plain_numbers
from pytest_verdict.templates.template import AnswerTemplate

Mutations = Iterator[tuple[str, Any]]

_EXIT_CODES: Final = """\
The module is imported, which runs its code. No judge is asked. Without --values the ground truths are the correct answer.

exit codes:
  0  every change is noticed
  1  a change is not noticed
  2  the module cannot be imported, has no template, or a correct answer does not pass itself (the other templates are audited)
"""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A correct answer with one thing changed."""

    field: str
    kind: str
    before: Any
    after: Any

    def __str__(self) -> str:
        return f"{self.field}: {self.kind}: {shown(self.before, 60)} became {shown(self.after, 60)}"


@dataclass(frozen=True, slots=True)
class Audit:
    """Which changes of a correct answer a template notices."""

    template: str
    tried: int
    unnoticed: tuple[Mutation, ...]


def audit_template(template: type[BaseAnswer], correct_values: Mapping[str, Any], trace: str | None = None) -> Audit:
    """Change each correct value a little, one at a time, and see whether the answer still passes.

    Args:
        template: The template.
        correct_values: A correct answer: a value for each field that is extracted.
        trace: A correct raw response; needed when something reads it.

    Returns:
        What was tried, and what no check noticed. A change that is not noticed is not always a mistake: a check for a
        substring is meant to accept more than one text.

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
    correct = _verified(work, correct_values, trace)
    if not correct.passed:
        failed = ", ".join(map(str, correct.details.get("failed", []))) or correct.error
        raise TemplateError(f"{template.__name__}: the correct answer does not pass itself: {failed}")
    changes = _mutations(template, correct_values)
    tried = [(change, {**correct_values, change.field: change.after}, trace) for change in changes]
    if trace:
        tried.append((Mutation("(trace)", "emptied", trace, ""), {**correct_values}, ""))
    unnoticed = tuple(change for change, values, raw in tried if _verified(work, values, raw).passed)
    return Audit(template.__name__, len(tried), unnoticed)


def _mutations(template: type[BaseAnswer], values: Mapping[str, Any]) -> Iterator[Mutation]:
    definition = template.__verdict_definition__
    # As the template reads it: a date that was written as text is a date.
    answer = parse_reply(template, values).answer
    for name in definition.parsed:
        before = getattr(answer, name, None)
        found = definition.verified.get(name)
        truth, operator = (before, definition.match) if found is None else (found.ground_truth, found.operator)
        for kind, after in mutations_of(before, truth, operator, template.model_fields[name].annotation):
            yield Mutation(name, kind, before, after)


def _verified(work: AnswerTemplate, values: Mapping[str, Any], trace: str | None) -> ComparisonResult:
    # An audit is no comparison of the test, and is not recorded.
    match, expected, observed = work.prepared(values, trace)
    return kernel.run(match, expected, observed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")
    values = "a correct answer as a JSON object, for a module of one template"
    parser.add_argument("--values", metavar="FILE", help=values)
    parser.add_argument("--trace", metavar="FILE", help="a correct raw response, as text")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    templates = load_templates(arguments.module, only_one=arguments.values is not None)
    trace = None if arguments.trace is None else _text(arguments.trace)
    code = 0
    for template in templates:
        values = _values(template, arguments.values)
        try:
            audit = audit_template(template, values, trace)
        except TemplateError as error:
            # The others are audited all the same.
            complain(f"not audited: {error}")
            code = 2
            continue
        for change in audit.unnoticed:
            say(f"not noticed: {audit.template}.{change}")
        say(f"{audit.template}: {counted(audit.tried, 'change')}, {len(audit.unnoticed)} not noticed")
        code = max(code, 1 if audit.unnoticed else 0)
    return code


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path} is no text in UTF-8: {error}") from None


def _values(template: type[BaseAnswer], path: str | None) -> dict[str, Any]:
    if path is None:
        definition = template.__verdict_definition__
        return {name: definition.expected[name] for name in definition.parsed if name in definition.expected}
    try:
        values = parse_json(Path(path).read_bytes())
    except JsonTextError as error:
        raise TemplateError(f"{path} is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise TemplateError(f"{path} holds no JSON object")
    return {name: plain_numbers(value) for name, value in values.items()}


def mutations_of(value: Any, truth: Any, operator: Operator, annotation: Any) -> Mutations:
    """Change a correct value a little, in the ways of its kind."""
    if value is None:
        return
    choices = choices_of(annotation)
    if choices:
        yield from (("another choice", choice) for choice in choices if choice != value)
    elif isinstance(value, bool):
        yield "negated", not value
    elif isinstance(operator, DateMatch | DateTolerance | DateRange):
        yield from _dates(value, truth, operator)
    elif isinstance(value, int | float | Decimal):
        yield from _numbers(value, truth, operator)
    elif isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, list | tuple | set | frozenset):
        yield from _collections(value, operator)
    yield "null", None


def _numbers(value: Any, truth: Any, operator: Operator) -> Mutations:
    kind, exact = type(value), _exact(truth, value)
    if not exact.is_finite():
        yield from _far_away(value)
    elif isinstance(operator, NumericTolerance):
        limit = as_exact(operator.tolerance) * (abs(exact) if operator.mode == "relative" else 1)
        beyond = limit + (1 if kind is int else limit / 1000 or Decimal("0.001"))
        steps = {"beyond tolerance, above": beyond, "beyond tolerance, below": -beyond}
        yield from ((label, kind(exact + step)) for label, step in steps.items())
        yield from _far_away(value)
    elif isinstance(operator, NumericRange):
        bounds = {"below min": (operator.min, -1), "above max": (operator.max, 1)}
        given = [(label, bound, step) for label, (bound, step) in bounds.items() if bound is not None]
        yield from ((label, kind(as_exact(bound) + step)) for label, bound, step in given)
    elif isinstance(operator, NumericMinimum | NumericMaximum):
        more = 1 if kind is int else max(Decimal(1), abs(exact) / 1000)
        yield "beyond the limit", kind(exact - more if isinstance(operator, NumericMinimum) else exact + more)
    else:
        step = 1 if kind is int else kind(max(abs(value) / 100, kind("0.01")))
        # What is added to infinity, or to a float beyond 2**53, may change nothing.
        changed = (("a little more", value + step), ("a little less", value - step))
        yield from ((label, number) for label, number in changed if number != value)
        yield from _far_away(value)


def _exact(truth: Any, value: Any) -> Decimal:
    try:
        return Decimal(str(truth))
    except InvalidOperation:
        # Such as "1,000"; the correct value is near it.
        return Decimal(str(value))


def _far_away(value: Any) -> Mutations:
    changed = {"zero": 0, "another sign": -value, "ten times": value * 10, "a thousand times": value * 1000}
    yield from ((label, type(value)(number)) for label, number in changed.items() if number != value)


def _texts(text: str) -> Mutations:
    if not text:
        yield "another text", "x"
        return
    last = text[-1]
    others = {"+": "-", "-": "+"}
    other = others.get(last, "x" if last.lower() != "x" else "y")
    yield "last character replaced", text[:-1] + (str((int(last) + 1) % 10) if last in "0123456789" else other)
    if len(text) > 1:
        yield "last character dropped", text[:-1]
    yield "'not' put before it", f"not {text}"
    yield "emptied", ""


def _collections(value: Any, operator: Operator) -> Mutations:
    make: Callable[[list[Any]], Any] = type(value)
    items = sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value)
    if items:
        yield "item dropped", make(items[:-1])
    numbers = [item for item in items if isinstance(item, int | float) and not isinstance(item, bool)]
    yield "item added", make([*items, max(numbers) + 1 if numbers else "an item that is not expected"])
    is_ordered = isinstance(value, list | tuple) and not isinstance(operator, SetContainment)
    if is_ordered and len(items) > 1 and items[0] != items[1]:
        yield "two items swapped", make([items[1], items[0], *items[2:]])
    if items and isinstance(items[0], str) and items[0]:
        yield "item changed", make([next(_texts(items[0]))[1], *items[1:]])


def _dates(value: Any, truth: Any, operator: DateMatch | DateTolerance | DateRange) -> Mutations:
    for label, moment in _moments(truth, operator):
        if not isinstance(value, str):
            yield label, moment if isinstance(value, datetime.datetime) else moment.date()
        elif isinstance(operator, DateMatch) and operator.format is not None:
            yield label, moment.strftime(operator.format)
        else:
            is_day = isinstance(operator, DateMatch) or moment.time() == datetime.time()
            yield label, (moment.date() if is_day else moment).isoformat()


def _moments(truth: Any, operator: DateMatch | DateTolerance | DateRange) -> Iterator[tuple[str, datetime.datetime]]:
    beyond = (operator.unit, operator.tolerance + 1) if isinstance(operator, DateTolerance) else ("days", 1)
    step, none = datetime.timedelta(**dict([beyond])), datetime.timedelta()
    shifts = [("later", truth, step, 0), ("earlier", truth, -step, 0)]
    shifts += [("a year later", truth, none, 1), ("a year earlier", truth, none, -1)]
    if isinstance(operator, DateRange):
        shifts = [("before min", operator.min, -step, 0), ("after max", operator.max, step, 0)]
    for label, day, shift, years in shifts:
        found = read_date(day)
        if isinstance(found, str):
            continue
        moment = found.moment or datetime.datetime.combine(found.day, datetime.time())
        # 9999-12-31 is often written for "no end": there is nothing after it. A year has four digits, and few a 29 February.
        with contextlib.suppress(OverflowError, ValueError):
            day_of_month = min(moment.day, 28) if years else moment.day
            yield label, moment.replace(year=moment.year + years, day=day_of_month) + shift
