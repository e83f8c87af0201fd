"""Finding the expected answer in what a judge is told."""

import datetime
import enum
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from pytest_verdict.core.values.placeholders import has_fields, named_fields
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.text import NormalizedExact
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.field import Verification, choices_of, texts_in
from pytest_verdict.templates.request import judge_schema

# A choice tells nobody which one is right, and an only choice is a const too.
_STRUCTURE: Final = {"type", "format", "$ref", "required", "enum"}
_BY_NAME: Final = {"properties", "examples"}
_NAMED: Final = "(?:['\"`\u2018\u201c]|(?:e[.]g[.]|such as|for example|=)\\s*)"
_LONG: Final = 3
"""A text of fewer characters occurs elsewhere than in its own description by chance."""


def answer_leaks(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    """Find the places in what a judge is told that hold the expected answer of a field."""
    answers = [answer for answer in dict.fromkeys(_answers(verification)) if answer]
    own, shared = _places(template, name, verification)
    choices = choices_of(template.model_fields[name].annotation)
    if len(choices) > 1:
        names = [str(one.value if isinstance(one, enum.Enum) else one) for one in choices]
        own = {place: text for place, text in own.items() if not all(_occurs(one, text) for one in names)}
    for place, text in {**own, **shared}.items():
        shortest = 1 if place in own else _LONG
        found = [answer for answer in answers if len(answer) >= shortest and _tells(answer, text)]
        found = found or [span for span in spans_that_pass(verification, text) if len(span) >= shortest][:1]
        yield from ((place, answer) for answer in found)


def _places(template: type[BaseAnswer], name: str, verification: Verification) -> tuple[dict[str, str], dict[str, str]]:
    """Collect what a judge is told of a field itself, and of everything around it."""
    form = _form(template)
    fields, definitions = form.pop("properties", {}), form.pop("$defs", {})
    own = {f"its {key}": text for key, text in _texts_by_keyword(name, fields.pop(name, {}))}
    own["its extraction hint"] = verification.hint or ""
    shared = {
        "its name": name.replace("_", " "),
        "the name of the template": re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", template.__name__),
        "the docstring of the template": form.pop("description", ""),
    }
    shared.update({f"the {key} of the template": text for key, text in _texts_by_keyword(template.__name__, form)})
    for other, schema in (*fields.items(), *definitions.items()):
        shared.update({f"the {key} of {other}": text for key, text in _texts_by_keyword(other, schema)})
    return own, shared


def _form(template: type[BaseAnswer]) -> dict[str, Any]:
    try:
        return judge_schema(template)
    except TemplateError:
        # A type without a JSON schema is no form, but its descriptions are read all the same.
        names = template.__verdict_definition__.parsed
        properties = {name: {"description": template.model_fields[name].description or ""} for name in names}
        return {"description": template.__doc__ or "", "properties": properties}


def _texts_by_keyword(name: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for keyword, value in schema.items():
        text = "; ".join(_texts_of(keyword, value))
        # A title is made of the name, unless the author gave another one.
        is_name = keyword == "title" and text.replace(" ", "").casefold() == name.replace("_", "").casefold()
        if text and not is_name:
            yield keyword, text


def _texts_of(keyword: str, value: Any) -> Iterator[str]:
    """Give the texts and numbers in the value of a keyword of a JSON schema, other than structure, bounds and choices."""
    if keyword in _STRUCTURE:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inside in value.items():
            # What is called type among the properties is a property.
            yield from _texts_of("" if keyword in _BY_NAME else name, inside)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_of(keyword if keyword in _BY_NAME else "", item)
    elif keyword in {"", "const", "examples"} and not isinstance(value, bool | None):
        yield str(value)


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
    elif isinstance(truth, str):
        yield truth.strip()
    else:
        for item in _items(truth):
            yield from _written(item)


def _items(truth: Any) -> Iterable[Any]:
    if has_fields(truth):
        return named_fields(truth)[2].values()
    if isinstance(truth, Mapping):
        return truth.values()
    if isinstance(truth, set | frozenset):
        return sorted(truth, key=repr)
    return truth if isinstance(truth, list | tuple) else ()


def classic_fields(template: type[BaseAnswer]) -> Iterator[tuple[str, Verification]]:
    """Give what ``ground_truth()`` of a classic template says is correct, where it says so without an answer."""
    try:
        correct: Any = getattr(template.model_construct(), "correct", None)
    except Exception:  # noqa: BLE001 - code of the author, which may need an answer
        return
    for name in template.__verdict_definition__.plain if isinstance(correct, Mapping) else ():
        if name in correct:
            # How verify() compares is not known; most fold case and punctuation.
            operator = NormalizedExact(normalize=["lowercase", "strip", "remove_punctuation"])
            yield name, Verification(operator=operator, ground_truth=correct[name], hint=None)


def _tells(answer: str, text: str) -> bool:
    """Say whether a text holds the answer; one that is a word of every description only where it is quoted or an example."""
    if not is_common(answer):
        return _occurs(answer, text)
    return re.search(rf"{_NAMED}{re.escape(answer)}(?!\w)", text) is not None


def _occurs(answer: str, text: str) -> bool:
    words = r"\s+".join(map(re.escape, answer.split()))
    # 8 does not stand in 80, 1.8 or 8.5, and "TP53" not in "TP531".
    before = r"(?<!\w)" if not answer[:1].isdigit() else r"(?<!\w)(?<![0-9][.,])"
    after = r"(?!\w)" if not answer[-1:].isdigit() else r"(?!\w)(?![.,][0-9])"
    return re.search(f"{before}{words}{after}", text, re.IGNORECASE) is not None


_OPERATORS: Final = {
    *("exact", "normalized_exact", "literal", "one_of", "contains_any", "contains_all", "text_similarity"),
    *("set_containment", "ordered_match", "numeric_exact", "numeric_tolerance", "date_match", "date_tolerance"),
}
"""Operators that a text passes because it is the answer; half of all numbers pass a minimum, and every word some patterns."""

_COMMON_WORDS: Final = (
    "a all an and any are as at be been both but by can did do does each every for from had has have he her his how i if in"
    " into is it its may more most no none nor not of off on one or other our out own she so some such than that the their"
    " them then there these they this those to up was we were what when where which who why will with yes you your"
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())
_WORD: Final = re.compile(r"\S+")
_AROUND: Final = "'\"`\u2018\u2019\u201c\u201d()[]{}<>.,;:!?"
_MOST_WORDS: Final = 8
_LONGEST: Final = 5_000


def is_common(answer: str) -> bool:
    """Say whether an answer is one letter or a word that stands in descriptions anyhow."""
    return answer.casefold() in _COMMON or (len(answer) == 1 and answer.isalpha())


def spans_that_pass(verification: Verification, text: str) -> Iterator[str]:
    """Find the parts of a text, of one word or several, that the operator accepts for the ground truth; shortest first."""
    operator, truth = verification.operator, verification.ground_truth
    if operator.name not in _OPERATORS or isinstance(truth, bool) or truth is None:
        return
    is_list = operator.kind == "list"
    wholes = [[text] for text in texts_in(truth)] if is_list else [truth]
    wanted = texts_in(operator.effective_expected(truth))
    longest = max((len(text.split()) for text in wanted), default=1)
    # A word that merely contains one letter of the answer tells nothing.
    most_characters = max(map(len, wanted), default=0) + 2 if operator.name.startswith("contains_") else _LONGEST
    most = _MOST_WORDS if operator.kind == "date" else min(longest + 2, _MOST_WORDS)
    for span in _spans(text[:_LONGEST], most):
        if len(span) > most_characters or is_common(span):
            continue
        observed = [span] if is_list else span
        if any(verification.compare("", whole, observed, None).passed for whole in wholes):
            yield span


def _spans(text: str, most: int) -> Iterator[str]:
    words = [(word.start(), word.end()) for word in _WORD.finditer(text)]
    for count, start in itertools.product(range(1, most + 1), range(len(words))):
        if start + count <= len(words):
            whole = text[words[start][0] : words[start + count - 1][1]]
            yield from dict.fromkeys(span for span in (whole.strip(_AROUND), whole) if span)
