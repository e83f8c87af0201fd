"""``pytest-verdict lint``: what of the templates in a module may mislead a judge or accept a wrong answer."""

from __future__ import annotations

import argparse
from typing import Final

from pytest_verdict.console import say
from pytest_verdict.core.values.display import counted

_EXIT_CODES: Final = """\
The module is imported, which runs its code. No judge is asked.

exit codes:
  0  nothing but notices was found
  1  there are warnings
  2  the module cannot be imported or has no template
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from pytest_verdict.templates.discovery import load_templates
    from pytest_verdict.templates.lint import lint_template

    templates = load_templates(arguments.module)
    found = [finding for template in templates for finding in lint_template(template)]
    for finding in found:
        say(f"{finding.level}: {finding}")
    warnings = sum(finding.level == "warning" for finding in found)
    counts = (len(templates), "template"), (warnings, "warning"), (len(found) - warnings, "notice")
    say(", ".join(counted(*count) for count in counts))
    return 1 if warnings else 0
