"""``pytest-verdict audit``: which small mistakes the templates in a module would not notice."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pytest_verdict.console import complain, say
from pytest_verdict.core.values.display import counted

if TYPE_CHECKING:
    from pytest_verdict.templates.answer import BaseAnswer

_EXIT_CODES: Final = """\
The module is imported, which runs its code. No judge is asked. Without --values the ground truths are the correct answer.

exit codes:
  0  every change is noticed
  1  a change is not noticed
  2  the module cannot be imported, has no template, or a correct answer does not pass itself (the other templates are audited)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")
    parser.add_argument(
        "--values", metavar="FILE", help="a correct answer as a JSON object, for a module of one template"
    )
    parser.add_argument("--trace", metavar="FILE", help="a correct raw response, as text")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.errors import TemplateError
    from pytest_verdict.templates.audit import audit_template
    from pytest_verdict.templates.discovery import load_templates

    templates = load_templates(arguments.module, only_one=arguments.values is not None)
    trace = None if arguments.trace is None else _text(arguments.trace)
    code = 0
    for template in templates:
        values = _values(template, arguments.values)
        try:
            audit = audit_template(template, values, trace)
        except TemplateError as error:
            # The others are audited all the same.
            complain(f"not audited: {error}")
            code = 2
            continue
        for change in audit.unnoticed:
            say(f"not noticed: {audit.template}.{change}")
        say(f"{audit.template}: {counted(audit.tried, 'change')}, {len(audit.unnoticed)} not noticed")
        code = max(code, 1 if audit.unnoticed else 0)
    return code


def _text(path: str) -> str:
    from pytest_verdict.errors import TemplateError

    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise TemplateError(f"{path} is no text in UTF-8: {error}") from None


def _values(template: type[BaseAnswer], path: str | None) -> dict[str, Any]:
    from pytest_verdict.core.values.jsontext import JsonTextError, parse_json
    from pytest_verdict.errors import TemplateError
    from pytest_verdict.templates.parsing import plain_numbers

    if path is None:
        definition = template.__verdict_definition__
        return {name: definition.expected[name] for name in definition.parsed if name in definition.expected}
    try:
        values = parse_json(Path(path).read_bytes())
    except JsonTextError as error:
        raise TemplateError(f"{path} is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise TemplateError(f"{path} holds no JSON object")
    return {name: plain_numbers(value) for name, value in values.items()}
