"""`lint_template` and ``pytest-verdict lint``: find what may mislead the judge of a template or accept a wrong answer.

The command imports the module, which runs its code. It asks no judge.

exit codes:
  0  nothing but notices
  1  there are warnings
  2  the module cannot be imported or has no template
"""

import argparse
import datetime
import importlib
import runpy
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

from pytest_verdict.console import say
from pytest_verdict.core.values.dates import read_date
from pytest_verdict.core.values.display import format_count, shown
from pytest_verdict.errors import TemplateError
from pytest_verdict.templates.answer import BaseAnswer
from pytest_verdict.templates.field import Verification, choices_of
from pytest_verdict.templates.template_match import fields_in
from pytest_verdict.templates.trace_checks import has_words, list_numbers, list_values

_NOTICES: Final = {"boolean_anchors", "unnoticed_change"}
_LONG: Final = 3


@dataclass(frozen=True, slots=True)
class Finding:
    template: str
    field: str
    code: str
    message: str

    @property
    def level(self) -> Literal["warning", "notice"]:
        return "notice" if self.code in _NOTICES else "warning"

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
        Answer.gene: answer_leaks: the judge reads the expected 'TP53' in 'The gene symbol, e.g. TP53'; write another example
    """
    problems: list[tuple[str, str, str]] = []
    definition = template.__verdict_definition__
    for name, verification in definition.verified.items():
        for case in verification.alternatives:
            if not case.reads_trace:
                expected = [case.ground_truth, case.operator.effective_expected(case.ground_truth)]
                problems += [(name, "answer_leaks", leak) for leak in _find_leaks(template, name, expected, case.hint)]
                problems += [(name, *problem) for problem in _check_ground_truth(case)]
                problems += [(name, *problem) for problem in _try_changes(template, name, case)]
        if definition.strategy is not None and name not in fields_in(definition.strategy):
            message = "it is not in the strategy, so a wrong value never fails; add it, or drop the field"
            problems.append((name, "not_in_strategy", message))

    try:
        correct: Any = getattr(template.model_construct(), "correct", None)
    except Exception:  # noqa: BLE001 - ground_truth() of a classic template may need an answer
        correct = None
    for name in definition.plain:
        if isinstance(correct, Mapping) and name in correct:
            leaks = _find_leaks(template, name, [correct[name]], None)
            problems += [(name, "answer_leaks", leak) for leak in leaks]
    return [Finding(template.__name__, *problem) for problem in dict.fromkeys(problems)]


def _find_leaks(template: type[BaseAnswer], name: str, expected: list[Any], hint: str | None) -> Iterator[str]:
    """Yield where the judge reads an expected value, by its words or its number."""
    fields = {key: template.model_fields[key] for key in template.__verdict_definition__.extracted}
    own_texts = [fields[name].description or "", hint or ""]
    others = [text for field in fields.values() for text in (field.description, field.title, str(field.examples or ""))]
    choices = [str(getattr(choice, "value", choice)) for choice in choices_of(fields[name].annotation)]
    for text in dict.fromkeys(filter(None, [*own_texts, template.__doc__, *others])):
        if len(choices) > 1 and all(has_words(text, choice) for choice in choices):
            # A text with all choices does not say which one is right.
            continue
        for value in dict.fromkeys(list_values(expected)):
            # A shorter text occurs by chance, and so does a digit in the text of another field.
            leaks = has_words(text, str(value)) and len(str(value)) >= _LONG
            if isinstance(value, Decimal):
                is_said = value in list_numbers(text) or has_words(text, f"{value:f}")
                leaks = is_said and (text in own_texts or len(str(value)) >= _LONG)
            if leaks:
                yield f"the judge reads the expected {shown(str(value), 60)} in {shown(text, 80)}; write another example"


def _check_ground_truth(verification: Verification) -> Iterator[tuple[str, str]]:
    """Yield codes and messages about the ground truth of a field."""
    truth = verification.ground_truth
    if isinstance(truth, bool):
        reason = "its description tells the judge what to look for, who may then find it"
        yield "boolean_anchors", f"{reason}; a field that extracts the value does not"
    # With built-in operators, a ground truth that nothing passes is refused when the class is defined.
    operator = verification.operator
    if not operator.evaluate_is_pure and not verification.compare("", truth, truth, None).passed:
        reason = f"{operator.name} does not pass on the ground truth {shown(truth, 60)} itself"
        yield "ground_truth_fails", f"{reason}; check that some answer passes"


def _try_changes(template: type[BaseAnswer], name: str, verification: Verification) -> Iterator[tuple[str, str]]:
    """Yield the small changes of the ground truth with which the field still passes."""
    truth = verification.ground_truth
    if verification.operator.asks_model or not verification.compare("", truth, truth, None).passed:
        return
    choices = [choice for choice in choices_of(template.model_fields[name].annotation) if choice != truth]
    for change in choices or _change_value(truth, verification.operator.kind):
        if verification.compare("", truth, change, None).passed:
            yield "unnoticed_change", f"{shown(truth, 60)} may become {shown(change, 60)}, and the field still passes"


def _change_value(value: Any, kind: str) -> list[Any]:
    """Return small changes of a correct value, by its type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float | Decimal):
        return [number for number in (0, -value, value * 10, value * 1000) if number != value]
    if kind == "date":
        date = read_date(value)
        if isinstance(date, str):
            return []
        # Not every year has a 29 February, and the first and last year have no neighbour.
        years = [
            year for year in (date.day.year - 1, date.day.year + 1) if datetime.MINYEAR <= year <= datetime.MAXYEAR
        ]
        return [date.day.replace(year=year, day=min(date.day.day, 28)).isoformat() for year in years]
    if isinstance(value, str) and value:
        other = {"+": "-", "x": "y"}.get(value[-1], "x")
        if value[-1].isdigit():
            other = str((int(value[-1]) + 1) % 10)
        return [value[:-1] + other, value[:-1], f"not {value}"]
    if isinstance(value, list | tuple | set | frozenset) and value:
        items = sorted(value, key=repr)
        return [type(value)(items[:-1]), type(value)([*items, "an item that is not expected"])]
    return []


def find_template(namespace: Mapping[str, Any] | ModuleType) -> type[BaseAnswer]:
    """Return the one template of a module.

    Args:
        namespace: A module, or its names.

    Returns:
        The template.

    Raises:
        TemplateError: There is none, or there are several.

    Example:
        >>> class Answer(BaseAnswer):
        ...     '''A template with regex checks only.'''
        >>> find_template({"Answer": Answer, "Alias": Answer}).__name__
        'Answer'
    """
    templates = _templates_in(namespace)
    place = namespace.__name__ if isinstance(namespace, ModuleType) else "the namespace"
    if not templates:
        raise TemplateError(f"{place} has no template: a class derived from BaseAnswer")
    if len(templates) > 1:
        names = ", ".join(template.__name__ for template in templates)
        raise TemplateError(f"{place} has {len(templates)} templates and should have one: {names}")
    return templates[0]


def _templates_in(namespace: Mapping[str, Any] | ModuleType) -> list[type[BaseAnswer]]:
    """Return the templates of a module from which none of its other templates derives."""
    members = vars(namespace) if isinstance(namespace, ModuleType) else namespace
    templates: list[type[BaseAnswer]] = []
    for value in members.values():
        if isinstance(value, type) and issubclass(value, BaseAnswer) and value not in (BaseAnswer, *templates):
            templates.append(value)
    if isinstance(namespace, ModuleType):
        templates = [one for one in templates if one.__module__ == namespace.__name__] or templates
    derived_from = {base for template in templates for base in template.__mro__[1:]}
    return [template for template in templates if template not in derived_from]


def load_templates(name: str) -> list[type[BaseAnswer]]:
    """Import a module that a person named, and return its templates."""
    is_file = name.endswith(".py")
    path = Path(name)
    # As with "python FILE" and "python -m", modules beside the file or in the current folder can be imported.
    folder = str(path.resolve().parent if is_file else Path.cwd())
    sys.path.insert(0, folder)
    try:
        if is_file:
            module = ModuleType(path.stem)
            vars(module).update(runpy.run_path(name, run_name=path.stem))
        else:
            module = importlib.import_module(name)
    # A module that exits, perhaps with code 0, would look like a successful command.
    except (Exception, SystemExit) as error:
        raise TemplateError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    return _templates_in(module) or [find_template(module)]


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
