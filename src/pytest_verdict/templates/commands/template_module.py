"""The argument MODULE: a module whose templates a command looks at."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_verdict.templates.answer import BaseAnswer


def add_module_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    parser.add_argument("module", metavar="MODULE", help="a dotted name, or the path of a .py file")


def templates_of(module: str, *, only_one: bool = False) -> list[type[BaseAnswer]]:
    """Import a module and give its templates."""
    from pytest_verdict.templates.discovery import find_template, load_module, templates_in

    loaded = load_module(module)
    found = templates_in(loaded)
    return found if found and not only_one else [find_template(loaded)]
