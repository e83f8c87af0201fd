"""Small changes of a correct value, each of which makes it wrong."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.dates import ReadDate, read_date
from pytest_verdict.operators.date import DateMatch, DateRange, DateTolerance
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.lists import SetContainment
from pytest_verdict.operators.number import NumericMaximum, NumericMinimum, NumericRange, NumericTolerance
from pytest_verdict.templates.field import choices_of

Mutations = Iterator[tuple[str, Any]]


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
    kind = type(value)
    if isinstance(operator, NumericTolerance):
        limit = as_exact(operator.tolerance) * (abs(Decimal(str(truth))) if operator.mode == "relative" else 1)
        beyond = limit + (1 if kind is int else limit / 1000 or Decimal("0.001"))
        steps = {"beyond tolerance, above": beyond, "beyond tolerance, below": -beyond}
        yield from ((label, kind(Decimal(str(truth)) + step)) for label, step in steps.items())
        yield from _far_away(value)
    elif isinstance(operator, NumericRange):
        bounds = {"below min": (operator.min, -1), "above max": (operator.max, 1)}
        yield from (
            (label, kind(as_exact(bound) + step)) for label, (bound, step) in bounds.items() if bound is not None
        )
    elif isinstance(operator, NumericMinimum | NumericMaximum):
        yield "beyond the limit", kind(truth - 1 if isinstance(operator, NumericMinimum) else truth + 1)
    else:
        step = 1 if kind is int else kind(max(abs(value) / 100, kind("0.01")))
        # What is added to infinity, or to a float beyond 2**53, may change nothing.
        changed = (("a little more", value + step), ("a little less", value - step))
        yield from ((label, number) for label, number in changed if number != value)
        yield from _far_away(value)


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
    yield "item added", make([*items, _another(items)])
    is_ordered = isinstance(value, list | tuple) and not isinstance(operator, SetContainment)
    if is_ordered and len(items) > 1 and items[0] != items[1]:
        yield "two items swapped", make([items[1], items[0], *items[2:]])
    if items and isinstance(items[0], str) and items[0]:
        yield "item changed", make([next(_texts(items[0]))[1], *items[1:]])


def _another(items: list[Any]) -> Any:
    numbers = [item for item in items if isinstance(item, int | float) and not isinstance(item, bool)]
    return max(numbers) + 1 if numbers else "an item that is not expected"


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
    beyond: dict[str, int] = (
        {operator.unit: operator.tolerance + 1} if isinstance(operator, DateTolerance) else {"days": 1}
    )
    step = datetime.timedelta(**beyond)
    shifts = {"later": (truth, step), "earlier": (truth, -step)}
    if isinstance(operator, DateRange):
        shifts = {"before min": (operator.min, -step), "after max": (operator.max, step)}
    for label, (day, shift) in shifts.items():
        found = read_date(day)
        # 9999-12-31 is often written for "no end"; there is nothing after it.
        with contextlib.suppress(OverflowError):
            if not isinstance(found, str):
                yield label, _moment(found) + shift
    found = read_date(truth)
    if isinstance(operator, DateRange) or isinstance(found, str):
        return
    for label, years in {"a year later": 1, "a year earlier": -1}.items():
        # A year of four digits, and no 29 February in it.
        with contextlib.suppress(ValueError):
            moment = _moment(found)
            yield label, moment.replace(year=moment.year + years, day=min(moment.day, 28))


def _moment(found: ReadDate) -> datetime.datetime:
    return found.moment or datetime.datetime.combine(found.day, datetime.time())
