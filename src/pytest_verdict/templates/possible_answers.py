"""Other forms of a ground truth that an operator may take for the same."""

from __future__ import annotations

import contextlib
import datetime
import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, get_args

from pydantic.fields import FieldInfo

from pytest_verdict.core.normalizers import Normalizer, SynonymMap, normalize
from pytest_verdict.core.operator import Operator
from pytest_verdict.core.values.dates import read_date, read_formatted
from pytest_verdict.core.values.numbers import as_decimal
from pytest_verdict.operators.category import OneOf
from pytest_verdict.operators.date import DateMatch, DateTolerance
from pytest_verdict.operators.exact_number import as_exact
from pytest_verdict.operators.lists import as_list
from pytest_verdict.operators.number import NumericTolerance
from pytest_verdict.operators.text import Exact
from pytest_verdict.templates.field import choices_of, types_of

_MOST_DIGITS: Final = 300
_BOUNDS: Final = ("ge", "gt", "le", "lt")


def possible_answers(operator: Operator, truth: Any, field: FieldInfo) -> Iterator[Any]:
    """Give the ground truth and forms of it, one of which the operator accepts if it accepts any value of the field."""
    if isinstance(operator, OneOf):
        for item in as_list(operator.effective_expected(truth)) or []:
            yield item
            yield from _forms(operator, item, field)
        return
    yield truth
    yield from _forms(operator, truth, field)


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
        yield [_item(item, inner, steps) for item in items]


def _texts(text: str, steps: Sequence[str | SynonymMap]) -> Iterator[str]:
    yield from (text.strip(), normalize(text, steps))
    yield from (change(text.strip()) for change in (str.lower, str.upper, str.title, str.capitalize))
    yield from (key for step in steps if isinstance(step, SynonymMap) for key in step.mapping)


def _item(item: Any, annotation: Any, steps: Sequence[Normalizer]) -> Any:
    """Write an item as one of the choices that its type leaves, where one of them equals it."""
    return next((choice for choice in choices_of(annotation) if Exact(normalize=steps).check(choice, item)), item)


def _numbers(operator: Operator, truth: Any, field: FieldInfo) -> Iterator[Any]:
    texts = [truth] if not isinstance(truth, str) else [truth, normalize(truth, getattr(operator, "normalize", ()))]
    number = next((found for found in map(as_decimal, texts) if found is not None), None)
    if number is None or not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        return
    around = [number]
    if isinstance(operator, NumericTolerance):
        limit = as_exact(operator.tolerance) * (abs(number) if operator.mode == "relative" else 1)
        around += [number - limit, number + limit]
        around += [
            bound for name in _BOUNDS for one in field.metadata if (bound := as_decimal(getattr(one, name, None)))
        ]
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
