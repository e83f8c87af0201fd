"""``pytest-verdict check``: whether suite files are written rightly, without running them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_verdict.console import complain, say, say_json
from pytest_verdict.core.values.display import counted
from pytest_verdict.errors import SuiteError

_EXIT_CODES: Final = """\
exit codes:
  0  every file can be run
  1  a file is written wrongly
  2  no file is named, or one cannot be read
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.epilog = _EXIT_CODES
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of suite files, for your editor")
    parser.add_argument(
        "--scorer",
        action="append",
        default=[],
        metavar="NAME",
        help="a scorer that conftest.py registers; may be repeated",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="a suite file; adapters and scorers are not imported")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.schema:
        from pytest_verdict.suites.suite_model import suite_schema

        say_json(suite_schema())
        return 0
    if not arguments.files:
        complain("name a suite file, such as pytest-verdict check capitals.verdict.yaml")
        return 2
    return _check(arguments.files, arguments.scorer)


def _check(files: Sequence[str], scorers: Sequence[str]) -> int:
    from pytest_verdict.suites.suite_reader import read_suite

    status = 0
    for file in files:
        try:
            suite = read_suite(Path(file), scorers=scorers)
        except SuiteError as error:
            for line in str(error).splitlines():
                say(line)
            status = 1
        else:
            adapter = f"adapter {suite.adapter}" if suite.adapter else "no adapter of its own"
            say(f"{file}: {suite.name}, {counted(len(suite.scenarios), 'scenario')}, {adapter}")
    return status
