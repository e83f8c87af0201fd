"""`lint_template` and ``pytest-verdict lint``: find what may mislead the judge of a template or accept a wrong answer.

The command imports the module, which runs its code. It asks no judge.

exit codes:
  0  nothing but notices
  1  there are warnings
  2  the module cannot be imported or has no template
"""

import argparse
import datetime
import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

from pytest_verdict.console import say
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.core.values.placeholders import has_fields, named_fields
from pytest_verdict.errors import TemplateError
from pytest_verdict.operators.text import NormalizedExact
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.discovery import load_templates
from pytest_verdict.templates.field import Verification, choices_of, texts_in
from pytest_verdict.templates.form import judge_schema
from pytest_verdict.templates.template_match import fields_in

# A choice does not say which one is right, and an only choice is a const too.
_STRUCTURE: Final = {"type", "format", "$ref", "required", "enum"}
_BY_NAME: Final = {"properties", "examples"}
_NAMED: Final = "(?:['\"`\u2018\u201c]|(?:e[.]g[.]|such as|for example|=)\\s*)"
# A shorter text occurs by chance in what is not about its own field.
_LONG: Final = 3
# Operators that a text passes because it is the answer. Half of all numbers pass a minimum, and every word some patterns.
_OPERATORS: Final = {
    *("exact", "normalized_exact", "literal", "one_of", "contains_any", "contains_all", "text_similarity"),
    *("set_containment", "ordered_match", "numeric_exact", "numeric_tolerance", "date_match", "date_tolerance"),
}
# Words that occur in any description.
_COMMON_WORDS: Final = (
    "a all an and any are as at be been both but by can did do does each every for from had has have he her his how i if in"
    " into is it its may more most no none nor not of off on one or other our out own she so some such than that the their"
    " them then there these they this those to up was we were what when where which who why will with yes you your"
)
_WORD: Final = re.compile(r"\S+")
_AROUND: Final = "'\"`\u2018\u2019\u201c\u201d()[]{}<>.,;:!?"
_MOST_WORDS: Final = 8
_LONGEST: Final = 5_000


@dataclass(frozen=True, slots=True)
class Finding:
    template: str
    field: str
    code: str
    message: str

    @property
    def level(self) -> Literal["warning", "notice"]:
        return "notice" if self.code == "boolean_anchors" else "warning"

    def __str__(self) -> str:
        return f"{self.template}.{self.field}: {self.code}: {self.message}"


def lint_template(template: type[BaseAnswer]) -> list[Finding]:
    """Find what may mislead a judge or accept a wrong answer. No judge is asked.

    Args:
        template: The template.

    Returns:
        The problems, in the order of the fields.

    Example:
        >>> from pytest_verdict.templates import ExactMatch, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     gene: str = VerifiedField("The gene symbol, e.g. TP53", ground_truth="TP53", verify_with=ExactMatch())
        >>> print(lint_template(Answer)[0])
        Answer.gene: answer_leaks: the expected 'TP53' occurs in its description; describe the value with another example
    """
    findings: list[Finding] = []
    definition = template.__verdict_definition__
    for name, verification in definition.verified.items():
        for case in verification.alternatives:
            if not verification.reads_trace:
                findings += _find_leaks(template, name, case)
                findings += [Finding(template.__name__, name, *problem) for problem in _check_ground_truth(case)]
        if definition.strategy is not None and name not in fields_in(definition.strategy):
            message = "it is not in the strategy, so a wrong value never fails; add it, or drop the field"
            findings.append(Finding(template.__name__, name, "not_in_strategy", message))

    try:
        correct: Any = getattr(template.model_construct(), "correct", None)
    except Exception:  # noqa: BLE001 - ground_truth() of a classic template may need an answer
        correct = None
    for name in definition.plain:
        if isinstance(correct, Mapping) and name in correct:
            # Nothing is known about the author's verify(); most fold case and punctuation.
            operator = NormalizedExact(normalize=["lowercase", "strip", "remove_punctuation"])
            verification = Verification(operator=operator, ground_truth=correct[name], hint=None)
            findings += _find_leaks(template, name, verification)
    return findings


def _check_ground_truth(verification: Verification) -> Iterator[tuple[str, str]]:
    """Yield codes and messages about the ground truth of a field."""
    truth = verification.ground_truth
    if isinstance(truth, bool):
        reason = "its description tells the judge what to look for, who may then find it"
        yield "boolean_anchors", f"{reason}; a field that extracts the value does not"
    lost = verification.find_lost_punctuation()
    if lost:
        change = f"remove_punctuation changes {shown(lost, 60)}"
        yield "lost_punctuation", f"{change}, which then equals texts that differ only in punctuation"
    # With built-in operators, a ground truth that nothing passes is refused when the class is defined.
    operator = verification.operator
    if not operator.evaluate_is_pure and not verification.compare("", truth, truth, None).passed:
        reason = f"{operator.name} does not pass on the ground truth {shown(truth, 60)} itself"
        yield "ground_truth_fails", f"{reason}; check that some answer passes"


def _find_leaks(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[Finding]:
    """Find the expected answer of a field in the texts that a judge reads."""
    truth = verification.ground_truth
    expected = dict.fromkeys(filter(None, _format_truth(truth)))
    if verification.operator.name in {"contains_any", "contains_all", "one_of"}:
        expected |= dict.fromkeys(filter(None, texts_in(verification.operator.effective_expected(truth))))
    try:
        form = judge_schema(template)
    except TemplateError:
        # Without a JSON schema for a type there is no form, but the descriptions are checked all the same.
        properties: dict[str, Any] = {}
        for extracted in template.__verdict_definition__.extracted:
            properties[extracted] = {"description": template.model_fields[extracted].description or ""}
        form = {"description": template.__doc__ or "", "properties": properties}
    field_schema = form.get("properties", {}).pop(name, {})
    own_texts = {f"its {key}": text for key, text in _texts_by_keyword(name, field_schema)}
    own_texts["its extraction hint"] = verification.hint or ""
    choices = choices_of(template.model_fields[name].annotation)
    if len(choices) > 1:
        # A text that lists all choices does not say which one is right.
        names = [str(getattr(choice, "value", choice)) for choice in choices]
        own_texts = {
            place: text for place, text in own_texts.items() if not all(_has_words(one, text) for one in names)
        }

    for place, text in {**own_texts, **_surrounding_texts(template, name, form)}.items():
        shortest = 1 if place in own_texts else _LONG
        answers = [answer for answer in expected if len(answer) >= shortest and _occurs(answer, text)]
        if not answers:
            span = _find_passing_span(verification, text, shortest)
            answers = [span] if span else []
        for answer in answers:
            message = f"the expected {shown(answer, 60)} occurs in {place}; describe the value with another example"
            yield Finding(template.__name__, name, "answer_leaks", message)


def _surrounding_texts(template: type[BaseAnswer], name: str, form: dict[str, Any]) -> dict[str, str]:
    """Return the texts around a field that a judge reads, by place; the form is without the field."""
    others = form.pop("properties", {})
    definitions = form.pop("$defs", {})
    texts = {
        "its name": name.replace("_", " "),
        "the name of the template": re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", template.__name__),
        "the docstring of the template": form.pop("description", ""),
    }
    texts.update({f"the {key} of the template": text for key, text in _texts_by_keyword(template.__name__, form)})
    for other, schema in (*others.items(), *definitions.items()):
        texts.update({f"the {key} of {other}": text for key, text in _texts_by_keyword(other, schema)})
    return texts


def _texts_by_keyword(name: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for keyword, value in schema.items():
        text = "; ".join(_texts_of(keyword, value))
        # A title consists of the name, unless the author set another one.
        is_name = keyword == "title" and text.replace(" ", "").casefold() == name.replace("_", "").casefold()
        if text and not is_name:
            yield keyword, text


def _texts_of(keyword: str, value: Any) -> Iterator[str]:
    """Yield the texts and numbers of a keyword of a JSON schema, without structure, bounds and choices."""
    if keyword in _STRUCTURE:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            # A property may have the name of a keyword, such as "type".
            yield from _texts_of("" if keyword in _BY_NAME else name, item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_of(keyword if keyword in _BY_NAME else "", item)
    elif keyword in {"", "const", "examples"} and not isinstance(value, bool | None):
        yield str(value)


def _format_truth(truth: Any) -> Iterator[str]:
    """Yield the forms in which a text may have a ground truth."""
    if isinstance(truth, enum.Enum):
        truth = truth.value
    if isinstance(truth, bool):
        return
    if isinstance(truth, int):
        yield from (str(truth), f"{truth:,}")
    elif isinstance(truth, float | Decimal):
        yield str(truth)
        if float(truth).is_integer():
            yield str(int(truth))
    elif isinstance(truth, datetime.date):
        yield truth.isoformat()
    elif isinstance(truth, str):
        yield truth.strip()
    else:
        for item in _list_items(truth):
            yield from _format_truth(item)


def _list_items(value: Any) -> list[Any]:
    if has_fields(value):
        return list(named_fields(value)[2].values())
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return list(value) if isinstance(value, list | tuple) else []


def _occurs(answer: str, text: str) -> bool:
    """Return whether a text has the answer; a common word must be quoted or an example."""
    if _is_common(answer):
        return re.search(rf"{_NAMED}{re.escape(answer)}(?!\w)", text) is not None
    return _has_words(answer, text)


def _has_words(answer: str, text: str) -> bool:
    words = r"\s+".join(map(re.escape, answer.split()))
    # 8 does not occur in 80, 1.8 or 8.5, nor "TP53" in "TP531".
    before = r"(?<!\w)"
    if answer[:1].isdigit():
        before += r"(?<![0-9][.,])"
    after = r"(?!\w)"
    if answer[-1:].isdigit():
        after += r"(?![.,][0-9])"
    return re.search(f"{before}{words}{after}", text, re.IGNORECASE) is not None


def _is_common(answer: str) -> bool:
    """Return whether an answer is one letter, or a word that occurs in any description."""
    return answer.casefold() in _COMMON_WORDS.split() or (len(answer) == 1 and answer.isalpha())


def _find_passing_span(verification: Verification, text: str, shortest: int) -> str:
    """Return the shortest words of a text that the operator accepts for the ground truth, or an empty text."""
    operator = verification.operator
    truth = verification.ground_truth
    if operator.name not in _OPERATORS or isinstance(truth, bool) or truth is None:
        return ""
    is_list = operator.kind == "list"
    truths = [truth]
    if is_list:
        truths = [[item] for item in texts_in(truth)]
    answers = texts_in(operator.effective_expected(truth))
    most_words = max((len(answer.split()) for answer in answers), default=1) + 2
    if operator.kind == "date" or most_words > _MOST_WORDS:
        most_words = _MOST_WORDS
    most_characters = _LONGEST
    if operator.name.startswith("contains_"):
        # A word that merely contains a letter of the answer reveals nothing.
        most_characters = max(map(len, answers), default=0) + 2

    words = list(_WORD.finditer(text[:_LONGEST]))
    for count in range(1, most_words + 1):
        for first, last in zip(words, words[count - 1 :], strict=False):
            phrase = text[first.start() : last.end()]
            for span in dict.fromkeys((phrase.strip(_AROUND), phrase)):
                if not shortest <= len(span) <= most_characters or _is_common(span):
                    continue
                observed = [span] if is_list else span
                if any(verification.compare("", item, observed, None).passed for item in truths):
                    return span
    return ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")


def run(arguments: argparse.Namespace) -> int:
    templates = load_templates(arguments.module)
    findings = [finding for template in templates for finding in lint_template(template)]
    for finding in findings:
        say(f"{finding.level}: {finding}")
    warnings = sum(finding.level == "warning" for finding in findings)
    notices = len(findings) - warnings
    say(
        f"{format_count(len(templates), 'template')}, {format_count(warnings, 'warning')}, {format_count(notices, 'notice')}"
    )
    return 1 if warnings else 0
