"""`audit_template`: would this template ever fail?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_verdict.core.kernel import run
from pytest_verdict.core.values.display import shown
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.changes import small_changes
from pytest_verdict.templates.parsing import parse_reply
from pytest_verdict.templates.template import AnswerTemplate


@dataclass(frozen=True, slots=True)
class Change:
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
    unnoticed: tuple[Change, ...]


def audit_template(template: type[BaseAnswer], correct_values: Mapping[str, Any], trace: str | None = None) -> Audit:
    """Change each correct value a little, one at a time, and look whether the answer still passes.

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
        >>> from pytest_verdict.operators.text import ContainsAny
        >>> from pytest_verdict.templates.field import VerifiedField
        >>> class Answer(BaseAnswer):
        ...     city: str = VerifiedField("The city", ground_truth="Paris", verify_with=ContainsAny(substrings=["Paris"]))
        >>> print(*audit_template(Answer, {"city": "Paris"}).unnoticed, sep="\\n")
        city: 'not' put before it: 'Paris' became 'not Paris'
    """
    work = AnswerTemplate(template)
    if not _passes(work, correct_values, trace):
        failed = ", ".join(_failing(work, correct_values, trace))
        raise TemplateError(f"{template.__name__}: the correct answer does not pass itself: {failed}")
    changes = list(_changes(template, correct_values))
    unnoticed = [change for change in changes if _passes(work, {**correct_values, change.field: change.after}, trace)]
    if trace:
        changes.append(Change("(trace)", "emptied", trace, ""))
        unnoticed += changes[-1:] if _passes(work, correct_values, "") else []
    return Audit(template.__name__, len(changes), tuple(unnoticed))


def _changes(template: type[BaseAnswer], values: Mapping[str, Any]) -> Iterator[Change]:
    plan = template.__verdict_plan__
    # As the template reads it: a date that was written as text is a date.
    answer = parse_reply(template, values).answer
    for name in plan.parsed:
        before = getattr(answer, name, None)
        annotation = template.model_fields[name].annotation
        if name in plan.verified:
            found = plan.verified[name]
            changes = small_changes(before, found.ground_truth, found.operator, annotation)
        else:
            changes = small_changes(before, before, plan.match, annotation)
        yield from (Change(name, kind, before, after) for kind, after in changes)


def _passes(work: AnswerTemplate, values: Mapping[str, Any], trace: str | None) -> bool:
    match, expected, observed = work.prepared(values, trace)
    return match.check(observed, expected)


def _failing(work: AnswerTemplate, values: Mapping[str, Any], trace: str | None) -> list[str]:
    match, expected, observed = work.prepared(values, trace)
    outcome = run(match, expected, observed).outcome
    return [outcome.error] if outcome.error else [str(name) for name in (outcome.details or {}).get("failed", [])]
