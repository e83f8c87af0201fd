"""Where the expected answer stands in what a judge is told."""

from __future__ import annotations

import datetime
import enum
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, Literal, get_args, get_origin

from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.field import texts_in
from pytest_verdict.templates.verification import Verification

_OWN: Final = ("its description", "its extraction hint")
_LONG: Final = 3
"""A text of fewer characters occurs elsewhere than in its own description by chance."""


def leaks(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    """Find the expected answer of a field in what a judge is told.

    Args:
        template: The template.
        name: The field.
        verification: Its hidden half.

    Returns:
        An iterator of pairs: where it stands, in words, and what stands there.
    """
    answers = [answer for answer in dict.fromkeys(_answers(verification)) if answer]
    for place, text in _places(template, name, verification).items():
        shared = place not in _OWN
        for answer in answers:
            if _occurs(answer, text) and (len(answer) >= _LONG or not shared):
                if not shared and _names_every_choice(template.model_fields[name].annotation, text):
                    continue
                yield place, answer


def _places(template: type[BaseAnswer], name: str, verification: Verification) -> dict[str, str]:
    fields = template.model_fields
    found = {
        "its description": fields[name].description or "",
        "its extraction hint": verification.hint or "",
        "its name": name.replace("_", " "),
        "the name of the template": re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", template.__name__),
        "the docstring of the template": template.__doc__ or "",
    }
    for other in template.__verdict_plan__.parsed:
        if other != name:
            found[f"the description of {other}"] = fields[other].description or ""
    return found


def _answers(verification: Verification) -> Iterator[str]:
    truth = verification.ground_truth
    yield from _written(truth)
    expected = verification.operator.effective_expected(truth)
    if verification.operator.name in {"contains_any", "contains_all", "one_of"}:
        yield from texts_in(expected)


def _written(truth: Any) -> Iterator[str]:
    if isinstance(truth, bool) or truth is None:
        return
    if isinstance(truth, enum.Enum):
        yield from _written(truth.value)
    elif isinstance(truth, int | float | Decimal):
        yield str(truth)
        if not isinstance(truth, int) and float(truth).is_integer():
            yield str(int(truth))
        if isinstance(truth, int):
            yield f"{truth:,}"
    elif isinstance(truth, datetime.date):
        yield truth.isoformat()
    elif isinstance(truth, Mapping):
        for item in truth.values():
            yield from _written(item)
    elif isinstance(truth, str):
        yield truth.strip()
    else:
        yield from texts_in(truth)


def _occurs(answer: str, text: str) -> bool:
    words = r"\s+".join(map(re.escape, answer.split()))
    # 8 does not stand in 80, 1.8 or 8.5, and "TP53" not in "TP531".
    before = r"(?<!\w)" if not answer[:1].isdigit() else r"(?<!\w)(?<![0-9][.,])"
    after = r"(?!\w)" if not answer[-1:].isdigit() else r"(?!\w)(?![.,][0-9])"
    return re.search(f"{before}{words}{after}", text, re.IGNORECASE) is not None


def _names_every_choice(annotation: Any, text: str) -> bool:
    choices: list[Any] = []
    if get_origin(annotation) is Literal:
        choices = list(get_args(annotation))
    elif isinstance(annotation, type) and issubclass(annotation, enum.Enum):
        choices = [member.value for member in annotation]
    return len(choices) > 1 and all(_occurs(str(choice), text) for choice in choices)
