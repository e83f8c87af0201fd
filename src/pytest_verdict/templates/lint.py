"""`lint_template` and ``pytest-verdict lint``: what of a template may mislead its judge or accept a wrong answer."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pytest_verdict.console import say
from pytest_verdict.core.values.display import counted, shown
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.answer_leaks import answer_leaks, classic_fields
from pytest_verdict.templates.discovery import load_templates
from pytest_verdict.templates.field import Verification
from pytest_verdict.templates.strategy import fields_named

_EXIT_CODES: Final = """\
The module is imported, which runs its code. No judge is asked.

exit codes:
  0  nothing but notices was found
  1  there are warnings
  2  the module cannot be imported or has no template
"""


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
    verified = template.__verdict_definition__.verified.items()
    found = [(name, *one) for name, verification in verified for one in _findings(template, name, verification)]
    classic = [(name, *one) for name, each in classic_fields(template) for one in _leaks(template, name, each)]
    return [Finding(template.__name__, *one) for one in (*found, *classic)]


def _findings(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    if not verification.reads_trace:
        yield from _leaks(template, name, verification)
        yield from _about_the_ground_truth(verification)
    strategy = template.__verdict_definition__.strategy
    if strategy is not None and name not in fields_named(strategy):
        reason = "the strategy does not look at it, so a wrong value never fails"
        yield "not_in_strategy", f"{reason}; name it, or drop the field"


def _leaks(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    for place, answer in answer_leaks(template, name, verification):
        found = f"the expected {shown(answer, 60)} stands in {place}"
        yield "answer_leaks", f"{found}; describe the value with another example"


def _about_the_ground_truth(verification: Verification) -> Iterator[tuple[str, str]]:
    truth, operator, lost = verification.ground_truth, verification.operator, verification.lost_punctuation()
    if isinstance(truth, bool):
        reason = "its description tells the judge what to look for, who may then find it"
        yield "boolean_anchors", f"{reason}; a field that extracts the value does not"
    if lost:
        change = f"remove_punctuation changes {shown(lost, 60)}"
        yield "lost_punctuation", f"{change}, which then equals texts that differ only in punctuation"
    # With our operators, a ground truth with which nothing passes is refused when the class is made.
    if not operator.evaluate_is_pure and not verification.compare("", truth, truth, None).passed:
        reason = f"{operator.name} does not pass on the ground truth {shown(truth, 60)} itself"
        yield "ground_truth_fails", f"{reason}; see that some answer passes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    templates = load_templates(arguments.module)
    found = [finding for template in templates for finding in lint_template(template)]
    for finding in found:
        say(f"{finding.level}: {finding}")
    warnings = sum(finding.level == "warning" for finding in found)
    counts = (len(templates), "template"), (warnings, "warning"), (len(found) - warnings, "notice")
    say(", ".join(counted(*count) for count in counts))
    return 1 if warnings else 0
