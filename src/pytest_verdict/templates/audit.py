"""`audit_template`: would this template ever fail?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_verdict.core.kernel import run
from pytest_verdict.core.result import ComparisonResult
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.mutations import mutations_of
from pytest_verdict.templates.parsing import parse_reply
from pytest_verdict.templates.template import AnswerTemplate


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
    tried = [
        (change, {**correct_values, change.field: change.after}, trace)
        for change in _mutations(template, correct_values)
    ]
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
    return run(match, expected, observed)
