"""`lint_template`: what of a template may mislead its judge or accept a wrong answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pytest_verdict.core.values.display import shown
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.answer_leaks import answer_leaks, classic_fields
from pytest_verdict.templates.field import Verification
from pytest_verdict.templates.strategy import fields_named


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at in a template."""

    template: str
    field: str
    code: str
    message: str

    @property
    def level(self) -> Literal["warning", "notice"]:
        """How much it matters."""
        return "notice" if self.code == "boolean_anchors" else "warning"

    def __str__(self) -> str:
        return f"{self.template}.{self.field}: {self.code}: {self.message}"


def lint_template(template: type[BaseAnswer]) -> list[Finding]:
    """Look for what may mislead a judge or accept a wrong answer. No judge is asked.

    Args:
        template: The template.

    Returns:
        What was found, in the order of the fields.

    Example:
        >>> from pytest_verdict.templates import ExactMatch, VerifiedField
        >>> class Answer(BaseAnswer):
        ...     gene: str = VerifiedField("The gene symbol, e.g. TP53", ground_truth="TP53", verify_with=ExactMatch())
        >>> print(lint_template(Answer)[0])
        Answer.gene: answer_leaks: the expected 'TP53' stands in its description; describe the value with another example
    """
    found = [
        Finding(template.__name__, name, code, message)
        for name, verification in template.__verdict_definition__.verified.items()
        for code, message in _findings(template, name, verification)
    ]
    found += [
        Finding(template.__name__, name, code, message)
        for name, verification in classic_fields(template)
        for code, message in _leaks(template, name, verification)
    ]
    return found


def _findings(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    if not verification.reads_trace:
        yield from _about_the_judge(template, name, verification)
        yield from _about_the_ground_truth(verification)
    strategy = template.__verdict_definition__.strategy
    if strategy is not None and name not in fields_named(strategy):
        yield (
            "not_in_strategy",
            "the strategy does not look at it, so a wrong value never fails; name it, or drop the field",
        )


def _leaks(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    for place, answer in answer_leaks(template, name, verification):
        yield (
            "answer_leaks",
            f"the expected {shown(answer, 60)} stands in {place}; describe the value with another example",
        )


def _about_the_judge(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    yield from _leaks(template, name, verification)
    if isinstance(verification.ground_truth, bool):
        yield (
            "boolean_anchors",
            "its description tells the judge what to look for, who may then find it; a field that extracts the value does not",
        )


def _about_the_ground_truth(verification: Verification) -> Iterator[tuple[str, str]]:
    lost = verification.lost_punctuation()
    if lost:
        yield (
            "lost_punctuation",
            f"remove_punctuation changes {shown(lost, 60)}, which then equals texts that differ only in punctuation",
        )
    truth, operator = verification.ground_truth, verification.operator
    # With our operators, a ground truth with which nothing passes is refused when the class is made.
    if not operator.keeps_evidence and not verification.compare("", truth, truth, None).passed:
        yield (
            "ground_truth_fails",
            f"{operator.name} does not pass on the ground truth {shown(truth, 60)} itself; see that some answer passes",
        )
